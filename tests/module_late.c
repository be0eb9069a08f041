/* SPDX-License-Identifier: MIT */
/* A library with events, for test_session.c and others to load late: its own, and one that they have too. */
#include <cairn/event.h>

CAIRN_EVENT(late, mine, CAIRN_U32(n));
CAIRN_EVENT(session, shared, CAIRN_U32(n));

void late_hit(uint32_t n);
int late_enabled(void);

void late_hit(uint32_t n)
{
	cairn_trace(late, mine, n);
	cairn_trace(session, shared, n);
}

int late_enabled(void)
{
	return cairn_enabled(late, mine) + 2 * cairn_enabled(session, shared);
}
