/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
/*
 * Recording under load: four threads and a signal handler trace, in discard and in block mode, while
 * another thread switches a second session by patterns, and probes come and go. What the first session
 * is told to record must come out exactly: produced = recorded + lost.
 * CAIRN_STRESS_SECONDS: how long each case runs.
 */
#include <cairn/cairn.h>

#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>

#include "recorded.h"

#define THREADS 4

CAIRN_EVENT(stress, number, CAIRN_U32(thread), CAIRN_U64(n));
CAIRN_EVENT(stress, text, CAIRN_STR(text), CAIRN_U64(n));
CAIRN_EVENT(stress, bytes, CAIRN_SEQ(u8, bytes, count));
CAIRN_EVENT(stress, nothing);
CAIRN_EVENT(stress, handler, CAIRN_U64(n));

static uintptr_t produced[THREADS + 1]; /* [THREADS]: of the handler */
static uintptr_t called;
static bool stop;

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000u + (uint64_t)now.tv_nsec / 1000000u;
}

static void on_signal(int number)
{
	(void)number;
	cairn_trace(stress, handler, __atomic_add_fetch(&produced[THREADS], 1, __ATOMIC_RELAXED));
}

static void probe_number(void *data, uint32_t thread, uint64_t n)
{
	(void)thread;
	(void)n;
	__atomic_add_fetch((uintptr_t *)data, 1, __ATOMIC_RELAXED);
}

static void *hit(void *data)
{
	static const uint8_t bytes[300];
	const uint32_t thread = (uint32_t)(uintptr_t)data;
	const char *const text[] = { "a", "some text", NULL, "a text that is a good deal longer" };
	uintptr_t n = 0;

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		cairn_trace(stress, number, thread, n);
		cairn_trace(stress, text, text[n % 4], n);
		cairn_trace(stress, bytes, bytes, n % 300);
		cairn_trace(stress, nothing);
		n += 4;
		if (n % 4096 == 0)
			sched_yield();
	}
	produced[thread] = n;
	return NULL;
}

/* Switch the second session, and a probe, until it is time to stop. */
static uint64_t trouble(uint64_t until)
{
	static const char *const pattern[] = { "stress:*", "stress:n*", "*:text,*:bytes",
					       "nobody:*" };
	struct cairn_config config = recorded_config(NULL);
	struct cairn_session *second = NULL;
	struct cairn_stats stats;
	uint64_t round;

	config.packet_size = 4096;
	config.packets = 4;
	for (round = 0; now_ms() < until; round++) {
		if (round % 16 == 0)
			second = recorded_start(&config);
		ck_assert_int_ge(cairn_enable(second, pattern[round % 4]), 0);
		expect_status(cairn_attach(stress, number, probe_number, &called), 0);
		ck_assert_int_ge(cairn_disable(second, pattern[(round + 1) % 4]), 0);
		expect_status(cairn_detach(stress, number, probe_number, &called), 0);
		if (round % 16 == 15) {
			expect_status(cairn_session_stop(second, &stats), 0);
			second = NULL;
		}
	}
	if (second)
		expect_status(cairn_session_stop(second, &stats), 0);
	return round;
}

static void run(enum cairn_mode mode, size_t packet_size, unsigned packets, int hertz)
{
	const uint64_t ms = 1000 * recorded_option("CAIRN_STRESS_SECONDS", 2);
	const struct itimerval tick = { .it_interval.tv_usec = 1000000 / hertz,
					.it_value.tv_usec = 1000000 / hertz };
	const struct itimerval off = { .it_value.tv_usec = 0 };
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	char *output = reader_folder("/dev/shm"), *trace, *text;
	struct cairn_config config = recorded_config(output);
	struct cairn_session *session;
	struct cairn_stats stats;
	pthread_t thread[THREADS];
	uint64_t all = 0, rounds, lost;
	uintptr_t i;

	config.mode = mode;
	config.packet_size = packet_size;
	config.packets = packets;
	config.block_ms = 60000;
	memset(produced, 0, sizeof(produced));
	stop = false;
	session = recorded_start(&config);
	ck_assert_int_eq(cairn_enable(session, "stress:*"), 5);
	sigaction(SIGALRM, &action, NULL);
	for (i = 0; i < THREADS; i++)
		ck_assert_int_eq(pthread_create(&thread[i], NULL, hit, (void *)i), 0);
	setitimer(ITIMER_REAL, &tick, NULL);
	rounds = trouble(now_ms() + ms);
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	for (i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	setitimer(ITIMER_REAL, &off, NULL);
	expect_status(cairn_session_stop(session, &stats), 0);
	for (i = 0; i <= THREADS; i++)
		all += produced[i];
	fprintf(stderr, "%llu produced, %llu recorded, %llu lost, %llu in handlers, %llu rounds\n",
		(unsigned long long)all, (unsigned long long)stats.recorded,
		(unsigned long long)stats.lost, (unsigned long long)produced[THREADS],
		(unsigned long long)rounds);
	ck_assert_uint_eq(stats.recorded + stats.lost, all);
	if (mode == CAIRN_BLOCK)
		ck_assert_uint_eq(stats.lost, 0);
	trace = recorded_trace(output);
	lost = recorded_check_all(trace);
	ck_assert_uint_eq(lost, stats.lost);
	(void)text;
	free(trace);
	recorded_remove(output);
}

START_TEST(discard)
{
	run(CAIRN_DISCARD, 4096, 4, 1000);
}
END_TEST

START_TEST(block)
{
	run(CAIRN_BLOCK, 16384, 8, 10000);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("stress_record");
	TCase *tcase = tcase_create("record");
	SRunner *runner;
	int failed;

	tcase_set_timeout(tcase, 600);
	tcase_add_test(tcase, discard);
	tcase_add_test(tcase, block);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
