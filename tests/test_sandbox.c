/* SPDX-License-Identifier: MIT */
/*
 * What the system refuses: membarrier, memory files, writable program text, descriptors, file sizes. The
 * program runs on, records what it can and counts the rest. And what patching does to the program: one
 * pair of mprotect for all sites, text as it was. Each test is a child, since a filter stays for good.
 */
#define _GNU_SOURCE
#include "life.h"

#include <sys/resource.h>

CAIRN_EVENT(sand, ev, CAIRN_U32(n));
CAIRN_EVENT(sand, many, CAIRN_U32(n));

/* sandbox.c */
void branch_hit(unsigned n);
int branch_enabled(void);

#define PATCHED (CAIRN_ARCH_SITE_SIZE && !CAIRN__BRANCH_SITES)

static struct life life;

static __attribute__((used)) void hit_many(void)
{
	cairn_trace(sand, many, 1);
}

/* 20,000 more sites of sand:many, in a function of their own that nobody calls. */
#if PATCHED
#define SITES_MANY 20000
/* clang-format off */
static __attribute__((used, noinline)) void sandbox_many(void)
{
	__asm__ volatile(".balign 16\n\t"
	".rept 20000\n"
	"1:\t" CAIRN_ARCH_SITE("3f")
	".pushsection cairn_sites,\"" CAIRN_SITE_FLAGS "\",%progbits\n\t"
	".balign 4\n\t"
	".long 1b - .\n\t.long 3f" CAIRN_ARCH_SITE_MODE " - .\n\t"
	".long cairn_event_sand__many - .\n\t.long 98f - .\n\t"
	".popsection\n"
	"3:\n\t"
	".endr\n\t"
	".pushsection .rodata.sandbox_names,\"a\",%progbits\n"
	"98:\t.asciz \"sand:many\"\n\t"
	".popsection\n\t");
}
/* clang-format on */
#else
#define SITES_MANY 0
#endif

static void *trace_thousand(void *data)
{
	const unsigned *from = data;
	unsigned i;

	for (i = 0; i < 1000; i++)
		cairn_trace(sand, ev, *from + i);
	return NULL;
}

/* ---- refused calls ---- */

/* A program of its own, in LIFE_DIR: two threads trace, enable and disable work, a child of fork traces. */
static int works_without(void)
{
	const struct cairn_config config = { .size = sizeof(config),
					     .output = getenv("LIFE_DIR"),
					     .mode = CAIRN_BLOCK,
					     .packet_size = 4096,
					     .packets = 4 };
	unsigned from[] = { 0, 1000, 2000 };
	struct cairn_stats stats;
	pthread_t thread[2];
	pid_t child;
	int i, status;

	LIFE_CHECK(3, cairn_session_start(&life.session, &config) == 0);
	LIFE_CHECK(11, cairn_enable(life.session, "sand:ev") == 1);
	for (i = 0; i < 2; i++)
		LIFE_CHECK(4, pthread_create(&thread[i], NULL, trace_thousand, &from[i]) == 0);
	for (i = 0; i < 20; i++) {
		LIFE_CHECK(5, cairn_enable(life.session, "sand:many") == 1);
		LIFE_CHECK(6, cairn_disable(life.session, "sand:many") == 1);
	}
	for (i = 0; i < 2; i++)
		LIFE_CHECK(7, pthread_join(thread[i], NULL) == 0);
	/* ThreadSanitizer cannot start a thread in the child of a process with several. */
	child = life_sanitizer("thread") ? -1 : fork();
	if (child == 0) {
		trace_thousand(&from[2]);
		exit(cairn_session_stop(life.session, &stats) || stats.recorded != 1000);
	}
	LIFE_CHECK(8, child < 0 || (waitpid(child, &status, 0) == child && status == 0));
	LIFE_CHECK(9, cairn_session_stop(life.session, &stats) == 0);
	LIFE_CHECK(10, stats.recorded == 2000 && stats.lost == 0);
	return 0;
}

static void works_without_calls(int error)
{
	const long calls[] = { SYS_membarrier, SYS_rseq, SYS_memfd_create, SYS_getcpu };
	struct life_trace trace;
	size_t count;
	pid_t child;

	life.dir = reader_folder("/tmp");
	setenv("LIFE_DIR", life.dir, 1);
	child = fork();
	/* A new program: the C library has registered rseq in this one, and insists on it. */
	if (child == 0) {
		if (life_refuse(calls, 4, error))
			execl("/proc/self/exe", "works_without", NULL);
		_exit(2);
	}
	life_wait(child, "no membarrier, rseq, memfd_create, getcpu");
	trace = life_load(life.dir);
	count = life_sanitizer("thread") ? 2000 : 3000;
	life_expect(&trace, 0, "sand:ev", 0, count);
	life_total(&trace, count);
	life_free(&trace);
	life_remove(life.dir);
}

START_TEST(lesson_37)
{
	works_without_calls(ENOSYS);
}
END_TEST

START_TEST(lesson_37_not_permitted)
{
	works_without_calls(EPERM);
}
END_TEST

/* A filter that comes after the start takes membarrier away: disabling still works and frees nothing. */
static int loses_membarrier(void)
{
	const long calls[] = { SYS_membarrier };
	struct cairn_stats stats;
	unsigned from = 0;

	life = life_start("sand:ev", CAIRN_DISCARD, 65536, 16);
	trace_thousand(&from);
	LIFE_CHECK(3, life_refuse(calls, 1, EPERM));
	LIFE_CHECK(4, cairn_disable(life.session, "sand:ev") == 1);
	LIFE_CHECK(5, !cairn_enabled(sand, ev));
	trace_thousand(&from);
	LIFE_CHECK(6, cairn_session_stop(life.session, &stats) == 0);
	LIFE_CHECK(7, stats.recorded == 1000 && stats.lost == 0);
	life_remove(life.dir);
	return 0;
}

START_TEST(pitfall_T13)
{
	life_run(loses_membarrier, "membarrier is refused after the start");
}
END_TEST

/* ---- program text ---- */

/* EACCES for an mprotect that asks for text that is writable: what SELinux and W^X do. */
static bool refuse_text(void)
{
	const uint32_t both = PROT_WRITE | PROT_EXEC;
	const size_t low = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 0 : 4;
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 0, 4),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 (uint32_t)(offsetof(struct seccomp_data, args) + 2 * 8 + low)),
		BPF_STMT(BPF_ALU | BPF_AND | BPF_K, both),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, both, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = { .len = 7, .filter = filter };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static int records_by_branch(void)
{
	struct life_trace trace;
	struct cairn_stats stats;
	char why[256] = "";
	unsigned i;

	LIFE_CHECK(3, refuse_text());
	life = life_start(NULL, CAIRN_DISCARD, 4096, 16);
	if (PATCHED) {
		LIFE_CHECK(4, cairn_enable(life.session, "*") == -EACCES);
		cairn_error(why, sizeof(why));
		LIFE_CHECK(5, strstr(why, "CAIRN_SITES=branch") != NULL);
		/* Nothing of the call is left, of the events with branch sites neither. */
		LIFE_CHECK(6, !cairn_enabled(sand, ev) && !cairn_enabled(sand, many));
		LIFE_CHECK(7, !branch_enabled());
		branch_hit(1000);
		cairn_trace(sand, ev, 1000);
	}
	LIFE_CHECK(8, cairn_enable(life.session, "branch:*") == 1);
	LIFE_CHECK(9, branch_enabled());
	for (i = 0; i < 100; i++)
		branch_hit(i);
	LIFE_CHECK(10, cairn_session_stop(life.session, &stats) == 0);
	LIFE_CHECK(11, stats.recorded == 100 && stats.lost == 0);
	trace = life_load(life.dir);
	life_expect(&trace, 0, "branch:ev", 0, 100);
	life_total(&trace, 100);
	life_free(&trace);
	life_remove(life.dir);
	return 0;
}

START_TEST(lesson_38)
{
	life_run(records_by_branch, "program text cannot be made writable");
}
END_TEST

/* The lines of /proc/self/maps for executable mappings of files; some CPUs have executable stacks. */
static char *text_maps(void)
{
	const int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	char *all = malloc(1 << 20), *text = calloc(1 << 20, 1), *line, *next;
	size_t used = 0;
	ssize_t got;

	ck_assert(fd >= 0 && all && text);
	while ((got = read(fd, all + used, (1 << 20) - 1 - used)) > 0)
		used += (size_t)got;
	close(fd);
	all[used] = 0;
	for (line = all; *line; line = next) {
		const char *space = strchr(line, ' ');

		next = strchr(line, '\n') + 1;
		if (space[3] == 'x' && memchr(line, '/', (size_t)(next - line)))
			strncat(text, line, (size_t)(next - line));
	}
	free(all);
	return text;
}

START_TEST(lesson_39)
{
	char *before = text_maps(), *on, *after;

	life = life_start(NULL, CAIRN_DISCARD, 4096, 16);
	ck_assert_int_eq(cairn_enable(life.session, "*"), 3);
	on = text_maps();
	ck_assert_int_eq(cairn_disable(life.session, "*"), 3);
	after = text_maps();
	ck_assert_msg(!strcmp(before, on) && !strcmp(before, after),
		      "executable mappings before:\n%senabled:\n%sdisabled:\n%s", before, on,
		      after);
	life_stop(&life);
	life_remove(life.dir);
	free(before);
	free(on);
	free(after);
}
END_TEST

/* 20,000 sites: as many system calls as for one. */
static int enable_many(void)
{
	LIFE_CHECK(3, life_traced());
	life = life_start("sand:ev", CAIRN_DISCARD, 4096, 16);
	LIFE_CHECK(4, cairn_disable(life.session, "sand:ev") == 1);
	life_mark();
	LIFE_CHECK(5, cairn_enable(life.session, "sand:*") == 2);
	life_mark();
	life_mark();
	LIFE_CHECK(6, cairn_disable(life.session, "sand:*") == 2);
	life_mark();
	LIFE_CHECK(7, cairn_session_stop(life.session, NULL) == 0);
	life_remove(life.dir);
	return 0;
}

START_TEST(lesson_20_and_pitfall_T12)
{
	struct life_watch watch = { .signal = 0 };
	const pid_t child = fork();

	if (child == 0) {
		life_limit(60);
		_exit(enable_many());
	}
	life_watch(&watch, child, "enable 20,000 sites");
	/* Enabled and disabled: a pair each, and memory for the list of sites has no say in it. */
	ck_assert_msg(watch.calls[SYS_mprotect] == (PATCHED ? 4 : 0),
		      "%u mprotect calls for %d sites on and off, expected %d",
		      watch.calls[SYS_mprotect], SITES_MANY, PATCHED ? 4 : 0);
	ck_assert_msg(watch.calls[SYS_membarrier] <= 10,
		      "%u membarrier calls for one enable and one disable, expected 10 at most",
		      watch.calls[SYS_membarrier]);
	ck_assert_msg(watch.all_calls <= 60, "%u system calls for %d sites on and off",
		      watch.all_calls, SITES_MANY);
}
END_TEST

/* ---- limits ---- */

static volatile sig_atomic_t exceeded;

static void on_limit(int number)
{
	(void)number;
	exceeded++;
}

/* Files may not grow beyond 64 KiB: no ring, and no signal. */
static int no_room_for_rings(void)
{
	const struct rlimit limit = { 65536, 65536 };
	char *dir = reader_folder("/tmp");
	const struct cairn_config config = { .size = sizeof(config), .output = dir };
	char why[256] = "";

	signal(SIGXFSZ, on_limit);
	LIFE_CHECK(3, setrlimit(RLIMIT_FSIZE, &limit) == 0);
	LIFE_CHECK(4, cairn_session_start(&life.session, &config) == -EFBIG);
	cairn_error(why, sizeof(why));
	LIFE_CHECK(5, strlen(why) > 0);
	LIFE_CHECK(6, exceeded == 0);
	life_remove(dir);
	return 0;
}

/* The limit comes later: a file that is full is followed by another one. */
static int no_room_for_trace(void)
{
	struct rlimit limit = { 262144, RLIM_INFINITY };
	struct cairn_stats stats;
	const char *command[] = { READER, NULL, NULL };
	struct reader reader;
	uint64_t lines = 0;
	unsigned i;
	char *c;

	signal(SIGXFSZ, on_limit);
	life = life_start("sand:ev", CAIRN_BLOCK, 65536, 4);
	LIFE_CHECK(3, setrlimit(RLIMIT_FSIZE, &limit) == 0);
	for (i = 0; i < 100000; i++)
		cairn_trace(sand, ev, i);
	cairn_session_stop(life.session, &stats); /* may say -EFBIG */
	LIFE_CHECK(4, exceeded == 0);
	LIFE_CHECK(5, stats.recorded + stats.lost == 100000);
	LIFE_CHECK(6, stats.recorded == 100000);
	limit.rlim_cur = RLIM_INFINITY;
	LIFE_CHECK(8, setrlimit(RLIMIT_FSIZE, &limit) == 0);
	command[3] = life.dir;
	reader = reader_run(command);
	for (c = reader.out; *c; c++)
		lines += *c == '\n';
	LIFE_CHECK(7, reader.status == 0 && lines == stats.recorded);
	reader_free(&reader);
	life_remove(life.dir);
	return 0;
}

START_TEST(lesson_33)
{
	life_run(no_room_for_rings, "no room for rings");
}
END_TEST

START_TEST(pitfall_T25)
{
	life_run(no_room_for_trace, "no room for the trace's files");
}
END_TEST

/* No descriptor is left when new threads begin to trace: their rings need none. */
static int no_descriptors(void)
{
	struct rlimit limit;
	struct cairn_stats stats;
	unsigned from[] = { 0, 1000, 2000 }, i;
	pthread_t thread;

	life = life_start("sand:ev", CAIRN_DISCARD, 65536, 16);
	trace_thousand(&from[0]);
	LIFE_CHECK(3, cairn_session_flush(life.session) == 0);
	LIFE_CHECK(4, getrlimit(RLIMIT_NOFILE, &limit) == 0);
	limit.rlim_cur = 0;
	LIFE_CHECK(5, setrlimit(RLIMIT_NOFILE, &limit) == 0);
	for (i = 1; i < 3; i++) {
		LIFE_CHECK(6, pthread_create(&thread, NULL, trace_thousand, &from[i]) == 0);
		LIFE_CHECK(7, pthread_join(thread, NULL) == 0);
	}
	cairn_session_stop(life.session, &stats); /* may say -EMFILE: new streams' files */
	LIFE_CHECK(8, stats.recorded + stats.lost == 3000 && stats.recorded >= 1000);
	limit.rlim_cur = limit.rlim_max;
	LIFE_CHECK(9, setrlimit(RLIMIT_NOFILE, &limit) == 0);
	life_remove(life.dir);
	return 0;
}

START_TEST(pitfall_T25_descriptors)
{
	life_run(no_descriptors, "no descriptor left");
}
END_TEST

/* A session cannot start without a descriptor for its folder: an error, and the next one works. */
static int no_descriptor_at_start(void)
{
	struct rlimit limit, none;
	struct cairn_config config = { .size = sizeof(config), .output = "/tmp/cairn-none" };
	struct cairn_stats stats;
	unsigned from = 0;

	LIFE_CHECK(3, getrlimit(RLIMIT_NOFILE, &limit) == 0);
	none = limit;
	none.rlim_cur = 3;
	LIFE_CHECK(4, setrlimit(RLIMIT_NOFILE, &none) == 0);
	LIFE_CHECK(5, cairn_session_start(&life.session, &config) < 0);
	trace_thousand(&from);
	LIFE_CHECK(6, setrlimit(RLIMIT_NOFILE, &limit) == 0);
	life = life_start("sand:ev", CAIRN_DISCARD, 65536, 16);
	trace_thousand(&from);
	LIFE_CHECK(7, cairn_session_stop(life.session, &stats) == 0 && stats.recorded == 1000);
	life_remove(life.dir);
	rmdir("/tmp/cairn-none");
	return 0;
}

START_TEST(lesson_19_descriptors)
{
	life_run(no_descriptor_at_start, "no descriptor at the start");
}
END_TEST

/* Little address space: fewer rings, or an error. The shadow memory of sanitizers does not fit. */
static int little_memory(void)
{
	const struct rlimit limit = { 512u << 20, 512u << 20 };
	char *dir = reader_folder("/tmp");
	const struct cairn_config config = { .size = sizeof(config), .output = dir };
	struct cairn_stats stats;
	unsigned from = 0;

	LIFE_CHECK(3, setrlimit(RLIMIT_AS, &limit) == 0);
	if (cairn_session_start(&life.session, &config) == 0) {
		LIFE_CHECK(4, cairn_enable(life.session, "sand:ev") == 1);
		trace_thousand(&from);
		LIFE_CHECK(5, cairn_session_stop(life.session, &stats) == 0);
		LIFE_CHECK(6, stats.recorded + stats.lost == 1000);
	}
	life_remove(dir);
	return 0;
}

START_TEST(lesson_19_memory)
{
	if (!life_sanitizer("address") && !life_sanitizer("thread"))
		life_run(little_memory, "little address space");
}
END_TEST

static void add(Suite *suite)
{
	LIFE_NATIVE(suite, lesson_37, LIFE_NO_FILTER);
	LIFE_NATIVE(suite, lesson_37_not_permitted, LIFE_NO_FILTER);
	LIFE_NATIVE(suite, pitfall_T13, LIFE_NO_FILTER);
	LIFE_NATIVE(suite, lesson_38, LIFE_NO_FILTER);
	LIFE_TEST(suite, lesson_39);
	LIFE_NATIVE(suite, lesson_20_and_pitfall_T12, LIFE_NO_TRACE);
	LIFE_TEST(suite, lesson_33);
	LIFE_TEST(suite, pitfall_T25);
	LIFE_TEST(suite, pitfall_T25_descriptors);
	LIFE_TEST(suite, lesson_19_descriptors);
	LIFE_TEST(suite, lesson_19_memory);
}

int main(int argc, char **argv)
{
	Suite *suite;
	SRunner *runner;
	int failed;

	if (argc > 0 && !strcmp(argv[0], "works_without")) {
		life_limit(60);
		return works_without();
	}
	suite = suite_create("sandbox");
	add(suite);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? 1 : 0;
}
