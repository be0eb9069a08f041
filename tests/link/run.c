/* SPDX-License-Identifier: MIT */
/* Enables what the linker left, calls it, and counts what was recorded. */
#include "link.h"
#include <cairn/cairn.h>
#include <stdio.h>

static int link_fail(const char *what, int got, int expected)
{
	char text[256];

	cairn_error(text, sizeof(text));
	printf("%s: %d, expected %d (last error: %s)\n", what, got, expected, text);
	return 1;
}

int link_run(void)
{
	struct cairn_config config = { .size = sizeof(config) };
	struct cairn_session *session;
	struct cairn_stats stats = { .recorded = 0 };
	volatile int n = 1; /* not known to an optimiser that sees all files */
	int before = link_b(n);
	int got;

	if (before != 1)
		return link_fail("link_b, disabled", before, 1);
	got = cairn_session_start(&session, &config);
	if (got)
		return link_fail("cairn_session_start", got, 0);
	got = cairn_enable(session, "link:*");
	if (got != 4)
		return link_fail("cairn_enable", got, 4);
	got = link_a(n) + link_b(n);
	if (got != 12)
		return link_fail("link_a + link_b, enabled", got, 12);
	got = cairn_session_stop(session, &stats);
	if (got)
		return link_fail("cairn_session_stop", got, 0);
	if (stats.recorded != 4 + 3 * 3)
		return link_fail("events recorded", (int)stats.recorded, 4 + 3 * 3);
	before = link_b(n);
	return before == 1 ? 0 : link_fail("link_b, disabled again", before, 1);
}
