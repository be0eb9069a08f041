/* SPDX-License-Identifier: MIT */
/* Makes LTTng-UST's probe and tracepoint objects of lttng_sqlite.h. */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "lttng_sqlite.h"
