/* SPDX-License-Identifier: MIT */
/* One site of its own, which is never reached, and copies. */
#include "shared.hh"

LINK_COUNTED int link_second(int n)
{
	if (n == 0)
		cairn_trace(link, dead, nullptr, 0);
	link_copied(n);
	link_copies(n + 3);
	return link_template(n) + link_inline(n) + link_class{ n }.member();
}
