/* SPDX-License-Identifier: MIT */
/*
 * MIPS: encodings of the site and how to write them. All no-ops are words of 0 (SLL 0,0,0). Jumps, with
 * distances from the instruction behind them:
 *
 *   MIPS32/64   000100 and 16 bits of distance in words (BEQ 0,0: B; MD00086), or, beyond its 128 KiB,
 *               000010 and 26 bits of the address in words, in the same 256 MiB (J)
 *   microMIPS   100101, 16 bits in halfwords, 64 KiB; 110101, 26 bits, in the same 128 MiB (MD00582)
 *   Release 6   110010, 26 bits of distance in words, 128 MiB (BC; MD00086, revision 6)
 *
 * So a cold branch is out of reach only where a segment of 256 MiB ends between it and the site.
 *
 * A flip is one aligned store of the jump's word; what is in its delay slot never changes. Every CPU that
 * fetches words whole sees the old or the new one. The architecture promises neither this nor the
 * contrary; it says that fetch may see old words until caches are synchronised, which core allows for.
 * The kernel's cacheflush does that on all CPUs; SYNCI, which compilers' helpers use, need not (MD00087,
 * "SYNCI"). Under QEMU only encodings were tried: it models no caches.
 */
#ifndef CAIRN_PATCH_ARCH_H
#define CAIRN_PATCH_ARCH_H

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include <site_arch.h>
#include <word_arch.h>

/* Of the C library; its header, <sys/cachectl.h>, is not everywhere that encoders are tested. */
extern int cacheflush(void *begin, int size, int caches);
#define CAIRN_ARCH_BOTH_CACHES 3

/* A halfword at a time for microMIPS, high half first; both orders agree where data are big-endian. */
#define CAIRN_ARCH_MIX (CAIRN_ARCH_SITE_BIG ? 3 : CAIRN_ARCH_SITE_TAG ? 2 : 0)

/* The instruction at `from` that jumps to `to`; 0, which is none: out of reach. */
static inline uint32_t cairn_arch_jump_word(uintptr_t from, uintptr_t to)
{
	const unsigned unit = CAIRN_ARCH_SITE_TAG ? 1 : 2; /* log2 of what distances count */
	const uintptr_t behind = from + 4, reach = to - behind;
	const uint32_t distance = (uint32_t)(reach >> unit);

	if (from & 3 || to & (((uintptr_t)1 << unit) - 1))
		return 0;
	if (CAIRN_ARCH_SITE_SIZE == 4)
		return reach + 0x8000000 < 0x10000000 ? 0xc8000000u | (distance & 0x3ffffff) : 0;
	if (reach + ((uintptr_t)0x8000 << unit) < (uintptr_t)0x10000 << unit)
		return (CAIRN_ARCH_SITE_TAG ? 0x94000000u : 0x10000000u) | (distance & 0xffff);
	if ((behind ^ to) >> (26 + unit))
		return 0;
	return (CAIRN_ARCH_SITE_TAG ? 0xd4000000u : 0x08000000u) |
	       (uint32_t)(to >> unit & 0x3ffffff);
}

/* The disabled site at `from` whose cold branch is at `to`. 0, or -ERANGE: out of reach. */
static inline int cairn_arch_nop(unsigned char *insn, uintptr_t from, uintptr_t to)
{
	if (!cairn_arch_jump_word(from, to))
		return -ERANGE;
	memset(insn, 0, CAIRN_ARCH_SITE_SIZE);
	return 0;
}

/* The jump from `from` to `to`, and its delay slot. 0, or -ERANGE: out of reach. */
static inline int cairn_arch_jump(unsigned char *insn, uintptr_t from, uintptr_t to)
{
	const uint32_t word = cairn_arch_jump_word(from, to);

	if (!word)
		return -ERANGE;
	memset(insn, 0, CAIRN_ARCH_SITE_SIZE);
	cairn_arch_put_word(insn, word, CAIRN_ARCH_MIX);
	return 0;
}

/* Make what was written in [begin, end) visible to instruction fetch, on every CPU. */
static inline void cairn_arch_sync(unsigned char *begin, unsigned char *end)
{
	cacheflush(begin, (int)(end - begin), CAIRN_ARCH_BOTH_CACHES);
}

#endif
