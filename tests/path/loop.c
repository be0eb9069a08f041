/* SPDX-License-Identifier: MIT */
/*
 * loop MODE N: trace N events in steady state, for path.sh to count what that costs. While it does so, an
 * allocation or a lock of this thread is an error. MODE: discard, block, none (the loop without
 * tracing), thread (N threads of one event each), bare (N threads without one).
 * Prints: events lost packets.
 */
#define _GNU_SOURCE
#include <cairn/cairn.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

CAIRN_EVENT(loop, number, CAIRN_U32(n));
CAIRN_EVENT(loop, text, CAIRN_STR(text), CAIRN_SEQ(u16, numbers, count));

static __thread int armed;
static unsigned allocations, locks;

#ifdef __GLIBC__
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *memory, size_t size);
void __libc_free(void *memory);

void *malloc(size_t size)
{
	allocations += armed;
	return __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	allocations += armed;
	return __libc_calloc(n, size);
}

void *realloc(void *memory, size_t size)
{
	allocations += armed;
	return __libc_realloc(memory, size);
}

void free(void *memory)
{
	allocations += armed && memory;
	__libc_free(memory);
}
#endif

static int (*real_lock)(pthread_mutex_t *);

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	locks += armed;
	if (!real_lock)
		*(void **)&real_lock = dlsym(RTLD_NEXT, "pthread_mutex_lock");
	return real_lock(mutex);
}

static uint64_t hit(unsigned long n)
{
	static const uint16_t numbers[4] = { 1, 2, 3, 4 };
	unsigned long i;

	for (i = 0; i < n; i += 2) {
		cairn_trace(loop, number, (uint32_t)i);
		cairn_trace(loop, text, "some text", numbers, i % 5);
	}
	return n;
}

static void *one(void *data)
{
	armed = 1;
	if (data)
		cairn_trace(loop, number, 1);
	armed = 0;
	return NULL;
}

static void threads(unsigned long n, bool trace)
{
	pthread_t thread;

	while (n-- > 0) {
		pthread_create(&thread, NULL, one, trace ? &thread : NULL);
		pthread_join(thread, NULL);
	}
}

int main(int argc, char **argv)
{
	struct cairn_config config = { .size = sizeof(config) };
	struct cairn_session *session;
	struct cairn_stats stats;
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	const char *mode = argc > 1 ? argv[1] : "discard";
	const unsigned long n = argc > 2 ? strtoul(argv[2], NULL, 10) : 1000;

	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	config.mode = strcmp(mode, "block") ? CAIRN_DISCARD : CAIRN_BLOCK;
	config.packet_size = 4096;
	config.packets = 64;
	if (cairn_session_start(&session, &config) || cairn_enable(session, "loop:*") != 2)
		return 2;
	if (!strcmp(mode, "thread") || !strcmp(mode, "bare")) {
		threads(n, mode[0] == 't');
	} else {
		hit(2); /* the thread's first event is another matter */
		armed = 1;
		hit(strcmp(mode, "none") ? n : 0);
		armed = 0;
	}
	if (cairn_session_stop(session, &stats))
		return 2;
	printf("%llu %llu\n", (unsigned long long)stats.recorded, (unsigned long long)stats.lost);
	if (allocations || locks)
		printf("FAIL: %u allocations and %u locks on the path of an event\n", allocations,
		       locks);
	return allocations || locks;
}
