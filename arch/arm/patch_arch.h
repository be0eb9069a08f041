/* SPDX-License-Identifier: MIT */
/*
 * 32-bit ARM: encodings of the site and how to write them (ARM DDI 0406C, A8.8.18 "B", A8.8.119 "NOP").
 * The low bits of `to` tell the instruction set: see site_arch.h.
 *
 * What it rests on. ARM since ARMv6K: NOP and B are on the list of instructions that may be changed while
 * other CPUs execute them (A3.5.4): each executes the old or the new one. Thumb-2: NOP.W and B.W are *not*
 * on that list, and the architecture says nothing of what happens. But the site is one aligned word, so it
 * lies in one cache line, one store writes it, and a CPU that fetches words whole finds one of the two. The
 * same goes for ARM before ARMv6K, whose CPUs have one core. Who wants no such reliance compiles for ARM
 * (-marm) or builds with CAIRN_SITES=branch. Only QEMU was tried, which has no caches and no fetches.
 */
#ifndef CAIRN_PATCH_ARCH_H
#define CAIRN_PATCH_ARCH_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#include <site_arch.h>

/* Two halfwords, little-endian. */
static inline void cairn_arch_arm_put(unsigned char *insn, uint32_t first, uint32_t second)
{
	insn[0] = (unsigned char)first;
	insn[1] = (unsigned char)(first >> 8);
	insn[2] = (unsigned char)second;
	insn[3] = (unsigned char)(second >> 8);
}

/* ARM (A1): 24 bits of distance in words, from 8 bytes behind the site. */
static inline int cairn_arch_arm_jump(unsigned char *insn, uintptr_t from, uintptr_t to)
{
	const uintptr_t reach = to - from - 8;
	const uint32_t word = 0xea000000u | (uint32_t)(reach >> 2 & 0xffffff);

	if (reach & 3 || reach + 0x2000000u >= 0x4000000u)
		return -ERANGE;
	cairn_arch_arm_put(insn, word, word >> 16);
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
	cairn_arch_arm_put(insn, 0xf000u | s << 10 | (distance >> 12 & 0x3ff),
			   0x9000u | j1 << 13 | j2 << 11 | (distance >> 1 & 0x7ff));
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
	const int status = cairn_arch_jump(insn, from, to);

	if (status)
		return status;
	if (to & 1)
		cairn_arch_arm_put(insn, 0xf3af, 0x8000); /* nop.w */
	else if (to & 2)
		cairn_arch_arm_put(insn, 0x0000, 0xe1a0); /* mov r0, r0 */
	else
		cairn_arch_arm_put(insn, 0xf000, 0xe320); /* nop */
	return 0;
}

/* Write one instruction over the other while threads may run it. The text is writable. */
static inline void cairn_arch_poke(unsigned char *at, const unsigned char *insn, size_t size)
{
	uint32_t word;

	__builtin_memcpy(&word, insn, size);
	*(volatile uint32_t *)(uintptr_t)at = word;
}

/* Make what was written in [begin, end) visible to instruction fetch, on every CPU: a system call. */
static inline void cairn_arch_sync(unsigned char *begin, unsigned char *end)
{
	__builtin___clear_cache((char *)begin, (char *)end);
}

#endif
