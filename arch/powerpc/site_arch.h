/* SPDX-License-Identifier: MIT */
/*
 * PowerPC, 32 and 64 bits, both byte orders: the tracepoint site. The port is chosen by whether this
 * file preprocesses.
 *
 * A disabled site is `nop`, an enabled one `b`, one aligned word each. Both are of the "patch class",
 * the instructions that may be changed while other CPUs execute them (Power ISA, Book II, "Concurrent
 * Modification and Execution of Instructions"; 1.8.1 in version 2.03). A branch reaches 32 MiB in both
 * directions. In ELFv1 a function's symbol is its descriptor; a site is named by a label in the text,
 * which is an address of code everywhere.
 */
#ifndef CAIRN_SITE_ARCH_H
#define CAIRN_SITE_ARCH_H

#if !defined(__powerpc__) || (defined(__powerpc64__) && !defined(__LP64__))
#error "arch/powerpc is for 32-bit and 64-bit PowerPC"
#endif

/* Bytes of the instruction that is patched. */
#define CAIRN_ARCH_SITE_SIZE 4
/* 1: instructions are big-endian. They have the byte order of data. */
#ifdef __LITTLE_ENDIAN__
#define CAIRN_ARCH_SITE_BIG 0
#else
#define CAIRN_ARCH_SITE_BIG 1
#endif
/* The no-op in line; instructions are aligned by themselves. */
#define CAIRN_ARCH_SITE(to) "nop\n\t"
/* What the no-op or the jump may change: nothing. */
#define CAIRN_ARCH_SITE_CLOBBERS
/* Bits of a code address that tell the instruction set. */
#define CAIRN_ARCH_SITE_TAG 0
/* Other CPUs may see stores in another order. */
#define CAIRN_ARCH_STORES_ORDERED 0

#endif
