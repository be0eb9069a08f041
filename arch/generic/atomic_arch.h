/* SPDX-License-Identifier: MIT */
/* Any CPU: atomics on one machine word by the compiler's builtins. */
#ifndef CAIRN_ATOMIC_ARCH_H
#define CAIRN_ATOMIC_ARCH_H

#include <stdint.h>

/* If *word is *old, make it `fresh` and return 1; else put what it is in *old and return 0. */
static inline int cairn_arch_cmpxchg_local(uintptr_t *word, uintptr_t *old, uintptr_t fresh)
{
	return __atomic_compare_exchange_n(word, old, fresh, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* Add to *word; returns the sum. */
static inline uintptr_t cairn_arch_add_local(uintptr_t *word, uintptr_t more)
{
	return __atomic_add_fetch(word, more, __ATOMIC_RELAXED);
}

/* The same between threads; acquire and release. */
static inline int cairn_arch_cmpxchg(uintptr_t *word, uintptr_t *old, uintptr_t fresh)
{
	return __atomic_compare_exchange_n(word, old, fresh, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

static inline uintptr_t cairn_arch_add(uintptr_t *word, uintptr_t more)
{
	return __atomic_add_fetch(word, more, __ATOMIC_ACQ_REL);
}

/* Full, read and write barriers. */
static inline void cairn_arch_mb(void)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static inline void cairn_arch_rmb(void)
{
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
}

static inline void cairn_arch_wmb(void)
{
	__atomic_thread_fence(__ATOMIC_RELEASE);
}

/* A hint in a loop that waits for another CPU. */
static inline void cairn_arch_relax(void)
{
	__asm__ volatile("" : : : "memory");
}

#endif
