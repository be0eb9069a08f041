/* SPDX-License-Identifier: MIT */
/* One site of its own, which is never reached. */
#include "shared.hh"

LINK_COUNTED int link_second(int n)
{
	if (n == 0)
		cairn_trace(link, dead, nullptr, 0);
	return link_template(n) + link_inline(n) + link_class{ n }.member();
}
