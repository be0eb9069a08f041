/* SPDX-License-Identifier: MIT */
/*
 * What an enabled event costs: `hot EVENTS DIR PART...`, each part measured once in the order given.
 *
 *   floor     a counter read and an 8-byte store per iteration: what no tracer can go below
 *   reserve   the producer's CPU time per event; the ring is drained and counted, nothing is written
 *   noclock   the same with a clock that only counts, and the loop around an empty call for comparison
 *   recordT   T threads record EVENTS each into DIR/trace, block mode: CPU of the whole process per
 *             event, consumer and closing of the trace included, and wall time per event
 *   flightT   T threads hit EVENTS each in flight mode: CPU of the whole process per event; and how long a
 *             snapshot of their rings takes, into DIR/trace
 *   latency   single calls, timed one by one while recording as in record1
 *
 * Rings are the default: 16 packets of 64 KiB a thread. Producers' loops are the same function.
 */
#define _GNU_SOURCE /* nftw */
#include <ftw.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include <cairn/cairn.h>

#include "bench.h"
#include "event.h"

#define RING_BYTES (16u * 65536u)
#define WARM_UP 10000u
#define THREADS_MAX 64u

static uint32_t events;
static char trace[4096];

static inline uint64_t ticks(void)
{
	return CAIRN_ARCH_CLOCK_BITS ? cairn_arch_ticks() : bench_wall();
}

static BENCH_NOINLINE void produce(uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		cairn_trace(bench, event, i);
}

/* What an event's call costs at least: the same arguments, nothing done. */
static BENCH_NOINLINE void callee(uint32_t payload, int end)
{
	__asm__ volatile("" : : "r"(payload), "r"(end));
}

static BENCH_NOINLINE void call(uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		callee(i, 0);
}

static uint64_t count;

static uint64_t counter(void *data)
{
	(void)data;
	return ++count;
}

static void fail_session(const char *what)
{
	char why[256];

	cairn_error(why, sizeof(why));
	fprintf(stderr, "bench: %s: %s\n", what, why);
	exit(1);
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

static void remove_trace(void)
{
	nftw(trace, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static struct cairn_session *start(const char *output, enum cairn_mode mode,
				   uint64_t (*clock)(void *))
{
	struct cairn_session *session;
	struct cairn_config config = {
		.size = sizeof(config),
		.output = output,
		.mode = mode,
		.clock = clock,
		.clock_hz = clock ? 1000000000u : 0,
	};

	if (output)
		remove_trace();
	if (cairn_session_start(&session, &config))
		fail_session("cairn_session_start");
	if (cairn_enable(session, "bench:event") < 1)
		fail_session("cairn_enable");
	return session;
}

/* Every event must be accounted for, or the time says nothing. */
static struct cairn_stats stop(struct cairn_session *session, uint64_t produced)
{
	struct cairn_stats stats;

	if (cairn_session_stop(session, &stats))
		fail_session("cairn_session_stop");
	if (stats.recorded + stats.lost != produced) {
		fprintf(stderr, "bench: %llu events produced, %llu recorded, %llu lost\n",
			(unsigned long long)produced, (unsigned long long)stats.recorded,
			(unsigned long long)stats.lost);
		exit(1);
	}
	return stats;
}

static void measure_floor(void)
{
	static uint64_t buffer[RING_BYTES / sizeof(uint64_t)];
	const uint32_t mask = RING_BYTES / sizeof(uint64_t) - 1;
	uint64_t begin;

	memset(buffer, 1, sizeof(buffer));
	begin = bench_thread_cpu();
	for (uint32_t i = 0; i < events; i++)
		buffer[i & mask] = ticks();
	__asm__ volatile("" : : "r"(buffer) : "memory");
	bench_sample("floor_ns", (double)(bench_thread_cpu() - begin) / events);
}

/* One producer into a ring that is only drained; returns its CPU time in ns per event. */
static double drained(uint64_t (*clock)(void *), uint64_t *lost)
{
	struct cairn_session *session = start(NULL, CAIRN_BLOCK, clock);
	uint64_t cpu;

	produce(WARM_UP);
	cpu = bench_thread_cpu();
	produce(events);
	cpu = bench_thread_cpu() - cpu;
	*lost = stop(session, (uint64_t)events + WARM_UP).lost;
	return (double)cpu / events;
}

static void measure_reserve(void)
{
	uint64_t lost;

	bench_sample("reserve_ns_t1", drained(NULL, &lost));
	bench_sample("reserve_lost", (double)lost);
}

static void measure_noclock(void)
{
	uint64_t cpu, lost;

	cpu = bench_thread_cpu();
	call(events);
	bench_sample("empty_call_ns", (double)(bench_thread_cpu() - cpu) / events);
	bench_sample("noclock_loop_ns", drained(counter, &lost));
}

static void *producer(void *unused)
{
	(void)unused;
	produce(events);
	return NULL;
}

static void run_producers(unsigned threads)
{
	pthread_t thread[THREADS_MAX];

	for (unsigned i = 0; i < threads; i++)
		if (pthread_create(&thread[i], NULL, producer, NULL))
			bench_fail("cannot create a thread");
	for (unsigned i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
}

static void measure_flight(unsigned threads)
{
	const uint64_t total = (uint64_t)events * threads;
	struct cairn_session *session = start(trace, CAIRN_FLIGHT, NULL);
	struct cairn_stats stats;
	uint64_t cpu, wall;
	char name[32];

	cpu = bench_process_cpu();
	run_producers(threads);
	cpu = bench_process_cpu() - cpu;
	wall = bench_wall();
	if (cairn_session_snapshot(session, NULL, &stats))
		fail_session("cairn_session_snapshot");
	wall = bench_wall() - wall;
	if (stats.recorded == 0 || stats.recorded > total || stats.lost)
		bench_fail("the snapshot is not what it should be");
	cairn_session_stop(session, NULL);
	remove_trace();
	snprintf(name, sizeof(name), "flight_ns_t%u", threads);
	bench_sample(name, (double)cpu / (double)total);
	snprintf(name, sizeof(name), "snapshot_ms_t%u", threads);
	bench_sample(name, (double)wall / 1e6);
}

static void measure_record(unsigned threads)
{
	const uint64_t total = (uint64_t)events * threads;
	struct cairn_session *session = start(trace, CAIRN_BLOCK, NULL);
	struct cairn_stats stats;
	uint64_t cpu, wall;
	char name[32];

	wall = bench_wall();
	cpu = bench_process_cpu();
	run_producers(threads);
	stats = stop(session, total);
	cpu = bench_process_cpu() - cpu;
	wall = bench_wall() - wall;
	remove_trace();

	snprintf(name, sizeof(name), "record_ns_t%u", threads);
	bench_sample(name, (double)cpu / (double)total);
	snprintf(name, sizeof(name), "record_wall_ns_t%u", threads);
	bench_sample(name, (double)wall / (double)total);
	bench_sample("record_lost", (double)stats.lost);
	if (threads == 1)
		bench_sample("bytes_per_event", (double)stats.bytes / (double)stats.recorded);
}

/* Histogram of ticks: exact below 2 * STEPS, then STEPS steps an octave. */
#define STEP_BITS 6u
#define STEPS (1u << STEP_BITS)
#define BUCKETS ((64u - STEP_BITS + 1) * STEPS)

static unsigned bucket(uint64_t value)
{
	unsigned shift;

	if (value < STEPS)
		return (unsigned)value;
	shift = 63u - (unsigned)__builtin_clzll(value) - STEP_BITS;
	return (shift << STEP_BITS) + (unsigned)(value >> shift);
}

/* The largest value that falls into a bucket. */
static uint64_t bucket_top(unsigned index)
{
	const unsigned shift = index < STEPS ? 0 : (index >> STEP_BITS) - 1;

	return (((uint64_t)(index - (shift << STEP_BITS)) + 1) << shift) - 1;
}

static void print_quantile(const char *name, const uint32_t *bucket_count, double share, double ns)
{
	uint64_t seen = 0;
	unsigned i;

	for (i = 0; i < BUCKETS - 1; i++) {
		seen += bucket_count[i];
		if ((double)seen >= share * events)
			break;
	}
	bench_sample(name, (double)bucket_top(i) * ns);
}

static void print_histogram(const uint32_t *bucket_count, double ns)
{
	char name[48];

	for (uint64_t low = 0, high = 16; high <= 1u << 30; low = high, high *= 2) {
		uint64_t n = 0;

		for (unsigned i = 0; i < BUCKETS; i++)
			if ((double)bucket_top(i) * ns >= (double)low &&
			    (double)bucket_top(i) * ns < (double)high)
				n += bucket_count[i];
		snprintf(name, sizeof(name), "event_below_%lluns", (unsigned long long)high);
		bench_sample(name, (double)n);
	}
}

static void measure_latency(void)
{
	static uint32_t bucket_count[BUCKETS];
	struct cairn_session *session = start(trace, CAIRN_BLOCK, NULL);
	uint64_t begin, wall, from, took, max = 0;
	double ns;

	memset(bucket_count, 0, sizeof(bucket_count));
	produce(WARM_UP);
	wall = bench_wall();
	begin = ticks();
	for (uint32_t i = 0; i < events; i++) {
		from = ticks();
		cairn_trace(bench, event, i);
		took = ticks() - from;
		bucket_count[bucket(took)]++;
		if (took > max)
			max = took;
	}
	ns = (double)(bench_wall() - wall) / (double)(ticks() - begin);
	stop(session, (uint64_t)events + WARM_UP);
	remove_trace();

	print_quantile("event_p50_ns", bucket_count, 0.50, ns);
	print_quantile("event_p99_ns", bucket_count, 0.99, ns);
	print_quantile("event_p999_ns", bucket_count, 0.999, ns);
	print_quantile("event_p9999_ns", bucket_count, 0.9999, ns);
	bench_sample("event_max_ns", (double)max * ns);
	print_histogram(bucket_count, ns);
}

static void measure(const char *part)
{
	if (!strcmp(part, "floor"))
		measure_floor();
	else if (!strcmp(part, "reserve"))
		measure_reserve();
	else if (!strcmp(part, "noclock"))
		measure_noclock();
	else if (!strcmp(part, "latency"))
		measure_latency();
	else if (!strncmp(part, "record", 6) && bench_count(part + 6) <= THREADS_MAX)
		measure_record(bench_count(part + 6));
	else if (!strncmp(part, "flight", 6) && bench_count(part + 6) <= THREADS_MAX)
		measure_flight(bench_count(part + 6));
	else
		bench_fail(
			"parts are floor, reserve, noclock, record1 to record64, flight1 to flight64, "
			"latency");
}

int main(int argc, char **argv)
{
	if (argc < 4)
		bench_fail("usage: hot EVENTS DIR PART...");
	events = bench_count(argv[1]);
	snprintf(trace, sizeof(trace), "%s/trace", argv[2]);
	for (int i = 3; i < argc; i++)
		measure(argv[i]);
	return 0;
}
