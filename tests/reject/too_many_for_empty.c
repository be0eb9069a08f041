/* expect: too many arguments to function */
/* SPDX-License-Identifier: MIT */
#include <cairn/event.h>

CAIRN_EVENT(api, empty);

void test(const char *s);
void test(const char *s)
{
	cairn_trace(api, empty, s);
}
