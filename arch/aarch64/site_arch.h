/* SPDX-License-Identifier: MIT */
/*
 * aarch64: the tracepoint site. The port is chosen by whether this file preprocesses.
 *
 * A disabled site is `nop`, an enabled one `b`, one aligned word each; both are on the list of
 * instructions that may be changed while other CPUs execute them (ARM DDI 0487, B2.2.5 "Concurrent
 * modification and execution of instructions"). A branch reaches 128 MiB in both directions.
 */
#ifndef CAIRN_SITE_ARCH_H
#define CAIRN_SITE_ARCH_H

#if !defined(__aarch64__) || defined(__ILP32__)
#error "arch/aarch64 is for 64-bit ARM"
#endif

/* Bytes of the instruction that is patched. */
#define CAIRN_ARCH_SITE_SIZE 4
/* The no-op in line; instructions are aligned by themselves. */
#define CAIRN_ARCH_SITE(to) "nop\n\t"
/* What the no-op or the jump may change: nothing. */
#define CAIRN_ARCH_SITE_CLOBBERS
/* Bits of a code address that tell the instruction set. */
#define CAIRN_ARCH_SITE_TAG 0
/* Other CPUs may see stores in another order. */
#define CAIRN_ARCH_STORES_ORDERED 0

#endif
