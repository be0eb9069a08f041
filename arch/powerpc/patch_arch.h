/* SPDX-License-Identifier: MIT */
/*
 * PowerPC: encodings of the site and how to write them. No-op: 60000000 (ori 0,0,0, the preferred one);
 * jump: 010010, 24 bits of distance in words, 00 (Power ISA, Book I, "Branch Instructions", I-form).
 *
 * Another CPU may be executing there meanwhile: it runs the old or the new one of two instructions of
 * the patch class that one aligned store of a word exchanges (Book II, "Concurrent Modification and
 * Execution of Instructions"). Instruction fetch does not see stores by itself: the data cache's block
 * is written back, the instruction cache's invalidated on all CPUs (Book II, "Instruction Storage").
 * Under QEMU only encodings were tried: it models no caches.
 */
#ifndef CAIRN_PATCH_ARCH_H
#define CAIRN_PATCH_ARCH_H

#include <errno.h>
#include <stdint.h>

#include <site_arch.h>
#include <word_arch.h>

#define CAIRN_ARCH_MIX (CAIRN_ARCH_SITE_BIG ? 3 : 0)

/* The jump from `from` to `to`. 0, or -ERANGE: out of reach. */
static inline int cairn_arch_jump(unsigned char *insn, uintptr_t from, uintptr_t to)
{
	const uintptr_t reach = to - from;

	if (reach & 3 || reach + 0x2000000 >= 0x4000000)
		return -ERANGE;
	cairn_arch_put_word(insn, 0x48000000u | (uint32_t)(reach & 0x3fffffc), CAIRN_ARCH_MIX);
	return 0;
}

/* The disabled site at `from` whose cold branch is at `to`. 0, or -ERANGE: out of reach. */
static inline int cairn_arch_nop(unsigned char *insn, uintptr_t from, uintptr_t to)
{
	const int status = cairn_arch_jump(insn, from, to);

	if (!status)
		cairn_arch_put_word(insn, 0x60000000u, CAIRN_ARCH_MIX);
	return status;
}

/* The smallest block of a cache that any PowerPC has; a site is in one block, of whatever size. */
#define CAIRN_ARCH_CACHE_BLOCK 16

/*
 * Make what was written in [begin, end) visible to instruction fetch, on every CPU: the blocks' stores
 * to memory, wait; their copies in all instruction caches away, wait; refetch here. By hand, since the
 * compiler's helper is a call of a function that does nothing (GCC, on Linux).
 */
static inline void cairn_arch_sync(unsigned char *begin, unsigned char *end)
{
	const uintptr_t first = (uintptr_t)begin & ~(uintptr_t)(CAIRN_ARCH_CACHE_BLOCK - 1);
	uintptr_t at;

	for (at = first; at < (uintptr_t)end; at += CAIRN_ARCH_CACHE_BLOCK)
		__asm__ volatile("dcbst 0, %0" : : "r"(at) : "memory");
	__asm__ volatile("sync" : : : "memory");
	for (at = first; at < (uintptr_t)end; at += CAIRN_ARCH_CACHE_BLOCK)
		__asm__ volatile("icbi 0, %0" : : "r"(at) : "memory");
	__asm__ volatile("sync\n\tisync" : : : "memory");
}

#endif
