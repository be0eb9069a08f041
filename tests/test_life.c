/* SPDX-License-Identifier: MIT */
/*
 * A process' life: fork in all its forms, also in the middle of an event, raw clone, vfork, exec, closed
 * descriptors, a changed folder. Each record must be in one trace, that of the process which made it,
 * and nothing may hang. Raw clone and ptrace are native only: an emulator has neither.
 */
#define _GNU_SOURCE
#include "life.h"

#include <spawn.h>

CAIRN_EVENT(life, ev, CAIRN_U32(n));
CAIRN_EVENT(life, second, CAIRN_U32(n), CAIRN_STR(text));
CAIRN_EVENT(life, big, CAIRN_U32(n), CAIRN_SEQ(u8, blob, blob_size));
CAIRN_EVENT(life, third, CAIRN_U32(n), CAIRN_U64(m));

static struct life life;

static void produce(unsigned from, unsigned count)
{
	unsigned i;

	for (i = 0; i < count; i++)
		cairn_trace(life, ev, from + i);
}

static void check_two(uint32_t child)
{
	struct life_trace trace = life_load(life.dir);
	size_t i;

	life_expect(&trace, (uint32_t)getpid(), "life:ev", 0, 20);
	life_expect(&trace, child, "life:ev", 100, 10);
	life_total(&trace, 30);
	for (i = 0; i < trace.count; i++)
		ck_assert_msg(trace.record[i].tid == trace.record[i].pid,
			      "a record of thread %u in a process %u with one thread",
			      trace.record[i].tid, trace.record[i].pid);
	life_free(&trace);
	life_remove(life.dir);
}

/* Parent 10 events, child 10, parent 10 more. Lesson 7: and each with its own process and thread id. */
START_TEST(lesson_1_and_lesson_7)
{
	pid_t child;

	life = life_start("life:*", CAIRN_DISCARD, 0, 0);
	produce(0, 10);
	child = fork();
	if (child == 0) {
		life_limit(20);
		produce(100, 10);
		exit(0);
	}
	life_wait(child, "child that exits");
	produce(10, 10);
	ck_assert_uint_eq(life_stop(&life).recorded, 20);
	check_two((uint32_t)child);
}
END_TEST

/* The same, as a daemon: two forks, and a child that flushes and ends by _exit. */
START_TEST(lesson_1_daemon)
{
	struct life_trace trace;
	struct cairn_stats stats;
	pid_t child;

	life = life_start("life:*", CAIRN_BLOCK, 4096, 2);
	child = fork();
	if (child == 0) {
		life_limit(40);
		setsid();
		child = fork();
		if (child == 0) {
			life_limit(20);
			produce(10000, 5000);
			LIFE_CHECK(3, cairn_session_stats(life.session, &stats) == 0);
			LIFE_CHECK(4, stats.recorded == 5000 && stats.lost == 0);
			_exit(0);
		}
		life_wait(child, "grandchild");
		_exit(0);
	}
	life_wait(child, "child");
	produce(0, 5000);
	ck_assert_uint_eq(life_stop(&life).recorded, 5000);
	trace = life_load(life.dir);
	life_expect(&trace, (uint32_t)getpid(), "life:ev", 0, 5000);
	life_expect(&trace, 0, "life:ev", 10000, 5000);
	ck_assert_uint_eq(life_count(&trace, (uint32_t)child, NULL), 0);
	life_total(&trace, 10000);
	life_free(&trace);
	life_remove(life.dir);
}
END_TEST

/* ---- threads that hold locks ---- */

static int over;

static void *trace_and_switch(void *data)
{
	struct cairn_session *session = data;
	unsigned i;

	for (i = 0; !__atomic_load_n(&over, __ATOMIC_RELAXED); i++) {
		produce(i, 20);
		if (i % 3 == 0)
			cairn_disable(session, "life:second");
		else
			cairn_enable(session, "life:second");
		usleep(500); /* let the others have the lock */
	}
	return NULL;
}

START_TEST(lesson_2)
{
	const struct cairn_config config = { .size = sizeof(config) };
	const int rounds = slow_run() ? 60 : 400;
	pthread_t thread[4];
	int i;

	ck_assert_int_eq(cairn_session_start(&life.session, &config), 0);
	ck_assert_int_ge(cairn_enable(life.session, "life:ev"), 1);
	for (i = 0; i < 4; i++)
		ck_assert_int_eq(pthread_create(&thread[i], NULL, trace_and_switch, life.session),
				 0);
	for (i = 0; i < rounds; i++) {
		const pid_t child = fork();

		ck_assert_int_ge(child, 0);
		if (child == 0) {
			life_limit(30);
			produce(0, 1);
			if (i % 10 == 0)
				LIFE_CHECK(3, cairn_disable(life.session, "*") >= 0);
			_exit(0);
		}
		life_wait(child, "child of a process whose threads hold locks");
	}
	__atomic_store_n(&over, 1, __ATOMIC_RELAXED);
	for (i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	ck_assert_int_eq(cairn_session_stop(life.session, NULL), 0);
}
END_TEST

/* Threads that are inside an event when their process forks must not be waited for in the child. */
static pthread_barrier_t inside, leave;

static void wait_inside(void *data, uint32_t n)
{
	(void)data;
	if (n == 1) {
		pthread_barrier_wait(&inside);
		pthread_barrier_wait(&leave);
	}
}

static void *enter_event(void *data)
{
	(void)data;
	cairn_trace(life, ev, 1);
	return NULL;
}

START_TEST(lesson_28)
{
	pthread_t thread[8];
	pid_t child;
	int i;

	life = life_start("life:*", CAIRN_DISCARD, 0, 0);
	pthread_barrier_init(&inside, NULL, 9);
	pthread_barrier_init(&leave, NULL, 9);
	ck_assert_int_eq(cairn_attach(life, ev, wait_inside, NULL), 0);
	for (i = 0; i < 8; i++)
		ck_assert_int_eq(pthread_create(&thread[i], NULL, enter_event, NULL), 0);
	pthread_barrier_wait(&inside);
	child = fork();
	if (child == 0) {
		/* Each would wait its limit of a second for a thread that is not here. */
		life_limit(20);
		for (i = 0; i < 60; i++) {
			LIFE_CHECK(3, cairn_disable(life.session, "life:*") >= 0);
			LIFE_CHECK(4, cairn_enable(life.session, "life:*") == 4);
		}
		_exit(0);
	}
	life_wait(child, "child that disables");
	pthread_barrier_wait(&leave);
	for (i = 0; i < 8; i++)
		pthread_join(thread[i], NULL);
	ck_assert_int_eq(cairn_detach(life, ev, wait_inside, NULL), 0);
	ck_assert_uint_eq(life_stop(&life).recorded, 8);
	life_remove(life.dir);
}
END_TEST

/* ---- children that no handler has seen ---- */

START_TEST(lesson_3)
{
	pid_t child;

	life = life_start("life:*", CAIRN_DISCARD, 0, 0);
	produce(0, 10);
	child = life_clone();
	if (child == 0) {
		life_limit(20);
		produce(100, 10);
		exit(0);
	}
	life_wait(child, "raw clone that exits");
	produce(10, 10);
	ck_assert_uint_eq(life_stop(&life).recorded, 20);
	check_two((uint32_t)child);
}
END_TEST

/* Nobody may wait for the consumer thread, which is not there. */
START_TEST(lesson_3_without_event)
{
	struct cairn_stats stats;
	struct life_trace trace;
	pid_t child;

	life = life_start("life:*", CAIRN_DISCARD, 0, 0);
	produce(0, 1);
	child = life_clone();
	if (child == 0) {
		life_limit(20);
		exit(0);
	}
	life_wait(child, "raw clone without event that exits");
	child = life_clone();
	if (child == 0) {
		life_limit(20);
		LIFE_CHECK(3, cairn_session_flush(life.session) == 0);
		produce(100, 3);
		LIFE_CHECK(4, cairn_session_stats(life.session, &stats) == 0);
		LIFE_CHECK(5, stats.recorded == 3 && stats.lost == 0);
		_exit(0);
	}
	life_wait(child, "raw clone that flushes");
	child = life_clone();
	if (child == 0) {
		life_limit(20);
		LIFE_CHECK(3, cairn_session_stop(life.session, &stats) == 0);
		LIFE_CHECK(4, stats.recorded == 0 && stats.lost == 0);
		_exit(0);
	}
	life_wait(child, "raw clone that stops the session");
	ck_assert_uint_eq(life_stop(&life).recorded, 1);
	trace = life_load(life.dir);
	life_total(&trace, 4);
	life_free(&trace);
	life_remove(life.dir);
}
END_TEST

/* The child's first thread still points to the slot that its second thread claims. */
static void *trace_second(void *data)
{
	(void)data;
	pthread_barrier_wait(&inside);
	produce(1000, 1);
	pthread_barrier_wait(&inside);
	produce(1001, 999);
	pthread_barrier_wait(&inside);
	return NULL;
}

START_TEST(pitfall_T18)
{
	struct cairn_stats stats;
	struct life_trace trace;
	pthread_t thread;
	pid_t child;

	life = life_start("life:*", CAIRN_DISCARD, 4096, 16);
	produce(0, 1);
	child = life_clone();
	if (child == 0) {
		life_limit(30);
		pthread_barrier_init(&inside, NULL, 2);
		LIFE_CHECK(3, pthread_create(&thread, NULL, trace_second, NULL) == 0);
		pthread_barrier_wait(&inside);
		pthread_barrier_wait(&inside);
		produce(2000, 1000);
		pthread_barrier_wait(&inside);
		LIFE_CHECK(4, cairn_session_stop(life.session, &stats) == 0);
		LIFE_CHECK(5, stats.recorded == 2000 && stats.lost == 0);
		_exit(0);
	}
	life_wait(child, "raw clone with two threads");
	ck_assert_uint_eq(life_stop(&life).recorded, 1);
	trace = life_load(life.dir);
	life_expect(&trace, (uint32_t)child, "life:ev", 1000, 2000);
	life_total(&trace, 2001);
	life_free(&trace);
	life_remove(life.dir);
}
END_TEST

/* madvise that says yes and does nothing, as in an emulator: fork must work without wiped memory. */
static int forks_unwiped(void)
{
	const long advice[] = { SYS_madvise };
	struct cairn_stats stats;
	pid_t child;
	int status;

	LIFE_CHECK(3, life_refuse(advice, 1, 0));
	life = life_start("life:*", CAIRN_DISCARD, 0, 0);
	produce(0, 10);
	child = fork();
	if (child == 0) {
		life_limit(20);
		produce(100, 10);
		exit(cairn_session_stop(life.session, &stats) || stats.recorded != 10);
	}
	LIFE_CHECK(4, waitpid(child, &status, 0) == child && status == 0);
	produce(10, 10);
	LIFE_CHECK(5, cairn_session_stop(life.session, &stats) == 0 && stats.recorded == 20);
	check_two((uint32_t)child);
	return 0;
}

START_TEST(pitfall_T17)
{
	life_run(forks_unwiped, "fork without memory that is wiped");
}
END_TEST

/* ---- vfork and spawn ---- */

static void *trace_on(void *data)
{
	unsigned *count = data, n = *count, i;

	for (i = 0; !__atomic_load_n(&over, __ATOMIC_RELAXED) && i < 200000; i++)
		produce(n + i, 1);
	*count = i;
	return NULL;
}

START_TEST(lesson_4)
{
	char path[] = "/bin/true", *const argv[] = { path, NULL }, *const envp[] = { NULL };
	unsigned count[3], i;
	struct cairn_stats stats;
	struct life_trace trace;
	pthread_t thread[3];
	volatile uint64_t produced = 0;
	pid_t child;

	life = life_start("life:*", CAIRN_DISCARD, 65536, 64);
	for (i = 0; i < 3; i++) {
		count[i] = 1000000 * (i + 1);
		ck_assert_int_eq(pthread_create(&thread[i], NULL, trace_on, &count[i]), 0);
	}
	for (i = 0; i < 20; i++) {
		produce(2 * i, 1);
		child = vfork();
		if (child == 0) {
			cairn_trace(life, ev, 1000 + i);
			execve(path, argv, envp);
			_exit(127);
		}
		life_wait(child, "vfork and exec");
		produce(2 * i + 1, 1);
		ck_assert_int_eq(posix_spawn(&child, path, NULL, NULL, argv, envp), 0);
		life_wait(child, "posix_spawn");
	}
	__atomic_store_n(&over, 1, __ATOMIC_RELAXED);
	for (i = 0; i < 3; i++) {
		pthread_join(thread[i], NULL);
		produced += count[i];
	}
	stats = life_stop(&life);
	ck_assert_msg(stats.recorded + stats.lost == produced + 60,
		      "recorded %" PRIu64 " + lost %" PRIu64 ", expected %" PRIu64, stats.recorded,
		      stats.lost, produced + 60);
	if (!stats.lost) {
		trace = life_load(life.dir);
		life_expect(&trace, (uint32_t)getpid(), "life:ev", 0, 40);
		life_expect(&trace, (uint32_t)getpid(), "life:ev", 1000, 20);
		life_total(&trace, stats.recorded);
		life_free(&trace);
	}
	life_remove(life.dir);
}
END_TEST

/* nftw opens folders without O_CLOEXEC, and those are not ours: nothing is removed while we look. */
static pthread_mutex_t removing = PTHREAD_MUTEX_INITIALIZER;

/* Sessions come and go in another thread: no descriptor of theirs is open in an exec'ed program. */
static void *start_and_stop(void *data)
{
	(void)data;
	while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) {
		struct life other = life_start("life:second", CAIRN_DISCARD, 4096, 2);

		cairn_trace(life, second, 1, "text");
		life_stop(&other);
		pthread_mutex_lock(&removing);
		life_remove(other.dir);
		pthread_mutex_unlock(&removing);
	}
	return NULL;
}

/* What `ls -l /proc/self/fd` says after an exec: the targets of the links, from 3 on. */
static char *descriptors(void)
{
	const char *const command[] = { "sh", "-c", "ls -l /proc/self/fd | sed -n 's/.* -> //p'",
					NULL };
	struct reader reader = reader_run(command);

	ck_assert_msg(reader.status == 0, "ls: status %d: %s", reader.status, reader.err);
	free(reader.err);
	return reader.out;
}

START_TEST(lesson_6)
{
	pthread_t thread;
	char *text;
	int i;

	life = life_start("life:*", CAIRN_DISCARD, 0, 0);
	produce(0, 1);
	ck_assert_int_eq(cairn_session_flush(life.session), 0);
	ck_assert_int_eq(pthread_create(&thread, NULL, start_and_stop, NULL), 0);
	for (i = 0; i < 20; i++) {
		pthread_mutex_lock(&removing);
		text = descriptors();
		pthread_mutex_unlock(&removing);
		ck_assert_msg(!strstr(text, "memfd:cairn") && !strstr(text, "cairn-test-"),
			      "an exec'ed program has descriptors of Cairn's: %s", text);
		free(text);
	}
	__atomic_store_n(&over, 1, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	life_stop(&life);
	life_remove(life.dir);
}
END_TEST

/* ---- handlers of fork ---- */

static void trace_in_child(void)
{
	cairn_trace(life, ev, 100);
}

/* A handler that the program registered before Cairn's traces before Cairn knows of the child. */
START_TEST(early_fork_handler)
{
	struct cairn_stats stats;
	struct life_trace trace;
	pid_t child;

	pthread_atfork(NULL, NULL, trace_in_child);
	life = life_start("life:*", CAIRN_DISCARD, 0, 0);
	produce(0, 1);
	child = fork();
	if (child == 0) {
		life_limit(20);
		produce(101, 10);
		LIFE_CHECK(3, cairn_session_stop(life.session, &stats) == 0);
		LIFE_CHECK(4, stats.recorded == 11 && stats.lost == 0);
		exit(0);
	}
	life_wait(child, "child whose fork handler traces");
	ck_assert_uint_eq(life_stop(&life).recorded, 1);
	trace = life_load(life.dir);
	life_expect(&trace, (uint32_t)child, "life:ev", 100, 11);
	life_total(&trace, 12);
	life_free(&trace);
	life_remove(life.dir);
}
END_TEST

/* What a child enables before its first event is described in its own trace, not in its parent's. */
START_TEST(child_enables)
{
	struct life_trace trace;
	pid_t child;

	life = life_start("life:ev", CAIRN_DISCARD, 0, 0);
	produce(0, 1);
	child = fork();
	if (child == 0) {
		life_limit(20);
		LIFE_CHECK(3, cairn_enable(life.session, "life:second") == 1);
		cairn_trace(life, second, 100, "child");
		exit(0);
	}
	life_wait(child, "child that enables");
	ck_assert_int_eq(cairn_enable(life.session, "life:third"), 1);
	cairn_trace(life, third, 1, 7);
	produce(2, 1);
	ck_assert_uint_eq(life_stop(&life).recorded, 3);
	trace = life_load(life.dir);
	life_expect(&trace, (uint32_t)child, "life:second", 100, 1);
	life_expect(&trace, (uint32_t)getpid(), "life:third", 1, 1);
	life_expect(&trace, (uint32_t)getpid(), "life:ev", 2, 1);
	life_total(&trace, 4);
	life_free(&trace);
	life_remove(life.dir);
}
END_TEST

/* ---- a fork in a handler, at each instruction of an event ---- */

static volatile struct life_shared *shared;
static volatile sig_atomic_t forked;
static volatile pid_t handler_child;

static void fork_here(int number)
{
	(void)number;
	handler_child = fork();
	if (handler_child == 0)
		forked = 1;
}

static uint64_t own_clock(void *data)
{
	return __atomic_add_fetch((uintptr_t *)data, 1, __ATOMIC_RELAXED);
}

static uintptr_t own_time;

/*
 * The event that the fork cut in two goes on in both processes. The parent's record must be there, once.
 * The child begins the event anew or has no record of it, depending on how far it was.
 */
static int step_forks(bool big, bool clock)
{
	struct cairn_config config = { .size = sizeof(config),
				       .packet_size = 4096,
				       .packets = 1024 };
	unsigned char blob[2020];
	struct life_trace trace;
	struct cairn_stats stats;
	unsigned n;
	int status;

	memset(blob, 'x', sizeof(blob));
	LIFE_CHECK(3, life_traced());
	signal(SIGUSR1, fork_here);
	life.dir = reader_folder("/tmp");
	config.output = life.dir;
	if (clock) {
		config.clock = own_clock;
		config.clock_data = &own_time;
		config.clock_hz = 1000000;
	}
	LIFE_CHECK(11, cairn_session_start(&life.session, &config) == 0);
	LIFE_CHECK(12, cairn_enable(life.session, "life:*") == 4);
	produce(1000000, 1);
	for (n = 0; !shared->over; n++) {
		handler_child = 0;
		life_mark();
		if (big)
			cairn_trace(life, big, n, blob, sizeof(blob));
		else
			cairn_trace(life, ev, n);
		shared->end = 1;
		if (!forked && handler_child == 0)
			continue;
		if (forked) {
			life_limit(20);
			cairn_trace(life, ev, 77777);
			LIFE_CHECK(4, cairn_session_stop(life.session, &stats) == 0);
			LIFE_CHECK(5, stats.recorded == 1 || stats.recorded == 2);
			LIFE_CHECK(9, stats.lost == 0);
			_exit(0);
		}
		LIFE_CHECK(6, waitpid(handler_child, &status, 0) == handler_child && status == 0);
	}
	LIFE_CHECK(7, cairn_session_stop(life.session, &stats) == 0);
	LIFE_CHECK(8, stats.lost == 0 && stats.recorded == 1 + n);
	trace = life_load(life.dir);
	life_expect(&trace, (uint32_t)getpid(), big ? "life:big" : "life:ev", 0, n);
	LIFE_CHECK(10, life_count(&trace, (uint32_t)getpid(), NULL) == stats.recorded);
	life_free(&trace);
	life_remove(life.dir);
	return 0;
}

static void step_test(bool big, bool clock, unsigned stride)
{
	struct life_watch watch = { .signal = SIGUSR1, .stride = slow_run() ? 7 * stride : stride };
	pid_t child;

	shared = life_shared(sizeof(*shared));
	watch.shared = shared;
	child = fork();
	if (child == 0) {
		life_limit(90);
		_exit(step_forks(big, clock));
	}
	life_watch(&watch, child, "fork in a handler that interrupts an event");
	ck_assert_msg(watch.points > (slow_run() ? 2 : 10), "%u points of an event, expected more",
		      watch.points);
}

START_TEST(pitfall_T19)
{
	step_test(false, false, 1);
}
END_TEST

/* The time comes from a function: an event that is entered in one function and goes on in another. */
START_TEST(pitfall_T19_own_clock)
{
	step_test(false, true, 1);
}
END_TEST

/* Two records of 2,020 bytes do not fit in one packet of 4,096. */
START_TEST(pitfall_T19_next_packet)
{
	step_test(true, false, 11);
}
END_TEST

/* ---- descriptors and folders ---- */

/* A daemon closes all descriptors, then their numbers are other files': none may get trace data. */
static int closes_descriptors(void)
{
	char name[512];
	struct cairn_stats stats;
	struct stat stat;
	int i, files[20];

	life = life_start("life:*", CAIRN_DISCARD, 4096, 16);
	produce(0, 1);
	LIFE_CHECK(3, cairn_session_flush(life.session) == 0);
	for (i = 3; i < 200; i++)
		close(i);
	for (i = 0; i < 20; i++) {
		snprintf(name, sizeof(name), "%s/other%d", life.dir, i);
		files[i] = open(name, O_CREAT | O_RDWR, 0600);
		LIFE_CHECK(4, files[i] >= 0);
	}
	produce(1, 50000);
	cairn_session_flush(life.session);
	produce(50001, 100);
	cairn_session_stop(life.session, &stats); /* its status may tell of the closed files */
	LIFE_CHECK(5, stats.recorded + stats.lost == 50101);
	for (i = 0; i < 20; i++) {
		LIFE_CHECK(6, fstat(files[i], &stat) == 0 && stat.st_size == 0);
		close(files[i]);
		snprintf(name, sizeof(name), "%s/other%d", life.dir, i);
		unlink(name);
	}
	life_remove(life.dir);
	return 0;
}

START_TEST(closed_descriptors)
{
	life_run(closes_descriptors, "a program that closes all descriptors");
}
END_TEST

/* The output's name is relative, and the process goes elsewhere before it forks. */
static int goes_elsewhere(void)
{
	char *folder = reader_folder("/tmp"), full[512];
	struct cairn_config config = { .size = sizeof(config), .output = "relative/deep" };
	struct life_trace trace;
	pid_t child;
	int status;

	LIFE_CHECK(3, chdir(folder) == 0);
	LIFE_CHECK(4, cairn_session_start(&life.session, &config) == 0);
	LIFE_CHECK(5, cairn_enable(life.session, "life:*") == 4);
	produce(0, 1);
	LIFE_CHECK(6, chdir("/") == 0);
	child = fork();
	if (child == 0) {
		life_limit(20);
		produce(100, 10);
		exit(0);
	}
	LIFE_CHECK(7, waitpid(child, &status, 0) == child && status == 0);
	LIFE_CHECK(8, cairn_session_stop(life.session, NULL) == 0);
	LIFE_CHECK(9, access("/relative", F_OK) != 0);
	snprintf(full, sizeof(full), "%s/relative/deep", folder);
	trace = life_load(full);
	life_expect(&trace, (uint32_t)child, "life:ev", 100, 10);
	life_total(&trace, 11);
	life_free(&trace);
	life_remove(folder);
	return 0;
}

START_TEST(changed_folder)
{
	life_run(goes_elsewhere, "a program that changes its folder");
}
END_TEST

static void add(Suite *suite)
{
	LIFE_NATIVE(suite, lesson_6, LIFE_NO_EXEC);
	LIFE_TEST(suite, closed_descriptors);
	/* ThreadSanitizer makes vfork a fork, and cannot start a thread in the child of a process with
	 * several: "dup thread with used id". */
	if (life_sanitizer("thread"))
		return;
	LIFE_NATIVE(suite, lesson_1_and_lesson_7, LIFE_NO_THREAD);
	LIFE_NATIVE(suite, lesson_1_daemon, LIFE_NO_THREAD);
	LIFE_NATIVE(suite, lesson_2, LIFE_NO_THREAD);
	LIFE_NATIVE(suite, lesson_28, LIFE_NO_THREAD);
	LIFE_NATIVE(suite, lesson_3, LIFE_NO_CLONE);
	LIFE_NATIVE(suite, lesson_3_without_event, LIFE_NO_CLONE);
	LIFE_NATIVE(suite, pitfall_T18, LIFE_NO_CLONE);
	LIFE_NATIVE(suite, pitfall_T17, LIFE_NO_FILTER);
	LIFE_TEST(suite, lesson_4);
	LIFE_NATIVE(suite, early_fork_handler, LIFE_NO_THREAD);
	LIFE_NATIVE(suite, child_enables, LIFE_NO_THREAD);
	LIFE_NATIVE(suite, pitfall_T19, LIFE_NO_TRACE);
	LIFE_NATIVE(suite, pitfall_T19_own_clock, LIFE_NO_TRACE);
	LIFE_NATIVE(suite, pitfall_T19_next_packet, LIFE_NO_TRACE);
	LIFE_NATIVE(suite, changed_folder, LIFE_NO_THREAD);
}

LIFE_MAIN("life", add)
