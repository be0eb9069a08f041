/* SPDX-License-Identifier: MIT */
/*
 * The producer for a USDT probe (SystemTap's sys/sdt.h): `usdt_hot EVENTS FILE`. Appends the CPU time
 * per hit to FILE, since bpftrace, which starts it, has standard output. ci/bench.sh checks that
 * bpftrace counted every hit.
 */
#include <sys/sdt.h>

#include "bench.h"

int main(int argc, char **argv)
{
	uint32_t events;
	uint64_t cpu;
	FILE *to;

	if (argc != 3)
		bench_fail("usage: usdt_hot EVENTS FILE");
	events = bench_count(argv[1]);
	cpu = bench_process_cpu();
	for (uint32_t i = 0; i < events; i++)
		DTRACE_PROBE1(bench, event, i);
	cpu = bench_process_cpu() - cpu;
	to = fopen(argv[2], "a");
	if (!to || fprintf(to, "usdt_ns\t%.6f\n", (double)cpu / events) < 0 || fclose(to))
		bench_fail("cannot write the result");
	return 0;
}
