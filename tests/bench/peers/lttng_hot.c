/* SPDX-License-Identifier: MIT */
/*
 * The producer for LTTng-UST: `lttng_hot EVENTS NAME`. One thread hits the tracepoint EVENTS times;
 * prints the CPU time of all its threads per event (as NAME_app_ns) and the wall time (NAME_wall_ns_t1).
 * ci/bench.sh has made the session, and adds the CPU time of the consumer daemon.
 */
#include "bench.h"
#include "lttng_provider.h"

int main(int argc, char **argv)
{
	uint64_t cpu, wall;
	uint32_t events;
	char name[64];

	if (argc != 3)
		bench_fail("usage: lttng_hot EVENTS NAME");
	events = bench_count(argv[1]);
	if (!lttng_ust_tracepoint_enabled(cairn_bench, event))
		bench_fail("the session daemon has not enabled cairn_bench:event in this program");
	wall = bench_wall();
	cpu = bench_process_cpu();
	for (uint32_t i = 0; i < events; i++)
		lttng_ust_tracepoint(cairn_bench, event, i);
	cpu = bench_process_cpu() - cpu;
	wall = bench_wall() - wall;
	snprintf(name, sizeof(name), "%s_app_ns", argv[2]);
	bench_sample(name, (double)cpu / events);
	snprintf(name, sizeof(name), "%s_wall_ns_t1", argv[2]);
	bench_sample(name, (double)wall / events);
	return 0;
}
