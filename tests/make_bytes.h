/* SPDX-License-Identifier: MIT */
/*
 * Bytes of records and packets in either byte order, built by hand: an encoder of its own, for tests to
 * compare core/ctf.c and core/walk.c with.
 */
#ifndef CAIRN_TEST_MAKE_BYTES_H
#define CAIRN_TEST_MAKE_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MAKE_BIG_HOST (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

struct bytes {
	unsigned char *data;
	size_t used, room;
	bool big; /* byte order of what is put */
};

static __attribute__((unused)) void put_raw(struct bytes *to, const void *from, size_t size)
{
	if (to->used + size > to->room) {
		to->room = 2 * (to->used + size) + 256;
		to->data = realloc(to->data, to->room);
		if (!to->data)
			abort();
	}
	if (size > 0)
		memcpy(to->data + to->used, from, size);
	to->used += size;
}

static __attribute__((unused)) void put_zeros(struct bytes *to, size_t size)
{
	for (; size > 0; size--)
		put_raw(to, "", 1);
}

/* An integer of `size` bytes, in the order of `big`. */
static __attribute__((unused)) void put_order(struct bytes *to, uint64_t value, unsigned size,
					      bool big)
{
	unsigned char byte;
	unsigned i;

	for (i = 0; i < size; i++) {
		byte = (unsigned char)(value >> 8 * (big ? size - 1 - i : i));
		put_raw(to, &byte, 1);
	}
}

static __attribute__((unused)) void put_uint(struct bytes *to, uint64_t value, unsigned size)
{
	put_order(to, value, size, to->big);
}

static __attribute__((unused)) void put_net(struct bytes *to, uint64_t value, unsigned size)
{
	put_order(to, value, size, true);
}

static __attribute__((unused)) void put_float(struct bytes *to, float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	put_uint(to, bits, 4);
}

static __attribute__((unused)) void put_double(struct bytes *to, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	put_uint(to, bits, 8);
}

static __attribute__((unused)) void put_str(struct bytes *to, const char *text)
{
	put_raw(to, text, strlen(text) + 1);
}

/* Fixed text, zero-padded. */
static __attribute__((unused)) void put_text(struct bytes *to, const char *text, size_t size)
{
	const size_t length = strlen(text) < size ? strlen(text) : size;

	put_raw(to, text, length);
	put_zeros(to, size - length);
}

/* Event headers: `header` is 4 (5 + 27 bits) or 6 (16 + 32 bits). */
static __attribute__((unused)) void put_short(struct bytes *to, unsigned header, uint32_t id,
					      uint64_t time)
{
	const uint32_t low = (uint32_t)time & 0x7ffffff;

	if (header == 4) {
		put_uint(to, to->big ? id << 27 | low : id | low << 5, 4);
		return;
	}
	put_uint(to, id, 2);
	put_uint(to, time & UINT32_MAX, 4);
}

static __attribute__((unused)) void put_long(struct bytes *to, unsigned header, uint32_t id,
					     uint64_t time)
{
	if (header == 4)
		put_uint(to, to->big ? 31 << 3 : 31, 1);
	else
		put_uint(to, 65535, 2);
	put_uint(to, id, 4);
	put_uint(to, time, 8);
}

#endif
