/* SPDX-License-Identifier: MIT */
/*
 * x86 (32 bit): the tracepoint site. The port is chosen by whether this file preprocesses.
 *
 * A disabled site is `test $imm32, %eax` (opcode A9) whose immediate already is the displacement
 * of the jump to the cold branch; enabling replaces the opcode by E9 (`jmp rel32`), one byte. Every
 * CPU therefore sees one of two whole instructions of the same length, at any alignment. The test
 * changes the flags only.
 */
#ifndef CAIRN_SITE_ARCH_H
#define CAIRN_SITE_ARCH_H

#if !defined(__i386__)
#error "arch/x86 is for 32-bit x86"
#endif

/* Bytes of the instruction that is patched. 0 would say that this port cannot patch. */
#define CAIRN_ARCH_SITE_SIZE 5
/* The no-op in line; `to` is the assembler's name of the cold branch. */
#define CAIRN_ARCH_SITE(to) ".byte 0xa9\n\t.long " to " - 2f\n2:\n\t"
/* What the no-op or the jump may change. */
#define CAIRN_ARCH_SITE_CLOBBERS "cc"
/* Bits of a code address that tell the instruction set and are no part of it. */
#define CAIRN_ARCH_SITE_TAG 0
/* Stores become visible in program order: no barrier is needed to publish. */
#define CAIRN_ARCH_STORES_ORDERED 1

#endif
