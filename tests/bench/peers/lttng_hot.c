/* SPDX-License-Identifier: MIT */
/*
 * The producer for LTTng-UST: `lttng_hot EVENTS NAME [THREADS]`. Each thread (1) hits the tracepoint EVENTS times;
 * prints the CPU time of all its threads per event (as NAME_app_ns) and the wall time (NAME_wall_ns_tTHREADS).
 * ci/bench.sh has made the session, and adds the CPU time of the consumer daemon.
 */
#include <pthread.h>

#include "bench.h"
#include "lttng_provider.h"

#define THREADS_MAX 64u

static uint32_t events;

static void *producer(void *unused)
{
	(void)unused;
	for (uint32_t i = 0; i < events; i++)
		lttng_ust_tracepoint(cairn_bench, event, i);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread[THREADS_MAX];
	uint64_t cpu, wall;
	unsigned threads;
	char name[64];

	if (argc != 3 && argc != 4)
		bench_fail("usage: lttng_hot EVENTS NAME [THREADS]");
	threads = argc == 4 ? bench_count(argv[3]) : 1;
	if (threads > THREADS_MAX)
		bench_fail("at most 64 threads");
	events = bench_count(argv[1]);
	if (!lttng_ust_tracepoint_enabled(cairn_bench, event))
		bench_fail("the session daemon has not enabled cairn_bench:event in this program");
	wall = bench_wall();
	cpu = bench_process_cpu();
	for (unsigned i = 1; i < threads; i++)
		if (pthread_create(&thread[i], NULL, producer, NULL))
			bench_fail("cannot create a thread");
	producer(NULL);
	for (unsigned i = 1; i < threads; i++)
		pthread_join(thread[i], NULL);
	cpu = bench_process_cpu() - cpu;
	wall = bench_wall() - wall;
	snprintf(name, sizeof(name), "%s_app_ns", argv[2]);
	bench_sample(name, (double)cpu / events / threads);
	snprintf(name, sizeof(name), "%s_wall_ns_t%u", argv[2], threads);
	bench_sample(name, (double)wall / events / threads);
	return 0;
}
