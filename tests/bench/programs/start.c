/* SPDX-License-Identifier: MIT */
/*
 * The smallest program, to be started: alone, with one event of Cairn linked in and
 * not traced (START_CAIRN), or with one tracepoint of LTTng-UST (START_LTTNG).
 */
#include <stdint.h>

#if defined(START_CAIRN)
#include "event.h"
#define HIT(x) cairn_trace(bench, event, x)
#elif defined(START_LTTNG)
#include "lttng_provider.h"
#define HIT(x) lttng_ust_tracepoint(cairn_bench, event, x)
#else
#define HIT(x) (void)(x)
#endif

int main(int argc, char **argv)
{
	(void)argv;
	HIT((uint32_t)argc);
	return 0;
}
