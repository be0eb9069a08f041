/* SPDX-License-Identifier: MIT */
/* Four sites and their copies: three events, one question. */
#include "link.h"

LINK_COUNTED int link_b(int n)
{
	cairn_trace(link, one, n);
	if (cairn_enabled(link, two))
		n += 10;
	cairn_trace(link, one, n);
	link_copied(n);
	return n;
}
