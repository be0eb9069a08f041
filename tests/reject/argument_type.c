/* expect: makes integer from pointer|incompatible pointer to integer */
/* SPDX-License-Identifier: MIT */
#include <cairn/event.h>

CAIRN_EVENT(api, two, CAIRN_U32(n), CAIRN_STR(name));

void test(const char *s);
void test(const char *s)
{
	cairn_trace(api, two, s, s);
}
