/* SPDX-License-Identifier: MIT */
/*
 * Metadata, and what babeltrace2 makes of it: golden traces in both byte orders, odd names, many event
 * classes, random events. The bytes are put together by make_bytes.h, not by Cairn.
 *
 * CAIRN_GOLDEN=write writes tests/golden/ anew; look at the difference before you keep it.
 */
#define _GNU_SOURCE
#include <check.h>
#include <cairn/event.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <time.h>

#include "ctf.h"
#include "effort.h"
#include "make_bytes.h"
#include "make_desc.h"
#include "os.h"
#include "reader.h"
#include "walk.h"

CAIRN_ENUM_TYPE(state, u8, CAIRN_VALUE(OPEN, 0), CAIRN_VALUE(CLOSED, 1), CAIRN_RANGE(LATE, 10, 99));
CAIRN_ENUM_TYPE(sign, i32, CAIRN_RANGE(NEGATIVE, -5, -1), CAIRN_VALUE(ZERO, 0));
CAIRN_EVENT(golden, scalars, CAIRN_U8(u8), CAIRN_U16(u16), CAIRN_U32(u32), CAIRN_U64(u64),
	    CAIRN_I8(i8), CAIRN_I16(i16), CAIRN_I32(i32), CAIRN_I64(i64), CAIRN_X8(x8),
	    CAIRN_X16(x16), CAIRN_X32(x32), CAIRN_X64(x64), CAIRN_NET16(net16), CAIRN_NET32(net32),
	    CAIRN_NET64(net64), CAIRN_PTR(ptr), CAIRN_BOOL(yes), CAIRN_CHAR(letter), CAIRN_FLOAT(f),
	    CAIRN_DOUBLE(d));
CAIRN_EVENT(golden, texts, CAIRN_LOGLEVEL(INFO), CAIRN_STR(string), CAIRN_TEXT(text, 8),
	    CAIRN_ARRAY(char, chars, 4), CAIRN_SEQ(char, many, n), CAIRN_U8(end));
CAIRN_EVENT(golden, arrays, CAIRN_ARRAY(u16, array, 3), CAIRN_ARRAY(net32, net, 2),
	    CAIRN_SEQ(i64, sequence, n), CAIRN_SEQ(str, strings, m),
	    CAIRN_SEQ(ENUM(state), states, k), CAIRN_SEQ(x8, none, j),
	    CAIRN_ARRAY(ENUM(sign), signs, 2), CAIRN_SEQ(double, reals, h));
CAIRN_EVENT(golden, nothing, CAIRN_LOGLEVEL(ERR));
CAIRN_EVENT(golden, enums, CAIRN_ENUM(state, state), CAIRN_ENUM(late, state),
	    CAIRN_ENUM(other, state), CAIRN_ENUM(sign, sign));
CAIRN_EVENT(golden, distant, CAIRN_LOGLEVEL(EMERG), CAIRN_U32(value));

enum { SCALARS = 1, TEXTS, ARRAYS, NOTHING, ENUMS, DISTANT = 1000 };

#define BEGIN UINT64_C(1000000000000)
#define GAP (UINT64_C(1) << 27)

static const uint8_t uuid[16] = { 0x0c, 0xa1, 0x4e, 0x00, 0x11, 0x22, 0x43, 0x44,
				  0x85, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc };

/* ---- a trace to read ---- */

/* What all traces here have in common. */
static struct cairn_ctf_info make_info(const struct cairn_ctf_event *event, size_t events,
				       const struct cairn_desc *const *type, size_t types)
{
	struct cairn_ctf_info info = { .header = 4, .word_bits = 64, .big_endian = MAKE_BIG_HOST };

	memcpy(info.uuid, uuid, sizeof(uuid));
	strcpy(info.clock.name, "monotonic");
	strcpy(info.clock.uuid, "88078977-70e6-488e-8082-c16e7c06b51e");
	strcpy(info.clock.description, "CLOCK_MONOTONIC");
	info.clock.frequency = 1000000000;
	info.clock.offset = UINT64_C(1700000000000000000);
	strcpy(info.host, "vm");
	strcpy(info.program, "golden");
	strcpy(info.version, "0.1.0");
	info.pid = 42;
	info.event = event;
	info.events = events;
	info.type = type;
	info.types = types;
	return info;
}

/* The caller frees it. */
static char *make_metadata(const struct cairn_ctf_info *info)
{
	const long size = cairn_ctf_metadata(NULL, 0, info);
	char *text;

	ck_assert_int_gt(size, 0);
	text = malloc((size_t)size + 1);
	ck_assert_ptr_nonnull(text);
	ck_assert_int_eq(cairn_ctf_metadata(text, (size_t)size + 1, info), size);
	ck_assert_uint_eq(strlen(text), (size_t)size);
	return text;
}

static void write_file(const char *dir, const char *name, const void *data, size_t size)
{
	const int folder = cairn_os_dir_open(dir);
	int file;

	ck_assert_msg(folder >= 0, "cannot open %s", dir);
	unlinkat(folder, name, 0);
	file = cairn_os_file_create(folder, name);
	ck_assert_msg(file >= 0, "cannot create %s/%s: %s", dir, name, strerror(-file));
	ck_assert_int_eq(cairn_os_file_write(file, data, size, 0), 0);
	cairn_os_close(file);
	cairn_os_close(folder);
}

/* A packet of a stream file: header, records, padding up to where the next one starts. */
static void put_packet(struct bytes *to, uint64_t begin, uint64_t end, uint64_t number,
		       uint32_t cpu, const char *thread, const struct bytes *records, size_t size)
{
	const size_t at = to->used;

	put_uint(to, 0xc1fc1fc1, 4);
	put_raw(to, uuid, sizeof(uuid));
	put_uint(to, 0, 4);
	put_uint(to, 7, 8);
	put_uint(to, 8 * (104 + (records ? records->used : 0)), 8);
	put_uint(to, 8 * size, 8);
	put_uint(to, begin, 8);
	put_uint(to, end, 8);
	put_uint(to, number, 8);
	put_uint(to, 0, 8);
	put_uint(to, cpu, 4);
	put_uint(to, 4242, 4);
	put_text(to, thread, 16);
	if (records)
		put_raw(to, records->data, records->used);
	put_zeros(to, size - (to->used - at));
}

/* A trace of one packet with these records, read by babeltrace2; the caller frees the text. */
static char *read_records(const struct cairn_ctf_info *info, const struct bytes *records,
			  uint64_t end)
{
	char *dir = reader_folder("/tmp"), *metadata = make_metadata(info), *text;
	struct bytes stream = { .big = info->big_endian };

	put_packet(&stream, BEGIN, end, 0, 0, "main", records, 104 + records->used);
	write_file(dir, "metadata", metadata, strlen(metadata));
	write_file(dir, "stream", stream.data, stream.used);
	text = reader_read(dir);
	reader_remove(dir);
	free(metadata);
	free(stream.data);
	return text;
}

/* ---- golden traces ---- */

static struct cairn_ctf_info golden_info(bool big)
{
	static const struct cairn_desc *type[2];
	static struct cairn_ctf_event event[6];
	struct cairn_ctf_info info;

	type[0] = cairn_enum_desc_state();
	type[1] = cairn_enum_desc_sign();
	event[0] = (struct cairn_ctf_event){ cairn_desc_golden__scalars(), SCALARS };
	event[1] = (struct cairn_ctf_event){ cairn_desc_golden__texts(), TEXTS };
	event[2] = (struct cairn_ctf_event){ cairn_desc_golden__arrays(), ARRAYS };
	event[3] = (struct cairn_ctf_event){ cairn_desc_golden__nothing(), NOTHING };
	event[4] = (struct cairn_ctf_event){ cairn_desc_golden__enums(), ENUMS };
	event[5] = (struct cairn_ctf_event){ cairn_desc_golden__distant(), DISTANT };
	info = make_info(event, 6, type, 2);
	info.big_endian = big;
	return info;
}

static void put_scalars(struct bytes *to, uint64_t u, int64_t i, float f, double d, char letter)
{
	unsigned size;

	for (size = 1; size <= 8; size *= 2)
		put_uint(to, u, size);
	for (size = 1; size <= 8; size *= 2)
		put_uint(to, (uint64_t)i, size);
	for (size = 1; size <= 8; size *= 2)
		put_uint(to, u, size);
	for (size = 2; size <= 8; size *= 2)
		put_net(to, u, size);
	put_uint(to, u, 8); /* ptr */
	put_uint(to, u & 1, 1);
	put_raw(to, &letter, 1);
	put_float(to, f);
	put_double(to, d);
}

static void put_arrays(struct bytes *to)
{
	put_uint(to, 1, 2);
	put_uint(to, 515, 2);
	put_uint(to, 65535, 2);
	put_net(to, 10, 4);
	put_net(to, UINT32_MAX, 4);
	put_uint(to, 2, 2);
	put_uint(to, (uint64_t)INT64_MIN, 8);
	put_uint(to, INT64_MAX, 8);
	put_uint(to, 3, 2);
	put_str(to, "one");
	put_str(to, "");
	put_str(to, "three \"3\"");
	put_uint(to, 3, 2);
	put_raw(to, "\x01\x0a\x05", 3);
	put_uint(to, 0, 2);
	put_uint(to, (uint64_t)-3, 4);
	put_uint(to, 0, 4);
	put_uint(to, 1, 2);
	put_double(to, -0.25);
}

/* Records of the golden packets: the first one ends at *middle, the second at *end. */
static void golden_records(struct bytes *one, struct bytes *two, uint64_t *middle, uint64_t *end)
{
	uint64_t now = BEGIN;

	put_short(one, 4, SCALARS, now);
	put_scalars(one, UINT64_C(0x1122334455667788), -1, 1.5f, -2.25, 'A');
	now += 1;
	put_short(one, 4, TEXTS, now);
	put_str(one, "hello");
	put_text(one, "12345678", 8);
	put_text(one, "ab", 4);
	put_uint(one, 3, 2);
	put_raw(one, "xyz", 3);
	put_uint(one, 255, 1);
	now += GAP - 1; /* the longest gap of a short time stamp */
	put_short(one, 4, ARRAYS, now);
	put_arrays(one);
	now += GAP;
	put_long(one, 4, NOTHING, now);
	put_short(one, 4, ENUMS, now);
	put_raw(one, "\x00\x2a\x07", 3);
	put_uint(one, (uint64_t)-5, 4);
	*middle = now;
	now += 10 * GAP;
	put_long(two, 4, DISTANT, now);
	put_uint(two, 31, 4);
	now += 3;
	put_short(two, 4, SCALARS, now);
	put_scalars(two, UINT64_MAX, INT64_MIN, -0.0f, 1e300, '~');
	*end = now;
}

/* Sizes are rounded up to where the next header may stand: a multiple of 64, not across a page. */
static size_t golden_place(size_t size)
{
	size = (size + 63) / 64 * 64;
	return size % 4096 == 4032 ? size + 64 : size;
}

static void golden_stream(struct bytes *to)
{
	struct bytes one = { .big = to->big }, two = { .big = to->big };
	uint64_t middle, end;

	golden_records(&one, &two, &middle, &end);
	put_packet(to, BEGIN, middle, 0, 1, "main", &one, golden_place(104 + one.used));
	put_packet(to, middle + 10 * GAP, end, 1, 3, "a-long-name-15b", &two,
		   golden_place(104 + two.used));
	free(one.data);
	free(two.data);
}

/* Path of a golden file; the caller frees it. */
static char *golden_path(bool big, const char *name)
{
	const char *source = getenv("CAIRN_SOURCE_DIR");
	char *path = NULL;

	ck_assert_int_gt(asprintf(&path, "%s/tests/golden/%s%s", source ? source : ".",
				  big ? "be" : "le", name),
			 0);
	return path;
}

/* Compare with the golden file, or write it. */
static void golden_same(bool big, const char *name, const void *data, size_t size)
{
	const char *mode = getenv("CAIRN_GOLDEN");
	char *path = golden_path(big, name), *folder = golden_path(big, ""), *golden;
	size_t expected, i;
	int file;

	if (mode && !strcmp(mode, "write")) {
		mkdir(folder, 0777);
		write_file(folder, name + 1, data, size);
	}
	file = open(path, O_RDONLY);
	ck_assert_msg(file >= 0, "cannot open %s (CAIRN_SOURCE_DIR=SOURCE names the source folder)",
		      path);
	golden = reader_file(file, &expected);
	close(file);
	for (i = 0; i < size && i < expected && golden[i] == ((const char *)data)[i]; i++)
		;
	ck_assert_msg(i == size && i == expected,
		      "%s: differs at byte %zu; expected %zu bytes, got %zu", path, i, expected,
		      size);
	free(golden);
	free(folder);
	free(path);
}

START_TEST(golden_metadata)
{
	const bool big = _i;
	const struct cairn_ctf_info info = golden_info(big);
	char *text = make_metadata(&info);

	golden_same(big, "/metadata", text, strlen(text));
	free(text);
}
END_TEST

START_TEST(golden_bytes)
{
	struct bytes stream = { .big = _i };

	golden_stream(&stream);
	golden_same(_i, "/stream", stream.data, stream.used);
	free(stream.data);
}
END_TEST

/* Both byte orders say the same. */
START_TEST(golden_read)
{
	const char *source = getenv("CAIRN_SOURCE_DIR");
	char *dir = golden_path(_i, ""), *path = NULL, *text = reader_read(dir), *expected;
	int file;

	ck_assert_int_gt(asprintf(&path, "%s/tests/golden/expected.txt", source ? source : "."), 0);
	file = open(path, O_RDONLY);
	ck_assert_msg(file >= 0, "cannot open %s", path);
	expected = reader_file(file, NULL);
	close(file);
	reader_same(text, expected);
	free(text);
	free(expected);
	free(path);
	free(dir);
}
END_TEST

/* What the stream writer makes of the records is the golden file of this CPU's byte order. */
START_TEST(golden_written)
{
	struct bytes one = { .big = MAKE_BIG_HOST }, two = { .big = MAKE_BIG_HOST };
	struct cairn_packet head = { .stream_instance_id = 7, .vtid = 4242, .thread = "main" };
	char *dir = reader_folder("/tmp"), *data;
	const int folder = cairn_os_dir_open(dir);
	struct cairn_ctf_file file;
	uint64_t middle, end;
	size_t size;
	int fd;

	golden_records(&one, &two, &middle, &end);
	memcpy(head.uuid, uuid, sizeof(uuid));
	cairn_ctf_file_init(&file, folder, "stream", &head);
	head.packet_size = 8 * 4096;
	head.cpu_id = 1;
	head.timestamp_begin = BEGIN;
	head.timestamp_end = middle;
	ck_assert_int_eq(cairn_ctf_file_packet(&file, &head, one.data, one.used, true), 0);
	head.packet_seq_num = 1;
	head.cpu_id = 3;
	strcpy(head.thread, "a-long-name-15b");
	head.timestamp_begin = head.timestamp_end = middle + 10 * GAP;
	ck_assert_int_eq(cairn_ctf_file_packet(&file, &head, two.data, 17, false), 0);
	head.timestamp_end = end;
	ck_assert_int_eq(cairn_ctf_file_packet(&file, &head, two.data, two.used, false), 0);
	ck_assert_int_eq(cairn_ctf_file_close(&file, 0, end), 0);
	ck_assert_uint_eq(file.written,
			  golden_place(104 + one.used) + golden_place(104 + two.used));

	fd = openat(folder, "stream", O_RDONLY);
	ck_assert_int_ge(fd, 0);
	data = reader_file(fd, &size);
	golden_same(MAKE_BIG_HOST, "/stream", data, size);
	close(fd);
	close(folder);
	reader_remove(dir);
	free(data);
	free(one.data);
	free(two.data);
}
END_TEST

/* The record walker finds every golden record, in time. */
START_TEST(golden_walked)
{
	struct bytes one = { .big = MAKE_BIG_HOST }, two = { .big = MAKE_BIG_HOST };
	static const struct cairn_shape_program *by_id[DISTANT + 1];
	static struct cairn_shape_program program[6];
	const struct cairn_ctf_info info = golden_info(MAKE_BIG_HOST);
	struct cairn_walk walk = { by_id, DISTANT + 1, 4, BEGIN, 0, 0, false };
	uint64_t middle, end;
	size_t i;

	for (i = 0; i < 6; i++) {
		ck_assert_int_eq(cairn_walk_compile(&program[i], info.event[i].desc, info.type, 2,
						    sizeof(void *)),
				 0);
		by_id[info.event[i].id] = &program[i];
	}
	golden_records(&one, &two, &middle, &end);
	if (sizeof(void *) == 4)
		program[0].fixed += 4; /* the golden trace is of a 64-bit program */
	ck_assert_ptr_eq(cairn_walk_records(&walk, one.data, one.data + one.used),
			 one.data + one.used);
	ck_assert_uint_eq(walk.records, 5);
	ck_assert_uint_eq(walk.now, middle);
	ck_assert_ptr_eq(cairn_walk_records(&walk, two.data, two.data + two.used),
			 two.data + two.used);
	ck_assert_uint_eq(walk.records, 7);
	ck_assert_uint_eq(walk.now, end);
	free(one.data);
	free(two.data);
}
END_TEST

/* ---- metadata ---- */

/* Cut to any size, the text is the beginning of the whole. */
START_TEST(metadata_cut)
{
	const struct cairn_ctf_info info = golden_info(MAKE_BIG_HOST);
	char *whole = make_metadata(&info), *part = malloc(strlen(whole) + 2);
	const size_t length = strlen(whole);
	size_t size;

	for (size = 0; size <= length + 1; size += size < 40 ? 1 : 37) {
		memset(part, 'x', length + 2);
		ck_assert_int_eq(cairn_ctf_metadata(part, size, &info), (long)length);
		if (size > 0)
			ck_assert_msg(strlen(part) < size && !strncmp(part, whole, strlen(part)),
				      "size %zu: not the beginning of the text", size);
		if (size > 0 && size <= length)
			ck_assert_uint_eq(strlen(part), size - 1);
		ck_assert_msg(part[size] == 'x', "size %zu: byte %zu is written", size, size);
	}
	free(whole);
	free(part);
}
END_TEST

START_TEST(metadata_refused)
{
	const struct make_field unknown = { "enum missing", "field", 0 }, plain = { "u8", "x", 0 };
	struct cairn_ctf_event event = { make_event("p", "e", 0, &unknown, 1), 1 };
	struct cairn_ctf_info info = make_info(&event, 1, NULL, 0);
	struct cairn_desc *good = make_event("p", "e", 0, &plain, 1);

	ck_assert_int_eq(cairn_ctf_metadata(NULL, 0, &info), -EINVAL);
	free((void *)(uintptr_t)event.desc);
	event.desc = good;
	ck_assert_int_gt(cairn_ctf_metadata(NULL, 0, &info), 0);
	info.clock.frequency = 0;
	ck_assert_int_eq(cairn_ctf_metadata(NULL, 0, &info), -EINVAL);
	info.clock.frequency = 1;
	strcpy(info.clock.name, "9 lives");
	ck_assert_int_eq(cairn_ctf_metadata(NULL, 0, &info), -EINVAL);
	strcpy(info.clock.name, "tsc");
	ck_assert_int_gt(cairn_ctf_metadata(NULL, 0, &info), 0);
	good->abi++;
	ck_assert_int_eq(cairn_ctf_metadata(NULL, 0, &info), -EINVAL);
	free(good);
}
END_TEST

/* Any text stands between quotes as it is, and an absent one is left out. */
START_TEST(metadata_texts)
{
	struct bytes records = { .big = MAKE_BIG_HOST };
	struct cairn_ctf_event event = { cairn_desc_golden__nothing(), 1 };
	struct cairn_ctf_info info = make_info(&event, 1, NULL, 0);
	char *text;

	strcpy(info.host, "a\"b\\c\x1b\xc3\xa9 ${x} 1");
	strcpy(info.program, "*/ }; evil\n");
	strcpy(info.clock_choice, "tsc: \"; }; \\\nclock {\n\tname = x;\xff\x01");
	strcpy(info.clock.description, "\"; freq = 0;\\");
	info.clock.uuid[0] = 0;
	put_short(&records, 4, 1, BEGIN);
	text = read_records(&info, &records, BEGIN);
	reader_same(
		text,
		"[00000001000000000000] a\"b\\c\x1b\xc3\xa9 ${x} 1:*/ }; evil\n"
		":(42) golden:nothing: { cpu_id = 0, vtid = 4242, procname = \"main\" }, { }\n");
	free(text);
	text = make_metadata(&info);
	ck_assert_ptr_nonnull(strstr(text, "\tclock_choice = \"tsc: \\\"; }; \\\\\\012clock {"
					   "\\012\\011name = x;\xff\\001\";\n};\n"));
	free(text);
	info.clock_choice[0] = 0;
	info.host[0] = info.program[0] = info.clock.description[0] = 0;
	text = read_records(&info, &records, BEGIN);
	reader_same(text, "[00000001000000000000] (42) golden:nothing: "
			  "{ cpu_id = 0, vtid = 4242, procname = \"main\" }, { }\n");
	free(text);
	free(records.data);
}
END_TEST

/* Version, 16 + 32 bit headers, pointers of 32 bits, a frequency that is not 1 GHz. */
START_TEST(metadata_large)
{
	const struct make_field field[] = { { "ptr", "p", 0 }, { "u8", "x", 0 } };
	struct cairn_desc *desc = make_event("large", "e", 7, field, 2);
	const struct cairn_ctf_event event[] = { { desc, 65534 }, { desc, 70000 } };
	struct cairn_ctf_info info = make_info(event, 2, NULL, 0);
	struct bytes records = { .big = _i };
	uint64_t now = BEGIN + (UINT64_C(1) << 32) - 1;
	char *text;

	info.big_endian = _i;
	info.header = 6;
	info.word_bits = 32;
	info.clock.frequency = 2611234567;
	info.clock.offset = UINT64_C(4439098763900000000);
	strcpy(info.version, "12.34.5-rc1");
	put_short(&records, 6, 65534, now);
	put_uint(&records, 0xfffffff0, 4);
	put_uint(&records, 1, 1);
	now += UINT64_C(1) << 32;
	put_long(&records, 6, 70000, now);
	put_uint(&records, 16, 4);
	put_uint(&records, 2, 1);
	text = read_records(&info, &records, now);
	reader_same(text,
		    "[00000001004294967295] vm:golden:(42) large:e: "
		    "{ cpu_id = 0, vtid = 4242, procname = \"main\" }, { p = 0xFFFFFFF0, x = 1 }\n"
		    "[00000001008589934591] vm:golden:(42) large:e: "
		    "{ cpu_id = 0, vtid = 4242, procname = \"main\" }, { p = 0x10, x = 2 }\n");
	free(text);
	text = make_metadata(&info);
	ck_assert_ptr_nonnull(strstr(text, "\ttracer_major = 12;\n\ttracer_minor = 34;\n"
					   "\ttracer_patchlevel = 5;\n"));
	ck_assert_ptr_nonnull(strstr(text, "\tarchitecture_bit_width = 32;\n"));
	ck_assert_ptr_nonnull(strstr(text, "\tloglevel = 6;\n"));
	free(text);
	free(records.data);
	free(desc);
}
END_TEST

START_TEST(metadata_written)
{
	char *dir = reader_folder("/tmp"), *text;
	const int folder = cairn_os_dir_open(dir);
	int i, file;

	for (i = 0; i < 3; i++) {
		char content[32];

		/* What a write that failed leaves behind is no obstacle. */
		if (i > 0)
			write_file(dir, ".metadata", "rest", 4);
		snprintf(content, sizeof(content), "/* CTF 1.8 */ %d", i);
		ck_assert_int_eq(cairn_ctf_metadata_write(folder, content, strlen(content)), 0);
		file = openat(folder, "metadata", O_RDONLY);
		ck_assert_int_ge(file, 0);
		text = reader_file(file, NULL);
		ck_assert_str_eq(text, content);
		ck_assert_int_ne(faccessat(folder, ".metadata", F_OK, 0), 0);
		free(text);
		close(file);
	}
	close(folder);
	reader_remove(dir);
	ck_assert_int_eq(cairn_ctf_metadata_write(-1, "", 0), -EBADF);
}
END_TEST

/* ---- random events ---- */

static uint64_t random_state;

/* splitmix64 (Steele, Lea, Flood 2014). */
static uint64_t random_next(void)
{
	uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static uint32_t random_below(uint32_t n)
{
	return (uint32_t)(random_next() % n);
}

/* Any size is as likely as any other; the ends occur. */
static uint64_t random_value(unsigned bytes)
{
	const uint64_t value = random_next() >> random_below(64);

	return (random_below(8) ? value : ~value) & UINT64_MAX >> (64 - 8 * bytes);
}

static uint64_t random_seed(const char *test)
{
	const char *seed = getenv("CAIRN_SEED");

	random_state = seed ? strtoull(seed, NULL, 0) :
			      (uint64_t)time(NULL) * 1000003 + (uint64_t)getpid();
	printf("%s: CAIRN_SEED=%" PRIu64 "\n", test, random_state);
	fflush(stdout);
	return random_state;
}

static const struct make_label random_label[] = {
	{ "ZERO", 0, 0 }, { "FEW", 1, 9 }, { "BIG", 100, 126 }, { "MOST", 127, 127 }
};

/* Print the label of a value in [0, 127], as babeltrace2 does. */
static void print_label(FILE *out, uint64_t value)
{
	size_t i;

	for (i = 0; i < 4; i++)
		if (value >= random_label[i].first && value <= random_label[i].last)
			break;
	if (i < 4)
		fprintf(out, "( \"%s\" : container = %" PRIu64 " )", random_label[i].name, value);
	else
		fprintf(out, "( <unknown> : container = %" PRIu64 " )", value);
}

/*
 * A random text of `length` characters, into the record and, escaped, to `out`. Never empty: for an
 * empty one babeltrace2 2.0.4 prints what the field held some events before (efficios/babeltrace, pull
 * request 116).
 */
static void random_text(struct bytes *to, FILE *out, uint32_t length)
{
	fputc('"', out);
	for (; length > 0; length--) {
		const char c = (char)(' ' + random_below(95));

		put_raw(to, &c, 1);
		fprintf(out, strchr("\"'\\?", c) ? "\\%c" : "%c", c);
	}
	fputc('"', out);
}

/* One element of base type `base`, into the record, and to `out` as babeltrace2 prints it. */
static void random_element(struct bytes *to, FILE *out, const char *base, unsigned word)
{
	const unsigned size = !strcmp(base, "ptr") ? word : cairn_base_size(base);
	const uint64_t value = size ? random_value(size) : 0;
	const unsigned shift = size ? 64 - 8 * size : 0;
	uint64_t small;
	double real;

	if (!strcmp(base, "str")) {
		random_text(to, out, 1 + random_below(20));
		put_zeros(to, 1);
	} else if (!strncmp(base, "enum", 4)) {
		small = random_value(1) & 127;
		put_uint(to, small, 1);
		print_label(out, small);
	} else if (!strcmp(base, "float") || !strcmp(base, "double")) {
		real = (double)(int32_t)random_next() / 1024;
		if (size == 4)
			put_float(to, (float)real);
		else
			put_double(to, real);
		fprintf(out, "%g", size == 4 ? (double)(float)real : real);
	} else if (!strncmp(base, "net", 3)) {
		put_net(to, value, size);
		fprintf(out, "%" PRIu64, value);
	} else {
		put_uint(to, value, size);
		if (base[0] == 'i')
			fprintf(out, "%" PRId64, (int64_t)(value << shift) >> shift);
		else
			fprintf(out, base[0] == 'x' || base[0] == 'p' ? "0x%" PRIX64 : "%" PRIu64,
				value);
	}
}

/* One field. */
static void random_field(struct bytes *to, FILE *out, const struct make_field *field, unsigned word)
{
	const size_t length = strcspn(field->type, "[");
	const bool sequence = !strcmp(field->type + length, "[]");
	uint32_t i, count = field->count;
	char base[32];

	snprintf(base, sizeof(base), "%.*s", (int)length, field->type);
	if (!strncmp(base, "enum ", 5))
		strcpy(base, "enum");
	if (sequence) {
		count = random_below(5) + !strcmp(base, "char");
		put_uint(to, count, 2);
		fprintf(out, " _%s_length = %u,", field->name, count);
	}
	fprintf(out, " %s = ", field->name);
	if (!strcmp(base, "char") || !strcmp(base, "text")) {
		random_text(to, out,
			    !sequence && field->type[length] == 0 && base[0] == 'c' ? 1 : count);
		return;
	}
	if (field->type[length] == 0) {
		random_element(to, out, base, word);
		return;
	}
	fputc('[', out);
	for (i = 0; i < count; i++) {
		fprintf(out, "%s [%u] = ", i ? "," : "", i);
		random_element(to, out, base, word);
	}
	fputs(" ]", out);
}

/* A description with random fields, which go to `field` too. */
static struct cairn_desc *random_event(uint32_t id, struct make_field field[32], char name[32][8],
				       uint16_t *fields)
{
	static const char *const type[] = {
		"u8",           "u16",     "u32",    "u64",     "i8",         "i16",
		"i32",          "i64",     "x8",     "x16",     "x32",        "x64",
		"net16",        "net32",   "net64",  "bool",    "char",       "float",
		"double",       "ptr",     "str",    "text",    "enum small", "u8[]",
		"i64[]",        "net16[]", "str[]",  "char[]",  "double[]",   "ptr[]",
		"enum small[]", "u16[n]",  "x32[n]", "char[n]", "float[n]",   "enum small[n]",
	};
	char event[16];
	uint16_t i;

	*fields = (uint16_t)random_below(33);
	for (i = 0; i < *fields; i++) {
		snprintf(name[i], 8, "f%u", i);
		field[i].type = type[random_below(sizeof(type) / sizeof(type[0]))];
		field[i].name = name[i];
		field[i].count = random_below(6) + !strcmp(field[i].type, "text") +
				 !strcmp(field[i].type, "char[n]");
	}
	snprintf(event, sizeof(event), "e%u", id);
	return make_event("random", event, 0, field, *fields);
}

#define RANDOM_CLASSES 40
#define RANDOM_EVENTS 400

/* Random events of random classes: walked, and read back field by field. */
START_TEST(random_events)
{
	const bool big = _i & 1, large = _i & 2;
	const unsigned word = _i & 4 ? 4 : 8, header = large ? 6 : 4;
	const struct cairn_shape_program *by_id[RANDOM_CLASSES + 1] = { NULL };
	static struct cairn_shape_program program[RANDOM_CLASSES + 1];
	static struct make_field field[RANDOM_CLASSES + 1][32];
	static char name[RANDOM_CLASSES + 1][32][8];
	struct cairn_desc *type = make_enum("small", "u8", random_label, 4);
	const struct cairn_desc *const types[] = { type };
	struct cairn_ctf_event event[RANDOM_CLASSES];
	struct cairn_walk walk = { by_id, RANDOM_CLASSES + 1,  header, BEGIN, 0,
				   0,     big != MAKE_BIG_HOST };
	struct cairn_ctf_info info = make_info(event, RANDOM_CLASSES, types, 1);
	struct bytes records = { .big = big };
	uint16_t fields[RANDOM_CLASSES + 1], f;
	uint64_t now = BEGIN, gap;
	char *expected, *text;
	uint32_t i, id;
	size_t size;
	FILE *out = open_memstream(&expected, &size);

	random_seed("random_events");
	info.big_endian = big;
	info.header = header;
	info.word_bits = 8 * word;
	for (id = 1; id <= RANDOM_CLASSES; id++) {
		event[id - 1].desc = random_event(id, field[id], name[id], &fields[id]);
		event[id - 1].id = id;
		ck_assert_int_eq(cairn_walk_compile(&program[id], event[id - 1].desc, types, 1,
						    word),
				 0);
		by_id[id] = &program[id];
	}
	for (i = 0; i < RANDOM_EVENTS; i++) {
		id = 1 + random_below(RANDOM_CLASSES);
		gap = random_below(10) ? random_below(100) : random_value(5);
		now += gap;
		if (gap >= GAP || (!large && id > 30) || random_below(20) == 0)
			put_long(&records, header, id, now);
		else
			put_short(&records, header, id, now);
		fprintf(out,
			"[%020" PRIu64 "] vm:golden:(42) random:e%u: "
			"{ cpu_id = 0, vtid = 4242, procname = \"main\" }, {",
			now, id);
		for (f = 0; f < fields[id]; f++) {
			if (f > 0)
				fputc(',', out);
			random_field(&records, out, &field[id][f], word);
		}
		fputs(" }\n", out);
	}
	fclose(out);
	ck_assert_ptr_eq(cairn_walk_records(&walk, records.data, records.data + records.used),
			 records.data + records.used);
	ck_assert_uint_eq(walk.records, RANDOM_EVENTS);
	ck_assert_uint_eq(walk.now, now);
	text = read_records(&info, &records, now);
	reader_same(text, expected);
	free(text);
	free(expected);
	free(records.data);
	for (id = 0; id < RANDOM_CLASSES; id++)
		free((void *)(uintptr_t)event[id].desc);
	free(type);
}
END_TEST

/* ---- lessons of other tracers ---- */

/* Readers know a text metadata file by its first line. */
START_TEST(lesson_58)
{
	const struct cairn_ctf_info info = golden_info(MAKE_BIG_HOST);
	char *text = make_metadata(&info);

	ck_assert_msg(!strncmp(text, "/* CTF 1.8 */\n", 14), "expected /* CTF 1.8 */, got %.14s",
		      text);
	free(text);
}
END_TEST

/*
 * Any number of event classes; the last one is used. babeltrace2 needs 7 s for the many, whoever wrote
 * them: a slow run leaves 99 of 100 out and has the ids.
 */
START_TEST(lesson_59)
{
	static const uint32_t classes[][2] = { { 0, 4 },  { 0, 6 },    { 1, 4 },    { 30, 4 },
					       { 31, 4 }, { 1000, 4 }, { 1000, 6 }, { 70000, 6 } };
	const uint32_t last = classes[_i][0], header = classes[_i][1];
	const uint32_t step = last > 10000 && slow_run() ? 100 : 1, n = last / step;
	const struct make_field field = { "u32", "x", 0 };
	struct cairn_ctf_event *event = calloc(n + 1, sizeof(*event));
	struct bytes records = { .big = MAKE_BIG_HOST };
	struct cairn_ctf_info info = make_info(event, n, NULL, 0);
	char name[32], expected[160] = "", *text;
	uint32_t i;

	info.header = header;
	for (i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "e%u", (i + 1) * step);
		event[i].desc = make_event("many", name, 0, &field, 1);
		event[i].id = (i + 1) * step;
	}
	if (last > (header == 4 ? 30 : 65534))
		put_long(&records, header, last, BEGIN + 1);
	else if (last > 0)
		put_short(&records, header, last, BEGIN + 1);
	if (last > 0) {
		put_uint(&records, last, 4);
		snprintf(expected, sizeof(expected),
			 "[00000001000000000001] vm:golden:(42) many:e%u: "
			 "{ cpu_id = 0, vtid = 4242, procname = \"main\" }, { x = %u }\n",
			 last, last);
	}
	text = read_records(&info, &records, BEGIN + 1);
	reader_same(text, expected);
	free(text);
	for (i = 0; i < n; i++)
		free((void *)(uintptr_t)event[i].desc);
	free(event);
	free(records.data);
}
END_TEST

/* An empty sequence of any type leaves what follows where it is. */
START_TEST(lesson_60)
{
	static const char *const type[] = { "u8[]",    "u16[]",       "u32[]",   "u64[]",
					    "i8[]",    "i16[]",       "i32[]",   "i64[]",
					    "x8[]",    "x16[]",       "x32[]",   "x64[]",
					    "net16[]", "net32[]",     "net64[]", "ptr[]",
					    "bool[]",  "char[]",      "float[]", "double[]",
					    "str[]",   "enum state[]" };
	const struct cairn_desc *enums[] = { cairn_enum_desc_state() };
	struct make_field field[] = { { type[_i / 2], "s", 0 },
				      { "u8", "x", 0 },
				      { "u64", "y", 0 } };
	struct cairn_ctf_event event = { make_event("empty", "e", 0, field, 3), 1 };
	struct cairn_ctf_info info = make_info(&event, 1, enums, 1);
	struct bytes records = { .big = _i % 2 };
	char expected[160], *text;

	info.big_endian = _i % 2;
	put_short(&records, 4, 1, BEGIN);
	put_uint(&records, 0, 2);
	put_uint(&records, 7, 1);
	put_uint(&records, 1000000007, 8);
	text = read_records(&info, &records, BEGIN);
	snprintf(expected, sizeof(expected),
		 "[00000001000000000000] vm:golden:(42) empty:e: "
		 "{ cpu_id = 0, vtid = 4242, procname = \"main\" }, "
		 "{ _s_length = 0, s = %s, x = 7, y = 1000000007 }\n",
		 !strcmp(type[_i / 2], "char[]") ? "\"\"" : "[ ]");
	reader_same(text, expected);
	free(text);
	free(records.data);
	free((void *)(uintptr_t)event.desc);
}
END_TEST

/* Names that mean something to TSDL, to C, or to us are read back as they are. */
START_TEST(lesson_63_names)
{
	static const char *const name[] = {
		"align",  "char",     "clock",     "const",          "double",   "enum",
		"env",    "event",    "float",     "floating_point", "int",      "integer",
		"long",   "map",      "short",     "signed",         "stream",   "string",
		"struct", "trace",    "typealias", "typedef",        "unsigned", "variant",
		"void",   "callsite", "u8",        "text8",          "TRUE",
	};
	static char wide[301];
	struct make_field field[32];
	struct cairn_ctf_event event = { NULL, 1 };
	struct cairn_ctf_info info = make_info(&event, 1, NULL, 0);
	struct bytes records = { .big = MAKE_BIG_HOST };
	char *text, *expected;
	size_t size, i, n = sizeof(name) / sizeof(name[0]);
	FILE *out = open_memstream(&expected, &size);

	memset(wide, 'w', 300);
	for (i = 0; i < 32; i++)
		field[i] = (struct make_field){ "u8", i < n ? name[i] : i == n ? "_x" : wide, 0 };
	n += 2;
	event.desc = make_event("odd", "struct", 0, field, (uint16_t)n);
	put_short(&records, 4, 1, BEGIN);
	fputs("[00000001000000000000] vm:golden:(42) odd:struct: "
	      "{ cpu_id = 0, vtid = 4242, procname = \"main\" }, {",
	      out);
	for (i = 0; i < n; i++) {
		put_uint(&records, i, 1);
		fprintf(out, "%s %s = %zu", i ? "," : "", field[i].name, i);
	}
	fputs(" }\n", out);
	fclose(out);
	text = read_records(&info, &records, BEGIN);
	reader_same(text, expected);
	free(text);
	free(expected);
	free(records.data);
	free((void *)(uintptr_t)event.desc);
}
END_TEST

/*
 * Names that differ in a leading `_` alone, for which babeltrace2 2.0 has a check of its own; lengths of
 * sequences that could take another field's name; letters beyond ASCII, which are spelt out.
 */
START_TEST(lesson_63_clashes)
{
	static const struct {
		struct make_field field[6];
		const char *shown;
	} odd[] = {
		{ { { "u8", "_x", 0 }, { "u8", "x", 0 } }, "_x = 0, x = 1" },
		{ { { "u8", "x", 0 }, { "u8", "_x", 0 } }, "x = 0, _x = 1" },
		{ { { "u8", "_int", 0 }, { "u8", "int", 0 } }, "_int = 0, int_1 = 1" },
		{ { { "u8", "__x", 0 }, { "u8", "_x", 0 }, { "u8", "x", 0 } },
		  "__x = 0, _x_1 = 1, x = 2" },
		{ { { "u8[]", "a", 0 }, { "u8", "_a_length", 0 } },
		  "length_a = 0, a = [ ], _a_length = 1" },
		{ { { "u8[]", "a", 0 }, { "u8", "a_length", 0 } },
		  "length_a = 0, a = [ ], a_length = 1" },
		{ { { "u8", "a_length", 0 }, { "u8", "_a_length", 0 }, { "u8[]", "a", 0 } },
		  "a_length = 0, _a_length = 1, length_a = 0, a = [ ]" },
		{ { { "u8[]", "_a", 0 }, { "u8[]", "a", 0 } },
		  "length__a = 0, _a = [ ], length_a = 0, a = [ ]" },
		{ { { "u8[]", "a", 0 }, { "u8[]", "_a", 0 }, { "u8", "length_a", 0 } },
		  "length_a_ = 0, a = [ ], length__a_ = 0, _a = [ ], length_a = 2" },
		{ { { "u8", "_length_a_", 0 }, { "u8[]", "a", 0 }, { "u8", "a_length_", 0 } },
		  "_length_a_ = 0, length_a__ = 0, a = [ ], a_length_ = 2" },
		{ { { "u8", "gr\xc3\xb6sse$", 0 } }, "gr_xc3_xb6sse_x24 = 0" },
	};
	struct cairn_ctf_event event = { NULL, 1 };
	struct cairn_ctf_info info = make_info(&event, 1, NULL, 0);
	struct bytes records = { .big = MAKE_BIG_HOST };
	char expected[256], *text;
	uint16_t n = 0;

	while (n < 6 && odd[_i].field[n].name)
		n++;
	event.desc = make_event("odd", "n\xc3\xa9", 0, odd[_i].field, n);
	put_short(&records, 4, 1, BEGIN);
	for (n = 0; n < 6 && odd[_i].field[n].name; n++)
		put_uint(&records, strchr(odd[_i].field[n].type, '[') ? 0 : n,
			 strchr(odd[_i].field[n].type, '[') ? 2 : 1);
	text = read_records(&info, &records, BEGIN);
	snprintf(expected, sizeof(expected),
		 "[00000001000000000000] vm:golden:(42) odd:n\xc3\xa9: "
		 "{ cpu_id = 0, vtid = 4242, procname = \"main\" }, { %s }\n",
		 odd[_i].shown);
	reader_same(text, expected);
	free(text);
	free(records.data);
	free((void *)(uintptr_t)event.desc);
}
END_TEST

/* Ranges of every width, up to the ends; labels twice; values that the storage cannot hold. */
START_TEST(lesson_63_enums)
{
	const struct make_label every[] = { { "ANY", 0, UINT64_MAX } };
	const struct make_label ends[] = { { "LEAST", (uint64_t)INT64_MIN, (uint64_t)INT64_MIN },
					   { "BELOW", (uint64_t)INT64_MIN + 1, (uint64_t)-1 },
					   { "_zero", 0, 0 },
					   { "MOST", INT64_MAX, INT64_MAX } };
	const struct make_label twice[] = { { "int", 1, 1 }, { "int", 3, 3 }, { "LOW", 0, 3 } };
	const struct make_label cut[] = { { "MINUS", (uint64_t)-1, (uint64_t)-1 },
					  { "WIDE", 100, UINT64_MAX },
					  { "BACK", 30, 20 } };
	const struct make_label small[] = { { "HIGH", 200, 200 },
					    { "WIDE", (uint64_t)INT64_MIN, 5 },
					    { "UP", 100, INT64_MAX } };
	struct cairn_desc *type[] = {
		make_enum("every", "u64", every, 1), make_enum("ends", "i64", ends, 4),
		make_enum("twice", "u8", twice, 3),  make_enum("cut", "u8", cut, 3),
		make_enum("small", "i8", small, 3),  make_enum("none", "u8", NULL, 0)
	};
	const struct make_field field[] = {
		{ "enum every", "a", 0 }, { "enum every", "b", 0 }, { "enum ends", "c", 0 },
		{ "enum ends", "d", 0 },  { "enum ends", "e", 0 },  { "enum ends", "f", 0 },
		{ "enum twice", "g", 0 }, { "enum twice", "h", 0 }, { "enum cut", "i", 0 },
		{ "enum cut", "j", 0 },   { "enum cut", "k", 0 },   { "enum small", "l", 0 },
		{ "enum small", "m", 0 }, { "enum small", "n", 0 }, { "enum none", "o", 0 },
	};
	struct cairn_ctf_event event = { make_event("odd", "enums", 0, field, 15), 1 };
	struct cairn_ctf_info info = make_info(&event, 1, (const struct cairn_desc *const *)type,
					       sizeof(type) / sizeof(type[0]));
	struct bytes records = { .big = MAKE_BIG_HOST };
	char *text;
	size_t i;

	put_short(&records, 4, 1, BEGIN);
	put_uint(&records, 0, 8);
	put_uint(&records, UINT64_MAX, 8);
	put_uint(&records, (uint64_t)INT64_MIN, 8);
	put_uint(&records, (uint64_t)-1, 8);
	put_uint(&records, 0, 8);
	put_uint(&records, INT64_MAX, 8);
	put_raw(&records, "\x03\x04\xff\xfe\x19\xc8\x80\x7f\x09", 9);
	text = read_records(&info, &records, BEGIN);
	reader_same(text, "[00000001000000000000] vm:golden:(42) odd:enums: "
			  "{ cpu_id = 0, vtid = 4242, procname = \"main\" }, "
			  "{ a = ( \"ANY\" : container = 0 ), "
			  "b = ( \"ANY\" : container = 18446744073709551615 ), "
			  "c = ( \"LEAST\" : container = -9223372036854775808 ), "
			  "d = ( \"BELOW\" : container = -1 ), e = ( \"_zero\" : container = 0 ), "
			  "f = ( \"MOST\" : container = 9223372036854775807 ), "
			  "g = ( \"int\", \"LOW\" : container = 3 ), "
			  "h = ( <unknown> : container = 4 ), "
			  "i = ( \"MINUS\", \"WIDE\" : container = 255 ), "
			  "j = ( \"WIDE\" : container = 254 ), k = ( \"BACK\" : container = 25 ), "
			  "l = ( \"HIGH\", \"WIDE\" : container = -56 ), "
			  "m = ( \"WIDE\" : container = -128 ), n = ( \"UP\" : container = 127 ), "
			  "o = 9 }\n");
	free(text);
	free(records.data);
	free((void *)(uintptr_t)event.desc);
	for (i = 0; i < sizeof(type) / sizeof(type[0]); i++)
		free(type[i]);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("ctf");
	TCase *tc = tcase_create("golden");
	SRunner *runner;
	int failed;

	tcase_add_loop_test(tc, golden_metadata, 0, 2);
	tcase_add_loop_test(tc, golden_bytes, 0, 2);
	tcase_add_test(tc, golden_written);
	tcase_add_test(tc, golden_walked);
	tcase_add_loop_test(tc, golden_read, 0, 2);
	suite_add_tcase(suite, tc);
	tc = tcase_create("metadata");
	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, metadata_cut);
	tcase_add_test(tc, metadata_refused);
	tcase_add_test(tc, metadata_texts);
	tcase_add_loop_test(tc, metadata_large, 0, 2);
	tcase_add_test(tc, metadata_written);
	suite_add_tcase(suite, tc);
	tc = tcase_create("random");
	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, random_events, 0, 8);
	suite_add_tcase(suite, tc);
	tc = tcase_create("lessons");
	tcase_set_timeout(tc, 240);
	tcase_add_test(tc, lesson_58);
	tcase_add_loop_test(tc, lesson_59, 0, 8);
	tcase_add_loop_test(tc, lesson_60, 0, 44);
	tcase_add_test(tc, lesson_63_names);
	tcase_add_loop_test(tc, lesson_63_clashes, 0, 11);
	tcase_add_test(tc, lesson_63_enums);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
