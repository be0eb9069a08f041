/* SPDX-License-Identifier: MIT */
/*
 * A library whose constructor loads another instrumented library (its path is in LIFE_INNER), and has a
 * thread trace and waits for it, under the loader's lock. For test_loading.c.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

#include <cairn/event.h>

CAIRN_EVENT(mod, outer, CAIRN_U32(n));

static void *inner;

static void *trace_in_thread(void *data)
{
	cairn_trace(mod, outer, 1);
	return data;
}

static __attribute__((constructor)) void begin(void)
{
	const char *path = getenv("LIFE_INNER");
	pthread_t thread;

	cairn_trace(mod, outer, 0);
	if (path)
		inner = dlopen(path, RTLD_NOW);
	if (pthread_create(&thread, NULL, trace_in_thread, NULL) == 0)
		pthread_join(thread, NULL);
	cairn_trace(mod, outer, 2);
}

static __attribute__((destructor)) void end(void)
{
	cairn_trace(mod, outer, 3);
	if (inner)
		dlclose(inner);
}
