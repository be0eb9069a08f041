/* SPDX-License-Identifier: MIT */
/* One site of its own, and copies; enables what the linker left, calls it, and counts. */
#include "shared.hh"
#include <cairn/cairn.h>
#include <cstdio>

static LINK_COUNTED int link_first(int n)
{
	cairn_trace(link, one, n);
	link_copies(n);
	return link_template(n) + link_inline(n) + link_class{ n }.member();
}

static int link_fail(const char *what, int got, int expected)
{
	char text[256];

	cairn_error(text, sizeof(text));
	std::printf("C++: %s: %d, expected %d (last error: %s)\n", what, got, expected, text);
	return 1;
}

extern "C" int link_run_cc()
{
	struct cairn_config config = cairn_config();
	struct cairn_session *session;
	struct cairn_stats stats;

	config.size = sizeof(config);
	int got = cairn_session_start(&session, &config);
	if (got)
		return link_fail("cairn_session_start", got, 0);
	got = cairn_enable(session, "link:*");
	if (got != 4)
		return link_fail("cairn_enable", got, 4);
	volatile int n = 1; /* not known to an optimiser that sees both files */
	got = link_first(n) + link_second(n + 1);
	if (got != 9)
		return link_fail("link_first + link_second", got, 9);
	got = cairn_session_stop(session, &stats);
	if (got)
		return link_fail("cairn_session_stop", got, 0);
	if (stats.recorded != 7 + 3 + 6)
		return link_fail("events recorded", static_cast<int>(stats.recorded), 7 + 3 + 6);
	return 0;
}
