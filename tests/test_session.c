/* SPDX-License-Identifier: MIT */
/*
 * Sessions as cairn.h promises them: what is refused and why, what is recorded between enable and
 * disable, several at once, modules that come late, more events than short headers have ids for.
 */
#define _GNU_SOURCE
#include <cairn/cairn.h>

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/resource.h>
#include <time.h>

#include "effort.h"
#include "recorded.h"

CAIRN_EVENT(session, a, CAIRN_U32(n));
CAIRN_EVENT(session, b, CAIRN_STR(s));
CAIRN_EVENT(session, shared, CAIRN_U32(n)); /* module_late.c has it too */
CAIRN_EVENT(other, c);

/* 60 events: more than the 30 that short headers of 4 bytes can tell apart. */
#define EACH_DIGIT(M, x)                                                                           \
	M(x, 0) M(x, 1) M(x, 2) M(x, 3) M(x, 4) M(x, 5) M(x, 6) M(x, 7) M(x, 8) M(x, 9)
#define EACH(M)                                                                                    \
	EACH_DIGIT(M, 0)                                                                           \
	EACH_DIGIT(M, 1) EACH_DIGIT(M, 2) EACH_DIGIT(M, 3) EACH_DIGIT(M, 4) EACH_DIGIT(M, 5)
#define DECLARE(x, y) CAIRN_EVENT(many, e##x##y, CAIRN_U32(n));
#define HIT(x, y) cairn_trace(many, e##x##y, 10 * x + y);
/* clang-format off */
EACH(DECLARE)
/* clang-format on */

static void hit_many(void)
{
	EACH(HIT)
}

static void hit(uint32_t n)
{
	cairn_trace(session, a, n);
	cairn_trace(session, b, "text");
	cairn_trace(session, shared, n);
	cairn_trace(other, c);
}

static void nap_ms(long ms)
{
	const struct timespec nap = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };

	nanosleep(&nap, NULL);
}

/* What the one trace in `output` holds, as text. */
static char *read_output(const char *output)
{
	char *trace = recorded_trace(output), *text = recorded_read_whole(trace);

	recorded_check_all(trace);
	free(trace);
	return text;
}

/* ---- refused ---- */

static uint64_t still(void *data)
{
	(void)data;
	return 1;
}

/* A start with `config` fails with `status`, and the reason names `word`. */
static void refused(const struct cairn_config *config, int status, const char *word)
{
	struct cairn_session *session = (struct cairn_session *)(uintptr_t)0x55;
	char why[256];

	expect_status(cairn_session_start(&session, config), status);
	ck_assert_ptr_eq(session, (struct cairn_session *)(uintptr_t)0x55);
	cairn_error(why, sizeof(why));
	ck_assert_msg(strstr(why, word) != NULL, "\"%s\" does not say \"%s\"", why, word);
}

START_TEST(wrong_config)
{
	static const size_t packet_size[] = { 1, 2048, 4095, 4097, 12288, 33554433, 67108864 };
	static const unsigned packets[] = { 1, 3, 12, 32769, 65536 };
	char output[402];
	struct cairn_config config;
	size_t i;

	config = recorded_config(NULL);
	config.size--;
	refused(&config, -EINVAL, "size");
	config = recorded_config(NULL);
	config.mode = (enum cairn_mode)3;
	refused(&config, -EINVAL, "mode");
	for (i = 0; i < 7; i++) {
		config = recorded_config(NULL);
		config.packet_size = packet_size[i];
		refused(&config, -EINVAL, "packet_size");
	}
	for (i = 0; i < 5; i++) {
		config = recorded_config(NULL);
		config.packets = packets[i];
		refused(&config, -EINVAL, "packets");
	}
	config = recorded_config(NULL);
	config.packet_size = 32u << 20;
	config.packets = 32768;
	refused(&config, -EINVAL, "too big");
	config = recorded_config(NULL);
	config.clock = still;
	refused(&config, -EINVAL, "clock_hz");
	config = recorded_config("");
	refused(&config, -EINVAL, "output");
	memset(output, 'o', 401);
	output[401] = 0;
	config = recorded_config(output);
	refused(&config, -EINVAL, "output");
}
END_TEST

/* Mistakes of the caller's, not crashes: no session, one that was stopped, nothing to read or to write. */
START_TEST(nothing)
{
	struct cairn_config config = recorded_config(NULL);
	struct cairn_session *session;
	struct cairn_stats stats;
	char why[256];

	expect_status(cairn_session_start(NULL, &config), -EINVAL);
	expect_status(cairn_session_start(&session, NULL), -EINVAL);
	expect_status(cairn_session_start(&session, &config), 0);
	expect_status(cairn_session_stats(session, NULL), -EINVAL);
	expect_status(cairn_enable(session, NULL), -EINVAL);
	expect_status(cairn_disable(session, NULL), -EINVAL);
	expect_status(cairn_session_stop(session, NULL), 0);
	expect_status(cairn_session_stop(session, &stats), -EINVAL);
	expect_status(cairn_session_flush(session), -EINVAL);
	expect_status(cairn_enable(session, "session:*"), -EINVAL);
	cairn_error(why, sizeof(why));
	ck_assert_ptr_nonnull(strstr(why, "stopped"));
	expect_status(cairn_session_stats(NULL, &stats), -EINVAL);
	expect_status(cairn_session_flush(NULL), -EINVAL);
	expect_status(cairn_session_stop(NULL, NULL), -EINVAL);
	expect_status(cairn_enable(NULL, "session:*"), -EINVAL);
	expect_status(cairn_disable(NULL, "session:*"), -EINVAL);
	ck_assert_int_eq(cairn_error(NULL, 0), (int)strlen(why));
	ck_assert_int_eq(cairn_error(NULL, 10), (int)strlen(why));
	ck_assert_int_gt(cairn_clock_info(NULL, 10), 0);
}
END_TEST

/* The extremes of what is accepted. */
START_TEST(extreme_config)
{
	struct cairn_config config = recorded_config(NULL);
	struct cairn_session *session;
	struct cairn_stats stats;

	config.packet_size = _i ? 1u << 20 : 4096;
	config.packets = _i ? 4 : 2;
	config.mode = CAIRN_BLOCK;
	session = recorded_start(&config);
	ck_assert_int_eq(cairn_enable(session, "session:*"), 3);
	hit(1);
	expect_status(cairn_session_stop(session, &stats), 0);
	ck_assert_uint_eq(stats.recorded, 3);
	ck_assert_uint_eq(stats.lost, 0);
}
END_TEST

START_TEST(wrong_output)
{
	char *folder = reader_folder("/tmp"), file[256], below[300];
	struct cairn_config config;

	snprintf(file, sizeof(file), "%s/file", folder);
	ck_assert_int_eq(close(open(file, O_CREAT | O_WRONLY, 0600)), 0);
	config = recorded_config(file);
	refused(&config, -ENOTDIR, file);
	snprintf(below, sizeof(below), "%s/below", file);
	config = recorded_config(below);
	refused(&config, -ENOTDIR, below);
	config = recorded_config("/proc/nowhere");
	refused(&config, -ENOENT, "/proc/nowhere");
	reader_remove(folder);
}
END_TEST

START_TEST(wrong_pattern)
{
	const struct cairn_config config = recorded_config(NULL);
	struct cairn_session *session = recorded_start(&config);
	static const char *const wrong[] = { "", ",", "a,,b", "a,", ",a" };
	struct cairn_stats stats;
	char longest[4097], why[256];
	size_t i;

	for (i = 0; i < 5; i++) {
		expect_status(cairn_enable(session, wrong[i]), -EINVAL);
		cairn_error(why, sizeof(why));
		ck_assert_ptr_nonnull(strstr(why, "pattern"));
		expect_status(cairn_disable(session, wrong[i]), -EINVAL);
	}
	memset(longest, '*', 4096);
	longest[4096] = 0;
	expect_status(cairn_enable(session, longest), -EINVAL);
	hit(1);
	longest[4095] = 0;
	ck_assert_int_eq(cairn_enable(session, longest), 4 + 60);
	hit(1);
	expect_status(cairn_session_stop(session, &stats), 0);
	ck_assert_uint_eq(stats.recorded, 4);
}
END_TEST

/* Eight sessions run, the ninth is refused; the place of one that stopped is free again. */
START_TEST(nine)
{
	const struct cairn_config config = recorded_config(NULL);
	struct cairn_session *session[8], *ninth = NULL;
	struct cairn_stats stats;
	char why[256];
	unsigned i, round;

	for (i = 0; i < 8; i++) {
		session[i] = recorded_start(&config);
		ck_assert_int_eq(cairn_enable(session[i], "session:*"), 3);
	}
	for (round = 0; round < 3; round++) {
		expect_status(cairn_session_start(&ninth, &config), -ENOSPC);
		cairn_error(why, sizeof(why));
		ck_assert_ptr_nonnull(strstr(why, "8 sessions"));
		hit(round);
		expect_status(cairn_session_stop(session[3 * round], &stats), 0);
		ck_assert_uint_eq(stats.recorded, round == 0 ? 3 : 3 * (round + 1));
		session[3 * round] = recorded_start(&config);
		ck_assert_int_eq(cairn_enable(session[3 * round], "session:a"), 1);
	}
	hit(9);
	for (i = 0; i < 8; i++) {
		expect_status(cairn_session_stop(session[i], &stats), 0);
		ck_assert_uint_eq(stats.recorded, i % 3 ? 12 : 3 - i / 3);
		ck_assert_uint_eq(stats.lost, 0);
	}
	ck_assert(!cairn_enabled(session, a));
}
END_TEST

/* ---- what is recorded ---- */

/* The latest rule that matches decides; counts are those of the documentation. */
START_TEST(rules)
{
	char *output = reader_folder("/tmp"), *text;
	const struct cairn_config config = recorded_config(output);
	struct cairn_session *session = recorded_start(&config);
	struct cairn_stats stats;

	hit(1);
	ck_assert_int_eq(cairn_enable(session, "nobody:*"), 0);
	ck_assert_int_eq(cairn_enable(session, "session:a"), 1);
	hit(2); /* a */
	ck_assert_int_eq(cairn_enable(session, "session:?"), 2);
	hit(3); /* a b */
	ck_assert_int_eq(cairn_enable(session, "*:c,session:*"), 4);
	hit(4); /* all four */
	ck_assert_int_eq(cairn_disable(session, "session:a,session:shared"), 2);
	hit(5); /* b c */
	ck_assert_int_eq(cairn_disable(session, "session:a"), 0);
	ck_assert_int_eq(cairn_enable(session, "session:*"), 3);
	hit(6); /* all four */
	ck_assert_int_eq(cairn_disable(session, "*"), 4);
	hit(7);
	expect_status(cairn_session_stats(session, &stats), 0);
	ck_assert_uint_eq(stats.recorded, 1 + 2 + 4 + 2 + 4);
	ck_assert_uint_eq(stats.events, 4);
	expect_status(cairn_session_stop(session, &stats), 0);
	text = read_output(output);
	ck_assert_uint_eq(recorded_count(text, "session:a:"), 4);
	ck_assert_uint_eq(recorded_count(text, "session:b:"), 4);
	ck_assert_uint_eq(recorded_count(text, "session:shared:"), 2);
	ck_assert_uint_eq(recorded_count(text, "other:c:"), 3);
	ck_assert_uint_eq(recorded_count(text, "n = 5 }"), 0);
	ck_assert_uint_eq(recorded_count(text, "n = 6 }"), 2);
	free(text);
	recorded_remove(output);
}
END_TEST

/* A program that switches events on and off for days must not grow. */
START_TEST(switching_for_days)
{
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
	const struct cairn_config config = recorded_config(NULL);
	struct cairn_session *session = recorded_start(&config);
	const int rounds = (int)effort(3000);
	size_t before = 0;
	int i;

	for (i = 0; i < rounds; i++) {
		if (i == 100)
			before = mallinfo2().uordblks;
		ck_assert_int_eq(cairn_enable(session, "session:a"), 1);
		ck_assert_int_eq(cairn_disable(session, "session:*"), 1);
	}
	ck_assert_msg(mallinfo2().uordblks < before + 65536, "%zu bytes became %zu", before,
		      mallinfo2().uordblks);
	expect_status(cairn_session_stop(session, NULL), 0);
#endif
}
END_TEST

static uintptr_t own_time;

static uint64_t own_clock(void *data)
{
	return __atomic_add_fetch((uintptr_t *)data, 1000, __ATOMIC_RELAXED);
}

/* Two sessions with patterns, clocks and modes of their own, on the same events. */
START_TEST(two_sessions)
{
	char *output[2] = { reader_folder("/tmp"), reader_folder("/tmp") }, *text[2];
	struct cairn_config config = recorded_config(output[0]);
	struct cairn_session *session[2];
	struct cairn_stats stats[2];
	uint64_t time;
	unsigned i;

	session[0] = recorded_start(&config);
	config.output = output[1];
	config.mode = CAIRN_BLOCK;
	config.packet_size = 4096;
	config.packets = 2;
	config.clock = own_clock;
	config.clock_data = &own_time;
	config.clock_hz = 1000000;
	session[1] = recorded_start(&config);
	ck_assert_int_eq(cairn_enable(session[0], "session:a,other:*"), 2);
	ck_assert_int_eq(cairn_enable(session[1], "session:a,session:b"), 2);
	for (i = 0; i < 1000; i++)
		hit(i);
	ck_assert_int_eq(cairn_disable(session[0], "session:a"), 1);
	for (i = 1000; i < 1100; i++)
		hit(i);
	for (i = 0; i < 2; i++) {
		expect_status(cairn_session_stop(session[i], &stats[i]), 0);
		text[i] = read_output(output[i]);
	}
	ck_assert_uint_eq(stats[0].recorded, 1000 + 1100);
	ck_assert_uint_eq(stats[1].recorded, 1100 + 1100);
	ck_assert_uint_eq(recorded_count(text[0], "session:a:"), 1000);
	ck_assert_uint_eq(recorded_count(text[0], "other:c:"), 1100);
	ck_assert_uint_eq(recorded_count(text[1], "session:a:"), 1100);
	ck_assert_uint_eq(recorded_count(text[1], "session:b:"), 1100);
	ck_assert_int_eq(sscanf(text[1], "[%" SCNu64 "]", &time), 1);
	ck_assert_uint_le(time, 3000); /* of the clock that counts, not of the CPU's */
	ck_assert_int_eq(sscanf(text[0], "[%" SCNu64 "]", &time), 1);
	ck_assert_uint_gt(time, 1000000);
	for (i = 0; i < 2; i++) {
		free(text[i]);
		recorded_remove(output[i]);
	}
}
END_TEST

/* A flush brings everything to the disk, of a session that goes on; figures are exact. */
START_TEST(flush)
{
	char *output = reader_folder("/tmp"), *text;
	const struct cairn_config config = recorded_config(output);
	struct cairn_session *session = recorded_start(&config);
	struct cairn_stats stats;
	unsigned i;

	text = read_output(output); /* nothing yet, and readable */
	ck_assert_str_eq(text, "");
	free(text);
	ck_assert_int_eq(cairn_enable(session, "session:a"), 1);
	for (i = 1; i <= 20; i++) {
		hit(i);
		expect_status(cairn_session_flush(session), 0);
		text = read_output(output);
		ck_assert_uint_eq(recorded_count(text, "session:a:"), i);
		free(text);
		expect_status(cairn_session_stats(session, &stats), 0);
		ck_assert_uint_eq(stats.recorded, i);
		ck_assert_uint_eq(stats.lost, 0);
		ck_assert_uint_eq(stats.events, 1);
		ck_assert_uint_eq(stats.streams, 1);
	}
	expect_status(cairn_session_flush(session), 0); /* with nothing to do */
	expect_status(cairn_session_stop(session, &stats), 0);
	ck_assert_uint_ge(stats.bytes, 20 * 8);
	recorded_remove(output);
}
END_TEST

/* Without a flush a record is on the disk when it is as old as was asked for. */
START_TEST(flush_by_age)
{
	char *output = reader_folder("/tmp"), *text;
	struct cairn_config config = recorded_config(output);
	struct cairn_session *session;
	unsigned i, got = 0;

	config.flush_ms = 20;
	session = recorded_start(&config);
	ck_assert_int_eq(cairn_enable(session, "session:a"), 1);
	hit(1);
	for (i = 0; i < 200 && !got; i++) {
		nap_ms(50);
		text = read_output(output);
		got = (unsigned)recorded_count(text, "session:a:");
		free(text);
	}
	ck_assert_uint_eq(got, 1);
	expect_status(cairn_session_stop(session, NULL), 0);
	recorded_remove(output);
}
END_TEST

/* A disk that takes nothing more: each call says so, losses are counted, what is there is readable. */
START_TEST(full)
{
	const struct rlimit little = { 2000, RLIM_INFINITY };
	char *output = reader_folder("/tmp"), *trace, *text;
	struct cairn_config config = recorded_config(output);
	struct cairn_session *session;
	struct cairn_stats stats;
	struct rlimit before;
	unsigned i;

	config.packet_size = 4096;
	config.packets = 4;
	session = recorded_start(&config);
	ck_assert_int_eq(cairn_enable(session, "session:a"), 1);
	hit(1);
	expect_status(cairn_session_flush(session), 0);
	getrlimit(RLIMIT_FSIZE, &before);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &little), 0);
	for (i = 0; i < 5000; i++)
		hit(i);
	expect_status(cairn_session_flush(session), -EFBIG);
	expect_status(cairn_session_stats(session, &stats), 0);
	ck_assert_uint_gt(stats.lost, 2000);
	expect_status(cairn_session_stop(session, &stats), -EFBIG);
	ck_assert_uint_eq(stats.recorded + stats.lost, 5001);
	setrlimit(RLIMIT_FSIZE, &before);
	trace = recorded_trace(output);
	text = recorded_read(trace);
	ck_assert_uint_eq(recorded_count(text, "session:a:"), stats.recorded);
	free(text);
	free(trace);
	recorded_remove(output);
}
END_TEST

/* With such a limit from the start there is no room for rings either. */
START_TEST(no_room)
{
	const struct rlimit little = { 2000, RLIM_INFINITY };
	const struct cairn_config config = recorded_config(NULL);
	struct rlimit before;

	getrlimit(RLIMIT_FSIZE, &before);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &little), 0);
	refused(&config, -EFBIG, "rings");
	setrlimit(RLIMIT_FSIZE, &before);
	expect_status(cairn_session_stop(recorded_start(&config), NULL), 0);
}
END_TEST

/* Without an output records are counted and thrown away. */
START_TEST(no_output)
{
	struct cairn_config config = recorded_config(NULL);
	struct cairn_session *session;
	struct cairn_stats stats;
	unsigned i;

	config.mode = CAIRN_BLOCK;
	config.packet_size = 4096;
	session = recorded_start(&config);
	ck_assert_int_eq(cairn_enable(session, "session:a"), 1);
	for (i = 0; i < 100000; i++)
		cairn_trace(session, a, i);
	expect_status(cairn_session_stop(session, &stats), 0);
	ck_assert_uint_eq(stats.recorded, 100000);
	ck_assert_uint_eq(stats.lost, 0);
	ck_assert_uint_eq(stats.bytes, 0);
}
END_TEST

/* Folders on the way are made; two sessions in one folder are two traces, which readers take as one. */
START_TEST(one_folder)
{
	char *folder = reader_folder("/tmp"), output[256], *text;
	struct cairn_session *session[2];
	struct cairn_config config;
	unsigned i;

	snprintf(output, sizeof(output), "%s/x/y", folder);
	config = recorded_config(output);
	for (i = 0; i < 2; i++) {
		session[i] = recorded_start(&config);
		ck_assert_int_eq(cairn_enable(session[i], i ? "session:a" : "session:b"), 1);
	}
	hit(1);
	for (i = 0; i < 2; i++)
		expect_status(cairn_session_stop(session[i], NULL), 0);
	text = recorded_read_whole(folder);
	ck_assert_uint_eq(recorded_count(text, "session:a:"), 1);
	ck_assert_uint_eq(recorded_count(text, "session:b:"), 1);
	free(text);
	recorded_remove(strdup(output));
	snprintf(output, sizeof(output), "%s/x", folder);
	rmdir(output);
	rmdir(folder);
	free(folder);
}
END_TEST

/* ---- many events ---- */

/* More than 30 at the first enable: headers of 6 bytes. */
START_TEST(sixty)
{
	char *output = reader_folder("/tmp"), *text, line[40];
	const struct cairn_config config = recorded_config(output);
	struct cairn_session *session = recorded_start(&config);
	struct cairn_stats stats;
	unsigned i;

	ck_assert_int_eq(cairn_enable(session, "many:*"), 60);
	for (i = 0; i < 100; i++)
		hit_many();
	expect_status(cairn_session_stop(session, &stats), 0);
	ck_assert_uint_eq(stats.recorded, 6000);
	ck_assert_uint_eq(stats.events, 60);
	text = read_output(output);
	for (i = 0; i < 60; i++) {
		snprintf(line, sizeof(line), "many:e%02u:", i);
		ck_assert_uint_eq(recorded_count(text, line), 100);
		snprintf(line, sizeof(line), "{ n = %u }", i);
		ck_assert_uint_eq(recorded_count(text, line), 100);
	}
	free(text);
	recorded_remove(output);
}
END_TEST

/* Ids above 30 by a later enable: they get long headers, the others keep their short ones. */
START_TEST(sixty_later)
{
	char *output = reader_folder("/tmp"), *text, line[40];
	const struct cairn_config config = recorded_config(output);
	struct cairn_session *session = recorded_start(&config);
	struct cairn_stats stats;
	unsigned i;

	ck_assert_int_eq(cairn_enable(session, "many:e0?,many:e1?"), 20);
	hit_many();
	ck_assert_int_eq(cairn_enable(session, "many:*"), 60);
	for (i = 0; i < 99; i++)
		hit_many();
	expect_status(cairn_session_stop(session, &stats), 0);
	ck_assert_uint_eq(stats.recorded, 20 + 99 * 60);
	text = read_output(output);
	for (i = 0; i < 60; i++) {
		snprintf(line, sizeof(line), "many:e%02u:", i);
		ck_assert_uint_eq(recorded_count(text, line), i < 20 ? 100 : 99);
		snprintf(line, sizeof(line), "{ n = %u }", i);
		ck_assert_uint_eq(recorded_count(text, line), i < 20 ? 100 : 99);
	}
	free(text);
	recorded_remove(output);
}
END_TEST

/* ---- threads ---- */

static struct cairn_session *common;
static bool stop;

static void *switching(void *data)
{
	const int rounds = (int)effort(300);
	const char *pattern = data;
	int i;

	for (i = 0; i < rounds; i++) {
		ck_assert_int_ge(cairn_enable(common, pattern), 0);
		ck_assert_int_ge(cairn_disable(common, pattern), 0);
	}
	ck_assert_int_ge(cairn_enable(common, pattern), 0);
	return NULL;
}

static void start_over(void)
{
	stop = false;
}

static void *hitting(void *unused)
{
	/* Once at least, however late it starts. */
	do {
		hit(1);
		sched_yield();
	} while (!__atomic_load_n(&stop, __ATOMIC_RELAXED));
	return unused;
}

/* Four threads switch by overlapping patterns while one hits; at the end the last word of each holds. */
START_TEST(enable_from_threads)
{
	static const char *const pattern[] = { "session:*", "*:c,*:a", "many:e1*,session:b",
					       "many:*" };
	const struct cairn_config config = recorded_config(NULL);
	struct cairn_stats stats;
	pthread_t thread[5];
	uint64_t before;
	int i;

	common = recorded_start(&config);
	pthread_create(&thread[4], NULL, hitting, NULL);
	for (i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, switching, (void *)(uintptr_t)pattern[i]);
	for (i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	pthread_join(thread[4], NULL);
	/* Who disables last may be a thread whose pattern overlaps: bring it to a known state. */
	ck_assert_int_eq(cairn_enable(common, "*"), 64);
	expect_status(cairn_session_stats(common, &stats), 0);
	before = stats.recorded + stats.lost;
	hit(1);
	hit_many();
	expect_status(cairn_session_stop(common, &stats), 0);
	ck_assert_uint_eq(stats.recorded + stats.lost, before + 64);
	ck_assert(!cairn_enabled(session, a));
}
END_TEST

static void *flushing(void *unused)
{
	struct cairn_stats stats;
	int i;

	for (i = 0; i < 200; i++) {
		expect_status(cairn_session_flush(common), 0);
		expect_status(cairn_session_stats(common, &stats), 0);
	}
	return unused;
}

/* Several threads ask for figures at once, while another traces. */
START_TEST(flush_from_threads)
{
	const struct cairn_config config = recorded_config(NULL);
	struct cairn_stats stats;
	pthread_t thread[4];
	int i;

	common = recorded_start(&config);
	ck_assert_int_eq(cairn_enable(common, "session:a"), 1);
	pthread_create(&thread[3], NULL, hitting, NULL);
	for (i = 0; i < 3; i++)
		pthread_create(&thread[i], NULL, flushing, NULL);
	for (i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	pthread_join(thread[3], NULL);
	expect_status(cairn_session_stop(common, &stats), 0);
	ck_assert_uint_gt(stats.recorded, 0);
}
END_TEST

/* Sessions start and stop while threads come and go that trace. */
static void *short_lived(void *unused)
{
	hit(1);
	return unused;
}

static void *spawning(void *unused)
{
	pthread_t thread;

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		ck_assert_int_eq(pthread_create(&thread, NULL, short_lived, NULL), 0);
		pthread_join(thread, NULL);
	}
	return unused;
}

START_TEST(threads_end_sessions_end)
{
	struct cairn_config config = recorded_config(NULL);
	struct cairn_session *session;
	struct cairn_stats stats;
	pthread_t thread[2];
	unsigned i;

	config.packet_size = 4096;
	config.packets = 4;
	for (i = 0; i < 2; i++)
		pthread_create(&thread[i], NULL, spawning, NULL);
	for (i = 0; i < effort(150); i++) {
		session = recorded_start(&config);
		ck_assert_int_eq(cairn_enable(session, "session:*"), 3);
		nap_ms(1);
		expect_status(cairn_session_stop(session, &stats), 0);
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	for (i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
}
END_TEST

/* ---- late modules ---- */

/*
 * A library is loaded while a session waits for its events. In a shared build that is one copy of
 * Cairn, and they are recorded; in a static one the library carries its own, which nobody asked to
 * trace: two worlds.
 */
START_TEST(late_module)
{
	const bool one_copy = recorded_option("CAIRN_SHARED", 0) == 1;
	const char *build = getenv("CAIRN_BUILD_DIR");
	char *output = reader_folder("/tmp"), path[4096], *text;
	const struct cairn_config config = recorded_config(output);
	struct cairn_session *session = recorded_start(&config);
	void (*late_hit)(uint32_t n);
	int (*late_enabled)(void);
	struct cairn_stats stats;
	uint32_t round;
	void *module;

	snprintf(path, sizeof(path), "%s/tests/module_late.so", build ? build : ".");
	ck_assert_int_eq(cairn_enable(session, "late:*,session:shared"), 1);
	for (round = 0; round < 20; round++) {
		module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
		ck_assert_msg(module != NULL, "%s (set CAIRN_BUILD_DIR)", dlerror());
		*(void **)&late_hit = dlsym(module, "late_hit");
		*(void **)&late_enabled = dlsym(module, "late_enabled");
		ck_assert_int_eq(late_enabled(), one_copy ? 3 : 0);
		late_hit(round);
		hit(round);
		if (round % 2) {
			ck_assert_int_eq(cairn_disable(session, "late:*"), one_copy);
			ck_assert_int_eq(late_enabled(), one_copy ? 2 : 0);
			late_hit(round);
			ck_assert_int_eq(cairn_enable(session, "late:*"), one_copy);
			ck_assert_int_eq(late_enabled(), one_copy ? 3 : 0);
		}
		ck_assert_int_eq(dlclose(module), 0);
		hit(round);
	}
	expect_status(cairn_session_stop(session, &stats), 0);
	text = read_output(output);
	ck_assert_uint_eq(recorded_count(text, "late:mine:"), one_copy ? 20 : 0);
	ck_assert_uint_eq(recorded_count(text, "session:shared:"), 40 + (one_copy ? 30 : 0));
	ck_assert_uint_eq(stats.lost, 0);
	free(text);
	recorded_remove(output);
}
END_TEST

static void *loading(void *data)
{
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		void *module = dlopen(data, RTLD_NOW | RTLD_LOCAL);
		void (*late_hit)(uint32_t n);

		ck_assert_msg(module != NULL, "%s", dlerror());
		*(void **)&late_hit = dlsym(module, "late_hit");
		late_hit(1);
		ck_assert_int_eq(dlclose(module), 0);
	}
	return NULL;
}

/* A library comes and goes in one thread while another one switches events. */
START_TEST(lesson_15)
{
	const char *build = getenv("CAIRN_BUILD_DIR");
	const struct cairn_config config = recorded_config(NULL);
	struct cairn_session *session = recorded_start(&config);
	char path[4096];
	pthread_t thread;
	int i;

	snprintf(path, sizeof(path), "%s/tests/module_late.so", build ? build : ".");
	pthread_create(&thread, NULL, loading, path);
	for (i = 0; i < 1500; i++) {
		ck_assert_int_ge(cairn_enable(session, "late:*,session:*"), 3);
		hit(1);
		ck_assert_int_ge(cairn_disable(session, "*"), 3);
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	expect_status(cairn_session_stop(session, NULL), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("session");
	TCase *tcase = tcase_create("session");
	SRunner *runner;
	int failed;

	tcase_set_timeout(tcase, 120);
	tcase_add_checked_fixture(tcase, start_over, NULL); /* with CK_FORK=no too */
	tcase_add_test(tcase, wrong_config);
	tcase_add_test(tcase, nothing);
	tcase_add_loop_test(tcase, extreme_config, 0, 2);
	tcase_add_test(tcase, wrong_output);
	tcase_add_test(tcase, wrong_pattern);
	tcase_add_test(tcase, nine);
	tcase_add_test(tcase, rules);
	tcase_add_test(tcase, switching_for_days);
	tcase_add_test(tcase, two_sessions);
	tcase_add_test(tcase, flush);
	tcase_add_test(tcase, flush_by_age);
	tcase_add_test(tcase, full);
	tcase_add_test(tcase, no_room);
	tcase_add_test(tcase, no_output);
	tcase_add_test(tcase, one_folder);
	tcase_add_test(tcase, sixty);
	tcase_add_test(tcase, sixty_later);
	tcase_add_test(tcase, enable_from_threads);
	tcase_add_test(tcase, flush_from_threads);
	tcase_add_test(tcase, threads_end_sessions_end);
	tcase_add_test(tcase, late_module);
	if (!native_only("lesson_15", "QEMU 7.2 aborts when code goes while threads run"))
		tcase_add_test(tcase, lesson_15);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
