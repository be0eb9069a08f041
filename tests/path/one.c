/* SPDX-License-Identifier: MIT */
/*
 * Enabled events with a mark between them, for tests/figures.sh, which counts what runs from mark to mark.
 * (With the argument `traced` they run under tests/path/steps.c.) Prints what the table of ci/run.sh says of
 * this configuration: the clock, and the kind of site.
 */
#include <cairn/cairn.h>

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>

CAIRN_EVENT(path, one, CAIRN_U32(n));

static __attribute__((noinline)) void mark(void)
{
	__asm__ volatile("" : : : "memory");
}

static __attribute__((noinline)) void one(uint32_t n)
{
	cairn_trace(path, one, n);
}

int main(int argc, char **argv)
{
	struct cairn_config config = { .size = sizeof(config) };
	struct cairn_session *session;
	struct cairn_stats stats;
	char clock[128];
	uint32_t i;

	if (cairn_session_start(&session, &config) || cairn_enable(session, "path:one") != 1)
		return 1;
	if (argc == 2 && !strcmp(argv[1], "traced") &&
	    (ptrace(PTRACE_TRACEME, 0, NULL, NULL) || raise(SIGSTOP)))
		return 3;
	for (i = 0; i < 4; i++) {
		mark();
		one(i);
	}
	mark();
	if (cairn_session_stop(session, &stats) || stats.recorded != 4 ||
	    cairn_clock_info(clock, sizeof(clock)) < 0)
		return 2;
	clock[strcspn(clock, ":")] = 0;
	printf("clock=%s\n", clock);
#if CAIRN_ARCH_SITE_SIZE && !CAIRN__BRANCH_SITES
	printf("sites=patch/%d\n", CAIRN_ARCH_SITE_SIZE); /* and its bytes */
#else
	printf("sites=branch\n");
#endif
	return 0;
}
