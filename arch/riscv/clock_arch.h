/* SPDX-License-Identifier: MIT */
/*
 * RISC-V: the real-time counter (Unprivileged ISA, "Zicntr"): 64 bits, constant rate, all harts' in step to
 * within one tick. Its zero is an arbitrary start in the past. No instruction tells its rate. Linux lets
 * user mode read it; where the hardware has none, firmware emulates it.
 */
#ifndef CAIRN_CLOCK_ARCH_H
#define CAIRN_CLOCK_ARCH_H

#include <stdint.h>

#define CAIRN_ARCH_CLOCK_NAME "time"
#define CAIRN_ARCH_CLOCK_BITS 64

/* The counter, read out of order where the CPU does so: one read per event. */
static inline __attribute__((always_inline)) uint64_t cairn_arch_ticks(void)
{
	uint64_t ticks;

	__asm__ volatile("rdtime %0" : "=r"(ticks));
	return ticks;
}

/* Read when all loads before it have their values. To a fence, reading a CSR is device input. */
static inline __attribute__((always_inline)) uint64_t cairn_arch_ticks_ordered(void)
{
	__asm__ volatile("fence r,i" : : : "memory");
	return cairn_arch_ticks();
}

/* Ticks a second, or 0 where only calibration tells. */
static inline uint64_t cairn_arch_ticks_hz(void)
{
	return 0;
}

/* The architecture says so. */
static inline int cairn_arch_ticks_invariant(void)
{
	return 1;
}

#endif
