/* SPDX-License-Identifier: MIT */
/*
 * s390x: encodings of the site and how to write them. BRCL: C0, mask and 4, 32 bits of distance in
 * halfwords from the instruction's own address (z/Architecture Principles of Operation, chapter 7,
 * "Branch Relative on Condition Long"). Mask 0 is the no-op, mask 15 the jump. Instructions are
 * big-endian, as data are.
 *
 * Another CPU may be executing there meanwhile. The architecture says that it may go on with an
 * instruction that it has prefetched until it serialises, and may see the change of some bits of an
 * instruction before others (chapter 5, "Instruction Fetching"). Here only the four bits of the mask
 * change, in a store of one byte, and whatever mask a CPU sees, it jumps to the cold branch or goes on:
 * no mixture does anything else. Caches are coherent, also those of instructions. Under QEMU only
 * encodings were tried.
 */
#ifndef CAIRN_PATCH_ARCH_H
#define CAIRN_PATCH_ARCH_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#include <site_arch.h>

static inline int cairn_arch_encode(unsigned char *insn, unsigned char mask, uintptr_t from,
				    uintptr_t to)
{
	const int64_t reach = (intptr_t)(to - from); /* signed: tests run it on 32-bit CPUs, too */
	const uint32_t halves = (uint32_t)(reach / 2);
	int i;

	if (from & 1 || reach & 1 || reach / 2 != (int32_t)halves)
		return -ERANGE;
	insn[0] = 0xc0;
	insn[1] = (unsigned char)(mask << 4 | 4);
	for (i = 0; i < 4; i++)
		insn[2 + i] = (unsigned char)(halves >> (24 - 8 * i));
	return 0;
}

/* The disabled site at `from` whose cold branch is at `to`. 0, or -ERANGE: out of reach. */
static inline int cairn_arch_nop(unsigned char *insn, uintptr_t from, uintptr_t to)
{
	return cairn_arch_encode(insn, 0, from, to);
}

/* The jump from `from` to `to`. 0, or -ERANGE: out of reach. */
static inline int cairn_arch_jump(unsigned char *insn, uintptr_t from, uintptr_t to)
{
	return cairn_arch_encode(insn, 15, from, to);
}

/* Write one instruction over the other while threads may run it. The text is writable. */
static inline void cairn_arch_poke(unsigned char *at, const unsigned char *insn, size_t size)
{
	(void)size; /* the other five bytes are the same */
	__atomic_store_n(at + 1, insn[1], __ATOMIC_RELAXED);
}

/* Make what was written in [begin, end) visible to instruction fetch: caches are coherent here. */
static inline void cairn_arch_sync(unsigned char *begin, unsigned char *end)
{
	(void)begin;
	(void)end;
}

#endif
