/* SPDX-License-Identifier: MIT */
/*
 * A program whose malloc, calloc, realloc and free trace, for tests/life.sh. Memory comes from an array.
 * Events must end, and an event in a thread that has a ring must not allocate: `poisoned` says so.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cairn/event.h>

CAIRN_EVENT(heap, taken, CAIRN_U32(n), CAIRN_U64(size));
CAIRN_EVENT(heap, given, CAIRN_U32(n));
CAIRN_EVENT(heap, hot, CAIRN_U32(n));

static unsigned char heap[64u << 20] __attribute__((aligned(16)));
static size_t used;
static unsigned calls, frees;
static int poisoned;

static void *take(size_t size)
{
	const size_t room = (size + 31) & ~(size_t)15;
	size_t at;

	if (poisoned)
		abort();
	if (room < size)
		return NULL;
	at = __atomic_fetch_add(&used, room, __ATOMIC_RELAXED);
	if (at + room > sizeof(heap))
		return NULL;
	memcpy(heap + at, &size, sizeof(size));
	cairn_trace(heap, taken, __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED), size);
	return heap + at + 16;
}

void *malloc(size_t size)
{
	return take(size);
}

void *calloc(size_t n, size_t size)
{
	return size && n > (size_t)-1 / size ? NULL : take(n * size); /* never used before: zero */
}

void *realloc(void *old, size_t size)
{
	void *memory = take(size);
	size_t before;

	if (!old || !memory)
		return memory;
	memcpy(&before, (unsigned char *)old - 16, sizeof(before));
	memcpy(memory, old, before < size ? before : size);
	return memory;
}

void free(void *memory)
{
	if (!memory)
		return;
	if (poisoned)
		abort();
	cairn_trace(heap, given, __atomic_fetch_add(&frees, 1, __ATOMIC_RELAXED));
}

int main(void)
{
	unsigned i;
	void *memory;

	for (i = 0; i < 1000; i++) {
		memory = malloc(i);
		if (!memory)
			return 1;
		free(memory);
	}
	cairn_trace(heap, hot, 0);
	poisoned = 1;
	for (i = 1; i < 10000; i++)
		cairn_trace(heap, hot, i);
	poisoned = 0;
	return calls < 1000 || frees < 1000;
}
