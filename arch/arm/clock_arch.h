/* SPDX-License-Identifier: MIT */
/*
 * 32-bit ARM: the virtual counter of the generic timer (ARM DDI 0406C, B8.1.3), in code for ARMv7 and
 * later: one rate on all CPUs and in all power states. Some have none, and the kernel may forbid it: then
 * reading is SIGILL. The kernel's vDSO has clock_gettime only where the counter is there, allowed, and alike
 * on all CPUs; without it (as under QEMU's user-mode emulation), and in code for older CPUs, time is
 * CLOCK_MONOTONIC. The library must not be for ARMv7 where a file of events is not. The PMU's cycle counter
 * is no good: 32 bits, at the CPU's momentary rate, one for each CPU.
 */
#ifndef CAIRN_CLOCK_ARCH_H
#define CAIRN_CLOCK_ARCH_H

#include <stdint.h>

#define CAIRN_ARCH_CLOCK_NAME "cntvct"
#if __ARM_ARCH >= 7
#define CAIRN_ARCH_CLOCK_BITS 64
#else
#define CAIRN_ARCH_CLOCK_BITS 0
#endif
/* The vDSO has this function where the counter may be read. */
#define CAIRN_ARCH_CLOCK_VDSO "__vdso_clock_gettime"

/* Read out of order where the CPU does so. */
static inline __attribute__((always_inline)) uint64_t cairn_arch_ticks(void)
{
	uint64_t ticks = 0;

#if CAIRN_ARCH_CLOCK_BITS
	__asm__ volatile("mrrc p15, 1, %Q0, %R0, c14" : "=r"(ticks));
#endif
	return ticks;
}

/* Read when all loads before it have their values. */
static inline __attribute__((always_inline)) uint64_t cairn_arch_ticks_ordered(void)
{
#if CAIRN_ARCH_CLOCK_BITS
	__asm__ volatile("dsb\n\tisb" : : : "memory");
#endif
	return cairn_arch_ticks();
}

/* Ticks a second: unknown, firmware does not always set CNTFRQ. */
static inline uint64_t cairn_arch_ticks_hz(void)
{
	return 0;
}

/* The architecture says so. */
static inline int cairn_arch_ticks_invariant(void)
{
	return CAIRN_ARCH_CLOCK_BITS != 0;
}

#endif
