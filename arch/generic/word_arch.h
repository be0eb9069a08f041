/* SPDX-License-Identifier: MIT */
/* For patch_arch.h of ports where a flip exchanges one aligned word of 32 bits. */
#ifndef CAIRN_WORD_ARCH_H
#define CAIRN_WORD_ARCH_H

#include <stddef.h>
#include <stdint.h>

/* The bytes of an instruction, by hand, since tests run encoders on CPUs of the other byte order: mix 0:
 * little-endian; 3: big-endian; 2: two little-endian halfwords, the high one first. */
static inline void cairn_arch_put_word(unsigned char *insn, uint32_t word, int mix)
{
	int i;

	for (i = 0; i < 4; i++)
		insn[i ^ mix] = (unsigned char)(word >> 8 * i);
}

/* Write one instruction over the other while threads may run it; only its first word differs. The text is
 * writable. Volatile: for old ARM clang makes a call of an atomic store. */
static inline void cairn_arch_poke(unsigned char *at, const unsigned char *insn, size_t size)
{
	uint32_t word;

	(void)size;
	__builtin_memcpy(&word, insn, sizeof(word));
	*(volatile uint32_t *)(uintptr_t)at = word;
}

#endif
