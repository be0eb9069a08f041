/* SPDX-License-Identifier: MIT */
/*
 * 32-bit ARM: atomics on one machine word. With ldrex and strex (ARMv6 and later, not in Thumb-1) generic's.
 * Else compilers would call functions, and not all call libgcc's; here the kernel's own code is called, at
 * fixed addresses: right for any CPU, and not split by signal handlers (Linux,
 * Documentation/arm/kernel_user_helpers). Kernels without it run no such code, libgcc's neither.
 */
#ifdef __ARM_FEATURE_LDREX
#include "../generic/atomic_arch.h"
#elif !defined(CAIRN_ATOMIC_ARCH_H)
#define CAIRN_ATOMIC_ARCH_H

#include <stdint.h>

/* If *word is `old`, make it `fresh` and return 0. Full barriers before and after. */
#define CAIRN_ARCH_KERNEL_CMPXCHG(old, fresh, word)                                                \
	((int (*)(uintptr_t, uintptr_t, volatile uintptr_t *))0xffff0fc0)(old, fresh, word)

/* If *word is *old, make it `fresh` and return 1; else put what it is in *old and return 0. */
static inline int cairn_arch_cmpxchg(uintptr_t *word, uintptr_t *old, uintptr_t fresh)
{
	uintptr_t seen;

	do {
		if (!CAIRN_ARCH_KERNEL_CMPXCHG(*old, fresh, word))
			return 1;
		seen = *(volatile uintptr_t *)word;
	} while (seen == *old); /* it was another for a moment */
	*old = seen;
	return 0;
}

/* Add to *word; returns the sum. */
static inline uintptr_t cairn_arch_add(uintptr_t *word, uintptr_t more)
{
	uintptr_t was = *(volatile uintptr_t *)word;

	while (!cairn_arch_cmpxchg(word, &was, was + more))
		;
	return was + more;
}

/* Full, read and write barriers: there is one kind; nor is anything cheaper for one thread. */
#define cairn_arch_mb ((void (*)(void))0xffff0fa0)
#define cairn_arch_rmb cairn_arch_mb
#define cairn_arch_wmb cairn_arch_mb
#define cairn_arch_cmpxchg_local cairn_arch_cmpxchg
#define cairn_arch_add_local cairn_arch_add
/* A hint in a loop that waits for another CPU: there is none. */
#define cairn_arch_relax() __asm__ volatile("" : : : "memory")

#endif
