/* SPDX-License-Identifier: MIT */
/*
 * s390x: the time-of-day clock (z/Architecture Principles of Operation, chapter 4, "Time-of-Day Clock"):
 * 64 bits, 4096 units a microsecond, one for all CPUs, never stopped. STCKF may give several reads the
 * same value, and does not serialise. z9-109 and later have it; code for older CPUs takes
 * CLOCK_MONOTONIC.
 */
#ifndef CAIRN_CLOCK_ARCH_H
#define CAIRN_CLOCK_ARCH_H

#include <stdint.h>

#define CAIRN_ARCH_CLOCK_NAME "tod"
#if defined(__ARCH__) && __ARCH__ >= 7
#define CAIRN_ARCH_CLOCK_BITS 64
#else
#define CAIRN_ARCH_CLOCK_BITS 0
#endif

/*
 * The counter, read out of order where the CPU does so: one read per event. Its zero is 1900, and all 64
 * bits wrap in 2042. So it counts from the end of 2019 here, until 2091; and readers that compute in
 * doubles lose less of a small number.
 */
static inline __attribute__((always_inline)) uint64_t cairn_arch_ticks(void)
{
	uint64_t ticks = 0;

#if CAIRN_ARCH_CLOCK_BITS
	__asm__ volatile("stckf %0" : "=Q"(ticks) : : "cc");
	ticks -= UINT64_C(0xd740) << 48;
#endif
	return ticks;
}

/* The same, behind all that stands before it in the program: serialization, with no system call. */
static inline __attribute__((always_inline)) uint64_t cairn_arch_ticks_ordered(void)
{
	__asm__ volatile("bcr 15,0" : : : "memory");
	return cairn_arch_ticks();
}

/* Ticks a second, as the architecture says. */
static inline uint64_t cairn_arch_ticks_hz(void)
{
	return 4096000000u;
}

/* The architecture says so; but a clock that somebody set to before 2020 counts from before zero. */
static inline int cairn_arch_ticks_invariant(void)
{
	return CAIRN_ARCH_CLOCK_BITS && cairn_arch_ticks() >> 63 == 0;
}

#endif
