/* SPDX-License-Identifier: MIT */
/*
 * What the generated code asks of the compiler, in C99 and C++11: attributes, casts that pass
 * -Wold-style-cast, and access to words that a signal handler or another thread may touch.
 */
#ifndef CAIRN_COMPILER_H
#define CAIRN_COMPILER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CAIRN__LIKELY(x) __builtin_expect(!!(x), 1)
#define CAIRN__UNLIKELY(x) __builtin_expect(!!(x), 0)
#define CAIRN__BARRIER() __asm__ volatile("" : : : "memory")

/* Cairn's sharing is by words that are published; the bytes behind them are plain on purpose. */
#if defined(__SANITIZE_THREAD__)
#define CAIRN__TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define CAIRN__TSAN 1
#endif
#endif
#ifndef CAIRN__TSAN
#define CAIRN__TSAN 0
#endif

/* gcc warns of fences under ThreadSanitizer, which does not model them; this one passes. */
#if CAIRN__TSAN
#define CAIRN__FENCE(order) __sync_synchronize()
#else
#define CAIRN__FENCE(order) __atomic_thread_fence(order)
#endif

/* Attributes are spelt with underscores: programs have macros named `unused` and `noinline`. */
#define CAIRN__INLINE static inline __attribute__((__always_inline__, __unused__))
/*
 * One copy per file, out of line, and none in a file that hits nothing. gcc -O0 would keep an unused
 * static function that is not inline, and warns about one that is both inline and noinline.
 */
#ifdef __OPTIMIZE__
#define CAIRN__OUTLINE static __attribute__((__noinline__, __unused__))
#else
#define CAIRN__OUTLINE static inline __attribute__((__unused__))
#endif
#define CAIRN__COLD __attribute__((__cold__))

/*
 * Visibility of the library's own symbols: hidden in a static build, so that two modules that each
 * carry Cairn stay two worlds; default in a shared one. CAIRN__HIDDEN is for what is per module.
 */
#define CAIRN__HIDDEN __attribute__((__visibility__("hidden")))
#ifdef CAIRN_SHARED
#define CAIRN__API __attribute__((__visibility__("default")))
#else
#define CAIRN__API __attribute__((__visibility__("hidden")))
#endif

/*
 * One pointer per thread. initial-exec needs no call and no lazy allocation; the C library keeps
 * room for such small blocks in libraries that are loaded late (glibc does, musl does not: build
 * those with -DCAIRN_TLS_MODEL='"global-dynamic"').
 */
#ifndef CAIRN_TLS_MODEL
#define CAIRN_TLS_MODEL "initial-exec"
#endif

#ifdef __cplusplus
#define CAIRN__CAST(type, x) static_cast<type>(x)
#define CAIRN__RECAST(type, x) reinterpret_cast<type>(x)
#define CAIRN__BEGIN_C extern "C" {
#define CAIRN__END_C }
#else
#define CAIRN__CAST(type, x) ((type)(x))
#define CAIRN__RECAST(type, x) ((type)(x))
#define CAIRN__BEGIN_C
#define CAIRN__END_C
#endif

#define CAIRN__LOAD(word) __atomic_load_n(&(word), __ATOMIC_RELAXED)
#define CAIRN__STORE(word, value) __atomic_store_n(&(word), (value), __ATOMIC_RELAXED)
/* Publish: what was stored before is seen before. The writer has no barrier; its reader's membarrier
 * supplies both halves (core/README.md, barriers). ThreadSanitizer knows no membarrier. */
#if CAIRN__TSAN
#define CAIRN__PUBLISH(word, value) __atomic_store_n(&(word), (value), __ATOMIC_RELEASE)
#else
#define CAIRN__PUBLISH(word, value)                                                                \
	do {                                                                                       \
		CAIRN__BARRIER();                                                                  \
		CAIRN__STORE(word, value);                                                         \
	} while (0)
#endif

#endif
