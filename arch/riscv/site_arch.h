/* SPDX-License-Identifier: MIT */
/*
 * RISC-V, 64 bits: the tracepoint site. The port is chosen by whether this file preprocesses.
 *
 * A disabled site is `nop`, an enabled one `jal x0`, each a word of 32 bits: never the compressed form,
 * and at a multiple of 4, which compressed instructions around it would not give it by themselves, so
 * that one store of a word exchanges them. A jump reaches 1 MiB in both directions.
 */
#ifndef CAIRN_SITE_ARCH_H
#define CAIRN_SITE_ARCH_H

#if !defined(__riscv) || !defined(__LP64__)
#error "arch/riscv is for 64-bit RISC-V"
#endif

/* Bytes of the instruction that is patched. */
#define CAIRN_ARCH_SITE_SIZE 4
#define CAIRN_ARCH_SITE_ALIGN ".balign 4\n\t"
/* The no-op in line. */
#define CAIRN_ARCH_SITE(to) ".option push\n\t.option norvc\n\tnop\n\t.option pop\n\t"
/* What the no-op or the jump may change: nothing. */
#define CAIRN_ARCH_SITE_CLOBBERS
/* Bits of a code address that tell the instruction set. */
#define CAIRN_ARCH_SITE_TAG 0
/* Other CPUs may see stores in another order. */
#define CAIRN_ARCH_STORES_ORDERED 0

#endif
