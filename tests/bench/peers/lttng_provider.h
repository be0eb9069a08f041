/* SPDX-License-Identifier: MIT */
/* The benchmark's event for LTTng-UST 2.13, as lttng-ust(3) says. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER cairn_bench

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "lttng_provider.h"

#if !defined(CAIRN_LTTNG_PROVIDER_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define CAIRN_LTTNG_PROVIDER_H

#include <stdint.h>

#include <lttng/tracepoint.h>

LTTNG_UST_TRACEPOINT_EVENT(cairn_bench, event, LTTNG_UST_TP_ARGS(uint32_t, payload),
			   LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint32_t, payload, payload)))

#endif

#include <lttng/tracepoint-event.h>
