/* SPDX-License-Identifier: MIT */
/* Events in functions of which each file makes a copy and the linker keeps one: three sites. */
#include "link.h"

template <typename T> LINK_COUNTED int link_template(T n)
{
	cairn_trace(link, one, static_cast<int>(n));
	return static_cast<int>(n);
}

LINK_COUNTED inline int link_inline(int n)
{
	cairn_trace(link, two, "inline", 1);
	return n;
}

struct link_class {
	int n;
	LINK_COUNTED int member() const
	{
		cairn_trace(link, one, n);
		return n;
	}
};

int link_second(int n);
