/* SPDX-License-Identifier: MIT */
/*
 * x86 and x86_64: encodings of the site and how to write them. No-op: A9 disp32 (test $imm32, %eax);
 * jump: E9 disp32 (jmp rel32). The displacement counts from the end of the 5 bytes and is the same in
 * both, so that a flip writes the first byte only.
 *
 * What it rests on: a one-byte store is seen whole, and both values make the same five bytes one
 * instruction. Neither Intel (SDM vol. 3, "Handling Self- and Cross-Modifying Code") nor AMD promises
 * that another CPU may be executing there meanwhile; 18 million flips under a running thread, also
 * across a cache line, had no bad outcome. Who wants no such reliance builds with CAIRN_SITES=branch.
 */
#ifndef CAIRN_PATCH_ARCH_H
#define CAIRN_PATCH_ARCH_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#include <site_arch.h>

static inline int cairn_arch_encode(unsigned char *insn, unsigned char opcode, uintptr_t from,
				    uintptr_t to)
{
	int64_t reach = (int64_t)(intptr_t)(to - from) - CAIRN_ARCH_SITE_SIZE;
	int32_t disp = (int32_t)reach;
	int i;

	if (disp != reach)
		return -ERANGE;
	insn[0] = opcode;
	for (i = 0; i < 4; i++) /* by hand: tests run it on CPUs of the other byte order, too */
		insn[1 + i] = (unsigned char)((uint32_t)disp >> 8 * i);
	return 0;
}

/* The disabled site at `from` whose cold branch is at `to`. 0, or -ERANGE: out of reach. */
static inline int cairn_arch_nop(unsigned char *insn, uintptr_t from, uintptr_t to)
{
	return cairn_arch_encode(insn, 0xa9, from, to);
}

/* The jump from `from` to `to`. 0, or -ERANGE: out of reach. */
static inline int cairn_arch_jump(unsigned char *insn, uintptr_t from, uintptr_t to)
{
	return cairn_arch_encode(insn, 0xe9, from, to);
}

/* Write one instruction over the other while threads may run it. The text is writable. */
static inline void cairn_arch_poke(unsigned char *at, const unsigned char *insn, size_t size)
{
	(void)size; /* the other four bytes are the same */
	/* In assembler: ThreadSanitizer would look for the shadow of program text, and has none. */
	__asm__ volatile("movb %1, %0" : "=m"(*at) : "q"(insn[0]) : "memory");
}

/* Make what was written in [begin, end) visible to instruction fetch: caches are coherent here. */
static inline void cairn_arch_sync(unsigned char *begin, unsigned char *end)
{
	(void)begin;
	(void)end;
}

#endif
