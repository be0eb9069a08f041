/* SPDX-License-Identifier: MIT */
/*
 * Any CPU: no cycle counter. A width of 0 bits makes core/clock.c take the system's monotonic clock.
 */
#ifndef CAIRN_CLOCK_ARCH_H
#define CAIRN_CLOCK_ARCH_H

#include <stdint.h>

#define CAIRN_ARCH_CLOCK_NAME "none"
#define CAIRN_ARCH_CLOCK_BITS 0

/* The counter, read out of order where the CPU does so: one read per event. */
static inline uint64_t cairn_arch_ticks(void)
{
	return 0;
}

/* Read when all loads before it have their values. */
static inline uint64_t cairn_arch_ticks_ordered(void)
{
	return 0;
}

/* Ticks a second, or 0 where only calibration tells. */
static inline uint64_t cairn_arch_ticks_hz(void)
{
	return 0;
}

/* Non-zero if the counter runs at one rate through all power states. */
static inline int cairn_arch_ticks_invariant(void)
{
	return 0;
}

#endif
