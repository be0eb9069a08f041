/* SPDX-License-Identifier: MIT */
/* core/wide.c: a counter of 32 bits as one of 64, with a counter and clocks that the tests make up. */
#define _GNU_SOURCE
#include <check.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "wide.h"

#define MS UINT64_C(1000000)
#define S (1000 * MS)
#define HALF (UINT64_C(1) << 31)

/* ---- a made-up machine ---- */

static uint64_t now;     /* ns since it was started */
static uint64_t cost;    /* ns that looking at a clock or at the counter takes */
static uint64_t away;    /* ns that pass before the counter is read the next time */
static uint64_t step;    /* of the coarse clock, ns */
static uint64_t hz;      /* of the counter */
static uint64_t started; /* the counter, in 64 bits, at 0 ns */
static uint64_t truth;   /* the counter, in 64 bits, as it was last read */

static uint64_t ticks_at(uint64_t ns)
{
	return started + ns / S * hz + ns % S * hz / S;
}

static uint32_t counter(void)
{
	now += cost + away;
	away = 0;
	truth = ticks_at(now);
	return (uint32_t)truth;
}

static uint64_t exact(void)
{
	return now += cost;
}

static uint64_t coarse(void)
{
	now += cost;
	return now - now % step;
}

static struct cairn_wide wide;

/* ns of `rounds` of the counter */
static uint64_t rounds(double n)
{
	return (uint64_t)(n * 4294967296.0 / (double)hz * 1e9);
}

/* A machine that runs for an hour, whose counter goes round in `left` ns. */
static void start(uint64_t frequency, uint64_t left)
{
	now = 3600 * S;
	cost = 100;
	away = 0;
	step = 4 * MS;
	hz = frequency;
	started = 0;
	started = 0 - ticks_at(now + left);
	wide = (struct cairn_wide){ .counter = counter, .coarse = coarse, .exact = exact };
	ck_assert(cairn_wide_begin(&wide));
	ck_assert_uint_gt(wide.base[wide.turn % 2].at.rate, 0);
}

/* What the wide counter is ahead of the true one: a number of rounds, and always the same. */
static uint64_t ahead(void)
{
	const uint64_t read = cairn_wide_now(&wide);

	ck_assert_uint_eq((uint32_t)(read - truth), 0);
	return read - truth;
}

static const uint64_t frequencies[] = { 1000000, 33333333, 400000000, 1500000000 };
#define FREQUENCIES (sizeof(frequencies) / sizeof(frequencies[0]))

/* ---- tests ---- */

/* 5 s before the counter goes round, then idle for whole and broken rounds that nobody saw. */
START_TEST(lesson_56)
{
	static const double idle[] = { 1, 2, 5.5, 0.5, 1.5, 0.001, 20 };
	uint64_t base;
	size_t i, k;

	start(frequencies[_i], 5 * S);
	base = ahead();
	for (k = 0; k < 200; k++) { /* across the wrap, step by step */
		now += 50 * MS;
		ck_assert_uint_eq(ahead(), base);
	}
	for (i = 0; i < sizeof(idle) / sizeof(idle[0]); i++) {
		now += rounds(idle[i]);
		ck_assert_msg(ahead() == base, "wrong after %g idle rounds at %" PRIu64 " Hz",
			      idle[i], hz);
	}
}
END_TEST

/* The last values before the counter goes round and the first behind it, where the coarse clock stands. */
START_TEST(at_the_wrap)
{
	uint64_t base, last = 0;
	int k;

	start(frequencies[_i], 700 * MS);
	base = ahead();
	for (k = 0; k < 20; k++) {
		const uint64_t left = 0 - (uint32_t)ticks_at(now);

		now += (uint32_t)left * S / hz;
		now -= now < 20000 ? now : 20000; /* 20 us before */
		last = 0;
		while ((uint32_t)truth > HALF || last == 0) {
			ck_assert_uint_eq(ahead(), base);
			ck_assert_uint_ge(truth + base, last);
			last = truth + base;
		}
		ck_assert_uint_lt((uint32_t)truth, HALF);
		now += rounds(0.3);
		cairn_wide_renew(&wide);
	}
}
END_TEST

/*
 * The base is renewed in every second, as a consumer does, for 3 days; then the consumer is stopped. The
 * rate was measured 1 % wrong at the start, and is so well known now that 200 rounds are not lost.
 */
START_TEST(pitfall_T44)
{
	uint64_t base, k;

	start(frequencies[_i], 5 * S);
	wide.base[wide.turn % 2].at.rate += wide.base[wide.turn % 2].at.rate / 100;
	base = ahead();
	for (k = 0; k < 3 * 86400; k++) {
		now += S;
		cairn_wide_renew(&wide);
		if (k % 64 == 0)
			ck_assert_uint_eq(ahead(), base);
	}
	now += rounds(200);
	ck_assert_uint_eq(ahead(), base);
}
END_TEST

/* A rate that is wrong by 1 % holds for 20 rounds; how it is rounded, to both sides. */
START_TEST(wrong_rate)
{
	union cairn_wide_base base = { .at = { .ticks = 5ull << 32, .ns = 77 * S } };
	int percent, n;

	for (percent = 99; percent <= 101; percent++)
		for (n = 0; n <= 20; n++) {
			const uint64_t passed = (uint64_t)n << 32, ns = base.at.ns + (passed << 1);

			base.at.rate = (1u << 19) / 100 * (unsigned)percent; /* 0.5 GHz */
			ck_assert_uint_eq(cairn_wide_extend(&base, 0, ns), (5ull << 32) + passed);
			ck_assert_uint_eq(cairn_wide_extend(&base, UINT32_MAX, ns),
					  (5ull << 32) + passed - 1);
			/* the base may be younger than the reading */
			ck_assert_uint_eq(cairn_wide_extend(&base, 0 - 1000u, base.at.ns - 2000),
					  (5ull << 32) - 1000);
		}
}
END_TEST

/* A little back is a little back, for the stream to hold; a jump costs half a round at most, once. */
START_TEST(back)
{
	uint64_t base, before;

	start(400000000, 5 * S);
	base = ahead();
	started -= 1000;
	ck_assert_uint_eq(ahead(), base);
	before = cairn_wide_now(&wide);
	started -= 3 * HALF / 4; /* the machine slept and the counter with it, or began again */
	ck_assert_uint_lt(before - cairn_wide_now(&wide), HALF);
	started -= HALF;
	ck_assert_uint_lt(cairn_wide_now(&wide) - before + HALF, 2 * HALF);
	cairn_wide_renew(&wide);
	base = ahead();
	now += rounds(5.5);
	ck_assert_uint_eq(ahead(), base);
}
END_TEST

/* Another thread runs between the look at the clock and that at the counter, for any time. */
START_TEST(away_between)
{
	uint64_t base;
	unsigned k;

	start(400000000, 5 * S);
	base = ahead();
	for (k = 1; k < 40; k++) {
		away = rounds(0.1 * k);
		ck_assert_uint_eq(ahead(), base);
		cairn_wide_renew(&wide); /* so that only this one gap is at stake */
		away = rounds(0.1 * k);
		cairn_wide_renew(&wide);
		ck_assert_uint_eq(ahead(), base);
	}
}
END_TEST

/* No rate: a counter that stands still, a machine on which nothing is done in time. */
START_TEST(no_rate)
{
	start(400000000, 5 * S);
	hz = 0;
	ck_assert(!cairn_wide_begin(&wide));
	hz = 400000000;
	cost = 20 * MS;
	ck_assert(!cairn_wide_begin(&wide));
	cost = 100;
	ck_assert(cairn_wide_begin(&wide));
}
END_TEST

/* A child has no thread that would end the renewal which it inherited. */
START_TEST(forked)
{
	uint32_t turn;

	start(400000000, 5 * S);
	turn = wide.turn;
	wide.busy = 1;
	cairn_wide_renew(&wide);
	ck_assert_uint_eq(wide.turn, turn);
	cairn_wide_forked(&wide);
	cairn_wide_renew(&wide);
	ck_assert_uint_eq(wide.turn, turn + 1);
}
END_TEST

/* ---- several threads, and signal handlers ---- */

/*
 * Time goes on by leaps of 0.7 rounds, so that words of two bases that are mixed give a wrong value. It
 * is one word, which every CPU reads whole.
 */
#define LEAP (UINT64_C(3006477107))
static uint32_t beat;
static __thread uint32_t beat_read;
static uint32_t wrong, right, stop;
static volatile sig_atomic_t handlers;

static uint64_t beat_ns(void)
{
	return (uint64_t)__atomic_load_n(&beat, __ATOMIC_SEQ_CST) * LEAP;
}

static uint32_t beat_counter(void) /* of 1 GHz */
{
	beat_read = __atomic_load_n(&beat, __ATOMIC_SEQ_CST);
	return (uint32_t)(beat_read * LEAP);
}

static void look(void)
{
	const uint64_t read = cairn_wide_now(&wide);
	const bool good = read == beat_read * LEAP + (UINT64_C(1) << 32);

	__atomic_add_fetch(good ? &right : &wrong, 1, __ATOMIC_RELAXED);
}

static void leap(void)
{
	__atomic_add_fetch(&beat, 1, __ATOMIC_SEQ_CST);
	cairn_wide_renew(&wide);
}

/* Whatever it interrupts, a reading or a renewal: that base is gone afterwards, and the one behind it. */
static void handler(int number)
{
	const uint32_t outer = beat_read;

	(void)number;
	look();
	leap();
	leap();
	leap();
	look();
	handlers++;
	beat_read = outer;
}

static void *looking(void *data)
{
	unsigned k;

	for (k = 0; !__atomic_load_n(&stop, __ATOMIC_RELAXED); k++) {
		look();
		if (k % 16 == 0)
			leap();
	}
	return data;
}

START_TEST(threads_and_handlers)
{
	const struct itimerval soon = { { 0, 100 }, { 0, 100 } }, never = { { 0, 0 }, { 0, 0 } };
	sigset_t alarm;
	pthread_t thread;
	unsigned k;

	wide = (struct cairn_wide){ .counter = beat_counter, .coarse = beat_ns, .exact = beat_ns };
	wide.base[0].at.ticks = wide.first_ticks = UINT64_C(1) << 32;
	wide.base[0].at.rate = 1 << 20;
	wide.patience = (UINT64_C(1) << 30) - 1;
	signal(SIGALRM, handler);
	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &alarm, NULL); /* handlers are for this thread */
	ck_assert_int_eq(pthread_create(&thread, NULL, looking, NULL), 0);
	pthread_sigmask(SIG_UNBLOCK, &alarm, NULL);
	setitimer(ITIMER_REAL, &soon, NULL);
	for (k = 0; handlers < 3000; k++) {
		look();
		if (k % 16 == 0)
			leap();
	}
	setitimer(ITIMER_REAL, &never, NULL);
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	ck_assert_uint_gt(wide.turn, 3000);
	ck_assert_msg(wrong == 0, "%" PRIu32 " readings wrong, %" PRIu32 " right", wrong, right);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("wide");
	TCase *tcase = tcase_create("wide");
	SRunner *runner;
	int failed;

	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, lesson_56, 0, FREQUENCIES);
	tcase_add_loop_test(tcase, at_the_wrap, 0, FREQUENCIES);
	tcase_add_loop_test(tcase, pitfall_T44, 0, FREQUENCIES);
	tcase_add_test(tcase, wrong_rate);
	tcase_add_test(tcase, back);
	tcase_add_test(tcase, away_between);
	tcase_add_test(tcase, no_rate);
	tcase_add_test(tcase, forked);
	tcase_add_test(tcase, threads_and_handlers);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
