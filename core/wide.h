/* SPDX-License-Identifier: MIT */
/*
 * A counter of 32 bits made one of 64, for a machine with one CPU. The counter alone cannot show that it
 * went round; so each read looks at a coarse clock too, which tells about what the counter must have come
 * to since a *base*, and of all values with the counter's 32 bits the nearest to that is the right one:
 * as long as the two disagree by less than half a round.
 *
 * What they disagree by: the coarse clock's step and the time between the reads, at most a quarter of a
 * round together; and the rate's error since the base. The rate is good to 1 % at first and to 0.1 % and
 * better after the first second; so a base lasts for 25 rounds, or 250. The consumer renews it in
 * every turn that it makes for the time's sake.
 *
 * A counter that jumps (in a machine that slept) leaves time wrong by half a round at most: the next base
 * goes along with it.
 */
#ifndef CAIRN_WIDE_H
#define CAIRN_WIDE_H

#include <stdbool.h>
#include <stdint.h>

/* In words, since a 32-bit CPU cannot load or store a 64-bit one whole. */
union cairn_wide_base {
	struct {
		uint64_t ticks, ns; /* the wide counter at that time of the exact clock */
		uint32_t rate;      /* ticks in 2^20 ns */
		uint32_t zero;
	} at;
	uint32_t word[6];
};

struct cairn_wide {
	uint32_t (*counter)(void);
	uint64_t (*coarse)(void); /* ns: what `exact` was a little while ago [s] */
	uint64_t (*exact)(void);  /* ns [s] */
	/* The base is base[turn % 2]; the other one is written. One store of `turn` makes it the base: a
	 * signal handler that interrupts the writer finds the old base and never waits. */
	union cairn_wide_base base[2];
	uint32_t turn;
	uintptr_t busy; /* somebody renews the base */
	/* Set once, by cairn_wide_begin. */
	uint64_t first_ticks, first_ns;
	uint64_t patience; /* ns of a quarter of a round */
};

/* Measure the rate, for 0.2 ms. False: it cannot be told. Before the first cairn_wide_now. */
bool cairn_wide_begin(struct cairn_wide *wide);
/* The counter in 64 bits; `wide` is a struct cairn_wide. In the form of a session's clock. [s] */
uint64_t cairn_wide_now(void *wide);
/* A new base, and a better rate; nothing if another thread is at it. */
void cairn_wide_renew(struct cairn_wide *wide);
/* In a child of fork: the thread that renewed the base is not there. */
void cairn_wide_forked(struct cairn_wide *wide);
/* What a counter that reads `low` at about `ns` is in 64 bits. Pure. */
uint64_t cairn_wide_extend(const union cairn_wide_base *base, uint32_t low, uint64_t ns);

#endif
