/* SPDX-License-Identifier: MIT */
/* Four sites and their copies. One is in a function that nobody calls, but which stays in the program. */
#include "link.h"

int dead_function(const uint8_t *kinds, int n);
LINK_COUNTED __attribute__((used)) int dead_function(const uint8_t *kinds, int n)
{
	cairn_trace(link, dead, kinds, n > 0 ? 1 : 0);
	return n;
}

LINK_COUNTED int link_a(int n)
{
	cairn_trace(link, one, n);
	if (n > 0)
		cairn_trace(link, two, "a", 3);
	link_copied(n);
	link_copied(n + 3);
	return n;
}
