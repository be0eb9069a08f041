/* SPDX-License-Identifier: MIT */
/*
 * The trace clock. Control path; called by session.c and drain.c.
 *
 * The CPU's counter is taken if it may be read here, is said to be invariant, and was seen to advance and
 * not to go back; one of 32 bits only where its wraps are seen (wide.h, T44); else CLOCK_MONOTONIC. The
 * frequency is a fit against CLOCK_MONOTONIC, never CLOCK_REALTIME, which can be set; it needs no wait
 * because the later end of the baseline is whenever the session is drained. Fitting over 1 ms is good to
 * 10 ppm, over 1 s to 0.01 ppm.
 */
#include "clock.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <cairn/cairn.h>

#include "clock_arch.h"
#include "os.h"
#include "slot.h"
#include "tracepoint.h"
#include "wide.h"

#define CAIRN_CLOCK_TRIES 8

_Static_assert(CAIRN_ARCH_CLOCK_BITS == 0 || CAIRN_ARCH_CLOCK_BITS == 32 ||
		       CAIRN_ARCH_CLOCK_BITS == 64,
	       "a port's counter has 64 bits or 32, or is none");

static const char *cairn_clock_why; /* NULL: not decided yet; set once, behind what it tells of */
static enum cairn_clock_kind cairn_clock_chosen;

/* ---- the choice ---- */

static uint64_t cairn_clock_read(void)
{
	return cairn_arch_ticks();
}

static uint32_t cairn_clock_read_32(void)
{
	return (uint32_t)cairn_arch_ticks();
}

static struct cairn_wide cairn_clock_wide = { .counter = cairn_clock_read_32,
					      .coarse = cairn_os_coarse,
					      .exact = cairn_os_monotonic };

/* A counter that works changes within a few thousand reads and only upwards. */
const char *cairn_clock_watch(uint64_t (*ticks)(void), unsigned bits)
{
	uint64_t first = ticks(), last = first;
	int i;

	for (i = 0; i < 10000 && last == first; i++) {
		const uint64_t now = ticks();

		if ((now - last) >> (bits - 1) & 1)
			return "the counter goes back";
		last = now;
	}
	return last == first ? "the counter stands still" : NULL;
}

const char *cairn_clock_unfit(const struct cairn_clock_facts *facts)
{
	if (facts->bits == 0)
		return "this port has no counter";
	if (facts->unwanted)
		return "CAIRN_CLOCK=monotonic";
	if (facts->traps)
		return "reading the counter is forbidden in this process";
	if (!facts->invariant)
		return "the CPU does not say that the counter's rate is invariant";
	if (facts->watched || facts->bits == 64)
		return facts->watched;
	if (facts->cpus != 1)
		return "the counter has 32 bits, and there is more than one CPU";
	if (!facts->kept)
		return "the counter has 32 bits, and the system does not keep its own time by it";
	if (!facts->coarse)
		return "the counter has 32 bits, and no coarse clock to see its wraps by";
	return NULL;
}

static void cairn_clock_look(struct cairn_clock_facts *facts)
{
	const char *asked = cairn_os_getenv("CAIRN_CLOCK");

	memset(facts, 0, sizeof(*facts));
	facts->bits = CAIRN_ARCH_CLOCK_BITS;
	facts->unwanted = asked && !strcmp(asked, "monotonic");
	if (facts->bits == 0 || facts->unwanted)
		return;
	facts->traps = cairn_os_counter_traps();
	facts->invariant = cairn_arch_ticks_invariant();
	if (!facts->traps)
		facts->watched = cairn_clock_watch(cairn_clock_read, facts->bits);
	if (facts->bits == 64)
		return;
	facts->cpus = cairn_os_cpus();
	facts->kept = cairn_os_counter_kept();
	facts->coarse = cairn_os_coarse_cheap();
}

/* Under the lock. */
static const char *cairn_clock_decide(void)
{
	struct cairn_clock_facts facts;
	const char *unfit;

	cairn_clock_look(&facts);
	unfit = cairn_clock_unfit(&facts);
	if (!unfit && facts.bits == 32 && !cairn_wide_begin(&cairn_clock_wide))
		unfit = "the counter's rate could not be measured";
	cairn_clock_chosen = unfit ? CAIRN_CLOCK_MONOTONIC : CAIRN_CLOCK_COUNTER;
	return unfit            ? unfit :
	       facts.bits == 32 ? "invariant, advances, 32 bits, wraps seen by a coarse clock" :
				  "invariant, advances";
}

enum cairn_clock_kind cairn_clock_kind(void)
{
	if (__atomic_load_n(&cairn_clock_why, __ATOMIC_ACQUIRE))
		return cairn_clock_chosen;
	cairn_os_lock();
	if (!cairn_clock_why)
		__atomic_store_n(&cairn_clock_why, cairn_clock_decide(), __ATOMIC_RELEASE);
	cairn_os_unlock();
	return cairn_clock_chosen;
}

int cairn_clock_text(char *text, size_t size)
{
	const bool counter = cairn_clock_kind() == CAIRN_CLOCK_COUNTER;

	return snprintf(text, text ? size : 0, "%s: %s",
			counter ? CAIRN_ARCH_CLOCK_NAME : "monotonic", cairn_clock_why);
}

const char *cairn_clock_counter_name(void)
{
	return CAIRN_ARCH_CLOCK_NAME;
}

int cairn_clock_info(char *text, size_t size)
{
	return cairn_slot_busy() ? cairn_fail(-EDEADLK, "called from inside an event") :
				   cairn_clock_text(text, size);
}

enum cairn_clock_kind cairn_clock_shared(char choice[CAIRN_CLOCK_CHOICE])
{
	const enum cairn_clock_kind kind = cairn_clock_kind();

	if (kind != CAIRN_CLOCK_COUNTER || CAIRN_ARCH_CLOCK_BITS == 64) {
		cairn_clock_text(choice, CAIRN_CLOCK_CHOICE);
		return kind;
	}
	snprintf(choice, CAIRN_CLOCK_CHOICE,
		 "monotonic: the counter has 32 bits, and each process would count its wraps");
	return CAIRN_CLOCK_MONOTONIC;
}

/* ---- reading it ---- */

uint64_t cairn_clock_monotonic(void *data)
{
	(void)data;
	return cairn_os_monotonic();
}

void cairn_clock_channel(enum cairn_clock_kind kind, struct cairn_channel *channel)
{
	if (kind == CAIRN_CLOCK_MONOTONIC) {
		channel->clock = cairn_clock_monotonic;
	} else if (kind == CAIRN_CLOCK_COUNTER && CAIRN_ARCH_CLOCK_BITS == 32) {
		channel->clock = cairn_wide_now;
		channel->clock_data = &cairn_clock_wide;
	}
}

static uint64_t cairn_clock_counter(void)
{
	return CAIRN_ARCH_CLOCK_BITS == 32 ? cairn_wide_now(&cairn_clock_wide) : cairn_arch_ticks();
}

void cairn_clock_renew(void)
{
	if (CAIRN_ARCH_CLOCK_BITS == 32 && cairn_clock_chosen == CAIRN_CLOCK_COUNTER)
		cairn_wide_renew(&cairn_clock_wide);
}

void cairn_clock_forked(void)
{
	if (CAIRN_ARCH_CLOCK_BITS == 32)
		cairn_wide_forked(&cairn_clock_wide);
}

void cairn_clock_anchor(enum cairn_clock_kind kind, struct cairn_anchor *anchor)
{
	uint64_t best = UINT64_MAX;
	int i;

	for (i = 0; i < CAIRN_CLOCK_TRIES; i++) {
		const uint64_t before = cairn_os_monotonic();
		const uint64_t ticks = kind == CAIRN_CLOCK_COUNTER ? cairn_clock_counter() : before;
		const uint64_t realtime = cairn_os_realtime();
		const uint64_t after = cairn_os_monotonic();

		if (after - before >= best)
			continue;
		best = after - before;
		anchor->ticks = kind == CAIRN_CLOCK_COUNTER ? ticks : before + best / 2;
		anchor->monotonic = before + best / 2;
		anchor->realtime = realtime;
	}
}

/* x * num / den for x below 2^63 and num, den below 2^34: whole parts first, so that nothing overflows. */
static uint64_t cairn_clock_scale(uint64_t x, uint64_t num, uint64_t den)
{
	return x / den * num + x % den * num / den;
}

/*
 * Ticks a second between two anchors; 0: it cannot be told. Readers take no negative offset. So where
 * the counter's zero is that of the epoch, as in QEMU, and the fit is a little too low for that, the
 * epoch itself is the better second anchor.
 */
static uint64_t cairn_clock_fit(const struct cairn_anchor *start, const struct cairn_anchor *now)
{
	const double ns = (double)(now->monotonic - start->monotonic);
	const double ticks = (double)(now->ticks - start->ticks);
	const uint64_t fit = ns > 0 ? (uint64_t)(ticks / ns * 1e9 + 0.5) : 0;
	uint64_t hz = fit;

	if (!fit || cairn_clock_scale(start->realtime, fit, 1000000000) >= start->ticks)
		return fit;
	hz = (uint64_t)((double)start->ticks / (double)start->realtime * 1e9);
	while (cairn_clock_scale(start->realtime, hz, 1000000000) < start->ticks)
		hz++;
	return hz - fit <= fit / 1000 ? hz : fit;
}

void cairn_clock_record(struct cairn_clock_record *record, enum cairn_clock_kind kind, uint64_t hz,
			const struct cairn_anchor *start, const struct cairn_anchor *now)
{
	memset(record, 0, sizeof(*record));
	cairn_os_boot_id(record->uuid);
	if (kind == CAIRN_CLOCK_USER) {
		snprintf(record->name, sizeof(record->name), "user");
		snprintf(record->description, sizeof(record->description),
			 "The program's own clock");
		record->uuid[0] = 0;
		record->frequency = hz;
		return;
	}
	if (kind == CAIRN_CLOCK_MONOTONIC) {
		snprintf(record->name, sizeof(record->name), "monotonic");
		snprintf(record->description, sizeof(record->description), "Monotonic Clock");
		record->frequency = 1000000000;
	} else {
		snprintf(record->name, sizeof(record->name), "%s", CAIRN_ARCH_CLOCK_NAME);
		snprintf(record->description, sizeof(record->description),
			 "CPU counter, fitted over %.3g s",
			 (double)(now->monotonic - start->monotonic) / 1e9);
		record->frequency = cairn_clock_fit(start, now);
		if (!record->frequency)
			record->frequency = 1000000000;
	}
	record->offset = cairn_clock_scale(start->realtime, record->frequency, 1000000000) -
			 start->ticks;
}
