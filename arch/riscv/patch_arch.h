/* SPDX-License-Identifier: MIT */
/*
 * RISC-V: encodings of the site and how to write them. No-op: 00000013 (addi x0, x0, 0); jump: JAL with
 * rd x0 and 20 bits of distance in halfwords, which are not in order (Unprivileged ISA, 2.5.1 "Unconditional
 * Jumps"). Instructions are little-endian, also where data are not.
 *
 * Another CPU may be executing there meanwhile. The architecture says that a hart sees stores to
 * instructions for sure after a FENCE.I of its own ("Zifencei"), and not what it sees before. A flip
 * rests on more: a word that is aligned, and was stored at once, is fetched as it was before or after.
 * The system's flush makes every hart that runs the process fence. Under QEMU only encodings were tried:
 * it models no caches.
 */
#ifndef CAIRN_PATCH_ARCH_H
#define CAIRN_PATCH_ARCH_H

#include <errno.h>
#include <stdint.h>

#include <site_arch.h>
#include <word_arch.h>

/* Of the C library; its header, <sys/cachectl.h>, is not everywhere that encoders are tested. */
extern int __riscv_flush_icache(void *begin, void *end, unsigned long flags);

/* The jump from `from` to `to`. 0, or -ERANGE: out of reach. */
static inline int cairn_arch_jump(unsigned char *insn, uintptr_t from, uintptr_t to)
{
	const uintptr_t reach = to - from;
	const uint32_t distance = (uint32_t)reach;

	if (from & 3 || reach & 1 || reach + 0x100000 >= 0x200000)
		return -ERANGE;
	/* Bits 20, 10 to 1, 11, 19 to 12 of the distance; rd 0; opcode JAL. */
	cairn_arch_put_word(insn,
			    (distance & 0x100000) << 11 | (distance & 0x7fe) << 20 |
				    (distance & 0x800) << 9 | (distance & 0xff000) | 0x6f,
			    0);
	return 0;
}

/* The disabled site at `from` whose cold branch is at `to`. 0, or -ERANGE: out of reach. */
static inline int cairn_arch_nop(unsigned char *insn, uintptr_t from, uintptr_t to)
{
	const int status = cairn_arch_jump(insn, from, to);

	if (!status)
		cairn_arch_put_word(insn, 0x00000013, 0);
	return status;
}

/*
 * Make what was written in [begin, end) visible to instruction fetch, on every CPU. Not by the compiler's
 * helper, which with clang is a function of libgcc that does nothing.
 */
static inline void cairn_arch_sync(unsigned char *begin, unsigned char *end)
{
	__riscv_flush_icache(begin, end, 0);
}

#endif
