/* SPDX-License-Identifier: MIT */
/* Flight recorders: what they hold, that they do nothing until asked, and that a snapshot is whole under fire. */
#define _GNU_SOURCE
#include <cairn/cairn.h>

#include <dirent.h>
#include <inttypes.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "effort.h"
#include "recorded.h"

CAIRN_EVENT(flight, number, CAIRN_U32(thread), CAIRN_U64(n), CAIRN_STR(text));

static const char digits[] = "0123456789012345678901234567890123456789";

static void hit(uint32_t thread, uint64_t n)
{
	cairn_trace(flight, number, thread, n, digits + n % 40);
}

static struct cairn_config flight_config(const char *output)
{
	struct cairn_config config = recorded_config(output);

	config.mode = CAIRN_FLIGHT;
	config.packet_size = 4096;
	config.packets = 4;
	return config;
}

static struct cairn_session *flight_start(const char *output)
{
	const struct cairn_config config = flight_config(output);
	struct cairn_session *session = recorded_start(&config);

	expect_status(cairn_enable(session, "flight:*"), 1);
	return session;
}

/* The numbers of each thread in the one trace of `output`, 0 to 7: without a gap. */
struct span {
	uint64_t first, last, count;
};

static void spans(const char *output, struct span span[8])
{
	char *trace = recorded_trace(output);
	struct reader reader = recorded_run(trace);
	const char *at;

	memset(span, 0, 8 * sizeof(*span));
	ck_assert_msg(reader.status == 0 && !*reader.err, "babeltrace2: status %d: %.300s",
		      reader.status, reader.err);
	recorded_check_all(trace);
	for (at = reader.out; (at = strstr(at, "flight:number: ")); at++) {
		const char *text = strstr(at, "thread = ");
		unsigned thread;
		uint64_t n;

		ck_assert_int_eq(sscanf(text, "thread = %u, n = %" SCNu64, &thread, &n), 2);
		ck_assert_uint_lt(thread, 8);
		ck_assert_msg(strncmp(strstr(text, "text = \"") + 8, digits + n % 40,
				      40 - n % 40) == 0,
			      "the text of thread %u, %" PRIu64 ": %.100s", thread, n, text);
		ck_assert_msg(!span[thread].count || n == span[thread].last + 1,
			      "thread %u has %" PRIu64 " behind %" PRIu64, thread, n,
			      span[thread].last);
		if (!span[thread].count++)
			span[thread].first = n;
		span[thread].last = n;
	}
	reader_free(&reader);
	free(trace);
}

static unsigned threads_now(void)
{
	DIR *dir = opendir("/proc/self/task");
	unsigned n = 0;

	ck_assert_ptr_nonnull(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

/* In memory only, until it is asked; then the newest, up to the last event before the call. */
START_TEST(newest)
{
	char *folder = reader_folder("/tmp"), *output = NULL;
	const unsigned threads = threads_now();
	struct cairn_session *session;
	struct cairn_stats stats, now;
	struct span span[8];
	struct stat stat_of;
	uint64_t n;

	ck_assert_int_gt(asprintf(&output, "%s/output", folder), 0);
	session = flight_start(output);
	for (n = 0; n < 10000; n++)
		hit(0, n);
	ck_assert_uint_eq(threads_now(), threads);
	ck_assert_msg(stat(output, &stat_of) != 0, "a flight recorder made %s unasked", output);
	expect_status(cairn_session_flush(session), 0);
	expect_status(cairn_session_stats(session, &now), 0);
	expect_status(cairn_session_snapshot(session, NULL, &stats), 0);
	spans(output, span);
	ck_assert_uint_eq(span[0].last, 9999);
	/* Three packets of four, the last of them begun. */
	ck_assert_uint_ge(span[0].count, 2 * (4096 - 96) / 60);
	ck_assert_uint_le(span[0].count, 3 * 4096 / 16);
	ck_assert_uint_eq(stats.recorded, span[0].count);
	ck_assert_uint_eq(stats.lost, 0);
	ck_assert_uint_gt(stats.overwritten, 10);
	ck_assert_uint_eq(now.overwritten, stats.overwritten);
	ck_assert_uint_eq(now.streams, 1);
	expect_status(cairn_session_stop(session, &stats), 0);
	ck_assert_uint_eq(stats.overwritten, now.overwritten);
	recorded_remove(output);
	rmdir(folder);
	free(folder);
}
END_TEST

/* Short of a whole ring, nothing is missing; what was never used is no error; each snapshot is a new trace. */
START_TEST(few)
{
	char *output = reader_folder("/tmp"), *second = reader_folder("/tmp");
	struct cairn_session *session = flight_start(output);
	struct cairn_stats stats;
	struct span span[8];

	expect_status(cairn_session_snapshot(session, second, &stats), 0);
	spans(second, span);
	ck_assert_uint_eq(span[0].count, 0);
	recorded_remove(second);
	hit(0, 0);
	hit(0, 1);
	expect_status(cairn_session_snapshot(session, NULL, &stats), 0);
	spans(output, span);
	ck_assert_uint_eq(span[0].count, 2);
	ck_assert_uint_eq(stats.overwritten, 0);
	/* A thread that has come to its end. */
	second = reader_folder("/tmp");
	expect_status(cairn_session_snapshot(session, second, &stats), 0);
	spans(second, span);
	ck_assert_uint_eq(span[0].count, 2);
	recorded_remove(second);
	expect_status(cairn_session_snapshot(session, NULL, &stats), 0);
	expect_status(cairn_session_stop(session, NULL), 0);
	recorded_remove(output); /* two traces */
}
END_TEST

static uint32_t fire;

/* Thread 0 as fast as it can, which may be too fast for a copy; the others 3 KiB a millisecond. */
static void *run(void *data)
{
	const struct timespec nap = { .tv_nsec = 1000000 };
	const uint32_t thread = (uint32_t)(uintptr_t)data;
	uint64_t n;

	for (n = 0; __atomic_load_n(&fire, __ATOMIC_RELAXED); n++) {
		hit(thread, n);
		if (thread && n % 100 == 99)
			nanosleep(&nap, NULL);
	}
	return NULL;
}

/* Threads overwrite what is being copied: no record is torn, none is missing in between. */
START_TEST(under_fire)
{
	struct cairn_config config = flight_config("/tmp/unused");
	struct cairn_session *session;
	struct cairn_stats stats;
	pthread_t thread[3];
	struct span span[8];
	uintptr_t i;
	unsigned round, seen = 0;
	int status;

	config.packets = 16;
	session = recorded_start(&config);
	expect_status(cairn_enable(session, "flight:*"), 1);
	__atomic_store_n(&fire, 1, __ATOMIC_RELAXED);
	for (i = 0; i < 3; i++)
		ck_assert_int_eq(pthread_create(&thread[i], NULL, run, (void *)i), 0);
	do /* until all have begun */
		expect_status(cairn_session_stats(session, &stats), 0);
	while (stats.streams < 3);
	for (round = 0; round < effort(5); round++) {
		char *output = reader_folder("/tmp");

		status = cairn_session_snapshot(session, output, &stats);
		ck_assert_msg(status == 0 || status == -EAGAIN, "snapshot: %d", status);
		spans(output, span);
		for (i = 1; i < 3; i++)
			seen += span[i].count > 0;
		ck_assert_uint_eq(stats.lost, 0);
		recorded_remove(output);
	}
	__atomic_store_n(&fire, 0, __ATOMIC_RELAXED);
	for (i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	expect_status(cairn_session_stop(session, NULL), 0);
	ck_assert_uint_gt(seen, 0);
}
END_TEST

static void *once(void *data)
{
	hit(1, (uint64_t)(uintptr_t)data);
	return NULL;
}

/* The streams of threads that ended are taken by those that come. */
START_TEST(short_threads)
{
	char *output = reader_folder("/tmp");
	struct cairn_session *session = flight_start(output);
	struct cairn_stats stats;
	struct span span[8];
	pthread_t thread;
	uintptr_t n;

	for (n = 0; n < 1000; n++) {
		ck_assert_int_eq(pthread_create(&thread, NULL, once, (void *)n), 0);
		pthread_join(thread, NULL);
	}
	expect_status(cairn_session_snapshot(session, NULL, &stats), 0);
	ck_assert_uint_eq(stats.streams, 1);
	spans(output, span);
	ck_assert_uint_eq(span[1].last, 999);
	expect_status(cairn_session_stop(session, NULL), 0);
	recorded_remove(output);
}
END_TEST

/* Two sessions over the same events, one of each kind: what one does is nothing to the other. */
START_TEST(beside_another)
{
	char *output = reader_folder("/tmp"), *all = reader_folder("/tmp");
	struct cairn_session *session = flight_start(output), *whole;
	struct cairn_config config = recorded_config(all);
	struct cairn_stats stats;
	struct span span[8];
	uint64_t n;

	config.mode = CAIRN_BLOCK;
	whole = recorded_start(&config);
	expect_status(cairn_enable(whole, "flight:number"), 1);
	for (n = 0; n < 5000; n++)
		hit(2, n);
	expect_status(cairn_session_snapshot(session, NULL, NULL), 0);
	expect_status(cairn_session_stop(whole, &stats), 0);
	ck_assert_uint_eq(stats.recorded, 5000);
	spans(all, span);
	ck_assert_uint_eq(span[2].count, 5000);
	spans(output, span);
	ck_assert_uint_eq(span[2].last, 4999);
	ck_assert_uint_lt(span[2].count, 5000);
	expect_status(cairn_session_stop(session, NULL), 0);
	recorded_remove(output);
	recorded_remove(all);
}
END_TEST

/* A child of fork has a recorder of its own, with nothing of its parent's in it. */
START_TEST(child)
{
	char *output = reader_folder("/tmp"), *own = reader_folder("/tmp");
	struct cairn_session *session = flight_start(output);
	struct cairn_stats stats;
	struct span span[8];
	int status;
	pid_t pid;

	hit(3, 7);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		if (cairn_session_snapshot(session, own, &stats) || stats.recorded)
			_exit(1);
		hit(4, 1);
		hit(4, 2);
		if (cairn_session_snapshot(session, own, &stats) || stats.recorded != 2)
			_exit(2);
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	spans(own, span);
	ck_assert_uint_eq(span[3].count, 0);
	ck_assert_uint_eq(span[4].count, 2);
	hit(3, 8);
	expect_status(cairn_session_snapshot(session, NULL, NULL), 0);
	spans(output, span);
	ck_assert_uint_eq(span[3].count, 2);
	ck_assert_uint_eq(span[4].count, 0);
	expect_status(cairn_session_stop(session, NULL), 0);
	recorded_remove(output);
	recorded_remove(own);
}
END_TEST

START_TEST(refused)
{
	char *output = reader_folder("/tmp");
	struct cairn_config config = recorded_config(NULL);
	struct cairn_session *session = recorded_start(&config);
	char why[256];

	expect_status(cairn_session_snapshot(NULL, output, NULL), -EINVAL);
	expect_status(cairn_session_snapshot(session, output, NULL), -EINVAL);
	cairn_error(why, sizeof(why));
	ck_assert_ptr_nonnull(strstr(why, "CAIRN_FLIGHT"));
	expect_status(cairn_session_stop(session, NULL), 0);

	config = flight_config(NULL);
	config.packets = 2;
	expect_status(cairn_session_start(&session, &config), -EINVAL);
	cairn_error(why, sizeof(why));
	ck_assert_ptr_nonnull(strstr(why, "from 4 to"));
	config.packets = 4;
	session = recorded_start(&config);
	expect_status(cairn_session_snapshot(session, NULL, NULL), -EINVAL);
	cairn_error(why, sizeof(why));
	ck_assert_ptr_nonnull(strstr(why, "no output"));
	expect_status(cairn_session_snapshot(session, "/proc/none/here", NULL), -ENOENT);
	expect_status(cairn_session_snapshot(session, output, NULL), 0);
	expect_status(cairn_session_stop(session, NULL), 0);
	recorded_remove(output);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("flight");
	TCase *tcase = tcase_create("flight");
	SRunner *runner;
	int failed;

	tcase_set_timeout(tcase, 240);
	tcase_add_test(tcase, newest);
	tcase_add_test(tcase, few);
	tcase_add_test(tcase, under_fire);
	tcase_add_test(tcase, short_threads);
	tcase_add_test(tcase, beside_another);
	tcase_add_test(tcase, child);
	tcase_add_test(tcase, refused);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
