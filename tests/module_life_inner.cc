// SPDX-License-Identifier: MIT
// A C++ library that traces while it is loaded: in a static object's constructor. For test_loading.c.
#include <cairn/event.h>

CAIRN_EVENT(mod, inner, CAIRN_U32(n));

namespace
{
struct tracer {
	tracer()
	{
		cairn_trace(mod, inner, 0u);
	}
	~tracer()
	{
		cairn_trace(mod, inner, 1u);
	}
} tracer_object;
} // namespace

extern "C" void module_inner(unsigned n);
extern "C" void module_inner(unsigned n)
{
	cairn_trace(mod, inner, n);
}
