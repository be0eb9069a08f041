/* SPDX-License-Identifier: MIT */
/*
 * The record walker, against records that are put together by hand: time as babeltrace2 rebuilds it,
 * every way in which a record can be cut or wrong, and no byte read at or beyond `to`: the buffers
 * here end at a page that faults.
 */
#define _GNU_SOURCE
#include <check.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "make_bytes.h"
#include "make_desc.h"
#include "walk.h"

#define BEGIN UINT64_C(0x123456789a)

/* Shapes of the events of these tests, by id. */
enum { PLAIN = 1, NOTHING, STRING, MIXED, SEQUENCE, STRINGS, LARGE, FAR = 100, PROGRAMS };

static struct cairn_shape_program program[PROGRAMS];
static const struct cairn_shape_program *by_id[PROGRAMS];

static void compile(uint32_t id, const struct make_field *field, uint16_t fields)
{
	struct cairn_desc *desc = make_event("walk", "event", 0, field, fields);

	ck_assert_int_eq(cairn_walk_compile(&program[id], desc, NULL, 0, sizeof(void *)), 0);
	by_id[id] = &program[id];
	free(desc);
}

static void setup(void)
{
	const struct make_field plain[] = { { "u32", "a", 0 },
					    { "x8[n]", "b", 3 },
					    { "text", "c", 2 } };
	const struct make_field string[] = { { "str", "a", 0 } };
	const struct make_field mixed[] = { { "u16", "a", 0 },   { "str", "b", 0 },
					    { "u8", "c", 0 },    { "u64", "d", 0 },
					    { "str", "e", 0 },   { "str", "f", 0 },
					    { "i32[]", "g", 0 }, { "u8", "h", 0 } };
	const struct make_field sequence[] = { { "u64[]", "a", 0 } };
	const struct make_field strings[] = { { "str[]", "a", 0 }, { "u8", "b", 0 } };
	const struct make_field large[] = { { "u64[n]", "a", UINT32_MAX } };

	compile(PLAIN, plain, 3);
	compile(NOTHING, NULL, 0);
	compile(STRING, string, 1);
	compile(MIXED, mixed, 8);
	compile(SEQUENCE, sequence, 1);
	compile(STRINGS, strings, 2);
	compile(LARGE, large, 1);
	compile(FAR, plain, 3);
}

/* The payload of an event of each kind, in some variety. */
static void put_payload(struct bytes *to, uint32_t id, uint32_t variety)
{
	uint32_t i;

	switch (id) {
	case PLAIN:
	case FAR:
		put_raw(to, "\xff\xff\xff\xff\xff\xff\xff\xff\xff", 9);
		break;
	case STRING:
		for (i = 0; i < variety; i++)
			put_raw(to, "x", 1);
		put_zeros(to, 1);
		break;
	case MIXED:
		put_zeros(to, 2);
		put_str(to, variety & 1 ? "one" : "");
		put_zeros(to, 9);
		put_str(to, variety & 2 ? "two" : "");
		put_str(to, "three");
		put_uint(to, variety % 5, 2);
		put_zeros(to, 4 * (variety % 5) + 1);
		break;
	case SEQUENCE:
		put_uint(to, variety, 2);
		put_zeros(to, 8 * (size_t)variety);
		break;
	case STRINGS:
		put_uint(to, variety, 2);
		for (i = 0; i < variety; i++)
			put_str(to, i % 3 ? "" : "text");
		put_raw(to, "\x7f", 1);
		break;
	}
}

/* A copy of the bytes that ends where a page begins which must not be touched. */
static unsigned char *at_edge(const struct bytes *bytes, size_t size)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE), room = (size + page - 1) / page * page;
	unsigned char *memory = mmap(NULL, room + page, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ck_assert_ptr_ne(memory, MAP_FAILED);
	ck_assert_int_eq(mprotect(memory + room, page, PROT_NONE), 0);
	if (size > 0)
		memcpy(memory + room - size, bytes->data, size);
	return memory + room - size;
}

static void drop_edge(unsigned char *at, size_t size)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE), room = (size + page - 1) / page * page;

	munmap(at + size - room, room + page);
}

static struct cairn_walk walk_begin(uint32_t header)
{
	return (struct cairn_walk){ by_id, PROGRAMS, header, BEGIN, 0, 0, false };
}

/* Walk exactly `size` bytes: `whole` of them are whole records, `records` of them, the last at `now`. */
static void expect(uint32_t header, const struct bytes *bytes, size_t size, size_t whole,
		   uint64_t records, uint64_t now)
{
	struct cairn_walk walk = walk_begin(header);
	unsigned char *at = at_edge(bytes, size);
	const unsigned char *end = cairn_walk_records(&walk, at, at + size);

	ck_assert_msg((size_t)(end - at) == whole, "of %zu bytes: expected %zu, got %td", size,
		      whole, end - at);
	ck_assert_uint_eq(walk.records, records);
	ck_assert_uint_eq(walk.now, now);
	drop_edge(at, size);
}

START_TEST(compiled)
{
	const struct make_field unknown = { "enum none", "a", 0 };
	struct make_field most[32];
	struct cairn_shape_program one;
	struct cairn_desc *desc = make_event("walk", "event", 0, &unknown, 1), *type;
	const struct make_label label = { "X", 0, 0 };
	uint16_t i;

	ck_assert_uint_eq(program[PLAIN].fixed, 9);
	ck_assert_uint_eq(program[PLAIN].steps, 0);
	ck_assert_uint_eq(program[NOTHING].fixed, 0);
	ck_assert_uint_eq(program[NOTHING].steps, 0);
	ck_assert_uint_eq(program[MIXED].steps, 7);
	ck_assert_uint_eq(program[LARGE].fixed, UINT32_MAX);
	ck_assert_int_eq(cairn_walk_compile(&one, desc, NULL, 0, sizeof(void *)), -EINVAL);
	type = make_enum("none", "i64", &label, 1);
	ck_assert_int_eq(cairn_walk_compile(&one, desc, (const struct cairn_desc *const[]){ type },
					    1, sizeof(void *)),
			 0);
	ck_assert_uint_eq(one.fixed, 8);
	free(desc);
	/* The most steps that there can be. */
	for (i = 0; i < 32; i++)
		most[i] = (struct make_field){ i % 2 ? "str" : "u8", "f", 0 };
	desc = make_event("walk", "event", 0, most, 32);
	ck_assert_int_eq(cairn_walk_compile(&one, desc, NULL, 0, sizeof(void *)), 0);
	ck_assert_uint_eq(one.steps, 32);
	free(desc);
	free(type);
}
END_TEST

/* Every kind of event cut at every byte, behind a whole one, in both headers, short and long. */
START_TEST(cut)
{
	static const uint32_t kind[] = { PLAIN, NOTHING, STRING, MIXED, SEQUENCE, STRINGS };
	const uint32_t id = kind[_i / 4], header = _i & 1 ? 6 : 4;
	const bool is_long = _i & 2;
	uint32_t variety;
	size_t size, first;

	for (variety = 0; variety < 8; variety++) {
		struct bytes bytes = { .big = MAKE_BIG_HOST };

		put_short(&bytes, header, id, BEGIN + 1);
		put_payload(&bytes, id, variety);
		first = bytes.used;
		if (is_long)
			put_long(&bytes, header, id, BEGIN + 2);
		else
			put_short(&bytes, header, id, BEGIN + 2);
		put_payload(&bytes, id, variety);
		for (size = 0; size < first; size++)
			expect(header, &bytes, size, 0, 0, BEGIN);
		for (size = first; size < bytes.used; size++)
			expect(header, &bytes, size, first, 1, BEGIN + 1);
		expect(header, &bytes, bytes.used, bytes.used, 2, BEGIN + 2);
		free(bytes.data);
	}
}
END_TEST

/* Ids that are not there, in short and long headers, stop the walk. */
START_TEST(unknown_ids)
{
	static const uint32_t id[] = { 0,     LARGE + 1, 30,       PROGRAMS,
				       65534, 65535,     1u << 31, UINT32_MAX };
	const uint32_t header = _i & 1 ? 6 : 4;
	const bool is_long = _i & 2;
	size_t i;

	for (i = 0; i < sizeof(id) / sizeof(id[0]); i++) {
		struct bytes bytes = { .big = MAKE_BIG_HOST };

		if (!is_long && id[i] >= (header == 4 ? 31 : 65535))
			continue;
		put_short(&bytes, header, NOTHING, BEGIN);
		if (is_long)
			put_long(&bytes, header, id[i], BEGIN);
		else
			put_short(&bytes, header, id[i], BEGIN);
		put_zeros(&bytes, 64);
		expect(header, &bytes, bytes.used, header, 1, BEGIN);
		free(bytes.data);
	}
}
END_TEST

/* A payload larger than any packet, also where it would wrap a 32-bit address. */
START_TEST(large_payload)
{
	struct bytes bytes = { .big = MAKE_BIG_HOST };

	put_short(&bytes, 4, LARGE, BEGIN);
	put_zeros(&bytes, 10000);
	expect(4, &bytes, bytes.used, 0, 0, BEGIN);
	bytes.used = 0;
	put_short(&bytes, 4, SEQUENCE, BEGIN);
	put_uint(&bytes, 65535, 2);
	put_zeros(&bytes, 65535 * 8 - 1);
	expect(4, &bytes, bytes.used, 0, 0, BEGIN);
	put_zeros(&bytes, 1);
	expect(4, &bytes, bytes.used, bytes.used, 1, BEGIN);
	free(bytes.data);
}
END_TEST

/* Gaps around the number of bits of a short time stamp. */
START_TEST(time_rebuilt)
{
	const uint32_t header = _i ? 6 : 4;
	const uint64_t wrap = (uint64_t)1 << (_i ? 32 : 27);
	const uint64_t gap[] = { 0, 1, wrap - 1, 5, wrap / 2, wrap - 1, 0, wrap - 2, 1, 1 };
	struct bytes bytes = { .big = MAKE_BIG_HOST };
	uint64_t now = BEGIN;
	size_t i;

	for (i = 0; i < sizeof(gap) / sizeof(gap[0]); i++) {
		now += gap[i];
		put_short(&bytes, header, NOTHING, now);
		expect(header, &bytes, bytes.used, bytes.used, i + 1, now);
	}
	/* A gap of a whole wrap and more needs the long form, and the short form goes on from there. */
	now += 77 * wrap;
	put_long(&bytes, header, NOTHING, now);
	now += wrap - 1;
	put_short(&bytes, header, NOTHING, now);
	expect(header, &bytes, bytes.used, bytes.used, i + 2, now);
	free(bytes.data);
}
END_TEST

/* A long time stamp may stand still but not go back, nor beyond the latest that can be. */
START_TEST(time_wrong)
{
	const uint32_t header = _i ? 6 : 4, size = _i ? 14 : 13;
	struct bytes bytes = { .big = MAKE_BIG_HOST };
	struct cairn_walk walk;

	put_long(&bytes, header, NOTHING, BEGIN + 10);
	put_long(&bytes, header, NOTHING, BEGIN + 10);
	put_long(&bytes, header, NOTHING, BEGIN + 9);
	expect(header, &bytes, bytes.used, 2 * size, 2, BEGIN + 10);
	bytes.used = 0;
	put_long(&bytes, header, NOTHING, BEGIN - 1);
	expect(header, &bytes, bytes.used, 0, 0, BEGIN);
	bytes.used = 0;
	put_long(&bytes, header, NOTHING, UINT64_MAX);
	expect(header, &bytes, bytes.used, bytes.used, 1, UINT64_MAX);
	walk = walk_begin(header);
	walk.latest = UINT64_MAX - 1;
	ck_assert_ptr_eq(cairn_walk_records(&walk, bytes.data, bytes.data + bytes.used),
			 bytes.data);
	ck_assert_uint_eq(walk.now, BEGIN);
	walk.latest = UINT64_MAX;
	ck_assert_ptr_eq(cairn_walk_records(&walk, bytes.data, bytes.data + bytes.used),
			 bytes.data + bytes.used);
	free(bytes.data);
}
END_TEST

/* In pieces or at once: the same. An id beyond the short header's has the long form. */
START_TEST(pieces)
{
	const uint32_t header = _i ? 6 : 4;
	struct bytes bytes = { .big = MAKE_BIG_HOST };
	struct cairn_walk walk = walk_begin(header);
	const unsigned char *at;
	uint64_t now = BEGIN;
	size_t end[300];
	uint32_t i;

	for (i = 0; i < 300; i++) {
		const uint32_t id = i % 10 == 9 ? FAR : 1 + i * 7 % 11 % STRINGS;

		now += i;
		if (id == FAR && header == 4)
			put_long(&bytes, header, id, now);
		else
			put_short(&bytes, header, id, now);
		put_payload(&bytes, id, i % 7);
		end[i] = bytes.used;
	}
	expect(header, &bytes, bytes.used, bytes.used, 300, now);
	at = bytes.data;
	for (i = 0; i < 300; i += 1 + i % 5) {
		at = cairn_walk_records(&walk, at, bytes.data + end[i]);
		ck_assert_ptr_eq(at, bytes.data + end[i]);
		ck_assert_uint_eq(walk.records, i + 1);
	}
	ck_assert_ptr_eq(cairn_walk_records(&walk, at, at), at);
	ck_assert_ptr_eq(cairn_walk_records(&walk, at, at - 1), at);
	free(bytes.data);
}
END_TEST

/* Noise: the walk ends inside, and what it says is walked again to the same end. */
START_TEST(noise)
{
	const char *text = getenv("CAIRN_SEED");
	uint64_t seed = text ? strtoull(text, NULL, 0) :
			       (uint64_t)time(NULL) * 1000003 + (uint64_t)getpid();
	struct bytes bytes = { .big = MAKE_BIG_HOST };
	uint32_t round, header, size, i;

	printf("noise: CAIRN_SEED=%" PRIu64 "\n", seed);
	fflush(stdout);
	for (round = 0; round < 3000; round++) {
		struct cairn_walk walk, again;
		const unsigned char *end;
		unsigned char *at;

		bytes.used = 0;
		size = round % 300;
		for (i = 0; i < size; i++) {
			/* xorshift64 (Marsaglia 2003); small values, which are ids, are likely */
			seed ^= seed << 13;
			seed ^= seed >> 7;
			seed ^= seed << 17;
			put_uint(&bytes, seed % 3 ? seed >> 8 & 7 : seed >> 8 & 255, 1);
		}
		header = round & 1 ? 6 : 4;
		walk = walk_begin(header);
		at = at_edge(&bytes, size);
		end = cairn_walk_records(&walk, at, at + size);
		ck_assert(end >= at && end <= at + size);
		ck_assert_uint_ge(walk.now, BEGIN);
		again = walk_begin(header);
		ck_assert_ptr_eq(cairn_walk_records(&again, at, end), end);
		ck_assert_uint_eq(again.records, walk.records);
		ck_assert_uint_eq(again.now, walk.now);
		drop_edge(at, size);
	}
	free(bytes.data);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("walk");
	TCase *tc = tcase_create("walk");
	SRunner *runner;
	int failed;

	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, compiled);
	tcase_add_loop_test(tc, cut, 0, 24);
	tcase_add_loop_test(tc, unknown_ids, 0, 4);
	tcase_add_test(tc, large_payload);
	tcase_add_loop_test(tc, time_rebuilt, 0, 2);
	tcase_add_loop_test(tc, time_wrong, 0, 2);
	tcase_add_loop_test(tc, pieces, 0, 2);
	tcase_add_test(tc, noise);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
