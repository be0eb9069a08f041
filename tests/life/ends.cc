// SPDX-License-Identifier: MIT
// Events in static and thread_local objects of C++, for tests/life.sh: constructors before main, and
// destructors after it and at the end of threads.
#include <thread>

#include <cairn/event.h>

CAIRN_EVENT(cpp, made, CAIRN_U32(n));
CAIRN_EVENT(cpp, gone, CAIRN_U32(n));

namespace
{
struct object {
	unsigned number;
	explicit object(unsigned n) : number(n)
	{
		cairn_trace(cpp, made, number);
	}
	~object()
	{
		cairn_trace(cpp, gone, number);
	}
};
object before_main(1);
thread_local object of_thread(2);

void touch()
{
	of_thread.number = 3;
}
} // namespace

int main()
{
	static object in_main(4);

	std::thread(touch).join();
	touch();
	return 0;
}
