/* SPDX-License-Identifier: MIT */
/*
 * The loop that shows what a disabled tracepoint costs in line: 16 independent operations (one `lea`
 * each on x86), each followed by one site. It is bound by throughput, so that every instruction of a
 * site shows; in a loop that waits for a result all kinds of site cost nothing. Compiled once for each
 * kind: OFF_KIND is none, cairn, branch, sdt or lttng.
 */
#include <stdint.h>

#define CAT(a, b) CAT_(a, b)
#define CAT_(a, b) a##b
#define SITE(x) CAT(SITE_, OFF_KIND)(x)
#define SITE_none(x)
#define SITE_cairn(x) cairn_trace(bench, event, (uint32_t)(x))
#define SITE_branch(x) cairn_trace(bench, event, (uint32_t)(x))
#define SITE_sdt(x) DTRACE_PROBE1(bench, event, (uint32_t)(x))
#define SITE_lttng(x) lttng_ust_tracepoint(cairn_bench, event, (uint32_t)(x))

#if defined(OFF_SDT)
#include <sys/sdt.h>
#elif defined(OFF_LTTNG)
#include "lttng_provider.h"
#elif defined(OFF_CAIRN)
#include "event.h"
#endif

#define SLOT(k)                                                                                    \
	__asm__ volatile("" : : "r"(x + (k)));                                                     \
	SITE(x)

void CAT(off_, OFF_KIND)(uint64_t n);
void CAT(off_, OFF_KIND)(uint64_t n)
{
	uintptr_t x = (uintptr_t)n;

	for (; n; n--) {
		__asm__ volatile("" : "+r"(x)); /* or the sums would move out of the loop */
		SLOT(1);
		SLOT(2);
		SLOT(3);
		SLOT(4);
		SLOT(5);
		SLOT(6);
		SLOT(7);
		SLOT(8);
		SLOT(9);
		SLOT(10);
		SLOT(11);
		SLOT(12);
		SLOT(13);
		SLOT(14);
		SLOT(15);
		SLOT(16);
	}
}
