/* SPDX-License-Identifier: MIT */
/*
 * aarch64: encodings of the site and how to write them. No-op: D503201F (HINT #0); jump: 000101 and 26
 * bits of distance in words (ARM DDI 0487, C6.2 "B"). Instructions are little-endian, also where data
 * are not (B2.6.2).
 *
 * Concurrent modification of NOP and B is allowed (B2.2.5): another CPU executes the old or the new
 * one. The caches need a clean to the point of unification and an invalidation, which the compiler's
 * helper does by DC CVAU, DSB, IC IVAU, DSB, ISB; IC IVAU reaches all CPUs of the inner shareable
 * domain. Under QEMU only encodings were tried: it models no caches.
 */
#ifndef CAIRN_PATCH_ARCH_H
#define CAIRN_PATCH_ARCH_H

#include <errno.h>
#include <stdint.h>

#include <site_arch.h>
#include <word_arch.h>

/* The jump from `from` to `to`. 0, or -ERANGE: out of reach. */
static inline int cairn_arch_jump(unsigned char *insn, uintptr_t from, uintptr_t to)
{
	const uintptr_t reach = to - from;

	if (reach & 3 || reach + 0x8000000u >= 0x10000000u)
		return -ERANGE;
	cairn_arch_put_word(insn, 0x14000000u | (uint32_t)(reach >> 2 & 0x3ffffff), 0);
	return 0;
}

/* The disabled site at `from` whose cold branch is at `to`. 0, or -ERANGE: out of reach. */
static inline int cairn_arch_nop(unsigned char *insn, uintptr_t from, uintptr_t to)
{
	const int status = cairn_arch_jump(insn, from, to);

	if (!status)
		cairn_arch_put_word(insn, 0xd503201fu, 0);
	return status;
}

/* Make what was written in [begin, end) visible to instruction fetch, on every CPU. */
static inline void cairn_arch_sync(unsigned char *begin, unsigned char *end)
{
	__builtin___clear_cache((char *)begin, (char *)end);
}

#endif
