/* SPDX-License-Identifier: MIT */
/*
 * What tests/life.sh runs traced. The first argument says how it ends: return, thread (exit from a second
 * thread), _exit, kill, secure (say whether the system trusts the environment); or `quiet N`: N events.
 * Events stand in constructors and destructors of several priorities and in atexit.
 */
#define _GNU_SOURCE 1
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <cairn/event.h>

CAIRN_EVENT(prog, begin, CAIRN_U32(n));
CAIRN_EVENT(prog, ev, CAIRN_U32(n));
CAIRN_EVENT(prog, end, CAIRN_U32(n));

static void preinit(void)
{
	cairn_trace(prog, begin, 1);
}

static __attribute__((used, section(".preinit_array"))) void (*const preinit_entry)(void) = preinit;

static __attribute__((constructor(101))) void begin_101(void)
{
	cairn_trace(prog, begin, 101);
}

static __attribute__((constructor(150))) void begin_150(void)
{
	cairn_trace(prog, begin, 150);
}

static __attribute__((constructor)) void begin_last(void)
{
	cairn_trace(prog, begin, 65535);
}

static __attribute__((destructor(101))) void end_101(void)
{
	cairn_trace(prog, end, 101);
}

static __attribute__((destructor(102))) void end_102(void)
{
	cairn_trace(prog, end, 102);
}

static __attribute__((destructor)) void end_first(void)
{
	cairn_trace(prog, end, 65535);
}

static void at_exit(void)
{
	cairn_trace(prog, end, 1);
}

static void *exit_here(void *data)
{
	cairn_trace(prog, ev, 1);
	exit(0);
	return data;
}

/* A thread that goes on while the program ends. */
static void *trace_on(void *data)
{
	for (;;)
		cairn_trace(prog, ev, 2);
	return data;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "return";
	pthread_t thread;
	int i;

	atexit(at_exit);
	if (!strcmp(what, "thread")) {
		if (pthread_create(&thread, NULL, exit_here, NULL) == 0)
			pause();
	} else if (!strcmp(what, "running")) {
		for (i = 0; i < 3; i++)
			pthread_create(&thread, NULL, trace_on, NULL);
		usleep(20000);
	} else if (!strcmp(what, "quiet")) {
		for (i = 0; argc > 2 && i < atoi(argv[2]); i++)
			cairn_trace(prog, ev, (unsigned)i);
	} else {
		cairn_trace(prog, ev, 0);
	}
	if (!strcmp(what, "secure"))
		puts(getauxval(AT_SECURE) ? "secure" : "trusting");
	if (!strcmp(what, "_exit"))
		_exit(0);
	if (!strcmp(what, "kill"))
		raise(SIGKILL);
	return 0;
}
