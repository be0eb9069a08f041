/* SPDX-License-Identifier: MIT */
/*
 * For the tests of process life cycle, loading, threads and sandbox: sessions in a folder of their own,
 * children with a time limit, the records of a folder as numbers, and a debugger's view of a thread (step
 * it, count its system calls).
 *
 * Every event of these tests has a first field n. A test says which n it produced, in which process, and
 * life_expect compares: each once, none else.
 */
#ifndef CAIRN_TEST_LIFE_H
#define CAIRN_TEST_LIFE_H

#include <ftw.h>
#include <inttypes.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sys/stat.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <time.h>

#include <cairn/cairn.h>

#include "effort.h"
#include "reader.h"

#define LIFE_UNUSED static __attribute__((unused))

LIFE_UNUSED bool life_sanitizer(const char *name)
{
	const char *sanitize = getenv("CAIRN_SANITIZE");

	return sanitize && strstr(sanitize, name);
}

/* ---- sessions ---- */

struct life {
	char *dir; /* NULL: no output */
	struct cairn_session *session;
};

LIFE_UNUSED struct life life_start(const char *pattern, enum cairn_mode mode, size_t packet_size,
				   unsigned packets)
{
	struct life life = { .dir = reader_folder("/tmp") };
	const struct cairn_config config = { .size = sizeof(config),
					     .output = life.dir,
					     .mode = mode,
					     .packet_size = packet_size,
					     .packets = packets };
	char why[256] = "";
	int status = cairn_session_start(&life.session, &config);

	if (status >= 0 && pattern)
		status = cairn_enable(life.session, pattern);
	cairn_error(why, sizeof(why));
	ck_assert_msg(status >= (pattern != NULL),
		      "start and enable %s: %d, expected 1 or more: %s",
		      pattern ? pattern : "nothing", status, why);
	return life;
}

LIFE_UNUSED struct cairn_stats life_stop(struct life *life)
{
	struct cairn_stats stats;
	const int status = cairn_session_stop(life->session, &stats);

	ck_assert_msg(status == 0, "cairn_session_stop: %d, expected 0", status);
	life->session = NULL;
	return stats;
}

static int life_remove_one(const char *path, const struct stat *stat, int type, struct FTW *where)
{
	(void)stat;
	(void)type;
	(void)where;
	return remove(path);
}

LIFE_UNUSED void life_remove(char *dir)
{
	nftw(dir, life_remove_one, 16, FTW_DEPTH | FTW_PHYS);
	free(dir);
}

/* ---- children ---- */

/* The child must end with status 0. A child's own checks are its exit status: `return` of what it runs. */
LIFE_UNUSED void life_wait(pid_t pid, const char *what)
{
	int status = 0;
	pid_t got;

	do
		got = waitpid(pid, &status, 0);
	while (got < 0 && errno == EINTR);
	ck_assert_int_eq(got, pid);
	ck_assert_msg(status == 0, "%s: %s %d, expected exit status 0", what,
		      WIFEXITED(status) ? "exit status" : "signal",
		      WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
}

/* In a child: a hang is SIGALRM after this many seconds. */
LIFE_UNUSED void life_limit(unsigned seconds)
{
	signal(SIGALRM, SIG_DFL);
	alarm(seconds);
}

/* What a child checks: its number is the exit status if it does not hold. */
#define LIFE_CHECK(number, holds)                                                                  \
	do {                                                                                       \
		if (!(holds)) {                                                                    \
			dprintf(2, "child: check %d failed: %s\n", number, #holds);                \
			_exit(number);                                                             \
		}                                                                                  \
	} while (0)

LIFE_UNUSED void life_run(int (*body)(void), const char *what)
{
	const pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		life_limit(60);
		_exit(body());
	}
	life_wait(pid, what);
}

/* A child that no handler of fork has seen. */
LIFE_UNUSED pid_t life_clone(void)
{
	return (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
}

LIFE_UNUSED pid_t life_tid(void)
{
	return (pid_t)syscall(SYS_gettid);
}

/* ---- records ---- */

struct life_record {
	uint32_t pid, tid;
	unsigned long n;
	char event[40];
	const char *line; /* in .text */
};

struct life_trace {
	char *text;
	struct life_record *record;
	size_t count;
};

/* A line: [time] host:program:(pid) provider:event: { ..., vtid = T, ... }, { n = N, ... } */
static void life_parse(struct life_record *record, char *line)
{
	const char *pid = strstr(line, ":("), *tid = strstr(line, "vtid = ");
	const char *n = strstr(line, "{ n = "), *event = pid ? strchr(pid, ' ') : NULL;
	size_t size = event ? strcspn(event + 1, " ") : 0;

	ck_assert_msg(
		pid && tid && n && size > 1 && size < sizeof(record->event),
		"expected '...:(pid) provider:event: { ... vtid = ...}, { n = ... }', got: %s",
		line);
	record->pid = (uint32_t)strtoul(pid + 2, NULL, 10);
	record->tid = (uint32_t)strtoul(tid + 7, NULL, 10);
	record->n = strtoul(n + 6, NULL, 0);
	memcpy(record->event, event + 1, size - 1);
	record->event[size - 1] = 0;
	record->line = line;
}

/* All traces below the folder; reading them must give no warning. */
LIFE_UNUSED struct life_trace life_load(const char *dir)
{
	struct life_trace trace = { .text = reader_read(dir) };
	size_t room = 1;
	char *line, *next;

	for (line = trace.text; *line; line++)
		room += *line == '\n';
	trace.record = calloc(room, sizeof(*trace.record));
	ck_assert_ptr_nonnull(trace.record);
	for (line = trace.text; *line; line = next) {
		next = line + strcspn(line, "\n");
		if (*next)
			*next++ = 0;
		life_parse(&trace.record[trace.count++], line);
	}
	return trace;
}

LIFE_UNUSED void life_free(struct life_trace *trace)
{
	free(trace->text);
	free(trace->record);
}

LIFE_UNUSED size_t life_count(const struct life_trace *trace, uint32_t pid, const char *event)
{
	size_t i, count = 0;

	for (i = 0; i < trace->count; i++)
		count += (!pid || trace->record[i].pid == pid) &&
			 (!event || !strcmp(trace->record[i].event, event));
	return count;
}

/* The process (0: any) recorded the event with n = from .. from + count - 1, each once. */
LIFE_UNUSED void life_expect(const struct life_trace *trace, uint32_t pid, const char *event,
			     unsigned long from, size_t count)
{
	unsigned char *seen = calloc(count + 1, 1);
	size_t i;

	ck_assert_ptr_nonnull(seen);
	for (i = 0; i < trace->count; i++) {
		const struct life_record *record = &trace->record[i];

		if ((pid && record->pid != pid) || strcmp(record->event, event) ||
		    record->n < from || record->n - from >= count)
			continue;
		ck_assert_msg(!seen[record->n - from]++, "%s n = %lu of process %u is there twice",
			      event, record->n, record->pid);
	}
	for (i = 0; i < count; i++)
		ck_assert_msg(seen[i], "%s n = %lu of process %u is missing (%zu records in all)",
			      event, from + i, pid, trace->count);
	free(seen);
}

/* How many records there are in all. */
LIFE_UNUSED void life_total(const struct life_trace *trace, size_t count)
{
	ck_assert_msg(trace->count == count, "%zu records, expected %zu; the first: %.200s",
		      trace->count, count, trace->count ? trace->record[0].line : "none");
}

/* ---- what a debugger does ---- */

/*
 * A thread that calls life_mark is watched by life_watch, in the parent of its process, from there on: to
 * the next life_mark its system calls are counted; or until it sets shared->end it is stepped. It needs
 * life_traced first. False: the system has no ptrace for us.
 */
LIFE_UNUSED bool life_traced(void)
{
	return ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0;
}

LIFE_UNUSED void life_mark(void)
{
	syscall(SYS_tgkill, getpid(), life_tid(), SIGSTOP);
}

struct life_shared {
	int end;  /* set by the thread: what was to be stepped is behind it */
	int over; /* set by life_watch: that came before the next point */
};

struct life_watch {
	/* Stepping: at the first mark, step `first` instructions and send the signal, at the next one
	 * first + stride, and so on. */
	int signal;
	unsigned first, stride, points;
	volatile struct life_shared *shared;
	/* Counting instead (signal 0): system calls of the thread, by number (from 4000 on some CPUs). */
	unsigned calls[8192], all_calls;
};

/* Memory that a child shares with its parent. */
LIFE_UNUSED void *life_shared(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	ck_assert_ptr_ne(memory, MAP_FAILED);
	return memory;
}

static int life_watch_wait(pid_t tid)
{
	int status = 0;

	while (waitpid(tid, &status, __WALL) < 0 && errno == EINTR)
		;
	return status;
}

/* The thread is at its mark. Step; true if the end came first. */
static bool life_watch_step(struct life_watch *watch, pid_t tid)
{
	unsigned i;

	watch->shared->end = 0;
	for (i = 0; i < watch->first && !watch->shared->end; i++) {
		ptrace(PTRACE_SINGLESTEP, tid, NULL, NULL);
		if (!WIFSTOPPED(life_watch_wait(tid)))
			return true;
	}
	if (watch->shared->end)
		return true;
	watch->first += watch->stride;
	return false;
}

/* From one mark to the next: note each system call. Returns the status of the thread. */
static int life_watch_calls(struct life_watch *watch, pid_t tid)
{
	struct __ptrace_syscall_info info;
	int status;

	ptrace(PTRACE_SETOPTIONS, tid, NULL, (void *)(uintptr_t)PTRACE_O_TRACESYSGOOD);
	for (;;) {
		ptrace(PTRACE_SYSCALL, tid, NULL, NULL);
		status = life_watch_wait(tid);
		if (!WIFSTOPPED(status) || WSTOPSIG(status) == SIGSTOP)
			return status;
		if (WSTOPSIG(status) != (SIGTRAP | 0x80) ||
		    ptrace((enum __ptrace_request)PTRACE_GET_SYSCALL_INFO, tid,
			   (void *)sizeof(info), &info) <= 0 ||
		    info.op != PTRACE_SYSCALL_INFO_ENTRY)
			continue;
		watch->all_calls++;
		if (info.entry.nr < sizeof(watch->calls) / sizeof(watch->calls[0]))
			watch->calls[info.entry.nr]++;
	}
}

/* Follow the process and its traced threads to the end: its exit status must be 0. */
LIFE_UNUSED void life_watch(struct life_watch *watch, pid_t pid, const char *what)
{
	int status, signal;
	pid_t tid;

	for (;;) {
		tid = waitpid(-1, &status, __WALL);
		ck_assert_int_gt(tid, 0);
		if (!WIFSTOPPED(status)) {
			if (tid == pid)
				break;
			continue;
		}
		signal = WSTOPSIG(status);
		if (signal == SIGSTOP) {
			signal = 0;
			if (!watch->signal) {
				status = life_watch_calls(watch, tid);
				if (!WIFSTOPPED(status))
					break;
			} else if (life_watch_step(watch, tid)) {
				watch->shared->over = 1;
			} else {
				watch->points++;
				signal = watch->signal;
			}
		}
		ptrace(PTRACE_CONT, tid, NULL, (void *)(uintptr_t)signal);
	}
	ck_assert_msg(status == 0, "%s: %s %d, expected exit status 0", what,
		      WIFEXITED(status) ? "exit status" : "signal",
		      WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
}

/* ---- refused system calls ---- */

/* From now on this thread and its children get `error` from the system call. False: no such filters. */
LIFE_UNUSED bool life_refuse(const long *calls, size_t count, int error)
{
	struct sock_filter filter[64];
	const struct sock_fprog program = { .len = (unsigned short)(2 * count + 2),
					    .filter = filter };
	size_t i;

	filter[0] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
						 offsetof(struct seccomp_data, nr));
	for (i = 0; i < count; i++) {
		filter[2 * i + 1] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
								 (uint32_t)calls[i], 0, 1);
		filter[2 * i + 2] = (struct sock_filter)BPF_STMT(
			BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ((uint32_t)error & SECCOMP_RET_DATA));
	}
	filter[2 * count + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* What tests of one file are: cases with a limit of their own. */
#define LIFE_MAIN(name, add)                                                                       \
	int main(void)                                                                             \
	{                                                                                          \
		Suite *suite = suite_create(name);                                                 \
		SRunner *runner;                                                                   \
		int failed;                                                                        \
                                                                                                   \
		add(suite);                                                                        \
		runner = srunner_create(suite);                                                    \
		srunner_run_all(runner, CK_ENV);                                                   \
		failed = srunner_ntests_failed(runner);                                            \
		srunner_free(runner);                                                              \
		return failed ? 1 : 0;                                                             \
	}

/* One test, its own case: CK_RUN_CASE=name runs it alone. */
#define LIFE_TEST(suite, test)                                                                     \
	do {                                                                                       \
		TCase *cases = tcase_create(#test);                                                \
                                                                                                   \
		tcase_set_timeout(cases, 120);                                                     \
		tcase_add_test(cases, test);                                                       \
		suite_add_tcase(suite, cases);                                                     \
	} while (0)

/* Why an emulator cannot run a test: tests/README.md has the list. */
#define LIFE_NO_TRACE "an emulated program is not traced by ptrace"
#define LIFE_NO_FILTER "a seccomp filter would see the emulator's system calls"
#define LIFE_NO_THREAD "QEMU 7.2 aborts when a forked child starts a thread"
#define LIFE_NO_CLONE "a raw clone does not copy the emulator"
#define LIFE_NO_EXEC "an emulated process cannot execute a program of its own CPU"

/* A test that an emulator cannot run, natively. */
#define LIFE_NATIVE(suite, test, why)                                                              \
	do {                                                                                       \
		if (!native_only(#test, why))                                                      \
			LIFE_TEST(suite, test);                                                    \
	} while (0)

#endif
