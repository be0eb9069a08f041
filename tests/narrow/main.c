/* SPDX-License-Identifier: MIT */
/*
 * narrow.sh's program: a machine with one CPU (argument 2 is how many) and a counter of 32 bits. Events
 * with the time of day just before each, behind idle rounds of the counter, in a child of fork, too.
 */
#define _GNU_SOURCE
#include <cairn/cairn.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

CAIRN_EVENT(narrow, at, CAIRN_U64(before));

static long cpus;

/* What core/os_posix.c gets in the place of sysconf (the linker's --wrap). */
long __real_sysconf(int name);
long __wrap_sysconf(int name);
long __wrap_sysconf(int name)
{
	return name == _SC_NPROCESSORS_CONF ? cpus : __real_sysconf(name);
}

static uint64_t realtime(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void trace(void)
{
	cairn_trace(narrow, at, realtime());
}

int main(int argc, char **argv)
{
	static const double idle[] = { 0, 0.45, 1.0, 2.5 };
	struct cairn_config config = { .size = sizeof(config) };
	struct cairn_session *session;
	char text[200];
	pid_t child;
	int i;

	if (argc < 3)
		return 2;
	config.output = argv[1];
	cpus = atol(argv[2]);
	if (cairn_clock_info(text, sizeof(text)) < 0 || cairn_session_start(&session, &config) ||
	    cairn_enable(session, "narrow:*") != 1)
		return 1;
	puts(text);
	fflush(stdout);
	for (i = 0; i < 4; i++) {
		const uint64_t ns = (uint64_t)(idle[i] * 4294967296.0 / 4);
		const struct timespec nap = { (time_t)(ns / 1000000000u),
					      (long)(ns % 1000000000u) };

		nanosleep(&nap, NULL);
		trace();
	}
	child = fork();
	trace();
	if (child == 0)
		exit(cairn_session_stop(session, NULL) != 0);
	waitpid(child, &i, 0);
	return child < 0 || i || cairn_session_stop(session, NULL);
}
