/* SPDX-License-Identifier: MIT */
/*
 * How long programs take from start to end: `startup ROUNDS NAME=PROGRAM...`. All are run once a round,
 * with an empty environment; prints median and distance of the quartiles of each, in microseconds.
 */
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>

#include "bench.h"

#define PROGRAMS_MAX 16

static double run(const char *program)
{
	char *const argv[] = { (char *)program, NULL };
	char *const envp[] = { NULL };
	const uint64_t begin = bench_wall();
	int status;
	pid_t pid;

	if (posix_spawn(&pid, program, NULL, NULL, argv, envp) || waitpid(pid, &status, 0) != pid ||
	    status) {
		fprintf(stderr, "bench: %s does not run\n", program);
		exit(1);
	}
	return (double)(bench_wall() - begin) / 1000;
}

static int compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void print(const char *name, size_t length, double *took, uint32_t n)
{
	char text[64];

	qsort(took, n, sizeof(*took), compare);
	snprintf(text, sizeof(text), "%.*s_us", (int)length, name);
	bench_sample(text, took[n / 2]);
	snprintf(text, sizeof(text), "%.*s_spread_us", (int)length, name);
	bench_sample(text, took[n * 3ul / 4] - took[n / 4]);
}

int main(int argc, char **argv)
{
	const char *program[PROGRAMS_MAX];
	double *took[PROGRAMS_MAX];
	uint32_t rounds;

	if (argc < 3 || argc > PROGRAMS_MAX + 2)
		bench_fail("usage: startup ROUNDS NAME=PROGRAM...");
	rounds = bench_count(argv[1]);
	argc -= 2;
	argv += 2;
	for (int i = 0; i < argc; i++) {
		program[i] = strchr(argv[i], '=');
		took[i] = malloc(rounds * sizeof(**took));
		if (!program[i]++ || !took[i])
			bench_fail("NAME=PROGRAM is expected, and memory");
		run(program[i]); /* its pages are read in */
	}
	for (uint32_t r = 0; r < rounds; r++)
		for (int i = 0; i < argc; i++)
			took[i][r] = run(program[i]);
	for (int i = 0; i < argc; i++)
		print(argv[i], (size_t)(program[i] - argv[i] - 1), took[i], rounds);
	return 0;
}
