/* SPDX-License-Identifier: MIT */
/*
 * Stream files: a reader must find a valid file, with the state before or after a call, whatever write
 * it comes after, fails or is killed in. core/ctf.c is compiled in here with its file functions
 * replaced: each counts, may fail, and then looks at the folder as a reader does.
 */
#define _GNU_SOURCE
#include <check.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#include "effort.h"
#include "make_bytes.h"
#include "make_desc.h"
#include "os.h"
#include "reader.h"
#include "walk.h"

static int test_create(int dir, const char *name);
static int test_write(int file, const void *data, size_t size, uint64_t at);
static int test_resize(int file, uint64_t size);
static int test_rename(int dir, const char *from, const char *to);
static uint64_t test_limit(void);

#define cairn_os_file_create test_create
#define cairn_os_file_write test_write
#define cairn_os_file_resize test_resize
#define cairn_os_file_rename test_rename
#define cairn_os_file_limit test_limit
#include "ctf.c"
#undef cairn_os_file_create
#undef cairn_os_file_write
#undef cairn_os_file_resize
#undef cairn_os_file_rename
#undef cairn_os_file_limit

#define BEGIN UINT64_C(1000000000000)
#define RECORD 8u /* bytes of a record with a short header */

/* ---- the trace under test ---- */

/* One trace with one stream; its events are numbered from 0. */
static struct {
	char *dir;
	int folder;
	struct cairn_ctf_file file;
	struct cairn_packet head;
	struct bytes records; /* of the packet that is being written */
	uint64_t now;
	uint32_t made;   /* records in all packets so far */
	uint32_t before; /* records that the calls that worked have written */
} t;

/* What the file functions do besides their work. */
static struct {
	unsigned operations, writes;
	unsigned fail_at; /* this operation fails */
	bool half;        /* a write that fails has written half */
	bool look;        /* after every operation */
	uint64_t limit;
} hook = { .limit = UINT64_MAX };

static void look(void);

/* True: this operation is to fail. */
static bool hook_fails(void)
{
	return ++hook.operations == hook.fail_at;
}

static int hook_done(int result)
{
	if (hook.look)
		look();
	return result;
}

static int test_create(int dir, const char *name)
{
	return hook_fails() ? -ENOSPC : hook_done(cairn_os_file_create(dir, name));
}

static int test_write(int file, const void *data, size_t size, uint64_t at)
{
	hook.writes++;
	if (!hook_fails())
		return hook_done(cairn_os_file_write(file, data, size, at));
	/* A page is written or not. */
	if (hook.half && at % 4096 + size > 4096)
		ck_assert_int_eq(cairn_os_file_write(file, data, 4096 - at % 4096, at), 0);
	return hook_done(-ENOSPC);
}

/*
 * To shrink a file that a reader is indexing is to take packets away that it knows of. A lease is
 * granted only if nobody else has the file open, and who opens it then waits until the lease is gone.
 */
static int test_resize(int file, uint64_t size)
{
	return hook_fails() ? -EIO : hook_done(cairn_os_file_resize(file, size));
}

static int test_rename(int dir, const char *from, const char *to)
{
	return hook_fails() ? -EIO : hook_done(cairn_os_file_rename(dir, from, to));
}

static uint64_t test_limit(void)
{
	const uint64_t limit = cairn_os_file_limit();

	return limit < hook.limit ? limit : hook.limit;
}

static const struct make_field number_field = { "u32", "n", 0 };

/* An empty trace with metadata in `parent`. */
static void trace_begin(const char *parent)
{
	struct cairn_ctf_event event = { make_event("test", "event", 0, &number_field, 1), 1 };
	struct cairn_ctf_info info = { .header = 4,
				       .word_bits = 64,
				       .big_endian = MAKE_BIG_HOST,
				       .clock = { "monotonic", "", 1000000000, 0, "" },
				       .event = &event,
				       .events = 1 };
	static char text[16384];
	long size = cairn_ctf_metadata(text, sizeof(text), &info);

	ck_assert_int_lt(size, (long)sizeof(text));
	memset(&t, 0, sizeof(t));
	t.dir = reader_folder(parent);
	t.folder = cairn_os_dir_open(t.dir);
	ck_assert_int_ge(t.folder, 0);
	t.now = BEGIN;
	t.records.big = MAKE_BIG_HOST;
	ck_assert_int_eq(cairn_ctf_metadata_write(t.folder, text, (size_t)size), 0);
	free((void *)(uintptr_t)event.desc);
	t.head.stream_instance_id = 5;
	t.head.vtid = 77;
	strcpy(t.head.thread, "writer");
	cairn_ctf_file_init(&t.file, t.folder, "stream", &t.head);
	t.file.file_size = 64 << 10;
	memset(&hook, 0, sizeof(hook));
	hook.limit = UINT64_MAX;
}

static void trace_end(void)
{
	close(t.folder);
	free(t.records.data);
	reader_remove(t.dir);
}

/* The next packet, of at most `size` bytes, begins `gap` after the last record. */
static void packet_begin(uint64_t gap, size_t size)
{
	t.now += gap;
	t.records.used = 0;
	t.head.timestamp_begin = t.head.timestamp_end = t.now;
	t.head.packet_size = 8 * size;
	t.head.packet_seq_num++;
}

/* `n` records more, the first one `gap` after the last. */
static void packet_add(uint32_t n, uint64_t gap)
{
	for (; n > 0; n--) {
		t.now += gap;
		if (gap >> 27)
			put_long(&t.records, 4, 1, t.now);
		else
			put_short(&t.records, 4, 1, t.now);
		put_uint(&t.records, t.made++, 4);
		gap = 1;
	}
	t.head.timestamp_end = t.now;
}

static int packet_write(bool closed)
{
	const int status = cairn_ctf_file_packet(&t.file, &t.head, t.records.data, t.records.used,
						 closed);

	if (!status)
		t.before = t.made;
	return status;
}

/* A packet of `n` records, written at once. */
static void packet_whole(uint64_t gap, uint32_t n)
{
	packet_begin(gap, 4096);
	packet_add(n, 0);
	ck_assert_int_eq(packet_write(true), 0);
}

/* ---- a reader that checks every byte ---- */

struct seen {
	uint64_t packets, end, lost; /* lost: in the parts before, and in this one */
	uint64_t part, part_packets, part_lost;
	uint32_t records;
};

/* One packet: its header, and records with the numbers that follow. Returns its size. */
static uint64_t look_packet(const unsigned char *data, uint64_t left, struct seen *seen)
{
	const struct cairn_shape_program program = { .fixed = 4 }, *by_id[] = { NULL, &program };
	struct cairn_walk walk = { by_id, 2, 4, 0, 0, 0, false };
	struct cairn_packet head;
	const unsigned char *at, *end;
	uint32_t number;

	ck_assert_uint_ge(left, sizeof(head));
	memcpy(&head, data, sizeof(head));
	ck_assert_msg(head.magic == CAIRN_CTF_MAGIC, "packet %" PRIu64 ": magic %x", seen->packets,
		      head.magic);
	ck_assert_uint_eq(head.stream_id, 0);
	ck_assert_uint_eq(head.stream_instance_id, 5 + (seen->part << 32));
	ck_assert_uint_eq(head.packet_seq_num, seen->part_packets);
	ck_assert_uint_ge(head.content_size, 8 * sizeof(head));
	ck_assert_uint_le(head.content_size, head.packet_size);
	ck_assert_uint_le(head.packet_size / 8, left);
	ck_assert_uint_ge(head.timestamp_begin, seen->end);
	ck_assert_uint_ge(head.timestamp_end, head.timestamp_begin);
	ck_assert_uint_ge(head.events_discarded, seen->part_lost);
	if (seen->part_packets == 0)
		ck_assert_uint_eq(head.events_discarded, 0);
	at = data + sizeof(head);
	end = data + head.content_size / 8;
	walk.now = head.timestamp_begin;
	ck_assert_ptr_eq(cairn_walk_records(&walk, at, end), end);
	ck_assert_uint_le(walk.now, head.timestamp_end);
	while (at < end) {
		at += (*at & 31) == 31 || *at == 31 << 3 ? 13 : 4;
		memcpy(&number, at, sizeof(number));
		if (number != seen->records)
			ck_abort_msg("record %u has number %u", seen->records, number);
		seen->records++;
		at += sizeof(number);
	}
	seen->end = head.timestamp_end;
	seen->lost += head.events_discarded - seen->part_lost;
	seen->part_lost = head.events_discarded;
	seen->part_packets++;
	seen->packets++;
	return head.packet_size / 8;
}

/* All parts of the stream that a reader sees. */
static struct seen look_all(void)
{
	struct seen seen = { 0 };
	char name[64] = "stream", *data;
	uint64_t at;
	size_t size;
	int file;

	while ((file = openat(t.folder, name, O_RDONLY)) >= 0) {
		data = reader_file(file, &size);
		for (at = 0; at < size;)
			at += look_packet((unsigned char *)data + at, size - at, &seen);
		ck_assert_uint_eq(at, size);
		free(data);
		close(file);
		seen.part_packets = seen.part_lost = 0;
		snprintf(name, sizeof(name), "stream.%u", (unsigned)++seen.part);
	}
	return seen;
}

/* A reader comes between two operations: it sees what was before the call, or all that it writes. */
static void look(void)
{
	const struct seen seen = look_all();

	ck_assert_msg(seen.records == t.before || seen.records == t.made,
		      "operation %u: a reader sees %u records, expected %u or %u", hook.operations,
		      seen.records, t.before, t.made);
}

/* What babeltrace2 must print for records 0 to n - 1, but for the times. */
static void same_records(const char *text, uint32_t n)
{
	const char *end, *at;
	uint32_t i;

	for (i = 0; (end = strchr(text, '\n')); i++) {
		/* One line at a time: AddressSanitizer measures all that strstr is given. */
		at = memmem(text, (size_t)(end - text), "{ n = ", 6);
		if (!at || i >= n || strtoul(at + 6, NULL, 10) != i)
			ck_abort_msg("event %u of %u: %.*s", i, n, (int)(end - text), text);
		text = end + 1;
	}
	if (i != n)
		ck_abort_msg("expected %u events, got %u", n, i);
}

/* babeltrace2 reads the trace: all records, nothing on stderr. */
static void read_trace(uint32_t records)
{
	char *text = reader_read(t.dir);

	same_records(text, records);
	free(text);
}

/* babeltrace2 reads the trace, and says in words how many events are lost in all. */
static void read_lost(uint32_t records, uint64_t lost)
{
	const char *const command[] = { READER, t.dir, NULL };
	struct reader reader = reader_run(command);
	const char *at = reader.err;
	uint64_t sum = 0, n;

	ck_assert_msg(reader.status == 0, "babeltrace2: exit status %d: %.900s", reader.status,
		      reader.err);
	same_records(reader.out, records);
	ck_assert_msg(!strstr(at, "may have"), "a loss without a number: %.900s", at);
	while ((at = strstr(at, "Tracer discarded "))) {
		at += strlen("Tracer discarded ");
		ck_assert_int_eq(sscanf(at, "%" SCNu64 " event", &n), 1);
		sum += n;
	}
	ck_assert_msg(sum == lost, "expected %" PRIu64 " lost events, got %" PRIu64 ": %.900s",
		      lost, sum, reader.err);
	reader_free(&reader);
}

/* ---- one call after another ---- */

/* Readers take the header's words in the order of their addresses: sizes first; all in one line. */
START_TEST(layout)
{
	ck_assert_uint_eq(sizeof(struct cairn_packet), CAIRN_PACKET_HEADER);
	ck_assert_uint_lt(offsetof(struct cairn_packet, content_size),
			  offsetof(struct cairn_packet, timestamp_begin));
	ck_assert_uint_lt(offsetof(struct cairn_packet, packet_size),
			  offsetof(struct cairn_packet, timestamp_begin));
	ck_assert_uint_eq(offsetof(struct cairn_packet, content_size), 32);
	ck_assert_uint_eq(offsetof(struct cairn_packet, timestamp_end), 56);
}
END_TEST

/* How many writes a packet costs. */
START_TEST(writes)
{
	static const struct {
		uint32_t records;
		bool closed;
		unsigned writes;
	} step[] = {
		{ 10, true, 2 },                    /* records and next cover, header */
		{ 500, true, 2 }, { 513, true, 3 }, /* the cover by itself */
		{ 0, true, 2 },   { 10, false, 2 }, /* records, header */
		{ 10, false, 0 }, { 600, false, 2 }, { 600, true, 2 }, { 0, false, 1 },
	};
	size_t i;

	trace_begin("/tmp");
	packet_whole(1, 1);
	packet_begin(1, 8192);
	for (i = 0; i < sizeof(step) / sizeof(step[0]); i++) {
		if (t.file.open == 0)
			packet_begin(1, 8192);
		packet_add(step[i].records - (uint32_t)t.records.used / RECORD, 0);
		hook.writes = 0;
		ck_assert_int_eq(packet_write(step[i].closed), 0);
		ck_assert_msg(hook.writes == step[i].writes, "step %zu: expected %u writes, got %u",
			      i, step[i].writes, hook.writes);
	}
	ck_assert_int_eq(cairn_ctf_file_close(&t.file, 0, t.now), 0);
	read_trace(t.made);
	trace_end();
}
END_TEST

/* No packet, no file; one without records is one. */
START_TEST(nothing)
{
	struct seen seen;

	trace_begin("/tmp");
	ck_assert_int_eq(cairn_ctf_file_close(&t.file, 0, t.now), 0);
	ck_assert_int_ne(faccessat(t.folder, "stream", F_OK, 0), 0);
	ck_assert_uint_eq(t.file.written, 0);
	packet_begin(1, 4096);
	ck_assert_int_eq(packet_write(false), 0);
	ck_assert_int_eq(cairn_ctf_file_close(&t.file, 0, t.now), 0);
	seen = look_all();
	ck_assert_uint_eq(seen.packets, 1);
	read_trace(0);
	trace_end();
}
END_TEST

/* A head that contradicts what is written changes nothing. */
START_TEST(refused)
{
	struct cairn_packet good;
	unsigned operations;

	trace_begin("/tmp");
	packet_whole(1, 10);
	packet_begin(10, 4096);
	packet_add(5, 0);
	good = t.head;
	operations = hook.operations;
	t.head.timestamp_begin = BEGIN; /* before the last packet's end */
	ck_assert_int_eq(packet_write(true), -EINVAL);
	t.head = good;
	t.head.timestamp_end = t.head.timestamp_begin - 1;
	ck_assert_int_eq(packet_write(true), -EINVAL);
	t.head = good;
	t.head.packet_size = 8 * (104 + t.records.used - 1);
	ck_assert_int_eq(packet_write(true), -EINVAL);
	t.head.packet_size = good.packet_size + 1;
	ck_assert_int_eq(packet_write(true), -EINVAL);
	t.head.packet_size = UINT64_MAX - 7;
	ck_assert_int_eq(packet_write(true), -EINVAL);
	ck_assert_uint_eq(hook.operations, operations);
	t.head = good;
	ck_assert_int_eq(packet_write(false), 0);
	operations = hook.operations;
	t.records.used -= RECORD;
	ck_assert_int_eq(packet_write(false), -EINVAL); /* bytes are gone */
	t.records.used += RECORD;
	t.head.timestamp_end--;
	ck_assert_int_eq(packet_write(false), -EINVAL); /* time goes back */
	ck_assert_uint_eq(hook.operations, operations);
	ck_assert_int_eq(cairn_ctf_file_close(&t.file, 0, t.now), 0);
	read_trace(15);
	trace_end();
}
END_TEST

/* Lost events have their number, wherever they are lost. */
START_TEST(lost)
{
	struct seen seen;

	trace_begin("/tmp");
	hook.look = true;
	t.head.events_discarded = 3; /* before the first packet */
	packet_whole(1, 4);
	t.head.events_discarded = 1; /* it never goes down */
	packet_whole(1, 4);
	packet_begin(1, 4096);
	t.head.events_discarded = 10;
	packet_add(1, 0);
	ck_assert_int_eq(packet_write(false), 0);
	t.head.events_discarded = 11; /* while the packet is open */
	packet_add(1, 5);
	ck_assert_int_eq(packet_write(true), 0);
	ck_assert_int_eq(cairn_ctf_file_close(&t.file, 15, t.now + 100), 0);
	seen = look_all();
	ck_assert_uint_eq(seen.lost, 15);
	ck_assert_uint_eq(seen.end, t.now + 100);
	read_lost(10, 15);
	trace_end();
}
END_TEST

/* Ways to end: what is open, what is lost, whether the clock of the loss is behind. */
START_TEST(closes)
{
	const bool open = _i & 1, more = _i & 2, behind = _i & 4, first = _i & 8;
	struct stat status;
	struct seen seen;

	trace_begin("/tmp");
	hook.look = true;
	if (!first)
		packet_whole(1, 7);
	packet_begin(1, 4096);
	packet_add(9, 0);
	ck_assert_int_eq(packet_write(!open), 0);
	ck_assert_int_eq(cairn_ctf_file_close(&t.file, more ? 4 : 0, behind ? BEGIN : t.now + 1),
			 0);
	ck_assert_int_eq(t.file.file, -1);
	ck_assert_int_eq(fstatat(t.folder, "stream", &status, 0), 0);
	ck_assert_msg(status.st_size <= 1024, "the file has %jd bytes", (intmax_t)status.st_size);
	ck_assert_uint_eq((uint64_t)status.st_size, t.file.written);
	seen = look_all();
	ck_assert_uint_eq(seen.records, t.made);
	ck_assert_uint_eq(seen.lost, more ? 4 : 0);
	read_lost(t.made, more ? 4 : 0);
	trace_end();
}
END_TEST

/* A stream that only lost events. */
START_TEST(lost_alone)
{
	struct seen seen;

	trace_begin("/tmp");
	hook.look = true;
	ck_assert_int_eq(cairn_ctf_file_close(&t.file, 42, t.now), 0);
	seen = look_all();
	ck_assert_uint_eq(seen.packets, 2);
	ck_assert_uint_eq(seen.lost, 42);
	read_lost(0, 42);
	trace_end();
}
END_TEST

/* ---- parts ---- */

/* A full file is left for the next one, which is larger; together they have all records in order. */
START_TEST(parts)
{
	struct stat status;
	char name[32];
	unsigned i;

	trace_begin("/tmp");
	hook.look = _i == 0;
	t.file.file_size = 16 << 10;
	for (i = 0; i < 35; i++) {
		packet_begin(3, 4096);
		packet_add(300, 0);
		if (i % 3 == 0)
			ck_assert_int_eq(packet_write(false), 0);
		ck_assert_int_eq(packet_write(true), 0);
	}
	ck_assert_int_eq(cairn_ctf_file_close(&t.file, 0, t.now), 0);
	ck_assert_uint_eq(t.file.part, 2);
	for (i = 0; i <= t.file.part; i++) {
		snprintf(name, sizeof(name), i ? "stream.%u" : "stream", i);
		ck_assert_int_eq(fstatat(t.folder, name, &status, 0), 0);
		ck_assert_msg(status.st_size <= 16384 << i, "%s has %jd bytes, expected at most %u",
			      name, (intmax_t)status.st_size, 16384 << i);
	}
	ck_assert_uint_eq(look_all().records, t.made);
	read_trace(t.made);
	trace_end();
}
END_TEST

/* Events get lost all the time; every part says its own. */
START_TEST(parts_lost)
{
	unsigned i;

	trace_begin("/tmp");
	hook.look = true;
	for (i = 0; i < 60; i++) {
		t.head.events_discarded += i % 3;
		packet_begin(3, 4096);
		packet_add(300, 0);
		ck_assert_int_eq(packet_write(i % 2), 0);
	}
	ck_assert_int_eq(cairn_ctf_file_close(&t.file, t.head.events_discarded + 7, t.now), 0);
	ck_assert_uint_ge(t.file.part, 1);
	ck_assert_uint_eq(look_all().lost, t.head.events_discarded + 7);
	read_lost(t.made, t.head.events_discarded + 7);
	trace_end();
}
END_TEST

/* A clock of coarse ticks, or one that stands still: many packets begin and end at one time. */
START_TEST(coarse_clock)
{
	const bool stopped = _i & 2;
	unsigned i, n;

	trace_begin(_i & 1 ? "/dev/shm" : "/tmp");
	t.head.events_discarded = 1;
	for (i = 0; i < 200; i++) {
		packet_begin(stopped || i % 30 ? 0 : 1000, 4096);
		for (n = 0; n < 200; n++) {
			put_short(&t.records, 4, 1, t.now);
			put_uint(&t.records, t.made++, 4);
		}
		ck_assert_int_eq(packet_write(true), 0);
	}
	ck_assert_int_eq(cairn_ctf_file_close(&t.file, 1, t.now), 0);
	ck_assert_uint_ge(t.file.part, 2);
	ck_assert_uint_eq(look_all().records, t.made);
	read_lost(t.made, 1);
	trace_end();
}
END_TEST

/* Packets as large as a part, or larger. */
START_TEST(large_packets)
{
	static const size_t size[] = { 60 << 10, 64 << 10, 200 << 10, 4096, 100 << 10 };
	size_t i;

	trace_begin("/tmp");
	hook.look = true;
	for (i = 0; i < sizeof(size) / sizeof(size[0]); i++) {
		packet_begin(5, size[i]);
		packet_add(20, 0);
		ck_assert_int_eq(packet_write(false), 0);
		packet_add((uint32_t)((size[i] - 104) / RECORD) - 20, 0);
		ck_assert_int_eq(packet_write(true), 0);
	}
	ck_assert_int_eq(cairn_ctf_file_close(&t.file, 0, t.now), 0);
	read_trace(t.made);
	trace_end();
}
END_TEST

/* No file grows beyond RLIMIT_FSIZE, where the system sends a deadly signal. */
START_TEST(size_limit)
{
	struct rlimit limit, before;
	struct stat status;
	unsigned i;

	trace_begin("/tmp");
	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
	limit = before;
	limit.rlim_cur = 30000;
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	for (i = 0; i < 40; i++) {
		packet_begin(5, 4096);
		packet_add(400, 0);
		ck_assert_int_eq(packet_write(i & 1), 0);
	}
	packet_begin(5, 30000); /* no part has room for it */
	packet_add(10, 0);
	ck_assert_int_eq(packet_write(false), -EFBIG);
	ck_assert_int_eq(packet_write(true), 0); /* but closed it is small */
	ck_assert_int_eq(cairn_ctf_file_close(&t.file, 0, t.now), 0);
	ck_assert_int_eq(fstatat(t.folder, "stream.1", &status, 0), 0);
	ck_assert_int_le(status.st_size, 30000);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
	read_trace(t.made);
	trace_end();
}
END_TEST

/* The limit goes down while a file is open. */
START_TEST(size_limit_lowered)
{
	trace_begin("/tmp");
	hook.look = true;
	packet_whole(1, 400);
	packet_begin(1, 8192);
	packet_add(400, 0);
	ck_assert_int_eq(packet_write(false), 0);
	hook.limit = 7000;
	packet_add(100, 0);
	ck_assert_int_eq(packet_write(false), -EFBIG);
	ck_assert_uint_eq(look_all().records, 800);
	hook.limit = 4000; /* below what is there */
	ck_assert_int_eq(packet_write(true), -EFBIG);
	hook.limit = UINT64_MAX;
	ck_assert_int_eq(packet_write(false), 0);
	hook.limit = 7000;
	ck_assert_int_eq(cairn_ctf_file_close(&t.file, 0, t.now), -EFBIG);
	ck_assert_uint_eq(look_all().records, 900);
	hook.limit = UINT64_MAX;
	read_trace(900);
	trace_end();
}
END_TEST

/* ---- writes that fail ---- */

#define TRIES 3

/* A call that may fail: a reader then sees the state before. It is repeated until it works. */
static void insist(bool closed)
{
	int status, i;

	for (i = 0; i < TRIES; i++) {
		status = packet_write(closed);
		if (!status)
			return;
		ck_assert_msg(status == -ENOSPC || status == -EIO, "status %d", status);
		look();
		read_trace(t.before);
	}
	ck_abort_msg("operation %u: it does not work again", hook.operations);
}

/* Some of everything, over two parts. */
static void scenario(void)
{
	packet_begin(0, 4096);
	packet_add(10, 0);
	insist(true);
	packet_begin(1, 16384);
	packet_add(10, 0);
	insist(false);
	packet_add(600, 0);
	insist(false);
	packet_add(1, (uint64_t)1 << 30);
	insist(true);
	packet_begin(1, 4096);
	packet_add(5, 0);
	insist(false); /* never closed */
	packet_begin(1, 40 << 10);
	packet_add(3000, 0);
	insist(false);
	packet_begin(1, 40 << 10);
	packet_add(4000, 0);
	insist(true); /* into the next part */
	packet_begin(1, 4096);
	packet_add(7, 0);
	insist(false);
}

/* Every operation fails once, whole or half done. */
START_TEST(failing_writes)
{
	unsigned operations, k;
	int status;

	trace_begin("/tmp");
	scenario();
	ck_assert_uint_eq(t.file.part, 1);
	operations = hook.operations;
	trace_end();
	for (k = 1; k <= operations + 4; k++) {
		trace_begin(_i ? "/dev/shm" : "/tmp");
		hook.fail_at = k;
		hook.half = _i;
		hook.look = true;
		scenario();
		ck_assert_uint_eq(look_all().records, t.made);
		status = cairn_ctf_file_close(&t.file, 0, t.now);
		ck_assert_msg((status != 0) == (hook.operations >= k && k > operations),
			      "operation %u of %u: close says %d", k, hook.operations, status);
		read_trace(t.made);
		trace_end();
	}
}
END_TEST

/* The disk stays full: every call fails, and what was written before can be read. */
START_TEST(full_disk)
{
	unsigned i, part;

	trace_begin("/tmp");
	packet_whole(1, 10);
	for (i = 0; i < 10; i++) {
		part = t.file.part;
		packet_begin(1, 4096);
		packet_add(100, 0);
		hook.fail_at = hook.operations + 1;
		ck_assert_int_eq(packet_write(i & 1), -ENOSPC);
		ck_assert_uint_eq(t.file.part, part);
		ck_assert_uint_eq(look_all().records, t.before);
		t.made = t.before; /* its records are lost */
		t.head.events_discarded += 100;
	}
	hook.fail_at = 0;
	packet_whole(1, 10);
	ck_assert_int_eq(cairn_ctf_file_close(&t.file, 1000, t.now), 0);
	read_lost(20, 1000);
	trace_end();
}
END_TEST

/* ---- random traces ---- */

static uint64_t random_state;

/* splitmix64 (Steele, Lea, Flood 2014). */
static uint32_t random_below(uint32_t n)
{
	uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return (uint32_t)((z ^ z >> 31) % n);
}

static void random_seed(const char *test)
{
	const char *seed = getenv("CAIRN_SEED");

	random_state = seed ? strtoull(seed, NULL, 0) :
			      (uint64_t)time(NULL) * 1000003 + (uint64_t)getpid();
	printf("%s: CAIRN_SEED=%" PRIu64 "\n", test, random_state);
	fflush(stdout);
}

/* Try; with a chance of one in 20 an operation fails. False: it failed for good. */
static bool random_write(bool closed, bool failing)
{
	unsigned tries;

	for (tries = 0; tries < 4; tries++) {
		hook.fail_at = failing && random_below(5) == 0 ?
				       hook.operations + 1 + random_below(4) :
				       0;
		hook.half = random_below(2);
		if (!packet_write(closed))
			return true;
		look();
	}
	return false;
}

/* Any sequence of calls, each operation checked by the reader above; the end by babeltrace2. */
START_TEST(random_traces)
{
	const bool failing = _i & 1;
	uint32_t packets, room, n, kept;
	bool closed;

	random_seed("random_traces");
	trace_begin("/tmp");
	hook.look = true;
	t.file.file_size = 20000;
	for (packets = 10 + random_below(30); packets > 0; packets--) {
		const size_t size = (size_t)4096 << random_below(2);

		kept = t.made;
		room = (uint32_t)((size - 104) / RECORD) - 2;
		packet_begin(random_below(4) ? random_below(3) : (uint64_t)random_below(9) << 26,
			     size);
		do {
			n = random_below(3) ? random_below(20) : random_below(room + 1);
			n = n > room ? room : n;
			if (n > 0 && room > 3 && random_below(10) == 0) {
				packet_add(1, (uint64_t)1 << (27 + random_below(8)));
				room -= 2;
				n--;
			}
			n = n > room ? room : n;
			packet_add(n, random_below(3));
			room -= n;
			closed = random_below(3) == 0;
			if (!random_write(closed, failing)) {
				/* Given up: its records that no reader has seen are lost. */
				t.head.events_discarded += t.made - t.before;
				t.made = t.before > kept ? t.before : kept;
				break;
			}
			kept = t.made;
		} while (!closed && random_below(4));
		t.head.events_discarded += random_below(10) ? 0 : random_below(100);
	}
	hook.fail_at = 0;
	ck_assert_int_eq(cairn_ctf_file_close(&t.file, t.head.events_discarded, t.now + 1), 0);
	ck_assert_uint_eq(look_all().records, t.made);
	read_lost(t.made, t.head.events_discarded);
	trace_end();
}
END_TEST

/* ---- readers and writers at the same time ---- */

static void pause_us(long us)
{
	const struct timespec time = { 0, us * 1000 };

	nanosleep(&time, NULL);
}

/* Write packets until told to stop, then close. */
static void *live_writer(void *stop)
{
	while (!__atomic_load_n((bool *)stop, __ATOMIC_RELAXED) && t.made < 20000) {
		packet_begin(random_below(3), 4096);
		packet_add(1 + random_below(40), 0);
		if (random_below(2)) {
			if (packet_write(false))
				return "an open packet cannot be written";
			packet_add(1 + random_below(40), 2);
		}
		if (packet_write(true))
			return "a packet cannot be written";
		if (random_below(4) == 0)
			pause_us(50 + random_below(100));
	}
	return cairn_ctf_file_close(&t.file, 0, t.now) ? "the file cannot be closed" : NULL;
}

/* babeltrace2 on a trace that grows, rolls to new files, and is closed under its hands. */
START_TEST(live_reader)
{
	unsigned round, runs;
	bool stop;
	pthread_t thread;
	void *failure;
	char *text;

	if (not_on_board("live_reader", "the trace grows as long as it is copied"))
		return;
	random_seed("live_reader");
	for (round = 0; round < effort(8); round++) {
		trace_begin(_i ? "/dev/shm" : "/tmp");
		t.file.file_size = 256 << 10;
		packet_whole(1, 1);
		stop = false;
		ck_assert_int_eq(pthread_create(&thread, NULL, live_writer, &stop), 0);
		for (runs = 0; runs < 4; runs++) {
			/* The trace is closed while the third run reads. */
			__atomic_store_n(&stop, runs == 2, __ATOMIC_RELAXED);
			text = reader_read(t.dir);
			ck_assert_ptr_nonnull(strstr(text, "{ n = 0 }"));
			if (runs < 3) {
				free(text);
				continue;
			}
			ck_assert_int_eq(pthread_join(thread, &failure), 0);
			ck_assert_msg(!failure, "%s", (char *)failure);
			free(text);
			read_trace(t.made);
		}
		trace_end();
	}
}
END_TEST

/* A writer that is killed anywhere leaves a file that can be read. */
START_TEST(killed_writer)
{
	bool stop = false;
	unsigned round;
	int status;
	pid_t pid;

	random_seed("killed_writer");
	for (round = 0; round < effort(30); round++) {
		trace_begin(_i ? "/dev/shm" : "/tmp");
		t.file.file_size = 64 << 10;
		pid = fork();
		ck_assert_int_ge(pid, 0);
		if (pid == 0) {
			live_writer(&stop);
			_exit(0);
		}
		pause_us(500 + random_below(8000));
		kill(pid, SIGKILL);
		ck_assert_int_eq(waitpid(pid, &status, 0), pid);
		free(reader_read(t.dir));
		look_all();
		trace_end();
	}
}
END_TEST

static void add(Suite *suite, const char *name, const TTest *test, int rounds)
{
	TCase *tc = tcase_create(name);

	tcase_set_timeout(tc, 280);
	tcase_add_loop_test(tc, test, 0, rounds);
	suite_add_tcase(suite, tc);
}

int main(void)
{
	Suite *suite = suite_create("ctf_file");
	SRunner *runner;
	int failed;

	add(suite, "layout", layout, 1);
	add(suite, "writes", writes, 1);
	add(suite, "nothing", nothing, 1);
	add(suite, "refused", refused, 1);
	add(suite, "lost", lost, 1);
	add(suite, "closes", closes, 16);
	add(suite, "lost_alone", lost_alone, 1);
	add(suite, "parts", parts, 2);
	add(suite, "parts_lost", parts_lost, 1);
	add(suite, "coarse_clock", coarse_clock, 4);
	add(suite, "large_packets", large_packets, 1);
	add(suite, "size_limit", size_limit, 1);
	add(suite, "size_limit_lowered", size_limit_lowered, 1);
	add(suite, "failing_writes", failing_writes, 2);
	add(suite, "full_disk", full_disk, 1);
	add(suite, "random_traces", random_traces, (int)effort(16));
	add(suite, "live_reader", live_reader, 2);
	add(suite, "killed_writer", killed_writer, 2);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
