/* SPDX-License-Identifier: MIT */
/* A library with an event, for test_loading.c. In a static build it has a copy of Cairn of its own. */
#include <cairn/event.h>

CAIRN_EVENT(mod, hit, CAIRN_U32(n));
CAIRN_EVENT(mod, conflict, CAIRN_U32(n));

void module_hit(unsigned n);
void module_hit(unsigned n)
{
	cairn_trace(mod, hit, n);
}

void module_conflict(unsigned n);
void module_conflict(unsigned n)
{
	cairn_trace(mod, conflict, n);
}
