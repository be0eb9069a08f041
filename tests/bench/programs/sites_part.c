/* SPDX-License-Identifier: MIT */
/*
 * 100 events with 20 sites each, in functions that hold little else. Compiled ten times, with SITES_PART
 * from 0 to 9, into a program of 20,000 sites; and with SITES_NONE into the same program without.
 */
#include <stdint.h>

#define CAT(a, b, c) CAT_(a, b, c)
#define CAT_(a, b, c) a##b##_##c
#define NAME(n) CAT(e, SITES_PART, n)

#ifdef SITES_NONE
#define EVENT(n)
#define HIT(n) __asm__ volatile("" : : "r"(x));
#else
#include <cairn/event.h>
#define EVENT(n) EVENT_(sites, NAME(n))
#define EVENT_(p, n) CAIRN_EVENT(p, n, CAIRN_U32(payload));
#define HIT(n) HIT_(sites, NAME(n))
#define HIT_(p, n) cairn_trace(p, n, x);
#endif

#define HIT5(n) HIT(n) HIT(n) HIT(n) HIT(n) HIT(n)
#define FUNCTION(n)                                                                                \
	EVENT(n)                                                                                   \
	void CAT(f, SITES_PART, n)(uint32_t x);                                                    \
	void CAT(f, SITES_PART, n)(uint32_t x)                                                     \
	{                                                                                          \
		HIT5(n) HIT5(n) HIT5(n) HIT5(n)                                                    \
	}
/* clang-format off */
#define FUNCTION10(n)                                                                              \
	FUNCTION(n##0) FUNCTION(n##1) FUNCTION(n##2) FUNCTION(n##3) FUNCTION(n##4)                 \
	FUNCTION(n##5) FUNCTION(n##6) FUNCTION(n##7) FUNCTION(n##8) FUNCTION(n##9)

FUNCTION10(0) FUNCTION10(1) FUNCTION10(2) FUNCTION10(3) FUNCTION10(4)
FUNCTION10(5) FUNCTION10(6) FUNCTION10(7) FUNCTION10(8) FUNCTION10(9)
