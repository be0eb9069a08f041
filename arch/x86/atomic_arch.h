/* SPDX-License-Identifier: MIT */
/*
 * x86 and x86_64: atomics on one machine word. "Local" ones have no LOCK prefix: one instruction
 * cannot be split by a signal handler of the same thread, and no other thread writes the word.
 */
#ifndef CAIRN_ATOMIC_ARCH_H
#define CAIRN_ATOMIC_ARCH_H

#include <stdint.h>

/*
 * cmpxchg: if *word is *old, make it `fresh` and return 1; else put what it is in *old and return 0.
 * add: add to *word; returns the sum.
 */
#define CAIRN_ARCH_ATOMICS(suffix, lock)                                                           \
	static inline int cairn_arch_cmpxchg##suffix(uintptr_t *word, uintptr_t *old,              \
						     uintptr_t fresh)                              \
	{                                                                                          \
		unsigned char done;                                                                \
                                                                                                   \
		__asm__ volatile(lock "cmpxchg %3, %1\n\tsete %0"                                  \
				 : "=q"(done), "+m"(*word), "+a"(*old)                             \
				 : "r"(fresh)                                                      \
				 : "memory", "cc");                                                \
		return done;                                                                       \
	}                                                                                          \
	static inline uintptr_t cairn_arch_add##suffix(uintptr_t *word, uintptr_t more)            \
	{                                                                                          \
		uintptr_t was = more;                                                              \
                                                                                                   \
		__asm__ volatile(lock "xadd %0, %1" : "+r"(was), "+m"(*word) : : "memory", "cc");  \
		return was + more;                                                                 \
	}

CAIRN_ARCH_ATOMICS(_local, "")
CAIRN_ARCH_ATOMICS(, "lock; ") /* between threads; acquire and release */

/* Full barrier; read and write barriers are the compiler's only (total store order). */
static inline void cairn_arch_mb(void)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static inline void cairn_arch_rmb(void)
{
	__asm__ volatile("" : : : "memory");
}

#define cairn_arch_wmb cairn_arch_rmb

/* A hint in a loop that waits for another CPU. */
static inline void cairn_arch_relax(void)
{
	__asm__ volatile("pause" : : : "memory");
}

#endif
