/* expect: too few arguments to function|no matching function for call to .cairn_hit_api__two */
/* SPDX-License-Identifier: MIT */
#include <cairn/event.h>

CAIRN_EVENT(api, two, CAIRN_U32(n), CAIRN_STR(name));

void test(const char *s);
void test(const char *s)
{
	cairn_trace(api, two, s[0]);
}
