/* SPDX-License-Identifier: MIT */
/*
 * A counter of 32 bits made one of 64: wide.h has the argument. cairn_wide_now is called by events, in
 * threads and signal handlers; the rest by the control path and the consumer.
 */
#include "wide.h"

#include "atomic_arch.h"

#define CAIRN_WIDE_MEASURE 200000u /* ns that the first rate is measured for */
#define CAIRN_WIDE_AWAY 10000000u  /* ns: we were not running; no counter goes round in this time */
#define CAIRN_WIDE_TRIES 100
#define CAIRN_WIDE_WORDS (sizeof(union cairn_wide_base) / sizeof(uint32_t))

uint64_t cairn_wide_extend(const union cairn_wide_base *base, uint32_t low, uint64_t ns)
{
	/* Before the base: the coarse clock lags, or the base was renewed after the counter was read. */
	const int64_t since = (int64_t)(ns - base->at.ns) >> 20;
	const uint64_t about = base->at.ticks + (uint64_t)(since * (int64_t)base->at.rate);

	return about + (uint64_t)(int64_t)(int32_t)(low - (uint32_t)about);
}

/* Ticks in 2^20 ns. */
static uint32_t cairn_wide_rate(uint64_t ticks, uint64_t ns)
{
	return (uint32_t)(ticks >> 43 ? ticks / (ns >> 20) : (ticks << 20) / ns);
}

static void cairn_wide_copy(union cairn_wide_base *to, const union cairn_wide_base *from)
{
	unsigned i;

	for (i = 0; i < CAIRN_WIDE_WORDS; i++)
		__atomic_store_n(&to->word[i], __atomic_load_n(&from->word[i], __ATOMIC_RELAXED),
				 __ATOMIC_RELAXED);
}

/* Again if the base was renewed meanwhile: its words may be those of the next one but one. */
static void cairn_wide_read(const struct cairn_wide *wide, union cairn_wide_base *base)
{
	uint32_t turn;

	do {
		turn = __atomic_load_n(&wide->turn, __ATOMIC_ACQUIRE);
		cairn_wide_copy(base, &wide->base[turn % 2]);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	} while (__atomic_load_n(&wide->turn, __ATOMIC_RELAXED) != turn);
}

uint64_t cairn_wide_now(void *data)
{
	const struct cairn_wide *wide = data;
	union cairn_wide_base base;
	uint64_t ns;
	uint32_t low;

	/* Again if another thread ran in between for so long that the two do not belong together. */
	do {
		ns = wide->coarse();
		low = wide->counter();
	} while (wide->coarse() - ns > wide->patience);
	cairn_wide_read(wide, &base);
	return cairn_wide_extend(&base, low, ns);
}

static void cairn_wide_publish(struct cairn_wide *wide, const union cairn_wide_base *base)
{
	const uint32_t turn = wide->turn;

	/* Readers of the base before this one must see `turn` changed before its words. */
	__atomic_thread_fence(__ATOMIC_RELEASE);
	cairn_wide_copy(&wide->base[(turn + 1) % 2], base);
	__atomic_store_n(&wide->turn, turn + 1, __ATOMIC_RELEASE);
}

bool cairn_wide_begin(struct cairn_wide *wide)
{
	union cairn_wide_base base = { .at = { 0 } };
	uint64_t from, to, after;
	uint32_t first, last;
	int tries = 0;

	do {
		from = wide->exact();
		first = wide->counter();
		do
			to = wide->exact();
		while (to - from < CAIRN_WIDE_MEASURE);
		last = wide->counter();
		after = wide->exact();
	} while (after - from > CAIRN_WIDE_AWAY && ++tries < CAIRN_WIDE_TRIES);
	base.at.rate = cairn_wide_rate(last - first, to - from);
	if (tries == CAIRN_WIDE_TRIES || base.at.rate == 0)
		return false;
	wide->patience = ((uint64_t)1 << 50) / base.at.rate;
	/* A round above 0: what is a little before it is not below 0. */
	wide->first_ticks = base.at.ticks = ((uint64_t)1 << 32) + last;
	wide->first_ns = base.at.ns = to;
	cairn_wide_publish(wide, &base);
	return true;
}

void cairn_wide_renew(struct cairn_wide *wide)
{
	union cairn_wide_base base;
	uintptr_t idle = 0;
	uint64_t ns, passed;
	uint32_t low;

	if (!cairn_arch_cmpxchg(&wide->busy, &idle, 1))
		return;
	ns = wide->exact();
	low = wide->counter();
	passed = ns - wide->first_ns;
	/* Of an exact pair only: the rate is made of it. Else the next turn will do. */
	if (wide->exact() - ns < CAIRN_WIDE_MEASURE) {
		cairn_wide_read(wide, &base);
		base.at.ticks = cairn_wide_extend(&base, low, ns);
		base.at.ns = ns;
		if (passed > 1000000000 && base.at.ticks > wide->first_ticks)
			base.at.rate = cairn_wide_rate(base.at.ticks - wide->first_ticks, passed);
		cairn_wide_publish(wide, &base);
	}
	__atomic_store_n(&wide->busy, 0, __ATOMIC_RELEASE);
}

void cairn_wide_forked(struct cairn_wide *wide)
{
	__atomic_store_n(&wide->busy, 0, __ATOMIC_RELEASE);
}
