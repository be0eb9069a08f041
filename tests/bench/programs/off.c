/* SPDX-License-Identifier: MIT */
/*
 * What a disabled site costs: `off ITERATIONS PAIRS`. Runs the loop of off_loop.c without sites and
 * with each kind that is linked in, in turns, and prints the difference per site of every pair.
 */
#include <stdbool.h>
#include <stddef.h>

#include "bench.h"

#define SITES 16u

void off_none(uint64_t n);
void off_cairn(uint64_t n) __attribute__((weak));
void off_branch(uint64_t n) __attribute__((weak));
void off_sdt(uint64_t n) __attribute__((weak));
void off_lttng(uint64_t n) __attribute__((weak));

static double run(void (*loop)(uint64_t), uint32_t n)
{
	const uint64_t begin = bench_thread_cpu();

	loop(n);
	return (double)(bench_thread_cpu() - begin) / n / SITES;
}

/* Which of the two runs first alternates: a drift of the CPU's speed cancels out. */
static void pair(const char *name, void (*loop)(uint64_t), uint32_t n, bool first)
{
	double with, without;

	if (!loop)
		return;
	with = first ? run(loop, n) : 0;
	without = run(off_none, n);
	if (!first)
		with = run(loop, n);
	bench_sample("off_none_ns", without);
	bench_sample(name, with - without);
}

int main(int argc, char **argv)
{
	uint32_t n, pairs;

	if (argc != 3)
		bench_fail("usage: off ITERATIONS PAIRS");
	n = bench_count(argv[1]);
	pairs = bench_count(argv[2]);
	off_none(n); /* the CPU speeds up */
	for (uint32_t i = 0; i < pairs; i++) {
		pair("off_delta_ns", off_cairn, n, i & 1);
		pair("branch_off_delta_ns", off_branch, n, i & 1);
		pair("usdt_off_delta_ns", off_sdt, n, i & 1);
		pair("lttng_off_delta_ns", off_lttng, n, i & 1);
	}
	return 0;
}
