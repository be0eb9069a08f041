/* SPDX-License-Identifier: MIT */
/*
 * 32-bit ARM, little-endian, A profile: the tracepoint site. The port is chosen by whether this file
 * preprocesses. A site is one aligned word, by the instruction set of the file that has it:
 *
 *   ARM      `nop` or `b`, reach 32 MiB; before ARMv6K the no-op is `mov r0, r0`
 *   Thumb-2  `nop.w` or `b.w`, reach 16 MiB
 *   Thumb-1  its branch reaches 2 KiB, and cold branches may be farther away, which would be seen only
 *            when the event is switched on: sites are branches on a flag, which are always right
 *
 * One program may mix them: bits 0 and 1 of the cold branch's address in the table, which are else 0,
 * tell the encoders. In a function of another set than its file's (target attribute) `.inst` is an error.
 */
#ifndef CAIRN_SITE_ARCH_H
#define CAIRN_SITE_ARCH_H

#if !defined(__arm__) || defined(__ARMEB__)
#error "arch/arm is for 32-bit little-endian ARM"
#elif defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
#error "arch/arm is not for microcontrollers"
#endif

/* Bytes of the instruction that is patched; the no-op in line; what is added to the cold branch. */
#define CAIRN_ARCH_SITE_SIZE 4
#if defined(__thumb2__)
#define CAIRN_ARCH_SITE_ALIGN ".balign 4\n\t"
#define CAIRN_ARCH_SITE(to) ".inst.w 0xf3af8000\n\t"
#define CAIRN_ARCH_SITE_MODE " + 1"
#elif defined(__thumb__)
#undef CAIRN_ARCH_SITE_SIZE
#define CAIRN_ARCH_SITE_SIZE 0
#elif __ARM_ARCH >= 7 || defined(__ARM_ARCH_6K__) || defined(__ARM_ARCH_6KZ__)
#define CAIRN_ARCH_SITE(to) ".inst 0xe320f000\n\t"
#else
#define CAIRN_ARCH_SITE(to) ".inst 0xe1a00000\n\t"
#define CAIRN_ARCH_SITE_MODE " + 2"
#endif
/* What the no-op or the jump may change: nothing. */
#define CAIRN_ARCH_SITE_CLOBBERS
/* Bits to take away from code addresses: none, the site's has none and the encoders want the other's. */
#define CAIRN_ARCH_SITE_TAG 0
/* Other CPUs may see stores in another order. */
#define CAIRN_ARCH_STORES_ORDERED 0

#endif
