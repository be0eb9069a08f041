/* SPDX-License-Identifier: MIT */
/*
 * The trace clock: which one, and what the metadata says of it. One anchor (a counter value and the
 * time of day at that instant) per session, taken once and shared by all its processes, and one
 * frequency, fitted from the anchor to the latest drain: processes that read the same counter come out
 * in the counter's own order.
 */
#ifndef CAIRN_CLOCK_H
#define CAIRN_CLOCK_H

#include "ctf.h"

enum cairn_clock_kind { CAIRN_CLOCK_COUNTER, CAIRN_CLOCK_MONOTONIC, CAIRN_CLOCK_USER };

struct cairn_anchor {
	uint64_t ticks;
	uint64_t monotonic; /* ns */
	uint64_t realtime;  /* ns since the epoch */
};

/* The best clock here, decided once; CAIRN_CLOCK=monotonic in the environment overrides. */
enum cairn_clock_kind cairn_clock_kind(void);
/* Name of the CPU's counter. [s] */
const char *cairn_clock_counter(void);
/* CLOCK_MONOTONIC in the form of a session's clock. [s] */
uint64_t cairn_clock_monotonic(void *data);
/* Take an anchor: the tightest of several reads. */
void cairn_clock_anchor(enum cairn_clock_kind kind, struct cairn_anchor *anchor);
/*
 * What the metadata says: `hz` is the frequency of a user's clock, else ignored. `now` is a later
 * anchor to fit the counter's frequency to.
 */
void cairn_clock_record(struct cairn_clock_record *record, enum cairn_clock_kind kind, uint64_t hz,
			const struct cairn_anchor *start, const struct cairn_anchor *now);

#endif
