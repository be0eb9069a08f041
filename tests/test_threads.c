/* SPDX-License-Identifier: MIT */
/*
 * Threads and signal handlers: handlers that trace into the thread that they interrupt, also in the
 * middle of its first event, that fork, fault or leave by siglongjmp; threads that trace only while they
 * end; control calls from inside an event. Whatever happens: every record whole, recorded + lost is what
 * was produced.
 */
#define _GNU_SOURCE
#include "life.h"

#include <setjmp.h>
#include <sys/time.h>

CAIRN_EVENT(life, ev, CAIRN_U32(n));
CAIRN_EVENT(life, text, CAIRN_U32(n), CAIRN_STR(text), CAIRN_X32(check));

static struct life life;

static void same(const struct cairn_stats *stats, uint64_t produced)
{
	ck_assert_msg(stats->recorded + stats->lost == produced,
		      "recorded %" PRIu64 " + lost %" PRIu64 ", expected %" PRIu64, stats->recorded,
		      stats->lost, produced);
}

/* ---- handlers ---- */

static volatile uint32_t handled, faulted;
static unsigned char *fault_page;

/* A text that shows if a record is torn: n, 1 to 40 times a letter that n gives, and n's complement. Not
 * an empty text: babeltrace2 2.0.4 may print an older one in its place. */
static void trace_text(uint32_t n)
{
	char text[48];
	const size_t size = 1 + n % 40;

	memset(text, (int)('a' + n % 26), size);
	text[size] = 0;
	cairn_trace(life, text, n, text, ~n);
}

static void check_text(const struct life_record *record)
{
	const char *text = strstr(record->line, "text = \""),
		   *check = strstr(record->line, "check = ");
	const size_t size = 1 + record->n % 40;
	size_t i;

	ck_assert_msg(text && check, "torn record: %s", record->line);
	for (i = 0, text += 8; i < size; i++)
		ck_assert_msg(text[i] == (char)('a' + record->n % 26), "torn record: %s",
			      record->line);
	ck_assert_msg(text[size] == '"' &&
			      strtoul(check + 8, NULL, 16) == (uint32_t) ~(uint32_t)record->n,
		      "torn record: %s", record->line);
}

static void on_timer(int number)
{
	const int error = errno;

	(void)number;
	trace_text(1000000000 + __atomic_fetch_add(&handled, 1, __ATOMIC_RELAXED));
	errno = error;
}

static void on_fault(int number)
{
	(void)number;
	trace_text(2000000000 + faulted++);
	mprotect(fault_page, 4096, PROT_READ | PROT_WRITE);
}

static void timers(long microseconds)
{
	const struct itimerval timer = { .it_interval = { 0, microseconds },
					 .it_value = { 0, microseconds } };

	ck_assert_int_eq(setitimer(ITIMER_REAL, &timer, NULL), 0);
	ck_assert_int_eq(setitimer(ITIMER_PROF, &timer, NULL), 0);
}

/* Two timers at 10 kHz whose handlers interrupt the thread's events and each other, on a stack of their
 * own, and a fault now and then. */
START_TEST(lesson_24)
{
	static unsigned char memory[262144];
	const stack_t stack = { .ss_sp = memory, .ss_size = sizeof(memory) };
	const struct sigaction timer = { .sa_handler = on_timer,
					 .sa_flags = SA_ONSTACK | SA_RESTART };
	const struct sigaction fault = { .sa_handler = on_fault, .sa_flags = SA_ONSTACK };
	const uint32_t produced = slow_run() ? 20000 : 150000;
	struct life_trace trace;
	struct cairn_stats stats;
	uint32_t i;
	size_t k;

	fault_page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(fault_page, MAP_FAILED);
	ck_assert_int_eq(sigaltstack(&stack, NULL), 0);
	life = life_start("life:*", CAIRN_BLOCK, 65536, 16);
	ck_assert_int_eq(sigaction(SIGALRM, &timer, NULL), 0);
	ck_assert_int_eq(sigaction(SIGPROF, &timer, NULL), 0);
	ck_assert_int_eq(sigaction(SIGSEGV, &fault, NULL), 0);
	timers(100);
	for (i = 0; i < produced; i++) {
		trace_text(i);
		if (i % 1000 == 0) {
			mprotect(fault_page, 4096, PROT_NONE);
			*(volatile unsigned char *)fault_page = 1;
		}
	}
	timers(0);
	stats = life_stop(&life);
	ck_assert_uint_gt(handled, 0);
	ck_assert_uint_eq(faulted, produced / 1000);
	same(&stats, (uint64_t)produced + handled + faulted);
	ck_assert_uint_eq(stats.lost, 0);
	trace = life_load(life.dir);
	life_expect(&trace, 0, "life:text", 0, produced);
	life_expect(&trace, 0, "life:text", 1000000000, handled);
	life_expect(&trace, 0, "life:text", 2000000000, faulted);
	life_total(&trace, stats.recorded);
	for (k = 0; k < trace.count; k++)
		check_text(&trace.record[k]);
	life_free(&trace);
	life_remove(life.dir);
}
END_TEST

/* The same with a ring that is too small: what is lost is counted, exactly. */
START_TEST(lesson_24_with_losses)
{
	const struct sigaction timer = { .sa_handler = on_timer, .sa_flags = SA_RESTART };
	const uint32_t produced = slow_run() ? 20000 : 100000;
	struct cairn_stats stats;
	struct reader reader;
	const char *command[] = { READER, NULL, NULL };
	uint64_t lines = 0;
	uint32_t i;
	char *c;

	life = life_start("life:*", CAIRN_DISCARD, 4096, 2);
	ck_assert_int_eq(sigaction(SIGALRM, &timer, NULL), 0);
	ck_assert_int_eq(sigaction(SIGPROF, &timer, NULL), 0);
	timers(100);
	for (i = 0; i < produced; i++)
		trace_text(i);
	timers(0);
	stats = life_stop(&life);
	same(&stats, (uint64_t)produced + handled);
	command[3] = life.dir;
	reader = reader_run(command);
	ck_assert_msg(reader.status == 0, "babeltrace2: status %d: %.300s", reader.status,
		      reader.err);
	for (c = reader.out; *c; c++)
		lines += *c == '\n';
	ck_assert_msg(lines == stats.recorded,
		      "%" PRIu64 " records in the trace, expected %" PRIu64, lines, stats.recorded);
	reader_free(&reader);
	life_remove(life.dir);
}
END_TEST

/* A handler interrupts the first event of a thread at each of its instructions, and traces. */
static volatile struct life_shared *shared;

static void trace_in_handler(int number)
{
	(void)number;
	cairn_trace(life, ev, 1000000 + handled++);
}

static void *first_event(void *data)
{
	const unsigned *n = data;

	LIFE_CHECK(3, life_traced());
	life_mark();
	cairn_trace(life, ev, *n);
	shared->end = 1;
	return NULL;
}

static int step_first_events(void)
{
	struct life_trace trace;
	struct cairn_stats stats;
	pthread_t thread;
	unsigned n;

	signal(SIGUSR1, trace_in_handler);
	life = life_start("life:*", CAIRN_DISCARD, 4096, 16);
	for (n = 0; !shared->over; n++) {
		LIFE_CHECK(4, pthread_create(&thread, NULL, first_event, &n) == 0);
		LIFE_CHECK(5, pthread_join(thread, NULL) == 0);
	}
	LIFE_CHECK(6, cairn_session_stop(life.session, &stats) == 0);
	LIFE_CHECK(7, stats.lost == 0 && stats.recorded == n + handled);
	/* One level a handler, and one thread at a time: streams are handed on. */
	if (stats.streams > 4)
		dprintf(2, "%u streams for one thread at a time, %u threads\n", stats.streams, n);
	LIFE_CHECK(8, stats.streams <= 4);
	trace = life_load(life.dir);
	life_expect(&trace, 0, "life:ev", 0, n);
	life_expect(&trace, 0, "life:ev", 1000000, handled);
	life_total(&trace, n + handled);
	life_free(&trace);
	life_remove(life.dir);
	return 0;
}

START_TEST(pitfall_T24)
{
	struct life_watch watch = { .signal = SIGUSR1, .stride = slow_run() ? 61 : 7 };
	pid_t child;

	shared = life_shared(sizeof(*shared));
	watch.shared = shared;
	child = fork();
	if (child == 0) {
		life_limit(100);
		_exit(step_first_events());
	}
	life_watch(&watch, child, "a handler that interrupts a thread's first event");
	ck_assert_msg(watch.points > (slow_run() ? 2 : 10), "%u points of an event, expected more",
		      watch.points);
}
END_TEST

/* ---- events that never end ---- */

static sigjmp_buf out;

static void jump_out(void *data, uint32_t n)
{
	(void)data;
	if (n >= 100 && n < 102)
		siglongjmp(out, 1);
}

static void *leave_events(void *data)
{
	volatile unsigned n;

	for (n = 100; n < 102; n++)
		if (!sigsetjmp(out, 1))
			cairn_trace(life, ev, n);
	for (n = 102; n < 1102; n++)
		cairn_trace(life, ev, n);
	return data;
}

/* Events that a siglongjmp left: nothing hangs, and what the thread traces afterwards is accounted for. */
START_TEST(pitfall_T20)
{
	struct cairn_stats stats;
	pthread_t thread;

	life = life_start("life:*", CAIRN_DISCARD, 0, 0);
	ck_assert_int_eq(cairn_attach(life, ev, jump_out, NULL), 0);
	ck_assert_int_eq(pthread_create(&thread, NULL, leave_events, NULL), 0);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	ck_assert_int_eq(cairn_disable(life.session, "life:*"), 2);
	ck_assert_int_eq(cairn_enable(life.session, "life:*"), 2);
	cairn_trace(life, ev, 1);
	ck_assert_int_eq(cairn_session_stop(life.session, &stats), 0);
	/* The two that were left had not come to the recorder, which is behind the probe. */
	same(&stats, 1001);
	life_remove(life.dir);
}
END_TEST

/* ---- control from inside an event ---- */

static int inside[6];
static volatile int probe_runs;

static void control_inside(void *data, uint32_t n)
{
	struct cairn_session *other = NULL;
	const struct cairn_config config = { .size = sizeof(config) };

	(void)data;
	(void)n;
	if (probe_runs++)
		return;
	inside[0] = cairn_enable(life.session, "life:*");
	inside[1] = cairn_disable(life.session, "life:*");
	inside[2] = cairn_session_start(&other, &config);
	inside[3] = cairn_session_flush(life.session);
	inside[4] = cairn_session_stop(life.session, NULL);
	inside[5] = cairn_attach(life, text, NULL, NULL);
}

static int over;

static void *switch_on_and_off(void *data)
{
	while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) {
		cairn_disable(life.session, "life:text");
		cairn_enable(life.session, "life:text");
	}
	return data;
}

START_TEST(lesson_27)
{
	pthread_t thread;
	int i, round;

	life = life_start("life:*", CAIRN_DISCARD, 0, 0);
	ck_assert_int_eq(cairn_attach(life, ev, control_inside, NULL), 0);
	ck_assert_int_eq(pthread_create(&thread, NULL, switch_on_and_off, NULL), 0);
	for (round = 0; round < 50; round++) {
		probe_runs = 0;
		cairn_trace(life, ev, (unsigned)round);
		for (i = 0; i < 6; i++)
			ck_assert_msg(inside[i] == -EDEADLK,
				      "call %d from inside a probe: %d, expected -EDEADLK", i,
				      inside[i]);
	}
	__atomic_store_n(&over, 1, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	ck_assert_uint_eq(life_stop(&life).recorded, 50);
	life_remove(life.dir);
}
END_TEST

/* A thread that is in events nearly all the time is not waited for until it happens to be out. */
static void linger(void *data, uint32_t n)
{
	volatile unsigned i;

	(void)data;
	(void)n;
	for (i = 0; i < 2000; i++)
		;
}

static void *stay_inside(void *data)
{
	while (!__atomic_load_n(&over, __ATOMIC_RELAXED))
		cairn_trace(life, ev, 0);
	return data;
}

START_TEST(pitfall_T21)
{
	pthread_t thread[2];
	int i;

	life = life_start("life:text", CAIRN_DISCARD, 0, 0);
	ck_assert_int_eq(cairn_attach(life, ev, linger, NULL), 0);
	for (i = 0; i < 2; i++)
		ck_assert_int_eq(pthread_create(&thread[i], NULL, stay_inside, NULL), 0);
	/* A wait that is not over within a second gives up and says so. */
	for (i = 0; i < 30; i++) {
		ck_assert_int_eq(cairn_attach(life, ev, linger, &over), 0);
		ck_assert_int_eq(cairn_detach(life, ev, linger, &over), 0);
	}
	__atomic_store_n(&over, 1, __ATOMIC_RELAXED);
	for (i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	life_stop(&life);
	life_remove(life.dir);
}
END_TEST

/* ---- threads that end ---- */

static pthread_key_t key;
static uint32_t ended;

static void trace_at_end(void *value)
{
	(void)value;
	cairn_trace(life, ev, ended++);
}

static void *end_at_once(void *data)
{
	pthread_setspecific(key, data);
	return NULL;
}

/* Threads whose only event is in a key's destructor, after Cairn's own had its turn: slots and streams
 * are found again. */
START_TEST(pitfall_T23)
{
	const unsigned threads = slow_run() ? 500 : 5000;
	struct life_trace trace;
	struct cairn_stats stats;
	unsigned i;

	ck_assert_int_eq(pthread_key_create(&key, trace_at_end), 0);
	life = life_start("life:*", CAIRN_BLOCK, 4096, 16);
	for (i = 0; i < threads; i++) {
		pthread_t thread;

		ck_assert_int_eq(pthread_create(&thread, NULL, end_at_once, &life), 0);
		ck_assert_int_eq(pthread_join(thread, NULL), 0);
	}
	stats = life_stop(&life);
	ck_assert_uint_eq(ended, threads);
	ck_assert_uint_eq(stats.recorded, threads);
	ck_assert_uint_eq(stats.lost, 0);
	ck_assert_msg(stats.streams <= 256, "%u streams for one thread at a time", stats.streams);
	trace = life_load(life.dir);
	life_expect(&trace, 0, "life:ev", 0, threads);
	life_total(&trace, threads);
	life_free(&trace);
	life_remove(life.dir);
}
END_TEST

/* Detached threads that still trace when the session stops, in their loop and in their destructors. */
static void *trace_until_over(void *data)
{
	pthread_setspecific(key, data);
	while (!__atomic_load_n(&over, __ATOMIC_RELAXED))
		cairn_trace(life, ev, 7);
	__atomic_add_fetch(&ended, 1, __ATOMIC_RELAXED);
	return NULL;
}

START_TEST(lesson_9_detached_threads)
{
	pthread_attr_t detached;
	pthread_t thread;
	int i;

	pthread_attr_init(&detached);
	pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
	ck_assert_int_eq(pthread_key_create(&key, trace_at_end), 0);
	for (i = 0; i < 4; i++)
		ck_assert_int_eq(pthread_create(&thread, &detached, trace_until_over, &life), 0);
	for (i = 0; i < 10; i++) {
		life = life_start("life:*", CAIRN_DISCARD, 4096, 4);
		usleep(2000);
		life_stop(&life);
		life_remove(life.dir);
	}
	__atomic_store_n(&over, 1, __ATOMIC_RELAXED);
	while (__atomic_load_n(&ended, __ATOMIC_RELAXED) < 4)
		usleep(1000);
}
END_TEST

/* ---- no system call ---- */

static int count_calls(void)
{
	unsigned i;

	LIFE_CHECK(3, life_traced());
	life = life_start("life:*", CAIRN_DISCARD, 65536, 16);
	cairn_trace(life, ev, 0);
	life_mark();
	for (i = 0; i < 5000; i++)
		cairn_trace(life, ev, i);
	life_mark();
	LIFE_CHECK(4, cairn_session_stop(life.session, NULL) == 0);
	life_remove(life.dir);
	return 0;
}

/* Neither pid nor thread id nor anything else is asked for with each event. */
START_TEST(lesson_7_no_system_call)
{
	struct life_watch watch = { .signal = 0 };
	const pid_t child = fork();

	if (child == 0) {
		life_limit(60);
		_exit(count_calls());
	}
	life_watch(&watch, child, "5,000 events");
	/* The mark itself is three: getpid, gettid, tgkill. */
	ck_assert_msg(watch.all_calls <= 5, "%u system calls for 5,000 events, expected none",
		      watch.all_calls);
}
END_TEST

static void add(Suite *suite)
{
	LIFE_TEST(suite, lesson_24);
	LIFE_TEST(suite, lesson_24_with_losses);
	/* ThreadSanitizer delivers signals later, when the program calls the C library. */
	if (!life_sanitizer("thread"))
		LIFE_NATIVE(suite, pitfall_T24, LIFE_NO_TRACE);
	LIFE_TEST(suite, pitfall_T20);
	LIFE_TEST(suite, lesson_27);
	LIFE_TEST(suite, pitfall_T21);
	LIFE_TEST(suite, pitfall_T23);
	LIFE_TEST(suite, lesson_9_detached_threads);
	LIFE_NATIVE(suite, lesson_7_no_system_call, LIFE_NO_TRACE);
}

LIFE_MAIN("threads", add)
