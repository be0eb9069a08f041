/* SPDX-License-Identifier: MIT */
/*
 * Strings into records. Called by the generated serialisers (include/cairn/fields.h) from the thread
 * that hits the event, signal handlers included. Each string is measured once; what is copied later is
 * bounded by that measure and repaired if another thread changed the string in between, so that the
 * record always is as long as its reservation and holds one NUL per string, at its end.
 */
#define _POSIX_C_SOURCE 200809L /* strnlen */
#include <cairn/fields.h>

#include <string.h>

static const char cairn_null[] = "(null)";
static const char cairn_cut[] = "...";

size_t cairn_str_bytes(const char *s)
{
	size_t size;

	if (!s)
		return sizeof(cairn_null);
	size = strnlen(s, CAIRN_STR_MAX);
	return size + 1;
}

unsigned char *cairn_put_str(unsigned char *to, const char *s, size_t bytes)
{
	const size_t size = bytes - 1;
	unsigned char *early;

	memcpy(to, s ? s : cairn_null, size);
	early = memchr(to, 0, size);
	if (early)
		memset(early, '#', (size_t)(to + size - early));
	if (size == CAIRN_STR_MAX)
		memcpy(to + size - (sizeof(cairn_cut) - 1), cairn_cut, sizeof(cairn_cut) - 1);
	to[size] = 0;
	return to + bytes;
}

/* Reads no further than `bytes` or the NUL, whichever comes first; the rest is zeros. */
unsigned char *cairn_put_text(unsigned char *to, const char *s, size_t bytes)
{
	size_t i;

	if (!s)
		s = cairn_null;
	for (i = 0; i < bytes && s[i]; i++)
		to[i] = (unsigned char)s[i];
	memset(to + i, 0, bytes - i);
	return to + bytes;
}

size_t cairn_seq_bytes_str(const char *const *strings, size_t count, size_t size)
{
	size_t i, sum = 0;

	(void)size;
	if (!strings)
		return 0;
	if (count > CAIRN__SEQ_MAX)
		return CAIRN__TOO_BIG;
	for (i = 0; i < count && sum < CAIRN__TOO_BIG; i++)
		sum += cairn_str_bytes(strings[i]);
	return sum < CAIRN__TOO_BIG ? sum : CAIRN__TOO_BIG;
}

/*
 * The sum was measured, not each string: a string that has grown since may only take what leaves a
 * byte for each one after it, and the last one is filled up to the sum.
 */
unsigned char *cairn_put_seq_str(unsigned char *to, const char *const *strings, size_t count,
				 size_t bytes)
{
	const uint16_t n = (uint16_t)(strings ? count : 0);
	uint16_t i;

	to = cairn_put(to, &n, sizeof(n));
	for (i = 0; i < n; i++) {
		const size_t room = bytes - (size_t)(n - 1 - i);
		size_t take = cairn_str_bytes(strings[i]);

		if (take > room)
			take = room;
		to = cairn_put_str(to, strings[i], take);
		if (i == n - 1 && take < room) {
			memset(to - 1, '#', room - take);
			to += room - take;
			to[-1] = 0;
		}
		bytes -= take;
	}
	return to;
}
