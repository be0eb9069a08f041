/* SPDX-License-Identifier: MIT */
/* Puts LTTng-UST's tracepoints where examples/sqlite-clients calls Cairn's. */
#ifndef CAIRN_BENCH_LTTNG_TRACE_H
#define CAIRN_BENCH_LTTNG_TRACE_H

#include "lttng_sqlite.h"

#define cairn_trace(provider, event, ...) lttng_ust_tracepoint(provider, event, __VA_ARGS__)
#define cairn_enabled(provider, event) lttng_ust_tracepoint_enabled(provider, event)

#endif
