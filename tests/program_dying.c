/* SPDX-License-Identifier: MIT */
/*
 * program_dying EVENTS SIGNAL [PAUSE_AT PAUSE_MS]: a number and a text of changing length, EVENTS times in each
 * of two threads; then SIGNAL to itself (0: return). Once, before event PAUSE_AT, it pauses for PAUSE_MS.
 */
#define _GNU_SOURCE
#include <cairn/cairn.h>

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

CAIRN_EVENT(dying, number, CAIRN_U32(thread), CAIRN_U64(n), CAIRN_PTR(at));
CAIRN_EVENT(dying, text, CAIRN_U32(thread), CAIRN_STR(text), CAIRN_SEQ(u16, digits, count));

static unsigned events, pause_at, pause_ms;

static void *hit(void *data)
{
	const struct timespec nap = { pause_ms / 1000, (long)(pause_ms % 1000) * 1000000 };
	static const uint16_t digits[] = { 1, 2, 3, 4, 5, 6, 7 };
	const uint32_t thread = (uint32_t)(uintptr_t)data;
	char text[64] = "";
	unsigned i;

	for (i = 0; i < events; i++) {
		if (pause_ms && i == pause_at)
			nanosleep(&nap, NULL);
		cairn_trace(dying, number, thread, i, (const void *)(uintptr_t)0x1000);
		memset(text, 'x', i % 50);
		text[i % 50] = 0;
		cairn_trace(dying, text, thread, text, digits, i % 8);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc != 3 && argc != 5)
		return 2;
	events = (unsigned)strtoul(argv[1], NULL, 10);
	if (argc == 5) {
		pause_at = (unsigned)strtoul(argv[3], NULL, 10);
		pause_ms = (unsigned)strtoul(argv[4], NULL, 10);
	}
	if (pthread_create(&thread, NULL, hit, (void *)1))
		return 1;
	hit((void *)0);
	pthread_join(thread, NULL);
	if (atoi(argv[2]))
		kill(getpid(), atoi(argv[2]));
	return 0;
}
