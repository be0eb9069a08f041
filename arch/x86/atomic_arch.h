/* SPDX-License-Identifier: MIT */
/*
 * x86 and x86_64: atomics on one machine word. "Local" ones have no LOCK prefix: one instruction
 * cannot be split by a signal handler of the same thread, and no other thread writes the word.
 */
#ifndef CAIRN_ATOMIC_ARCH_H
#define CAIRN_ATOMIC_ARCH_H

#include <stdint.h>

/* If *word is *old, make it `fresh` and return 1; else put what it is in *old and return 0. */
static inline int cairn_arch_cmpxchg_local(uintptr_t *word, uintptr_t *old, uintptr_t fresh)
{
	unsigned char done;

	__asm__ volatile("cmpxchg %3, %1\n\tsete %0"
			 : "=q"(done), "+m"(*word), "+a"(*old)
			 : "r"(fresh)
			 : "memory", "cc");
	return done;
}

/* Add to *word; returns the sum. */
static inline uintptr_t cairn_arch_add_local(uintptr_t *word, uintptr_t more)
{
	uintptr_t was = more;

	__asm__ volatile("xadd %0, %1" : "+r"(was), "+m"(*word) : : "memory", "cc");
	return was + more;
}

/* The same between threads; acquire and release. */
static inline int cairn_arch_cmpxchg(uintptr_t *word, uintptr_t *old, uintptr_t fresh)
{
	unsigned char done;

	__asm__ volatile("lock; cmpxchg %3, %1\n\tsete %0"
			 : "=q"(done), "+m"(*word), "+a"(*old)
			 : "r"(fresh)
			 : "memory", "cc");
	return done;
}

static inline uintptr_t cairn_arch_add(uintptr_t *word, uintptr_t more)
{
	uintptr_t was = more;

	__asm__ volatile("lock; xadd %0, %1" : "+r"(was), "+m"(*word) : : "memory", "cc");
	return was + more;
}

/* Full barrier; read and write barriers are the compiler's only (total store order). */
static inline void cairn_arch_mb(void)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static inline void cairn_arch_rmb(void)
{
	__asm__ volatile("" : : : "memory");
}

static inline void cairn_arch_wmb(void)
{
	__asm__ volatile("" : : : "memory");
}

/* A hint in a loop that waits for another CPU. */
static inline void cairn_arch_relax(void)
{
	__asm__ volatile("pause" : : : "memory");
}

#endif
