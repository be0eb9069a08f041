/* SPDX-License-Identifier: MIT */
/*
 * What a command costs: `cost FILE COMMAND...` runs it with its standard output in FILE, and prints wall
 * time and CPU time, that of all processes which it waited for included, in milliseconds.
 */
#define _GNU_SOURCE /* wait4 */
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

extern char **environ;

static double milliseconds(struct timeval t)
{
	return (double)t.tv_sec * 1000 + (double)t.tv_usec / 1000;
}

int main(int argc, char **argv)
{
	posix_spawn_file_actions_t actions;
	struct rusage usage;
	uint64_t wall;
	int status;
	pid_t pid;

	if (argc < 3)
		bench_fail("usage: cost FILE COMMAND...");
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, argv[1],
					 O_WRONLY | O_CREAT | O_TRUNC, 0600);
	wall = bench_wall();
	if (posix_spawnp(&pid, argv[2], &actions, NULL, argv + 2, environ) ||
	    wait4(pid, &status, 0, &usage) != pid || status) {
		fprintf(stderr, "bench: %s fails\n", argv[2]);
		return 1;
	}
	bench_sample("wall_ms", (double)(bench_wall() - wall) / 1e6);
	bench_sample("cpu_ms", milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime));
	return 0;
}
