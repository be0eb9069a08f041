/* SPDX-License-Identifier: MIT */
/*
 * Probes: attach, detach, what they are called with, and that none is called any more when
 * cairn_detach has returned, whatever threads hit the event meanwhile.
 */
#define _GNU_SOURCE
#include <cairn/cairn.h>

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include "recorded.h"

CAIRN_ENUM_TYPE(probe_state, i16, CAIRN_VALUE(LOW, -5), CAIRN_RANGE(HIGH, 1, 9));
CAIRN_EVENT(probe, plain, CAIRN_U32(n));
CAIRN_EVENT(probe, nothing);
CAIRN_EVENT(probe, all, CAIRN_I8(a), CAIRN_U64(b), CAIRN_NET16(c), CAIRN_PTR(d), CAIRN_BOOL(e),
	    CAIRN_CHAR(f), CAIRN_FLOAT(g), CAIRN_DOUBLE(h), CAIRN_ENUM(i, probe_state),
	    CAIRN_STR(j), CAIRN_TEXT(k, 4), CAIRN_ARRAY(u16, l, 3), CAIRN_SEQ(u8, m, n),
	    CAIRN_SEQ(str, o, p));
CAIRN_EVENT(probe, inner, CAIRN_U32(n));
CAIRN_EVENT(probe, nowhere, CAIRN_U32(n)); /* no site hits it */

struct counter {
	uintptr_t calls, sum;
	bool gone; /* nobody may call any more */
	uintptr_t after;
};

static void count(void *data, uint32_t n)
{
	struct counter *counter = data;

	__atomic_add_fetch(&counter->calls, 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(&counter->sum, n, __ATOMIC_RELAXED);
	if (__atomic_load_n(&counter->gone, __ATOMIC_ACQUIRE))
		__atomic_add_fetch(&counter->after, 1, __ATOMIC_RELAXED);
}

static void count_too(void *data, uint32_t n)
{
	count(data, n);
}

static void count_nothing(void *data)
{
	count(data, 0);
}

START_TEST(calls)
{
	struct counter a = { 0 }, b = { 0 }, c = { 0 };

	cairn_trace(probe, plain, 1);
	expect_status(cairn_attach(probe, plain, count, &a), 0);
	cairn_trace(probe, plain, 10);
	expect_status(cairn_attach(probe, plain, count, &b), 0);
	expect_status(cairn_attach(probe, plain, count_too, &b), 0);
	expect_status(cairn_attach(probe, nothing, count_nothing, &c), 0);
	cairn_trace(probe, plain, 100);
	cairn_trace(probe, nothing);
	expect_status(cairn_detach(probe, plain, count, &a), 0);
	cairn_trace(probe, plain, 1000);
	expect_status(cairn_detach(probe, plain, count, &b), 0);
	cairn_trace(probe, plain, 10000);
	expect_status(cairn_detach(probe, plain, count_too, &b), 0);
	expect_status(cairn_detach(probe, nothing, count_nothing, &c), 0);
	cairn_trace(probe, plain, 100000);
	cairn_trace(probe, nothing);
	ck_assert_uint_eq(a.sum, 110);
	ck_assert_uint_eq(b.sum, 2 * 1100 + 10000);
	ck_assert_uint_eq(c.calls, 1);
}
END_TEST

START_TEST(errors)
{
	struct counter a = { 0 }, b = { 0 };
	char why[256];

	expect_status(cairn_detach(probe, plain, count, &a), -ENOENT);
	cairn_error(why, sizeof(why));
	ck_assert_ptr_nonnull(strstr(why, "probe:plain"));
	expect_status(cairn_attach(probe, plain, NULL, &a), -EINVAL);
	expect_status(cairn_detach(probe, plain, NULL, &a), -ENOENT);
	expect_status(cairn_attach(probe, plain, count, &a), 0);
	expect_status(cairn_attach(probe, plain, count, &a), -EEXIST);
	cairn_error(why, sizeof(why));
	ck_assert_ptr_nonnull(strstr(why, "probe:plain"));
	expect_status(cairn_attach(probe, plain, count, &b), 0);
	expect_status(cairn_detach(probe, plain, count_too, &a), -ENOENT);
	cairn_trace(probe, plain, 1);
	ck_assert_uint_eq(a.calls, 1);
	expect_status(cairn_detach(probe, plain, count, &a), 0);
	expect_status(cairn_detach(probe, plain, count, &a), -ENOENT);
	expect_status(cairn_detach(probe, plain, count, &b), 0);
	ck_assert(!cairn_enabled(probe, plain));
	/* An event that no loaded module has a site of: it may come. */
	expect_status(cairn_attach(probe, nowhere, count, &a), 0);
	expect_status(cairn_detach(probe, nowhere, count, &a), 0);
}
END_TEST

static unsigned seen_all;

static void see_all(void *data, int8_t a, uint64_t b, uint16_t c, const void *d, bool e, char f,
		    float g, double h, int16_t i, const char *j, const char *k, const uint16_t *l,
		    const uint8_t *m, size_t n, const char *const *o, size_t p)
{
	seen_all++;
	ck_assert_ptr_eq(data, &seen_all);
	ck_assert_int_eq(a, -7);
	ck_assert_uint_eq(b, UINT64_MAX);
	ck_assert_uint_eq(c, 80);
	ck_assert_ptr_eq(d, &seen_all);
	ck_assert(e);
	ck_assert_int_eq(f, 'c');
	ck_assert(g == 1.5f);
	ck_assert(h == -2.25);
	ck_assert_int_eq(i, -5);
	ck_assert_str_eq(j, "string");
	ck_assert_mem_eq(k, "text", 4);
	ck_assert_uint_eq(l[2], 3);
	ck_assert_uint_eq(n, 2);
	ck_assert_uint_eq(m[1], 9);
	ck_assert_uint_eq(p, 1);
	ck_assert_ptr_null(o[0]);
}

/* Arguments arrive as they were given, of every type. */
START_TEST(arguments)
{
	static const uint16_t l[3] = { 1, 2, 3 };
	static const uint8_t m[2] = { 8, 9 };
	static const char *const o[1] = { NULL };

	expect_status(cairn_attach(probe, all, see_all, &seen_all), 0);
	cairn_trace(probe, all, -7, UINT64_MAX, 80, &seen_all, true, 'c', 1.5f, -2.25, -5, "string",
		    "text", l, m, 2, o, 1);
	expect_status(cairn_detach(probe, all, see_all, &seen_all), 0);
	ck_assert_uint_eq(seen_all, 1);
}
END_TEST

static unsigned evaluated;

static uint32_t evaluate(void)
{
	evaluated++;
	return 1;
}

/* Arguments are evaluated once if somebody listens, however many, and not at all if nobody does. */
START_TEST(evaluation)
{
	struct counter a = { 0 }, b = { 0 };

	cairn_trace(probe, plain, evaluate());
	ck_assert_uint_eq(evaluated, 0);
	expect_status(cairn_attach(probe, plain, count, &a), 0);
	expect_status(cairn_attach(probe, plain, count, &b), 0);
	cairn_trace(probe, plain, evaluate());
	ck_assert_uint_eq(evaluated, 1);
	expect_status(cairn_detach(probe, plain, count, &a), 0);
	expect_status(cairn_detach(probe, plain, count, &b), 0);
}
END_TEST

/* ---- from inside ---- */

static struct cairn_session *session_there;
static int inside[9];

static void meddle(void *data, uint32_t n)
{
	struct cairn_config config = recorded_config(NULL);
	struct cairn_session *session = NULL;
	struct cairn_stats stats;
	struct counter other = { 0 };

	(void)data;
	(void)n;
	inside[0] = cairn_attach(probe, inner, count, &other);
	inside[1] = cairn_detach(probe, plain, meddle, NULL);
	inside[2] = cairn_session_start(&session, &config);
	inside[3] = cairn_enable(session_there, "probe:*");
	inside[4] = cairn_disable(session_there, "probe:*");
	inside[5] = cairn_session_flush(session_there);
	inside[6] = cairn_session_stats(session_there, &stats);
	inside[7] = cairn_session_stop(session_there, &stats);
	inside[8] = 1;
}

/* Control from inside a probe: refused, nothing done, no dead end. */
START_TEST(lesson_27)
{
	const struct cairn_config config = recorded_config(NULL);
	struct cairn_stats stats;
	int i;

	session_there = recorded_start(&config);
	ck_assert_int_eq(cairn_enable(session_there, "probe:plain"), 1);
	expect_status(cairn_attach(probe, plain, meddle, NULL), 0);
	cairn_trace(probe, plain, 1);
	ck_assert_int_eq(inside[8], 1);
	for (i = 0; i < 8; i++)
		ck_assert_msg(inside[i] == -EDEADLK, "call %d returned %d, expected -EDEADLK", i,
			      inside[i]);
	inside[8] = 0;
	cairn_trace(probe, plain, 1);
	ck_assert_int_eq(inside[8], 1);
	expect_status(cairn_detach(probe, plain, meddle, NULL), 0);
	expect_status(cairn_session_stop(session_there, &stats), 0);
	ck_assert_uint_eq(stats.recorded, 2);
}
END_TEST

static void again(void *data, uint32_t n)
{
	count(data, n);
	cairn_trace(probe, plain, n + 1);
}

/* A probe that hits its own event: some levels, then counted and dropped; no endless descent. */
START_TEST(recursion)
{
	const struct cairn_config config = recorded_config(NULL);
	struct cairn_session *session = recorded_start(&config);
	struct counter a = { 0 };
	struct cairn_stats stats;

	ck_assert_int_eq(cairn_enable(session, "probe:plain"), 1);
	expect_status(cairn_attach(probe, plain, again, &a), 0);
	cairn_trace(probe, plain, 1);
	ck_assert_uint_eq(a.calls, 4);
	cairn_trace(probe, plain, 1);
	ck_assert_uint_eq(a.calls, 8);
	expect_status(cairn_detach(probe, plain, again, &a), 0);
	expect_status(cairn_session_stop(session, &stats), 0);
	ck_assert_uint_eq(stats.recorded, 8);
	ck_assert_uint_eq(stats.lost, 2);
}
END_TEST

/* ---- while threads hit ---- */

static bool stop;
static uintptr_t hits;

static void *hitting(void *unused)
{
	uintptr_t n = 0;

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		int i;

		for (i = 0; i < 100; i++)
			cairn_trace(probe, plain, 1);
		n += 100;
		sched_yield();
	}
	__atomic_add_fetch(&hits, n, __ATOMIC_RELAXED);
	return unused;
}

/* Two threads hit, the main one attaches and detaches: no call after the detach, and data is not used. */
START_TEST(come_and_go)
{
	struct counter always = { 0 }, *counter;
	pthread_t thread[2];
	unsigned i;

	expect_status(cairn_attach(probe, plain, count, &always), 0);
	for (i = 0; i < 2; i++)
		pthread_create(&thread[i], NULL, hitting, NULL);
	for (i = 0; i < 500; i++) {
		counter = calloc(1, sizeof(*counter));
		expect_status(cairn_attach(probe, plain, count, counter), 0);
		if (i % 2)
			sched_yield();
		expect_status(cairn_detach(probe, plain, count, counter), 0);
		__atomic_store_n(&counter->gone, true, __ATOMIC_RELEASE);
		if (i % 8 == 0)
			sched_yield();
		ck_assert_uint_eq(__atomic_load_n(&counter->after, __ATOMIC_RELAXED), 0);
		ck_assert_uint_eq(counter->calls, counter->sum);
		memset(counter, 0xff, sizeof(*counter));
		free(counter);
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	for (i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	/* The one that was there all the time missed no hit while the others came and went. */
	ck_assert_uint_eq(always.calls, hits);
	expect_status(cairn_detach(probe, plain, count, &always), 0);
}
END_TEST

static void *attach_own(void *data)
{
	struct counter *counter = data;
	int i;

	for (i = 0; i < 200; i++) {
		expect_status(cairn_attach(probe, plain, count, counter), 0);
		cairn_trace(probe, plain, 1);
		expect_status(cairn_detach(probe, plain, count, counter), 0);
		__atomic_store_n(&counter->gone, true, __ATOMIC_RELEASE);
		cairn_trace(probe, plain, 1);
		__atomic_store_n(&counter->gone, false, __ATOMIC_RELEASE);
	}
	return NULL;
}

/* Three threads attach and detach probes of their own to one event. */
START_TEST(several_attach)
{
	struct counter counter[3] = { { 0 } };
	pthread_t thread[3];
	int i;

	for (i = 0; i < 3; i++)
		pthread_create(&thread[i], NULL, attach_own, &counter[i]);
	for (i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	for (i = 0; i < 3; i++) {
		ck_assert_uint_ge(counter[i].calls, 200);
		ck_assert_uint_eq(counter[i].after, 0);
	}
	ck_assert(!cairn_enabled(probe, plain));
}
END_TEST

/* Many probes on one event, taken away in another order. */
START_TEST(many)
{
	static struct counter counter[200];
	unsigned i;

	for (i = 0; i < 200; i++)
		expect_status(cairn_attach(probe, plain, count, &counter[i]), 0);
	cairn_trace(probe, plain, 1);
	for (i = 0; i < 200; i += 2)
		expect_status(cairn_detach(probe, plain, count, &counter[i]), 0);
	cairn_trace(probe, plain, 1);
	for (i = 0; i < 200; i++)
		ck_assert_uint_eq(counter[i].calls, i % 2 + 1);
	for (i = 199; i < 200; i -= 2)
		expect_status(cairn_detach(probe, plain, count, &counter[i]), 0);
	ck_assert(!cairn_enabled(probe, plain));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("probe");
	TCase *tcase = tcase_create("probe");
	SRunner *runner;
	int failed;

	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, calls);
	tcase_add_test(tcase, errors);
	tcase_add_test(tcase, arguments);
	tcase_add_test(tcase, evaluation);
	tcase_add_test(tcase, lesson_27);
	tcase_add_test(tcase, recursion);
	tcase_add_test(tcase, come_and_go);
	tcase_add_test(tcase, several_attach);
	tcase_add_test(tcase, many);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
