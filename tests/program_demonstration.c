/* SPDX-License-Identifier: MIT */
/*
 * All types of fields, in several threads: tests/demonstration.sh records it on every target and compares
 * what babeltrace2 shows on the host with demonstration.txt. What it records depends on nothing but this file.
 */
#define _GNU_SOURCE
#include <cairn/cairn.h>

#include <arpa/inet.h>
#include <pthread.h>
#include <sys/prctl.h>

CAIRN_ENUM_TYPE(demo_state, u8, CAIRN_VALUE(IDLE, 0), CAIRN_VALUE(BUSY, 1),
		CAIRN_RANGE(LATE, 10, 99));
CAIRN_ENUM_TYPE(demo_sign, i32, CAIRN_RANGE(NEGATIVE, -2147483647, -1), CAIRN_VALUE(ZERO, 0));

CAIRN_EVENT(demo, begin, CAIRN_LOGLEVEL(INFO));
CAIRN_EVENT(demo, unsigned_numbers, CAIRN_U8(a), CAIRN_U16(b), CAIRN_U32(c), CAIRN_U64(d));
CAIRN_EVENT(demo, signed_numbers, CAIRN_I8(a), CAIRN_I16(b), CAIRN_I32(c), CAIRN_I64(d));
CAIRN_EVENT(demo, hexadecimal, CAIRN_X8(a), CAIRN_X16(b), CAIRN_X32(c), CAIRN_X64(d), CAIRN_PTR(p));
CAIRN_EVENT(demo, network, CAIRN_NET16(a), CAIRN_NET32(b), CAIRN_NET64(c));
CAIRN_EVENT(demo, others, CAIRN_BOOL(yes), CAIRN_BOOL(no), CAIRN_CHAR(letter), CAIRN_FLOAT(f),
	    CAIRN_DOUBLE(d));
CAIRN_EVENT(demo, enums, CAIRN_ENUM(state, demo_state), CAIRN_ENUM(late, demo_state),
	    CAIRN_ENUM(sign, demo_sign));
CAIRN_EVENT(demo, texts, CAIRN_STR(name), CAIRN_STR(none), CAIRN_TEXT(tag, 4), CAIRN_STR(thread));
CAIRN_EVENT(demo, arrays, CAIRN_U8(odd), CAIRN_ARRAY(u16, a, 3), CAIRN_ARRAY(i64, b, 2),
	    CAIRN_ARRAY(double, c, 2), CAIRN_ARRAY(ENUM(demo_state), d, 2));
CAIRN_EVENT(demo, sequences, CAIRN_U8(odd), CAIRN_SEQ(u8, a, na), CAIRN_SEQ(x32, b, nb),
	    CAIRN_SEQ(net64, c, nc), CAIRN_SEQ(float, d, nd), CAIRN_SEQ(str, e, ne),
	    CAIRN_SEQ(u64, f, nf));

static uint64_t net64(uint64_t value)
{
	const uint32_t words[2] = { htonl((uint32_t)(value >> 32)), htonl((uint32_t)value) };
	uint64_t result;

	__builtin_memcpy(&result, words, sizeof(result));
	return result;
}

static void hit(uint32_t round, const char *thread)
{
	static const char *const words[] = { "one", NULL, "", "three" };
	static const uint8_t bytes[] = { 1, 2, 254, 255 };
	static const uint16_t shorts[] = { 1, 0x1234, 65535 };
	static const uint32_t longs[] = { 1, 0xdeadbeef };
	static const uint64_t quads[] = { 1, UINT64_MAX };
	static const int64_t both[] = { INT64_MIN, -1 };
	static const float floats[] = { 0.5f, -0.25f };
	static const double doubles[] = { 1e-3, -1e10 };
	static const cairn_enum_demo_state states[] = { 1, 50 };
	const uint64_t ordered[] = { net64(1), net64(UINT64_C(0x0102030405060708)) };

	cairn_trace(demo, unsigned_numbers, 255, 65535, UINT32_MAX - round, UINT64_MAX - round);
	cairn_trace(demo, signed_numbers, -128, -32768, INT32_MIN + (int32_t)round,
		    INT64_MIN + round);
	cairn_trace(demo, hexadecimal, 0xfe, 0xfedc, 0xfedcba98 + round,
		    UINT64_C(0xfedcba9876543210) + round, (const void *)(uintptr_t)0x12345678);
	cairn_trace(demo, network, htons(0x1234), htonl(0x12345678 + round),
		    net64(UINT64_C(0x123456789abcdef0)));
	cairn_trace(demo, others, true, false, 'x', 0.5f + (float)round, -1234.5625);
	cairn_trace(demo, enums, 1, 42, -1 - (int32_t)round);
	cairn_trace(demo, texts, "a \"quoted\" string", NULL, "tag that is longer", thread);
	cairn_trace(demo, arrays, (uint8_t)round, shorts, both, doubles, states);
	cairn_trace(demo, sequences, (uint8_t)round, bytes, 4 - round % 4, longs, 2, ordered, 2,
		    floats, 2, words, 4, quads, round % 3);
}

static void *work(void *name)
{
	uint32_t round;

	prctl(PR_SET_NAME, name, 0, 0, 0);
	cairn_trace(demo, begin);
	for (round = 0; round < 5; round++)
		hit(round, name);
	return NULL;
}

int main(void)
{
	static char names[][8] = { "first", "second", "third" };
	pthread_t thread[3];
	int i;

	for (i = 0; i < 3; i++)
		if (pthread_create(&thread[i], NULL, work, names[i]))
			return 1;
	for (i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	return 0;
}
