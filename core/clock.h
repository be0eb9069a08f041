/* SPDX-License-Identifier: MIT */
/*
 * The trace clock: which one and why, and what the metadata says of it. One anchor (a counter value and the
 * time of day at that instant) per session, taken once and shared by all its processes, and one
 * frequency, fitted from the anchor to the latest drain: processes that read the same counter come out
 * in the counter's own order.
 */
#ifndef CAIRN_CLOCK_H
#define CAIRN_CLOCK_H

#include <cairn/record.h>

#include "ctf.h"

enum cairn_clock_kind { CAIRN_CLOCK_COUNTER, CAIRN_CLOCK_MONOTONIC, CAIRN_CLOCK_USER };

struct cairn_anchor {
	uint64_t ticks;
	uint64_t monotonic; /* ns */
	uint64_t realtime;  /* ns since the epoch */
};

/* What is known of the counter, in the order in which it is asked; what needs a read that may trap, last. */
struct cairn_clock_facts {
	unsigned bits;       /* 0: there is none */
	bool unwanted;       /* CAIRN_CLOCK=monotonic */
	bool traps;          /* so `watched` is not known */
	bool invariant;      /* the CPU says so, or its manual */
	const char *watched; /* how it was seen to fail, NULL: it advances */
	/* Of 32 bits: */
	uint32_t cpus; /* that there can ever be */
	bool kept;     /* the system keeps its own time by it */
	bool coarse;   /* a coarse clock is read without a system call */
};

/* Why the counter is not to be used; NULL: it is fit. Pure. */
const char *cairn_clock_unfit(const struct cairn_clock_facts *facts);
/* Read a counter of `bits` bits for a while: how it fails, or NULL. */
const char *cairn_clock_watch(uint64_t (*ticks)(void), unsigned bits);

/* The best clock here, decided once; takes the control lock then. */
enum cairn_clock_kind cairn_clock_kind(void);
/* Name of the CPU's counter. [s] */
const char *cairn_clock_counter_name(void);
/* cairn_clock_info, wherever it is called from. */
int cairn_clock_text(char *text, size_t size);
/* The best clock of processes that must agree on it, and the reason. */
enum cairn_clock_kind cairn_clock_shared(char choice[CAIRN_CLOCK_CHOICE]);
/* CLOCK_MONOTONIC in the form of a session's clock. [s] */
uint64_t cairn_clock_monotonic(void *data);
/* How events of a session read a clock of this kind, unless it is the user's. */
void cairn_clock_channel(enum cairn_clock_kind kind, struct cairn_channel *channel);
/* The consumer lives: what a counter of 32 bits needs from time to time. */
void cairn_clock_renew(void);
/* In a child of fork. */
void cairn_clock_forked(void);
/* Take an anchor: the tightest of several reads. */
void cairn_clock_anchor(enum cairn_clock_kind kind, struct cairn_anchor *anchor);
/*
 * What the metadata says: `hz` is the frequency of a user's clock, else ignored. `now` is a later
 * anchor to fit the counter's frequency to.
 */
void cairn_clock_record(struct cairn_clock_record *record, enum cairn_clock_kind kind, uint64_t hz,
			const struct cairn_anchor *start, const struct cairn_anchor *now);

#endif
