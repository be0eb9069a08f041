/* SPDX-License-Identifier: MIT */
/*
 * core/rcu.c: a grace period ends when every event that had begun is over, and not before; events that
 * begin later do not hold it up; one that never ends holds it up for a second.
 */
#define _GNU_SOURCE
#include <cairn/cairn.h>

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <time.h>

#include "os.h"
#include "rcu.h"
#include "recorded.h"
#include "slot.h"

CAIRN_EVENT(rcu, e, CAIRN_U32(n));
CAIRN_EVENT(rcu, inner, CAIRN_U32(n));

static uint32_t inside, leave, stop;

static void nap_ms(long ms)
{
	const struct timespec nap = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };

	nanosleep(&nap, NULL);
}

static void wait_until(const uint32_t *word, uint32_t value)
{
	while (__atomic_load_n(word, __ATOMIC_ACQUIRE) < value)
		nap_ms(1);
}

/* Stay in the event until `leave`. */
static void stay(void *data, uint32_t n)
{
	(void)data;
	(void)n;
	__atomic_add_fetch(&inside, 1, __ATOMIC_RELEASE);
	wait_until(&leave, 1);
}

static void nothing(void *data, uint32_t n)
{
	(void)data;
	(void)n;
}

static void *hit_once(void *unused)
{
	cairn_trace(rcu, e, 1);
	return unused;
}

static void *hit_always(void *unused)
{
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		int i;

		for (i = 0; i < 200; i++)
			cairn_trace(rcu, e, 1);
		sched_yield();
	}
	return unused;
}

static uint32_t waited;
static int wait_status;

static void *wait_body(void *unused)
{
	wait_status = cairn_rcu_wait();
	__atomic_store_n(&waited, 1, __ATOMIC_RELEASE);
	return unused;
}

START_TEST(nobody)
{
	ck_assert_int_eq(cairn_rcu_wait(), 0); /* before tracing was ever asked for */
	expect_status(cairn_attach(rcu, e, nothing, NULL), 0);
	ck_assert_int_eq(cairn_rcu_wait(), 0);
	cairn_trace(rcu, e, 1);
	ck_assert_int_eq(cairn_rcu_wait(), 0);
}
END_TEST

/* The wait ends only when the event does. */
START_TEST(waits)
{
	pthread_t reader, waiter;

	expect_status(cairn_attach(rcu, e, stay, NULL), 0);
	pthread_create(&reader, NULL, hit_once, NULL);
	wait_until(&inside, 1);
	pthread_create(&waiter, NULL, wait_body, NULL);
	nap_ms(100);
	ck_assert_uint_eq(__atomic_load_n(&waited, __ATOMIC_ACQUIRE), 0);
	__atomic_store_n(&leave, 1, __ATOMIC_RELEASE);
	pthread_join(reader, NULL);
	pthread_join(waiter, NULL);
	ck_assert_int_eq(wait_status, 0);
}
END_TEST

/* What an event that does not end may still use is kept for good: no leak. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:cairn_list_build\n";
}

/* An event that does not end: after a second the caller is told, and can go on. */
START_TEST(gives_up)
{
	const uint64_t before = cairn_os_monotonic();
	pthread_t reader;

	expect_status(cairn_attach(rcu, e, stay, NULL), 0);
	pthread_create(&reader, NULL, hit_once, NULL);
	wait_until(&inside, 1);
	ck_assert_int_eq(cairn_rcu_wait(), -ETIMEDOUT);
	ck_assert_uint_ge(cairn_os_monotonic() - before, 1000000000);
	/* So does a detach: its data must not be freed. Nothing calls the probe any more all the same. */
	ck_assert_int_eq(cairn_detach(rcu, e, stay, NULL), -ETIMEDOUT);
	cairn_trace(rcu, e, 1);
	ck_assert_uint_eq(inside, 1);
	__atomic_store_n(&leave, 1, __ATOMIC_RELEASE);
	pthread_join(reader, NULL);
	ck_assert_int_eq(cairn_rcu_wait(), 0);
}
END_TEST

/* Events that come one after the other in two threads do not add up to one that never ends. */
START_TEST(no_starvation)
{
	pthread_t reader[2];
	int i;

	expect_status(cairn_attach(rcu, e, nothing, NULL), 0);
	for (i = 0; i < 2; i++)
		pthread_create(&reader[i], NULL, hit_always, NULL);
	while (!__atomic_load_n(&cairn_arena->used, __ATOMIC_RELAXED))
		nap_ms(1);
	for (i = 0; i < 300; i++)
		ck_assert_int_eq(cairn_rcu_wait(), 0);
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	for (i = 0; i < 2; i++)
		pthread_join(reader[i], NULL);
}
END_TEST

static void linger(void *data, uint32_t n)
{
	(void)data;
	(void)n;
	__atomic_add_fetch(&inside, 1, __ATOMIC_RELEASE);
	nap_ms(3);
}

/* A thread that is nearly always in an event, but always in another one. */
START_TEST(always_inside)
{
	pthread_t reader;
	int i;

	expect_status(cairn_attach(rcu, e, linger, NULL), 0);
	pthread_create(&reader, NULL, hit_always, NULL);
	wait_until(&inside, 1);
	for (i = 0; i < 10; i++)
		ck_assert_int_eq(cairn_rcu_wait(), 0);
	expect_status(cairn_detach(rcu, e, linger, NULL), 0);
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	pthread_join(reader, NULL);
}
END_TEST

static void trace_inner(void *data, uint32_t n)
{
	(void)data;
	cairn_trace(rcu, inner, n);
	cairn_trace(rcu, inner, n + 1);
	stay(NULL, n);
}

/* Events within an event come and go: the outer one is waited for all the same. */
START_TEST(nested)
{
	pthread_t reader, waiter;
	uintptr_t rcu;

	expect_status(cairn_attach(rcu, inner, nothing, NULL), 0);
	expect_status(cairn_attach(rcu, e, trace_inner, NULL), 0);
	pthread_create(&reader, NULL, hit_once, NULL);
	wait_until(&inside, 1);
	pthread_create(&waiter, NULL, wait_body, NULL);
	nap_ms(50);
	ck_assert_uint_eq(__atomic_load_n(&waited, __ATOMIC_ACQUIRE), 0);
	__atomic_store_n(&leave, 1, __ATOMIC_RELEASE);
	pthread_join(reader, NULL);
	pthread_join(waiter, NULL);
	ck_assert_int_eq(wait_status, 0);
	/* In this thread: the depth comes back to 0, the number moves on. */
	cairn_trace(rcu, e, 1);
	rcu = cairn_tls->rcu;
	ck_assert_uint_eq(rcu & CAIRN__NEST, 0);
	cairn_trace(rcu, e, 1);
	ck_assert_uint_eq(cairn_tls->rcu, rcu + CAIRN__ROUND);
}
END_TEST

/* The number of events of a thread wraps. */
START_TEST(wraps)
{
	uintptr_t i;

	expect_status(cairn_attach(rcu, e, nothing, NULL), 0);
	cairn_trace(rcu, e, 1);
	cairn_tls->rcu = (uintptr_t)0 - 3 * CAIRN__ROUND;
	for (i = 0; i < 6; i++) {
		cairn_trace(rcu, e, 1);
		ck_assert_uint_eq(cairn_tls->rcu & CAIRN__NEST, 0);
		ck_assert_int_eq(cairn_rcu_wait(), 0);
	}
	ck_assert_uint_eq(cairn_tls->rcu, 3 * CAIRN__ROUND);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("rcu");
	TCase *tcase = tcase_create("rcu");
	SRunner *runner;
	int failed;

	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, nobody);
	tcase_add_test(tcase, waits);
	tcase_add_test(tcase, gives_up);
	tcase_add_test(tcase, no_starvation);
	tcase_add_test(tcase, always_inside);
	tcase_add_test(tcase, nested);
	tcase_add_test(tcase, wraps);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
