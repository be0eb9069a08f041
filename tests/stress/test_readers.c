/* SPDX-License-Identifier: MIT */
/*
 * babeltrace2 reads traces, again and again, while a fast program writes them: every read succeeds, and
 * says nothing but what was lost. On tmpfs, and on the file system of the build folder.
 * CAIRN_STRESS_SECONDS: how long each case runs.
 */
#define _GNU_SOURCE
#include <cairn/cairn.h>

#include <pthread.h>
#include <time.h>

#include "effort.h"
#include "recorded.h"

CAIRN_EVENT(readers, number, CAIRN_U64(n));
CAIRN_EVENT(readers, text, CAIRN_STR(text));
/* Enabled one after another, while readers are at work. */
#define LATE(f) f(0) f(1) f(2) f(3) f(4) f(5) f(6) f(7)
#define DECLARE(i) CAIRN_EVENT(readers, late##i, CAIRN_SEQ(u16, numbers, count));
LATE(DECLARE)

static uint64_t stop_at; /* ms */

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000u + (uint64_t)now.tv_nsec / 1000000u;
}

/* Bursts as fast as it goes, with a little time between them, so that a trace can be read to its end. */
static void *writing(void *unused)
{
	static const uint16_t numbers[200];
	const struct timespec nap = { .tv_nsec = 1000000 };
	uint64_t n = 0;

	while (now_ms() < stop_at) {
		unsigned i;

		for (i = 0; i < 30; i++) {
			cairn_trace(readers, number, n++);
			cairn_trace(readers, text,
				    n % 2 ? "odd" : "a text that is somewhat longer");
#define TRACE(i) cairn_trace(readers, late##i, numbers, n % 20);
			LATE(TRACE)
		}
		nanosleep(&nap, NULL);
	}
	return unused;
}

static void *enabling(void *session)
{
	const struct timespec nap = { .tv_nsec = 50000000 };
	char name[32];
	unsigned i;

	for (i = 0; i < 8; i++) {
		nanosleep(&nap, NULL);
		snprintf(name, sizeof(name), "readers:late%u", i);
		ck_assert_int_eq(cairn_enable(session, name), 1);
	}
	return NULL;
}

/* One trace of half a second, read all the while. Returns how many reads that were. */
static unsigned read_while_written(const char *parent, unsigned round)
{
	char *output = reader_folder(parent), *trace;
	struct cairn_config config = recorded_config(output);
	struct cairn_session *session;
	pthread_t thread[3];
	unsigned i, reads = 0;

	config.mode = round % 2 ? CAIRN_BLOCK : CAIRN_DISCARD;
	config.packet_size = round % 3 ? 4096 : 65536;
	config.packets = (1u << 20) / config.packet_size; /* half of it lasts while readers wait */
	config.flush_ms = round % 4 ? 1 : 1000;
	session = recorded_start(&config);
	ck_assert_int_eq(cairn_enable(session, "readers:number,readers:text"), 2);
	stop_at = now_ms() + 500;
	for (i = 0; i < 2; i++)
		pthread_create(&thread[i], NULL, writing, NULL);
	pthread_create(&thread[2], NULL, enabling, session);
	trace = recorded_trace(output);
	while (now_ms() < stop_at) {
		free(recorded_read(trace));
		reads++;
	}
	for (i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	expect_status(cairn_session_stop(session, NULL), 0);
	recorded_check_all(trace);
	free(recorded_read(trace));
	free(trace);
	recorded_remove(output);
	return reads + 1;
}

static void read_on(const char *parent)
{
	const uint64_t until = now_ms() + 1000 * recorded_option("CAIRN_STRESS_SECONDS", effort(3));
	unsigned round, reads = 0;

	for (round = 0; now_ms() < until; round++)
		reads += read_while_written(parent, round);
	fprintf(stderr, "%u reads of %u traces in %s\n", reads, round, parent);
	ck_assert_uint_gt(reads, 1);
}

START_TEST(tmpfs)
{
	read_on("/dev/shm");
}
END_TEST

START_TEST(build_folder)
{
	const char *build = getenv("CAIRN_BUILD_DIR");

	read_on(build ? build : ".");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("stress_readers");
	TCase *tcase = tcase_create("readers");
	SRunner *runner;
	int failed;

	tcase_set_timeout(tcase, 600);
	tcase_add_test(tcase, tmpfs);
	tcase_add_test(tcase, build_folder);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
