/* SPDX-License-Identifier: MIT */
/*
 * core/serialise.c and the serialisers that CAIRN_EVENT makes: what is measured is what is written,
 * whatever the fields, where the record stands, and what another thread does to the strings.
 */
#define _GNU_SOURCE
#include <cairn/cairn.h>

#include <inttypes.h>
#include <pthread.h>
#include <sys/mman.h>
#include <time.h>

#include "effort.h"
#include "rig.h"
#include "ring.h"

static unsigned char *put_str(unsigned char *to, const char *s)
{
	return cairn_put_str(to, s, cairn_str_bytes(s));
}

/* ---- single strings ---- */

START_TEST(strings)
{
	unsigned char to[64];

	ck_assert_uint_eq(cairn_str_bytes(""), 1);
	ck_assert_uint_eq(cairn_str_bytes("abc"), 4);
	ck_assert_uint_eq(cairn_str_bytes(NULL), 7);
	ck_assert_ptr_eq(put_str(to, "abc"), to + 4);
	ck_assert_str_eq((char *)to, "abc");
	ck_assert_ptr_eq(put_str(to, NULL), to + 7);
	ck_assert_str_eq((char *)to, "(null)");
	ck_assert_ptr_eq(put_str(to, ""), to + 1);
	ck_assert_str_eq((char *)to, "");
}
END_TEST

/* Every length at every offset, nothing beside it touched. */
START_TEST(lesson_51)
{
	unsigned char to[64];
	char from[40];
	size_t length, offset, i;

	for (length = 0; length <= 32; length++) {
		for (offset = 0; offset < 8; offset++) {
			memset(to, 0xa5, sizeof(to));
			memset(from, 'x', sizeof(from));
			from[offset + length > 39 ? 39 : length] = 0;
			ck_assert_ptr_eq(put_str(to + offset, from), to + offset + length + 1);
			ck_assert_uint_eq(strlen((char *)to + offset), length);
			for (i = 0; i < sizeof(to); i++)
				if (i < offset || i > offset + length)
					ck_assert_uint_eq(to[i], 0xa5);
		}
	}
}
END_TEST

/* A string as long as is kept, and longer ones, which are cut and say so. */
START_TEST(longest)
{
	static char from[70001];
	static unsigned char to[CAIRN_STR_MAX + 2];
	static const size_t length[] = { CAIRN_STR_MAX - 1, CAIRN_STR_MAX, CAIRN_STR_MAX + 1,
					 70000 };
	size_t i;

	for (i = 0; i < 4; i++) {
		memset(from, 'y', sizeof(from));
		from[length[i]] = 0;
		memset(to, 0xa5, sizeof(to));
		put_str(to, from);
		ck_assert_uint_eq(to[CAIRN_STR_MAX + 1], 0xa5);
		if (length[i] < CAIRN_STR_MAX) {
			ck_assert_str_eq((char *)to, from);
			continue;
		}
		ck_assert_uint_eq(strlen((char *)to), CAIRN_STR_MAX);
		ck_assert_str_eq((char *)to + CAIRN_STR_MAX - 4, "y...");
	}
}
END_TEST

/* What was measured does not fit any more: shorter, longer, gone. */
START_TEST(changed)
{
	unsigned char to[64];

	memset(to, 0xa5, sizeof(to));
	ck_assert_ptr_eq(cairn_put_str(to, "abc\0\0\0\0\0\0", 8), to + 8);
	ck_assert_str_eq((char *)to, "abc####");
	ck_assert_uint_eq(to[8], 0xa5);
	ck_assert_ptr_eq(cairn_put_str(to, "abcdefghij", 4), to + 4);
	ck_assert_str_eq((char *)to, "abc");
	ck_assert_ptr_eq(cairn_put_str(to, "\0ab", 3), to + 3);
	ck_assert_str_eq((char *)to, "##");
	ck_assert_ptr_eq(cairn_put_str(to, "anything", 1), to + 1);
	ck_assert_str_eq((char *)to, "");
}
END_TEST

START_TEST(texts)
{
	unsigned char to[16];

	memset(to, 0xa5, sizeof(to));
	ck_assert_ptr_eq(cairn_put_text(to, "abcdefghij", 8), to + 8);
	ck_assert_mem_eq(to, "abcdefgh\xa5", 9);
	ck_assert_ptr_eq(cairn_put_text(to, "ab", 8), to + 8);
	ck_assert_mem_eq(to, "ab\0\0\0\0\0\0\xa5", 9);
	ck_assert_ptr_eq(cairn_put_text(to, NULL, 8), to + 8);
	ck_assert_mem_eq(to, "(null)\0\0\xa5", 9);
	ck_assert_ptr_eq(cairn_put_text(to, NULL, 3), to + 3);
	ck_assert_mem_eq(to, "(nu", 3);
	ck_assert_ptr_eq(cairn_put_text(to, "z", 0), to);
}
END_TEST

/* ---- sequences of strings ---- */

/* How many strings end in [to, to + bytes); the last byte must be an end. */
static size_t strings_in(const unsigned char *to, size_t bytes)
{
	size_t i, n = 0;

	for (i = 0; i < bytes; i++)
		n += to[i] == 0;
	ck_assert_uint_eq(to[bytes - 1], 0);
	return n;
}

START_TEST(string_sequences)
{
	const char *const two[] = { "one", NULL };
	const char *many[300];
	unsigned char to[700];
	uint16_t n;
	size_t bytes, i;

	bytes = cairn_seq_bytes_str(two, 2, sizeof(two[0]));
	ck_assert_uint_eq(bytes, 4 + 7);
	ck_assert_ptr_eq(cairn_put_seq_str(to, two, 2, bytes), to + 2 + bytes);
	memcpy(&n, to, sizeof(n));
	ck_assert_uint_eq(n, 2);
	ck_assert_mem_eq(to + 2, "one\0(null)\0", 11);
	ck_assert_uint_eq(cairn_seq_bytes_str(NULL, 5, sizeof(two[0])), 0);
	ck_assert_ptr_eq(cairn_put_seq_str(to, NULL, 5, 0), to + 2);
	memcpy(&n, to, sizeof(n));
	ck_assert_uint_eq(n, 0);
	ck_assert_uint_eq(cairn_seq_bytes_str(two, 0, sizeof(two[0])), 0);
	ck_assert_uint_ge(cairn_seq_bytes_str(two, 65536, sizeof(two[0])), CAIRN__TOO_BIG);
	for (i = 0; i < 300; i++)
		many[i] = "";
	bytes = cairn_seq_bytes_str(many, 300, sizeof(many[0]));
	ck_assert_uint_eq(bytes, 300);
	cairn_put_seq_str(to, many, 300, bytes);
	ck_assert_uint_eq(strings_in(to + 2, bytes), 300);
}
END_TEST

/* The strings changed after they were measured: as many strings, as many bytes. */
START_TEST(string_sequences_changed)
{
	const char *const before[] = { "12345", "1234567890", "", "123" };
	const char *const after[][4] = {
		{ "", "", "", "" },
		{ "1234567890123456789012345", "1", "1", "1" },
		{ "1", "1", "1", "1234567890123456789012345" },
		{ "123456789", "1234567890", "12", "123" },
		{ NULL, NULL, NULL, NULL },
		{ "12345", "1234567890", "", "12" },
	};
	const size_t bytes = cairn_seq_bytes_str(before, 4, sizeof(before[0]));
	unsigned char to[64];
	size_t i;

	for (i = 0; i < sizeof(after) / sizeof(after[0]); i++) {
		memset(to, 0xa5, sizeof(to));
		ck_assert_ptr_eq(cairn_put_seq_str(to, after[i], 4, bytes), to + 2 + bytes);
		ck_assert_uint_eq(strings_in(to + 2, bytes), 4);
		ck_assert_uint_eq(to[2 + bytes], 0xa5);
	}
}
END_TEST

/* ---- events ---- */

/* Kinds of fields, for every pair of them an event of three: A, B, A. */
#define KIND_u8(n) CAIRN_U8(n)
#define KIND_u16(n) CAIRN_U16(n)
#define KIND_net32(n) CAIRN_NET32(n)
#define KIND_f64(n) CAIRN_DOUBLE(n)
#define KIND_str(n) CAIRN_STR(n)
#define KIND_text(n) CAIRN_TEXT(n, 5)
#define KIND_array(n) CAIRN_ARRAY(u16, n, 3)
#define KIND_seq(n) CAIRN_SEQ(u32, n, n##_count)
#define KIND_strs(n) CAIRN_SEQ(str, n, n##_count)
#define EACH_PAIR(M)                                                                               \
	PAIRS(M, u8)                                                                               \
	PAIRS(M, u16)                                                                              \
	PAIRS(M, net32)                                                                            \
	PAIRS(M, f64) PAIRS(M, str) PAIRS(M, text) PAIRS(M, array) PAIRS(M, seq) PAIRS(M, strs)
#define PAIRS(M, a)                                                                                \
	M(a, u8)                                                                                   \
	M(a, u16) M(a, net32) M(a, f64) M(a, str) M(a, text) M(a, array) M(a, seq) M(a, strs)

/* Random values, and the bytes that they take by the documentation of fields.h. */
static char text[3][300];
static uint32_t words[64];
static const char *list[3][8];
static size_t length[3], count[3];

#define ARG_u8(i) 17,
#define ARG_u16(i) 1717,
#define ARG_net32(i) 171717,
#define ARG_f64(i) 1.5,
#define ARG_str(i) text[i],
#define ARG_text(i) text[i],
#define ARG_array(i) (const uint16_t *)(const void *)words,
#define ARG_seq(i) words, count[i],
#define ARG_strs(i) list[i], count[i] % 8,
#define BYTES_u8(i) 1
#define BYTES_u16(i) 2
#define BYTES_net32(i) 4
#define BYTES_f64(i) 8
#define BYTES_str(i) (length[i] + 1)
#define BYTES_text(i) 5
#define BYTES_array(i) 6
#define BYTES_seq(i) (2 + 4 * count[i])
#define BYTES_strs(i) (2 + list_bytes(i))

static size_t list_bytes(unsigned i)
{
	size_t bytes = 0, k;

	for (k = 0; k < count[i] % 8; k++)
		bytes += list[i][k] ? strlen(list[i][k]) + 1 : 7;
	return bytes;
}

#define DECLARE(a, b) DECLARE_(a##_##b, KIND_##a(x), KIND_##b(y), KIND_##a(z))
#define DECLARE_(name, ...)                                                                        \
	CAIRN_EVENT(mix, name, __VA_ARGS__);                                                       \
	extern struct cairn_event event_##name __asm__("cairn_event_mix__" #name);

/* clang-format off */
EACH_PAIR(DECLARE)
/* clang-format on */

#define HIT(a, b)                                                                                  \
	static void hit_##a##_##b(void)                                                            \
	{                                                                                          \
		cairn_hit_mix__##a##_##b(ARG_##a(0) ARG_##b(1) ARG_##a(2) 0);                      \
	}                                                                                          \
	static size_t bytes_##a##_##b(void)                                                        \
	{                                                                                          \
		return BYTES_##a(0) + BYTES_##b(1) + BYTES_##a(2);                                 \
	}
/* clang-format off */
EACH_PAIR(HIT)
/* clang-format on */

#define ROW(a, b)                                                                                  \
	{ #a " " #b " " #a, hit_##a##_##b, bytes_##a##_##b, &event_##a##_##b,                      \
	  cairn_desc_mix__##a##_##b },
static const struct mix {
	const char *name;
	void (*hit)(void);
	size_t (*bytes)(void);
	struct cairn_event *event;
	const struct cairn_desc *(*desc)(void);
} mix[] = { EACH_PAIR(ROW) };

static uint64_t random_state;

/* xorshift64, Marsaglia 2003. */
static uint64_t random_next(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

static void random_values(void)
{
	unsigned i, k;

	for (i = 0; i < 3; i++) {
		length[i] = random_next() % 4 ? random_next() % 20 : random_next() % 299;
		memset(text[i], 'a' + (int)i, sizeof(text[i]));
		text[i][length[i]] = 0;
		count[i] = random_next() % 4 ? random_next() % 5 : random_next() % 64;
		for (k = 0; k < 8; k++)
			list[i][k] = random_next() % 5 ? text[random_next() % 3] : NULL;
	}
}

static struct rig rig;

/* Of each event at random offsets: as many bytes as documented, and none beside them. */
START_TEST(lesson_48)
{
	const uint32_t packet = 65536;
	const size_t pairs = sizeof(mix) / sizeof(mix[0]);
	struct cairn_cursor *cursor;
	unsigned char *before, *opened;
	uint32_t round, bytes;
	size_t i;

	random_state = recorded_option("CAIRN_SEED", (unsigned long)time(NULL)) | 1;
	fprintf(stderr, "CAIRN_SEED=%" PRIu64 "\n", random_state);
	rig_begin(&rig, CAIRN_DISCARD, packet, 4, 4);
	rig_drain(&rig, NULL);
	for (i = 0; i < pairs; i++) {
		rig_listen(&rig, mix[i].event, mix[i].desc(), (uint32_t)i % 30 + 1, _i);
		random_values();
		mix[i].hit();
		cursor = &rig_stream(0)->cursor;
		for (round = 0; round < effort(200); round++) {
			random_values();
			bytes = 4 + (uint32_t)mix[i].bytes();
			if ((size_t)(cursor->end - cursor->cur) < bytes + 64) {
				mix[i].hit();
				/* As if a consumer had read all that is closed. */
				__atomic_store_n(&rig_stream(0)->consumed,
						 rig_stream(0)->opened - 1, __ATOMIC_RELAXED);
				continue;
			}
			before = cursor->cur;
			opened = cursor->end;
			memset(before, 0xa5, bytes + 64);
			mix[i].hit();
			ck_assert_ptr_eq(cursor->end, opened);
			ck_assert_msg((size_t)(cursor->cur - before) == bytes,
				      "%s: %zu bytes were written, expected %u", mix[i].name,
				      (size_t)(cursor->cur - before), bytes);
			for (; before < cursor->cur + 64; before++)
				if (before >= cursor->cur)
					ck_assert_msg(*before == 0xa5,
						      "%s: byte %zd behind the record", mix[i].name,
						      before - cursor->cur);
		}
	}
	ck_assert_uint_eq(rig_stream(0)->lost, 0);
	rig_end(&rig);
}
END_TEST

/* Records that exactly fill a packet, and ones that miss it by a byte. */
START_TEST(exact)
{
	const size_t pairs = sizeof(mix) / sizeof(mix[0]);
	struct cairn_stream *stream;
	struct cairn_cursor *cursor;
	uintptr_t opened;
	size_t i, bytes;
	int miss;

	random_state = recorded_option("CAIRN_SEED", (unsigned long)time(NULL)) | 1;
	fprintf(stderr, "CAIRN_SEED=%" PRIu64 "\n", random_state);
	rig_begin(&rig, CAIRN_DISCARD, 4096, 4, 4);
	for (i = 0; i < pairs; i++) {
		rig_listen(&rig, mix[i].event, mix[i].desc(), (uint32_t)i % 30 + 1, _i);
		for (miss = 0; miss < 2; miss++) {
			random_values();
			mix[i].hit();
			stream = rig_stream(0);
			cursor = &stream->cursor;
			bytes = 4 + mix[i].bytes();
			/* The test alone writes here: move on to just before the end. */
			cursor->cur = cursor->end - bytes + miss;
			opened = stream->opened;
			mix[i].hit();
			ck_assert_uint_eq(stream->opened, opened + (uintptr_t)miss);
			if (!miss)
				ck_assert_ptr_eq(cursor->cur, cursor->end);
			__atomic_store_n(&stream->consumed, stream->opened - 1, __ATOMIC_RELAXED);
		}
	}
	rig_end(&rig);
}
END_TEST

/* ---- strings that change ---- */

CAIRN_EVENT(change, text, CAIRN_STR(text), CAIRN_U32(canary));
CAIRN_EVENT(change, texts, CAIRN_SEQ(str, texts, n), CAIRN_U32(canary));
CAIRN_EVENT(change, fixed, CAIRN_TEXT(text, 8), CAIRN_U32(canary));

static char shared_text[256];
static bool stop;

/* 100 characters, then 3, then 200, and so on. ThreadSanitizer must not see what races on purpose. */
static __attribute__((no_sanitize("thread"), noinline)) void *flip(void *unused)
{
	volatile char *text_now = shared_text;

	memset(shared_text, 'c', 250);
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		text_now[100] = 0;
		text_now[3] = 0;
		text_now[3] = 'c';
		text_now[100] = 'c';
		text_now[200] = 0;
	}
	return unused;
}

/* One thread changes strings while another one traces them: every record stays whole. */
START_TEST(lesson_49)
{
	char *output = reader_folder("/tmp"), *trace, *out, *at;
	const char *const texts[] = { shared_text, "middle", shared_text };
	struct cairn_config config = recorded_config(output);
	struct cairn_session *session;
	struct cairn_stats stats;
	pthread_t thread;
	uint32_t i, seen = 0;

	memset(shared_text, 'c', 250);
	config.mode = CAIRN_BLOCK;
	session = recorded_start(&config);
	ck_assert_int_eq(cairn_enable(session, "change:*"), 3);
	pthread_create(&thread, NULL, flip, NULL);
	for (i = 0; i < 8000; i++) {
		cairn_trace(change, text, shared_text, 4242424242u);
		cairn_trace(change, texts, texts, 3, 4242424242u);
		cairn_trace(change, fixed, shared_text, 4242424242u);
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	expect_status(cairn_session_stop(session, &stats), 0);
	ck_assert_uint_eq(stats.recorded, 24000);
	trace = recorded_trace(output);
	out = recorded_read_whole(trace);
	for (at = out; *at; at += strcspn(at, "\n") + 1, seen++) {
		const size_t size = strcspn(at, "\n");

		ck_assert_msg(memmem(at, size, "canary = 4242424242 }", 21) != NULL,
			      "a record without its end: %.*s", (int)size, at);
		if (memmem(at, size, "change:texts", 12))
			ck_assert_msg(memmem(at, size, "[2] = \"", 7) != NULL,
				      "a sequence without its last text: %.*s", (int)size, at);
	}
	ck_assert_uint_eq(seen, 24000);
	free(out);
	free(trace);
	recorded_remove(output);
}
END_TEST

CAIRN_EVENT(edge, text, CAIRN_TEXT(eight, 8), CAIRN_STR(string), CAIRN_ARRAY(u8, four, 4));

/* Text without an end before a page that cannot be read; 70,000 characters; nothing at all. */
START_TEST(lesson_50)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *output = reader_folder("/tmp"), *trace, *out, *line, *expected;
	struct cairn_config config = recorded_config(output);
	static char giant[70001];
	struct cairn_session *session;
	char *pages;

	pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(pages, MAP_FAILED);
	memcpy(pages + page - 8, "12345678", 8);
	ck_assert_int_eq(mprotect(pages + page, page, PROT_NONE), 0);
	memset(giant, 'g', 70000);
	session = recorded_start(&config);
	ck_assert_int_eq(cairn_enable(session, "edge:*"), 1);
	cairn_trace(edge, text, pages + page - 8, "", (const uint8_t *)pages + page - 4);
	cairn_trace(edge, text, "ab", giant, (const uint8_t *)"abcd");
	cairn_trace(edge, text, NULL, NULL, NULL);
	expect_status(cairn_session_stop(session, NULL), 0);
	trace = recorded_trace(output);
	out = recorded_read_whole(trace);
	line = out;
	ck_assert_ptr_nonnull(
		strstr(line, "eight = \"12345678\", string = \"\", four = [ [0] = 53, [1] = 54, "
			     "[2] = 55, [3] = 56 ] }\n"));
	line = strchr(line, '\n') + 1;
	giant[CAIRN_STR_MAX - 3] = 0;
	ck_assert_int_gt(asprintf(&expected,
				  "eight = \"ab\", string = \"%s...\", four = [ [0] = 97", giant),
			 0);
	ck_assert_ptr_nonnull(strstr(line, expected));
	free(expected);
	line = strchr(line, '\n') + 1;
	ck_assert_ptr_nonnull(
		strstr(line, "eight = \"(null)\", string = \"(null)\", four = [ [0] = 0, [1] = 0, "
			     "[2] = 0, [3] = 0 ] }\n"));
	free(out);
	free(trace);
	recorded_remove(output);
	munmap(pages, 2 * page);
}
END_TEST

CAIRN_EVENT(absent, all, CAIRN_SEQ(u32, numbers, n), CAIRN_SEQ(str, strings, m),
	    CAIRN_ARRAY(u16, three, 3), CAIRN_SEQ(u8, most, k));

/* Sequences that are not there are empty, arrays that are not there are zeros; the longest sequence. */
START_TEST(nothing_there)
{
	static const uint8_t most[65535] = { 7 };
	char *output = reader_folder("/tmp"), *trace, *out;
	struct cairn_config config = recorded_config(output);
	struct cairn_session *session;
	struct cairn_stats stats;

	config.packet_size = 131072;
	session = recorded_start(&config);
	ck_assert_int_eq(cairn_enable(session, "absent:all"), 1);
	cairn_trace(absent, all, NULL, 3, NULL, 2, NULL, NULL, 65535);
	cairn_trace(absent, all, NULL, 0, NULL, 0, NULL, most, 65535);
	cairn_trace(absent, all, NULL, 0, NULL, 0, NULL, most, 65536); /* too long: lost */
	expect_status(cairn_session_stop(session, &stats), 0);
	ck_assert_uint_eq(stats.recorded, 2);
	ck_assert_uint_eq(stats.lost, 1);
	trace = recorded_trace(output);
	out = recorded_read(trace);
	ck_assert_ptr_nonnull(
		strstr(out, "_numbers_length = 0, numbers = [ ], _strings_length = 0, strings = "
			    "[ ], three = [ [0] = 0, [1] = 0, [2] = 0 ], _most_length = 0, "
			    "most = [ ] }\n"));
	ck_assert_ptr_nonnull(strstr(out, "_most_length = 65535, most = [ [0] = 7, [1] = 0, "));
	ck_assert_ptr_nonnull(strstr(out, "[65534] = 0 ] }\n"));
	free(out);
	free(trace);
	recorded_remove(output);
}
END_TEST

/* Never called: sites make the linker give the events their objects. */
void serialise_sites(void);
void serialise_sites(void)
{
#define SITE(a, b) cairn_trace(mix, a##_##b, SITE_##a(0), SITE_##b(1), SITE_##a(2));
#define SITE_u8(i) 1
#define SITE_u16(i) 1
#define SITE_net32(i) 1
#define SITE_f64(i) 1
#define SITE_str(i) NULL
#define SITE_text(i) NULL
#define SITE_array(i) NULL
#define SITE_seq(i) NULL, 0
#define SITE_strs(i) NULL, 0
	EACH_PAIR(SITE)
}

int main(void)
{
	Suite *suite = suite_create("serialise");
	TCase *tcase = tcase_create("serialise");
	SRunner *runner;
	int failed;

	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, strings);
	tcase_add_test(tcase, lesson_51);
	tcase_add_test(tcase, longest);
	tcase_add_test(tcase, changed);
	tcase_add_test(tcase, texts);
	tcase_add_test(tcase, string_sequences);
	tcase_add_test(tcase, string_sequences_changed);
	tcase_add_loop_test(tcase, lesson_48, 0, 2);
	tcase_add_loop_test(tcase, exact, 0, 2);
	tcase_add_test(tcase, lesson_49);
	tcase_add_test(tcase, lesson_50);
	tcase_add_test(tcase, nothing_there);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
