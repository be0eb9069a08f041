/* SPDX-License-Identifier: MIT */
/*
 * x86 and x86_64: the time stamp counter. `rdtsc` may trap (CR4.TSD, prctl PR_SET_TSC) and may stop
 * or change its rate on old CPUs; core/clock.c asks for both before it uses it. CPUID leaf 80000007h,
 * EDX bit 8, says that the rate is invariant (Intel SDM vol. 3 "Invariant TSC"; AMD APM vol. 3).
 */
#ifndef CAIRN_CLOCK_ARCH_H
#define CAIRN_CLOCK_ARCH_H

#include <stdint.h>

#define CAIRN_ARCH_CLOCK_NAME "tsc"
#define CAIRN_ARCH_CLOCK_BITS 64

/* Read out of order where the CPU does so. */
static inline __attribute__((always_inline)) uint64_t cairn_arch_ticks(void)
{
#ifdef __x86_64__
	uint64_t low, high; /* rdtsc clears both upper halves: nothing is left to extend */

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return high << 32 | low;
#else
	uint64_t ticks;

	__asm__ volatile("rdtsc" : "=A"(ticks));
	return ticks;
#endif
}

/* Ticks a second, or 0 where only calibration tells. */
static inline uint64_t cairn_arch_ticks_hz(void)
{
	return 0;
}

/* Non-zero if the counter runs at one rate through all power states. */
static inline int cairn_arch_ticks_invariant(void)
{
	uint32_t a = 0x80000000u, b, c = 0, d;

	__asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
	if (a < 0x80000007u)
		return 0;
	a = 0x80000007u;
	c = 0;
	__asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
	return (d >> 8) & 1;
}

/* Read when all loads before it have their values (SDM, "RDTSC"); before SSE2 only CPUID does that. */
static inline __attribute__((always_inline)) uint64_t cairn_arch_ticks_ordered(void)
{
#ifdef __SSE2__
	__asm__ volatile("lfence" : : : "memory");
#else
	__asm__ volatile("" : : "r"(cairn_arch_ticks_invariant()) : "memory");
#endif
	return cairn_arch_ticks();
}

#endif
