/* SPDX-License-Identifier: MIT */
/*
 * core/clock.c: the choice of the clock and what the metadata says of it; and, through a session, that
 * the chosen clock is the one in the trace.
 */
#define _GNU_SOURCE
#include <cairn/cairn.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "clock_arch.h"
#include "os.h"
#include "recorded.h"

#ifndef PR_SET_TSC
#define PR_SET_TSC 26
#endif

CAIRN_EVENT(clk, e, CAIRN_U32(n));

/* ---- the choice ---- */

START_TEST(counter)
{
	char text[200], small[8];
	const enum cairn_clock_kind kind = cairn_clock_kind();

	ck_assert_int_eq(cairn_clock_kind(), kind);
	ck_assert_int_gt(cairn_clock_info(text, sizeof(text)), 0);
	if (kind == CAIRN_CLOCK_COUNTER) {
		ck_assert_int_ge(CAIRN_ARCH_CLOCK_BITS, 32);
		ck_assert(strncmp(text, CAIRN_ARCH_CLOCK_NAME ":",
				  strlen(CAIRN_ARCH_CLOCK_NAME) + 1) == 0);
	} else {
		ck_assert_int_eq(kind, CAIRN_CLOCK_MONOTONIC);
		ck_assert(strncmp(text, "monotonic: ", 11) == 0);
		ck_assert_uint_gt(strlen(text), 15); /* and why */
	}
	ck_assert_uint_lt(strlen(text), CAIRN_CLOCK_CHOICE);
	ck_assert_int_eq(cairn_clock_info(NULL, 0), (int)strlen(text));
	ck_assert_int_eq(cairn_clock_info(small, sizeof(small)), (int)strlen(text));
	ck_assert_uint_eq(strlen(small), sizeof(small) - 1);
}
END_TEST

START_TEST(by_environment)
{
	char text[200];

	setenv("CAIRN_CLOCK", "monotonic", 1);
	ck_assert_int_eq(cairn_clock_kind(), CAIRN_CLOCK_MONOTONIC);
	cairn_clock_info(text, sizeof(text));
	ck_assert_ptr_nonnull(
		strstr(text, CAIRN_ARCH_CLOCK_BITS ? "CAIRN_CLOCK=monotonic" : "no counter"));
}
END_TEST

/* The system lets reading the counter be a signal: then it is not read. */
START_TEST(counter_traps)
{
	char text[200];

	if (prctl(PR_SET_TSC, 2 /* PR_TSC_SIGSEGV */))
		return; /* no such thing on this CPU */
	ck_assert(cairn_os_counter_traps());
	ck_assert_int_eq(cairn_clock_kind(), CAIRN_CLOCK_MONOTONIC);
	cairn_clock_info(text, sizeof(text));
	ck_assert_ptr_nonnull(strstr(text, CAIRN_ARCH_CLOCK_BITS ? "forbidden" : "no counter"));
	prctl(PR_SET_TSC, 1);
}
END_TEST

/* The first reason counts; what may be asked of a counter only where it does not trap comes behind that. */
START_TEST(unfit)
{
	static const struct {
		struct cairn_clock_facts facts;
		const char *why; /* NULL: it is fit */
	} c[] = {
		{ { .bits = 0, .unwanted = true }, "no counter" },
		{ { .bits = 64, .unwanted = true, .invariant = true }, "CAIRN_CLOCK=monotonic" },
		{ { .bits = 64, .traps = true, .invariant = true }, "forbidden" },
		{ { .bits = 64 }, "invariant" },
		{ { .bits = 64, .invariant = true, .watched = "stands still" }, "stands still" },
		{ { .bits = 64, .invariant = true }, NULL },
		{ { .bits = 64, .invariant = true, .cpus = 2 }, NULL },
		{ { .bits = 32, .traps = true, .invariant = true, .cpus = 2 }, "forbidden" },
		{ { .bits = 32, .invariant = true, .watched = "goes back", .cpus = 2 },
		  "goes back" },
		{ { .bits = 32, .invariant = true, .kept = true, .coarse = true }, "one CPU" },
		{ { .bits = 32, .invariant = true, .cpus = 2, .kept = true, .coarse = true },
		  "one CPU" },
		{ { .bits = 32, .invariant = true, .cpus = 1, .coarse = true }, "own time" },
		{ { .bits = 32, .invariant = true, .cpus = 1, .kept = true }, "coarse clock" },
		{ { .bits = 32, .invariant = true, .cpus = 1, .kept = true, .coarse = true },
		  NULL },
	};
	const char *why;
	size_t i;

	for (i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		why = cairn_clock_unfit(&c[i].facts);
		ck_assert_msg(c[i].why ? why && strstr(why, c[i].why) : !why, "%zu: %s", i,
			      why ? why : "fit");
		ck_assert_uint_lt(why ? strlen(why) : 0, CAIRN_CLOCK_CHOICE - 16);
	}
}
END_TEST

static uint64_t fake_now, fake_stride, fake_mask, fake_period;

static uint64_t fake_ticks(void)
{
	static uint64_t reads;

	if (++reads % fake_period == 0)
		fake_now += fake_stride;
	return fake_now & fake_mask;
}

static const char *watch(unsigned bits, uint64_t now, uint64_t stride, uint64_t period)
{
	fake_mask = UINT64_MAX >> (64 - bits);
	fake_now = now;
	fake_stride = stride;
	fake_period = period;
	return cairn_clock_watch(fake_ticks, bits);
}

/* A slow counter advances; one that goes round just now does not go back. */
START_TEST(watched)
{
	ck_assert_ptr_null(watch(64, 5, 1, 1));
	ck_assert_ptr_null(watch(64, 5, 1, 5000));
	ck_assert_ptr_null(watch(64, UINT64_MAX, 1, 1));
	ck_assert_ptr_null(watch(32, UINT32_MAX, 1, 1));
	ck_assert_ptr_null(watch(32, UINT32_MAX - 5, 40, 9));
	ck_assert_str_eq(watch(64, 5, 0, 1), "the counter stands still");
	ck_assert_str_eq(watch(32, 5, 1, 100000), "the counter stands still");
	ck_assert_str_eq(watch(64, 500, (uint64_t)-1, 1), "the counter goes back");
	ck_assert_str_eq(watch(64, UINT32_MAX, (uint64_t)0 - UINT32_MAX, 1),
			 "the counter goes back");
	ck_assert_str_eq(watch(32, 500, (uint64_t)-1, 1), "the counter goes back");
}
END_TEST

/* MIPS under QEMU's user-mode emulation, which has no vDSO: the counter is a constant. */
START_TEST(stands_still)
{
	char text[200];

	if (strcmp(CAIRN_ARCH_CLOCK_NAME, "count") || getauxval(AT_SYSINFO_EHDR))
		return;
	cairn_clock_info(text, sizeof(text));
	ck_assert_str_eq(text, "monotonic: the counter stands still");
}
END_TEST

static int inside;

static void ask_inside(void *data, uint32_t n)
{
	(void)n;
	inside = cairn_clock_info(data, 8);
}

START_TEST(info_inside_an_event)
{
	char text[8] = "";

	ck_assert_int_eq(cairn_attach(clk, e, ask_inside, text), 0);
	cairn_trace(clk, e, 1);
	ck_assert_int_eq(inside, -EDEADLK);
	ck_assert_str_eq(text, "");
	ck_assert_int_eq(cairn_detach(clk, e, ask_inside, text), 0);
	ck_assert_int_gt(cairn_clock_info(text, sizeof(text)), 0);
}
END_TEST

static void *ask_kind(void *data)
{
	pthread_barrier_wait(data);
	return (void *)cairn_clock_kind();
}

/* Threads that ask for the first time, all at once. */
START_TEST(info_by_threads)
{
	pthread_barrier_t barrier;
	pthread_t thread[8];
	void *kind;
	int i;

	pthread_barrier_init(&barrier, NULL, 8);
	for (i = 0; i < 8; i++)
		ck_assert_int_eq(pthread_create(&thread[i], NULL, ask_kind, &barrier), 0);
	for (i = 0; i < 8; i++) {
		pthread_join(thread[i], &kind);
		ck_assert_int_eq((int)(intptr_t)kind, cairn_clock_kind());
	}
	pthread_barrier_destroy(&barrier);
}
END_TEST

/* What the kernel's vDSO has, and has not. Emulators may have none. */
START_TEST(vdso)
{
	ck_assert(!cairn_os_vdso("__vdso_nothing"));
	ck_assert(!cairn_os_vdso(""));
	if (getauxval(AT_SYSINFO_EHDR))
		ck_assert(cairn_os_vdso("__vdso_clock_gettime") ||
			  cairn_os_vdso("__kernel_clock_gettime"));
#ifdef CAIRN_ARCH_CLOCK_VDSO
	ck_assert_int_eq(cairn_os_counter_traps(), !cairn_os_vdso(CAIRN_ARCH_CLOCK_VDSO));
#endif
}
END_TEST

/* ---- the record ---- */

static struct cairn_clock_record record_of(enum cairn_clock_kind kind, uint64_t hz,
					   struct cairn_anchor start, struct cairn_anchor now)
{
	struct cairn_clock_record record;

	memset(&record, 0xff, sizeof(record));
	cairn_clock_record(&record, kind, hz, &start, &now);
	return record;
}

/* The time of day that a tick comes out at, in ns, by the formula of CTF. */
static uint64_t realtime_of(const struct cairn_clock_record *record, uint64_t ticks)
{
	const uint64_t sum = record->offset + ticks;

	return sum / record->frequency * 1000000000 +
	       sum % record->frequency * 1000000000 / record->frequency;
}

START_TEST(user_record)
{
	const struct cairn_anchor none = { 0 };
	const struct cairn_clock_record record = record_of(CAIRN_CLOCK_USER, 12345, none, none);

	ck_assert_str_eq(record.name, "user");
	ck_assert_str_eq(record.uuid, "");
	ck_assert_uint_eq(record.frequency, 12345);
	ck_assert_uint_eq(record.offset, 0);
}
END_TEST

START_TEST(monotonic_record)
{
	const struct cairn_anchor start = { 7000000000, 7000000000, 1800000000123456789 };
	const struct cairn_clock_record record = record_of(CAIRN_CLOCK_MONOTONIC, 0, start,
							   (struct cairn_anchor){ 0 });

	ck_assert_str_eq(record.name, "monotonic");
	ck_assert_uint_eq(strlen(record.uuid), 36);
	ck_assert_uint_eq(record.frequency, 1000000000);
	ck_assert_uint_eq(realtime_of(&record, start.ticks), start.realtime);
	ck_assert_uint_eq(realtime_of(&record, start.ticks + 5), start.realtime + 5);
}
END_TEST

/* Frequencies and up-times at both ends of what there is: fitted exactly, and no overflow. */
START_TEST(counter_record)
{
	static const uint64_t hz[] = { 1000000, 19200000, 999999937, 2600000000, 6000000000 };
	static const uint64_t uptime[] = { 1, 86400, 10 * 365 * 86400 };       /* s */
	static const uint64_t span[] = { 1000000, 1000000000, 3600000000000 }; /* ns */
	size_t i, k, m;

	for (i = 0; i < 5; i++)
		for (k = 0; k < 3; k++)
			for (m = 0; m < 3; m++) {
				const struct cairn_anchor start = { hz[i] * uptime[k], 12345,
								    1800000000123456789 };
				const struct cairn_anchor now = {
					start.ticks +
						(uint64_t)((double)hz[i] * (double)span[m] / 1e9),
					start.monotonic + span[m], 0
				};
				const struct cairn_clock_record record =
					record_of(CAIRN_CLOCK_COUNTER, 0, start, now);
				const double error = fabs((double)record.frequency / (double)hz[i] -
							  1);
				const int64_t off = (int64_t)(realtime_of(&record, start.ticks) -
							      start.realtime);

				ck_assert_msg(error < 1e-3 &&
						      (span[m] < 1000000000 || error < 1e-6),
					      "%" PRIu64 " Hz fitted to %" PRIu64 " over %" PRIu64
					      " ns",
					      hz[i], record.frequency, span[m]);
				ck_assert_msg(off > -2000 && off < 2000,
					      "the anchor comes out %" PRId64 " ns off at %" PRIu64
					      " Hz",
					      off, hz[i]);
			}
}
END_TEST

/*
 * A counter whose zero is the epoch (QEMU's cntvct): a fit that is a little too low would need a negative
 * offset, which readers refuse.
 */
START_TEST(counter_from_the_epoch)
{
	const uint64_t realtime = 1800000000123456789, hz = 62500000;
	const struct cairn_anchor start = { realtime / 1000000000 * hz + 7716049, 12345, realtime };
	int64_t wrong;

	for (wrong = -5000; wrong <= 5000; wrong += 100) {
		const struct cairn_anchor now = { start.ticks + hz + (uint64_t)wrong,
						  start.monotonic + 1000000000, 0 };
		const struct cairn_clock_record record = record_of(CAIRN_CLOCK_COUNTER, 0, start,
								   now);
		const int64_t off = (int64_t)(realtime_of(&record, start.ticks) - realtime);

		ck_assert_msg((int64_t)record.offset >= 0,
			      "fit off by %" PRId64 ": offset %" PRId64, wrong,
			      (int64_t)record.offset);
		ck_assert_msg(off > -100 && off < 100, "the anchor comes out %" PRId64 " ns off",
			      off);
		ck_assert_uint_ge(record.frequency, hz - 1);
		ck_assert_uint_le(record.frequency, hz + 5001);
	}
}
END_TEST

/* No time passed between the anchors, or the counter stood still: some frequency, no division by 0. */
START_TEST(no_baseline)
{
	const struct cairn_anchor start = { 5, 100, 200 };
	const struct cairn_anchor still = { 5, 1100, 1200 };

	ck_assert_uint_gt(record_of(CAIRN_CLOCK_COUNTER, 0, start, start).frequency, 0);
	ck_assert_uint_gt(record_of(CAIRN_CLOCK_COUNTER, 0, start, still).frequency, 0);
}
END_TEST

/* An anchor lies between what was read before and after, in all three clocks. */
START_TEST(anchor)
{
	const enum cairn_clock_kind kind[] = { CAIRN_CLOCK_MONOTONIC, cairn_clock_kind() };
	struct cairn_anchor a;
	int i;

	for (i = 0; i < 2; i++) {
		const uint64_t before = cairn_os_monotonic();
		const uint64_t ticks = kind[i] == CAIRN_CLOCK_COUNTER ? cairn_arch_ticks() : 0;
		const uint64_t realtime = cairn_os_realtime();

		cairn_clock_anchor(kind[i], &a);
		ck_assert_uint_ge(a.monotonic, before);
		ck_assert_uint_le(a.monotonic, cairn_os_monotonic());
		ck_assert_uint_ge(a.realtime + 1000000000, realtime); /* it may be set meanwhile */
		if (kind[i] == CAIRN_CLOCK_COUNTER)
			ck_assert(a.ticks >= ticks && a.ticks <= cairn_arch_ticks());
		else
			ck_assert_uint_eq(a.ticks, a.monotonic);
	}
}
END_TEST

/* ---- in a trace ---- */

/* Times of the events in the trace below `output`, as babeltrace2 rebuilds them: clock values. */
static size_t times_in(const char *output, uint64_t *time, size_t room)
{
	char *trace = recorded_trace(output), *text = recorded_read_whole(trace), *at;
	size_t n = 0;

	for (at = text; *at && n < room; at += strcspn(at, "\n") + 1)
		ck_assert_int_eq(sscanf(at, "[%" SCNu64 "]", &time[n++]), 1);
	free(text);
	free(trace);
	return n;
}

static uint64_t real_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The trace says which clock it has, and why. */
static void expect_choice(const char *output, const char *choice)
{
	char *trace = recorded_trace(output), line[200], *text;
	const int dir = cairn_os_dir_open(trace), file = openat(dir, "metadata", O_RDONLY);

	ck_assert_int_ge(file, 0);
	text = reader_file(file, NULL);
	snprintf(line, sizeof(line), "\tclock_choice = \"%s\";\n", choice);
	ck_assert_msg(strstr(text, line) != NULL, "%s is not in %.700s", line, text);
	free(text);
	free(trace);
	close(file);
	close(dir);
}

/* The switch to another clock is really done: the values in the trace are CLOCK_MONOTONIC's. */
START_TEST(lesson_55_switch)
{
	char *output = reader_folder("/tmp");
	const struct cairn_config config = recorded_config(output);
	struct cairn_session *session;
	uint64_t before, after, time[2];

	setenv("CAIRN_CLOCK", "monotonic", 1);
	session = recorded_start(&config);
	ck_assert_int_eq(cairn_enable(session, "clk:*"), 1);
	before = cairn_os_monotonic();
	cairn_trace(clk, e, 1);
	cairn_trace(clk, e, 2);
	after = cairn_os_monotonic();
	expect_status(cairn_session_stop(session, NULL), 0);
	ck_assert_uint_eq(times_in(output, time, 2), 2);
	ck_assert_uint_ge(time[0], before);
	ck_assert_uint_ge(time[1], time[0]);
	ck_assert_uint_le(time[1], after);
	expect_choice(output, CAIRN_ARCH_CLOCK_BITS ? "monotonic: CAIRN_CLOCK=monotonic" :
						      "monotonic: this port has no counter");
	recorded_remove(output);
}
END_TEST

/* With the best clock, an event comes out at the time of day that it was. */
START_TEST(time_of_day)
{
	char *output = reader_folder("/tmp"), *trace, *at, info[200];
	const char *command[] = { "babeltrace2", "--no-delta", "--clock-seconds", NULL, NULL };
	const struct cairn_config config = recorded_config(output);
	struct cairn_session *session = recorded_start(&config);
	const struct timespec nap = { .tv_nsec = 20000000 };
	uint64_t before, after, seconds, ns, time;
	struct reader reader;

	ck_assert_int_eq(cairn_enable(session, "clk:*"), 1);
	nanosleep(&nap, NULL); /* a baseline to fit the frequency to */
	before = real_ns();
	cairn_trace(clk, e, 1);
	after = real_ns();
	nanosleep(&nap, NULL);
	expect_status(cairn_session_stop(session, NULL), 0);
	cairn_clock_info(info, sizeof(info));
	expect_choice(output, info);
	trace = recorded_trace(output);
	command[3] = trace;
	reader = reader_run(command);
	ck_assert_int_eq(reader.status, 0);
	at = strchr(reader.out, '[');
	ck_assert_ptr_nonnull(at);
	ck_assert_int_eq(sscanf(at, "[%" SCNu64 ".%" SCNu64 "]", &seconds, &ns), 2);
	time = seconds * 1000000000 + ns;
	ck_assert_msg(time + 100000 >= before && time <= after + 100000,
		      "an event between %" PRIu64 " and %" PRIu64 " came out at %" PRIu64, before,
		      after, time);
	reader_free(&reader);
	free(trace);
	recorded_remove(output);
}
END_TEST

static uint64_t user_time;

static uint64_t user_clock(void *data)
{
	ck_assert_ptr_eq(data, &user_time);
	return user_time;
}

/*
 * A clock with the skew of CPUs that are not in step, 2 ms back and forth: time in the trace never goes
 * back, and what goes forward is kept.
 */
START_TEST(lesson_55)
{
	enum { EVENTS = 3000 };
	char *output = reader_folder("/tmp");
	struct cairn_config config = recorded_config(output);
	struct cairn_session *session;
	struct cairn_stats stats;
	uint64_t expected[EVENTS], time[EVENTS + 1], high = 0;
	unsigned i;

	config.clock = user_clock;
	config.clock_data = &user_time;
	config.clock_hz = 1000000000;
	session = recorded_start(&config);
	ck_assert_int_eq(cairn_enable(session, "clk:*"), 1);
	for (i = 0; i < EVENTS; i++) {
		user_time = 5000000000 + 1000 * (uint64_t)i + (i / 7 % 2 ? 2000000 : 0);
		high = user_time > high ? user_time : high;
		expected[i] = high;
		cairn_trace(clk, e, i);
	}
	expect_status(cairn_session_stop(session, &stats), 0);
	ck_assert_uint_eq(stats.recorded, EVENTS);
	ck_assert_uint_eq(times_in(output, time, EVENTS + 1), EVENTS);
	for (i = 0; i < EVENTS; i++)
		ck_assert_uint_eq(time[i], expected[i]);
	expect_choice(output, "user: the program has a clock of its own");
	recorded_remove(output);
}
END_TEST

/*
 * A 32-bit counter that a program hands in as it is: it wraps to 0. Readers get a trace in which time
 * stands still from there on, until the counter is beyond where it was; nothing is lost.
 */
START_TEST(lesson_56)
{
	enum { EVENTS = 100 };
	const uint64_t step = UINT32_MAX / 10;
	char *output = reader_folder("/tmp");
	struct cairn_config config = recorded_config(output);
	struct cairn_session *session;
	uint64_t time[EVENTS + 1], counter = UINT32_MAX - 3 * step, high = 0;
	unsigned i;

	config.clock = user_clock;
	config.clock_data = &user_time;
	config.clock_hz = 1000000;
	session = recorded_start(&config);
	ck_assert_int_eq(cairn_enable(session, "clk:*"), 1);
	for (i = 0; i < EVENTS; i++) {
		user_time = (uint32_t)counter;
		counter += i == 50 ? UINT32_MAX + UINT32_MAX / 2ull : step; /* idle for 1.5 wraps */
		cairn_trace(clk, e, i);
	}
	expect_status(cairn_session_stop(session, NULL), 0);
	ck_assert_uint_eq(times_in(output, time, EVENTS + 1), EVENTS);
	counter = UINT32_MAX - 3 * step;
	for (i = 0; i < EVENTS; i++) {
		high = (uint32_t)counter > high ? (uint32_t)counter : high;
		ck_assert_uint_eq(time[i], high);
		counter += i == 50 ? UINT32_MAX + UINT32_MAX / 2ull : step;
	}
	recorded_remove(output);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("clock");
	TCase *tcase = tcase_create("clock");
	SRunner *runner;
	int failed;

	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, counter);
	tcase_add_test(tcase, by_environment);
	tcase_add_test(tcase, counter_traps);
	tcase_add_test(tcase, unfit);
	tcase_add_test(tcase, watched);
	tcase_add_test(tcase, stands_still);
	tcase_add_test(tcase, info_inside_an_event);
	tcase_add_test(tcase, info_by_threads);
	tcase_add_test(tcase, vdso);
	tcase_add_test(tcase, user_record);
	tcase_add_test(tcase, monotonic_record);
	tcase_add_test(tcase, counter_record);
	tcase_add_test(tcase, counter_from_the_epoch);
	tcase_add_test(tcase, no_baseline);
	tcase_add_test(tcase, anchor);
	tcase_add_test(tcase, lesson_55_switch);
	tcase_add_test(tcase, time_of_day);
	tcase_add_test(tcase, lesson_55);
	tcase_add_test(tcase, lesson_56);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
