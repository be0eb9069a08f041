/* SPDX-License-Identifier: MIT */
/*
 * A port whose counter has 32 bits: 4 ticks a nanosecond of CLOCK_MONOTONIC, a round in 1.07 s. For
 * narrow.sh, which puts this in the place of the real port's.
 */
#ifndef CAIRN_CLOCK_ARCH_H
#define CAIRN_CLOCK_ARCH_H

#include <stdint.h>
#include <time.h>

#define CAIRN_ARCH_CLOCK_NAME "narrow"
#define CAIRN_ARCH_CLOCK_BITS 32
#define CAIRN_ARCH_CLOCK_SOURCE NARROW_SOURCE /* whatever the kernel here keeps time by */

static inline uint64_t cairn_arch_ticks(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return 4 * ((uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec) & 0xffffffffu;
}

static inline int cairn_arch_ticks_invariant(void)
{
	return 1;
}

#endif
