/* SPDX-License-Identifier: MIT */
/* Events in functions of which each file makes a copy and the linker keeps one: three sites that stay
 * one each, and two that compilers put into their callers, or do not. */
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

inline void link_copied_inline(int n)
{
	cairn_trace(link, copied, n);
}

template <typename T> void link_copied_template(T n)
{
	cairn_trace(link, copied, static_cast<int>(n));
}

/* Three records. */
inline void link_copies(int n)
{
	link_copied_inline(n);
	link_copied_template<int>(n);
	link_copied_template<unsigned char>(1);
}

int link_second(int n);
