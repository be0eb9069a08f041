/* SPDX-License-Identifier: MIT */
/*
 * MIPS (o32, n32, n64; both byte orders; MIPS32/64, Release 6, microMIPS): the tracepoint site. The port
 * is chosen by whether this file preprocesses.
 *
 * A disabled site is `nop; nop`; enabled, the first is a jump and the second its delay slot. In Release 6
 * it is one `nop`, or `bc`, which has no delay slot. A `bc` must not stand behind a conditional compact
 * branch (its "forbidden slot" traps), and compilers end a block with one: so another `nop`, which is
 * never changed, goes in front.
 */
#ifndef CAIRN_SITE_ARCH_H
#define CAIRN_SITE_ARCH_H

#if !defined(__mips__) || defined(__mips16)
#error "arch/mips is for MIPS and microMIPS"
#endif
#if defined(__mips_isa_rev) && defined(__mips_micromips)
#if __mips_isa_rev >= 6
#error "arch/mips has no encoder for microMIPS Release 6"
#endif
#endif

/* 1: instructions are big-endian. They have the byte order of data. */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define CAIRN_ARCH_SITE_BIG 1
#else
#define CAIRN_ARCH_SITE_BIG 0
#endif

/*
 * Size: 8, a jump and its delay slot, or 4, `bc`. The no-op in line. Bits of a code address that tell
 * the instruction set: microMIPS has instructions of 16 bits, so its sites are aligned by hand, as the
 * jump is written by one store of a word. (`.insn`: a label of the compiler in front is one of code.)
 */
#ifdef __mips_micromips
#define CAIRN_ARCH_SITE_SIZE 8
#define CAIRN_ARCH_SITE_ALIGN ".insn\n\t.balign 4\n\t"
#define CAIRN_ARCH_SITE(to)                                                                        \
	".set push\n\t.set noreorder\n\tsll $0,$0,0\n\tsll $0,$0,0\n\t.set pop\n\t"
#define CAIRN_ARCH_SITE_TAG 1
#else
#define CAIRN_ARCH_SITE_TAG 0
#ifdef __mips_isa_rev
#if __mips_isa_rev >= 6
#define CAIRN_ARCH_SITE_SIZE 4
#define CAIRN_ARCH_SITE_ALIGN "nop\n\t"
#define CAIRN_ARCH_SITE(to) "nop\n\t"
#endif
#endif
#ifndef CAIRN_ARCH_SITE_SIZE
#define CAIRN_ARCH_SITE_SIZE 8
#define CAIRN_ARCH_SITE(to) ".set push\n\t.set noreorder\n\tnop\n\tnop\n\t.set pop\n\t"
#endif
#endif

/* What the no-op or the jump may change: nothing. */
#define CAIRN_ARCH_SITE_CLOBBERS
/* Other CPUs may see stores in another order. */
#define CAIRN_ARCH_STORES_ORDERED 0

#endif
