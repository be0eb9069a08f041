/* SPDX-License-Identifier: MIT */
/* The event of the benchmark of the field: a time stamp and a 4-byte integer. */
#ifndef CAIRN_BENCH_EVENT_H
#define CAIRN_BENCH_EVENT_H

#include <cairn/event.h>

CAIRN_EVENT(bench, event, CAIRN_U32(payload));

#endif
