/* SPDX-License-Identifier: MIT */
/*
 * What the benchmark programs share: clocks, and samples. A program prints one line for each single
 * measurement, `name <tab> value`; ci/bench.sh runs the programs in turns and makes minimum or median
 * of the samples. Every program fails, with a line on stderr, rather than print a number for something
 * that it did not measure.
 */
#ifndef CAIRN_BENCH_H
#define CAIRN_BENCH_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define BENCH_NOINLINE __attribute__((noinline))

static inline uint64_t bench_now(clockid_t clock)
{
	struct timespec t;

	if (clock_gettime(clock, &t)) {
		perror("clock_gettime");
		exit(1);
	}
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline uint64_t bench_wall(void)
{
	return bench_now(CLOCK_MONOTONIC);
}

/* CPU time of this thread, and of all threads of the process, those that ended included. */
static inline uint64_t bench_thread_cpu(void)
{
	return bench_now(CLOCK_THREAD_CPUTIME_ID);
}

static inline uint64_t bench_process_cpu(void)
{
	return bench_now(CLOCK_PROCESS_CPUTIME_ID);
}

static inline void bench_sample(const char *name, double value)
{
	printf("%s\t%.6f\n", name, value);
}

static inline void __attribute__((noreturn)) bench_fail(const char *what)
{
	fprintf(stderr, "bench: %s\n", what);
	exit(1);
}

/* A positive number on the command line. */
static inline uint32_t bench_count(const char *text)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (*end || !n || n > UINT32_MAX)
		bench_fail("a count from 1 to 4294967295 is expected");
	return (uint32_t)n;
}

#endif
