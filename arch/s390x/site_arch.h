/* SPDX-License-Identifier: MIT */
/*
 * s390x (64-bit z/Architecture): the tracepoint site. The port is chosen by whether this file
 * preprocesses.
 *
 * A disabled site is `brcl 0`, which never jumps, an enabled one `brcl 15`, which always does: 6 bytes
 * that differ in 4 bits, with the distance to the cold branch in both. A jump reaches 4 GiB in both
 * directions and leaves the condition code alone. Instructions start at even addresses by themselves.
 */
#ifndef CAIRN_SITE_ARCH_H
#define CAIRN_SITE_ARCH_H

#if !defined(__s390x__)
#error "arch/s390x is for 64-bit z/Architecture"
#endif

/* Bytes of the instruction that is patched. */
#define CAIRN_ARCH_SITE_SIZE 6
/* The no-op in line; `to` is the assembler's name of the cold branch. */
#define CAIRN_ARCH_SITE(to) "brcl 0," to "\n\t"
/* What the no-op or the jump may change: nothing. */
#define CAIRN_ARCH_SITE_CLOBBERS
/* Bits of a code address that tell the instruction set. */
#define CAIRN_ARCH_SITE_TAG 0
/* Other CPUs see stores in program order. */
#define CAIRN_ARCH_STORES_ORDERED 1

#endif
