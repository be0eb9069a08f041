/* SPDX-License-Identifier: MIT */
/*
 * The smallest program with events. To see them:
 *
 *     cairn record -o trace -- ./hello
 *     babeltrace2 trace
 *
 * or without the tool: CAIRN_TRACE='hello:*' CAIRN_OUTPUT=trace ./hello
 * Without either, each cairn_trace costs one instruction that does nothing.
 */
#include <cairn/event.h>
#include <stdio.h>

/* Declare: provider, event, fields. Here or in a header. */
CAIRN_EVENT(hello, start);
CAIRN_EVENT(hello, greeting, CAIRN_LOGLEVEL(INFO), CAIRN_STR(name), CAIRN_I32(number));

int main(int argc, char **argv)
{
	static const char *const names[] = { "world", "moon", "stars" };
	int i;

	cairn_trace(hello, start);
	for (i = 0; i < 3; i++) {
		const char *name = i + 1 < argc ? argv[i + 1] : names[i];

		printf("Hello, %s!\n", name);
		cairn_trace(hello, greeting, name, i); /* hit: the fields, in order */
	}
	return 0;
}
