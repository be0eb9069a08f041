/* SPDX-License-Identifier: MIT */
/*
 * 32-bit ARM: encodings of the site and how to write them (ARM DDI 0406C, A8.8.18 "B", A8.8.119 "NOP").
 * The low bits of `to` tell the instruction set: see site_arch.h.
 *
 * ARM since ARMv6K: NOP and B are on the list of instructions that may be changed while other CPUs execute
 * them (A3.5.4). Thumb-2: NOP.W and B.W are *not*. But the site is one aligned word, in one cache line, one
 * store writes it, and a CPU that fetches words whole finds one of the two; so, too, before ARMv6K, on one
 * core. Who wants no such reliance compiles with -marm or CAIRN_SITES=branch. Only QEMU was tried.
 */
#ifndef CAIRN_PATCH_ARCH_H
#define CAIRN_PATCH_ARCH_H

#include <errno.h>
#include <stdint.h>

#include <site_arch.h>
#include <word_arch.h>

/* ARM (A1): 24 bits of distance in words, from 8 bytes behind the site. */
static inline int cairn_arch_arm_jump(unsigned char *insn, uintptr_t from, uintptr_t to)
{
	const uintptr_t reach = to - from - 8;

	if (reach & 3 || reach + 0x2000000u >= 0x4000000u)
		return -ERANGE;
	cairn_arch_put_word(insn, 0xea000000u | (uint32_t)(reach >> 2 & 0xffffff), 0);
	return 0;
}

/* Thumb-2 (T4): 24 bits of distance in halfwords, from 4 bytes behind the site: S I1 I2 imm10 imm11, where
 * J1 and J2 stand for I1 and I2: J = NOT(I EOR S). */
static inline int cairn_arch_thumb_jump(unsigned char *insn, uintptr_t from, uintptr_t to)
{
	const uintptr_t reach = to - from - 4;
	const uint32_t distance = (uint32_t)reach;
	const uint32_t s = distance >> 24 & 1;
	const uint32_t j1 = !((distance >> 23 & 1) ^ s);
	const uint32_t j2 = !((distance >> 22 & 1) ^ s);

	if (reach & 1 || reach + 0x1000000u >= 0x2000000u)
		return -ERANGE;
	cairn_arch_put_word(insn,
			    0x9000f000u | s << 10 | (distance >> 12 & 0x3ff) |
				    (j1 << 13 | j2 << 11 | (distance >> 1 & 0x7ff)) << 16,
			    0);
	return 0;
}

/* The jump from `from` to `to`. 0, or -ERANGE: out of reach, or not aligned. */
static inline int cairn_arch_jump(unsigned char *insn, uintptr_t from, uintptr_t to)
{
	if (from & 3)
		return -ERANGE;
	return to & 1 ? cairn_arch_thumb_jump(insn, from, to - 1) :
			cairn_arch_arm_jump(insn, from, to & ~(uintptr_t)2);
}

/* The disabled site at `from` whose cold branch is at `to`. 0, or -ERANGE, as above. */
static inline int cairn_arch_nop(unsigned char *insn, uintptr_t from, uintptr_t to)
{
	/* nop.w; mov r0, r0; nop */
	const uint32_t word = to & 1 ? 0x8000f3afu : to & 2 ? 0xe1a00000u : 0xe320f000u;
	const int status = cairn_arch_jump(insn, from, to);

	if (!status)
		cairn_arch_put_word(insn, word, 0);
	return status;
}

/* Make what was written in [begin, end) visible to instruction fetch, on every CPU: a system call. */
static inline void cairn_arch_sync(unsigned char *begin, unsigned char *end)
{
	__builtin___clear_cache((char *)begin, (char *)end);
}

#endif
