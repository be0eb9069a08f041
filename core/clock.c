/* SPDX-License-Identifier: MIT */
/*
 * The trace clock. Control path; called by session.c and drain.c.
 *
 * The CPU's counter is taken if it is 64 bits wide, may be read here, is said to be invariant, and was
 * seen to advance and not to go back; else CLOCK_MONOTONIC. The frequency is a fit against
 * CLOCK_MONOTONIC, never CLOCK_REALTIME, which can be set; it needs no wait because the later end of the
 * baseline is whenever the session is drained. Fitting over 1 ms is good to 10 ppm, over 1 s to 0.01 ppm.
 */
#include "clock.h"

#include <stdio.h>
#include <string.h>

#include <cairn/cairn.h>

#include "clock_arch.h"
#include "os.h"

#define CAIRN_CLOCK_TRIES 8

static const char *cairn_clock_why; /* NULL: not decided yet */
static enum cairn_clock_kind cairn_clock_chosen;

/* A counter that works changes within a few thousand reads and only upwards. */
static const char *cairn_clock_watch(void)
{
	uint64_t first = cairn_arch_ticks(), last = first;
	int i;

	for (i = 0; i < 10000 && last == first; i++) {
		const uint64_t now = cairn_arch_ticks();

		if (now < last)
			return "the counter goes back";
		last = now;
	}
	return last == first ? "the counter stands still" : NULL;
}

static const char *cairn_clock_unfit(void)
{
	const char *asked = cairn_os_getenv("CAIRN_CLOCK");

	if (CAIRN_ARCH_CLOCK_BITS == 0)
		return "this port has no counter";
	if (asked && !strcmp(asked, "monotonic"))
		return "CAIRN_CLOCK=monotonic";
	if (CAIRN_ARCH_CLOCK_BITS < 64)
		return "the counter has fewer than 64 bits";
	if (cairn_os_counter_traps())
		return "reading the counter is forbidden in this process";
	if (!cairn_arch_ticks_invariant())
		return "the CPU does not say that the counter's rate is invariant";
	return cairn_clock_watch();
}

enum cairn_clock_kind cairn_clock_kind(void)
{
	const char *unfit;

	if (cairn_clock_why)
		return cairn_clock_chosen;
	unfit = cairn_clock_unfit();
	cairn_clock_chosen = unfit ? CAIRN_CLOCK_MONOTONIC : CAIRN_CLOCK_COUNTER;
	cairn_clock_why = unfit ? unfit : "invariant, advances";
	return cairn_clock_chosen;
}

int cairn_clock_info(char *text, size_t size)
{
	const bool counter = cairn_clock_kind() == CAIRN_CLOCK_COUNTER;

	return snprintf(text, text ? size : 0, "%s: %s",
			counter ? CAIRN_ARCH_CLOCK_NAME : "monotonic", cairn_clock_why);
}

const char *cairn_clock_counter(void)
{
	return CAIRN_ARCH_CLOCK_NAME;
}

uint64_t cairn_clock_monotonic(void *data)
{
	(void)data;
	return cairn_os_monotonic();
}

void cairn_clock_anchor(enum cairn_clock_kind kind, struct cairn_anchor *anchor)
{
	uint64_t best = UINT64_MAX;
	int i;

	for (i = 0; i < CAIRN_CLOCK_TRIES; i++) {
		const uint64_t before = cairn_os_monotonic();
		const uint64_t ticks = kind == CAIRN_CLOCK_COUNTER ? cairn_arch_ticks() : before;
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
