/* SPDX-License-Identifier: MIT */
/*
 * The smallest C++ program with events. To see them:
 *
 *     cairn record -o trace -- ./hello_cc
 *     babeltrace2 trace
 *
 * or without the tool: CAIRN_TRACE='hello:*' CAIRN_OUTPUT=trace ./hello_cc
 * Without either, each cairn_trace costs one instruction that does nothing.
 */
#include <cairn/event.h>
#include <iostream>
#include <string>
#include <vector>

// Declare: provider, event, fields. Here or in a header.
CAIRN_EVENT(hello, start);
CAIRN_EVENT(hello, greeting, CAIRN_LOGLEVEL(INFO), CAIRN_STR(name), CAIRN_U64(length));

int main()
{
	const std::vector<std::string> names = { "world", "moon", "stars" };

	cairn_trace(hello, start);
	for (const std::string &name : names) {
		std::cout << "Hello, " << name << "!\n";
		cairn_trace(hello, greeting, name.c_str(),
			    name.size()); // hit: the fields, in order
	}
}
