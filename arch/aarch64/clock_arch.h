/* SPDX-License-Identifier: MIT */
/*
 * aarch64: the virtual counter of the generic timer (ARM DDI 0487, D12 "The Generic Timer"). One rate
 * on all CPUs and in all power states, its zero is the machine's start. Linux lets user mode read it;
 * where an erratum needs a workaround the kernel traps and emulates the read.
 */
#ifndef CAIRN_CLOCK_ARCH_H
#define CAIRN_CLOCK_ARCH_H

#include <stdint.h>

#define CAIRN_ARCH_CLOCK_NAME "cntvct"
#define CAIRN_ARCH_CLOCK_BITS 64

/* The counter, read out of order where the CPU does so: one read per event. */
static inline __attribute__((always_inline)) uint64_t cairn_arch_ticks(void)
{
	uint64_t ticks;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
}

/* Read when all loads before it have their values. (A DSB alone does not hold back reads of registers.) */
static inline __attribute__((always_inline)) uint64_t cairn_arch_ticks_ordered(void)
{
	__asm__ volatile("dsb ishld\n\tisb" : : : "memory");
	return cairn_arch_ticks();
}

/* Ticks a second, as the firmware says. */
static inline uint64_t cairn_arch_ticks_hz(void)
{
	uint64_t hz;

	__asm__("mrs %0, cntfrq_el0" : "=r"(hz));
	return hz & 0xffffffffu;
}

/* The architecture says so. */
static inline int cairn_arch_ticks_invariant(void)
{
	return 1;
}

#endif
