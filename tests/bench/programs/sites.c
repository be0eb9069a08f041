/* SPDX-License-Identifier: MIT */
/*
 * A program with the sites of sites_part.c. Without arguments it ends at once: that is its untraced
 * start. `sites enable` enables all of them, twice, and prints how long each took.
 */
#include <string.h>

#include <cairn/cairn.h>

#include "bench.h"

#define EVENTS 1000
#define SITES_OF_EVENT 20

/* Of sites_part.c: each hits 20 sites. */
void f0_00(uint32_t x);
void f9_99(uint32_t x);

static void enable(struct cairn_session *session, const char *name)
{
	const uint64_t begin = bench_wall();
	const int enabled = cairn_enable(session, "sites:*");
	const uint64_t took = bench_wall() - begin;
	char why[256];

	if (enabled != EVENTS) {
		cairn_error(why, sizeof(why));
		fprintf(stderr, "bench: cairn_enable says %d, %d events expected; %s\n", enabled,
			EVENTS, why);
		exit(1);
	}
	bench_sample(name, (double)took / 1e6);
}

int main(int argc, char **argv)
{
	struct cairn_config config = { .size = sizeof(config) };
	struct cairn_session *session;
	struct cairn_stats stats;

	if (argc < 2)
		return 0;
	if (strcmp(argv[1], "enable"))
		bench_fail("usage: sites [enable]");
	if (cairn_session_start(&session, &config))
		bench_fail("cairn_session_start failed");
	enable(session, "enable_20k_first_ms");
	if (cairn_disable(session, "sites:*") != EVENTS)
		bench_fail("cairn_disable did not find all events");
	enable(session, "enable_20k_ms");
	f0_00(1);
	f9_99(2);
	if (cairn_session_stop(session, &stats) || stats.recorded != 2 * SITES_OF_EVENT)
		bench_fail("not every enabled site recorded");
	return 0;
}
