/* SPDX-License-Identifier: MIT */
/*
 * MIPS: the cycle counter (MD00086, "RDHWR"; MD00090, "Count Register": a constant rate). It has 32 bits,
 * and each CPU has its own: core/clock.c takes it only on a machine of one CPU where Linux keeps its own
 * time by it, which it does not if the rate changes. Reading cannot trap: code for Release 2 runs on no
 * older CPU, and on these Linux allows it, since its vDSO reads it so, too. In older code: none.
 */
#ifndef CAIRN_CLOCK_ARCH_H
#define CAIRN_CLOCK_ARCH_H

#include <stdint.h>

#define CAIRN_ARCH_CLOCK_NAME "count"
#define CAIRN_ARCH_CLOCK_SOURCE "MIPS" /* what Linux calls it */
#if defined(__mips_isa_rev) && __mips_isa_rev >= 2
#define CAIRN_ARCH_CLOCK_BITS 32
#define CAIRN_ARCH_RDHWR(ticks) __asm__ volatile("rdhwr %0,$2" : "=r"(ticks))
#else
#define CAIRN_ARCH_CLOCK_BITS 0
#define CAIRN_ARCH_RDHWR(ticks) (void)(ticks)
#endif

static inline __attribute__((always_inline)) uint64_t cairn_arch_ticks(void)
{
	unsigned long ticks = 0;

	CAIRN_ARCH_RDHWR(ticks);
	return ticks & 0xffffffffu;
}

/* Ordered with other CPUs' loads and stores: there are none. */
#define cairn_arch_ticks_ordered() cairn_arch_ticks()
/* Ticks a second: only calibration tells. */
#define cairn_arch_ticks_hz() 0
#define cairn_arch_ticks_invariant() (CAIRN_ARCH_CLOCK_BITS != 0)

#endif
