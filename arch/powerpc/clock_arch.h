/* SPDX-License-Identifier: MIT */
/*
 * PowerPC: the time base (Power ISA, Book II, "Time Base"), 64 bits, its zero is the machine's start. The
 * architecture leaves its rate to the system and promises neither that it is constant nor that CPUs
 * agree. Linux keeps its own time by it on every PowerPC, at one rate, alike on all CPUs, and user mode
 * may read it. Not worked around: an erratum of the Cell, whose low half can read 0 a moment too early.
 */
#ifndef CAIRN_CLOCK_ARCH_H
#define CAIRN_CLOCK_ARCH_H

#include <stdint.h>

#define CAIRN_ARCH_CLOCK_NAME "timebase"
#define CAIRN_ARCH_CLOCK_BITS 64

/* 32 bits: the upper half, the lower, the upper again. tests/test_timebase.c has a counter of its own. */
#if !defined(__powerpc64__) && !defined(CAIRN_ARCH_HALVES)
#define CAIRN_ARCH_HALVES(high, low, again)                                                        \
	__asm__ volatile("mftbu %0\n\tmftb %1\n\tmftbu %2" : "=r"(high), "=r"(low), "=r"(again))
#endif

/* The counter, read out of order where the CPU does so: one read per event. */
static inline __attribute__((always_inline)) uint64_t cairn_arch_ticks(void)
{
	uint64_t ticks;
#ifndef CAIRN_ARCH_HALVES
	__asm__ volatile("mftb %0" : "=r"(ticks));
#else
	uint32_t high, low, again;

	/* Two halves: the high one may have moved on between them. */
	do {
		CAIRN_ARCH_HALVES(high, low, again);
	} while (__builtin_expect(high != again, 0));
	ticks = high;
	ticks = ticks << 32 | low;
#endif
	return ticks;
}

/* Read when all loads before it have their values. Nothing behind `sync` begins before it is done. */
static inline __attribute__((always_inline)) uint64_t cairn_arch_ticks_ordered(void)
{
	__asm__ volatile("sync" : : : "memory");
	return cairn_arch_ticks();
}

/* Ticks a second, or 0 where only calibration tells: no instruction reads it. */
static inline uint64_t cairn_arch_ticks_hz(void)
{
	return 0;
}

/* Non-zero if the counter runs at one rate through all power states: Linux relies on it, too. */
static inline int cairn_arch_ticks_invariant(void)
{
	return 1;
}

#endif
