/* SPDX-License-Identifier: MIT */
/*
 * core/drain.c on a rig of tests/rig.h: what is taken when, that nothing is counted twice or forgotten,
 * that readers like every state, and that broken rings and full disks do no harm.
 */
#define _GNU_SOURCE
#include <cairn/cairn.h>

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <time.h>

#include "drain.h"
#include "make_desc.h"
#include "rig.h"

#define PACKET 4096u
#define CAPACITY (PACKET - CAIRN_PACKET_HEADER - 4)

CAIRN_EVENT(drain, number, CAIRN_U32(n));
CAIRN_EVENT(drain, bytes, CAIRN_SEQ(u8, data, count));
extern struct cairn_event event_number __asm__("cairn_event_drain__number");
extern struct cairn_event event_bytes __asm__("cairn_event_drain__bytes");

static struct rig rig;
static unsigned char filler[2 * PACKET];

void drain_sites(void);
void drain_sites(void)
{
	cairn_trace(drain, number, 1);
	cairn_trace(drain, bytes, filler, 1);
}

static void put_number(uint32_t n)
{
	rig.now++;
	cairn_hit_drain__number(n, 0);
}

static void put(size_t size)
{
	rig.now++;
	cairn_hit_drain__bytes(filler, size - 2, 0);
}

static void begin_number(uint32_t packets)
{
	rig_begin(&rig, CAIRN_DISCARD, PACKET, packets, 4);
	rig_listen(&rig, &event_number, cairn_desc_drain__number(), 1, true);
}

static void begin_bytes(uint32_t packets)
{
	rig_begin(&rig, CAIRN_DISCARD, PACKET, packets, 4);
	rig_listen(&rig, &event_bytes, cairn_desc_drain__bytes(), 1, true);
}

static char *read_output(const char *output)
{
	char *trace = recorded_trace(output), *text = recorded_read(trace);

	recorded_check_all(trace);
	free(trace);
	return text;
}

static void rest(void)
{
	const struct timespec nap = { .tv_nsec = 25000000 };

	nanosleep(&nap, NULL);
}

/* ---- what is taken ---- */

START_TEST(open_and_closed)
{
	struct cairn_stream *stream;

	begin_bytes(4);
	rig_drain(&rig, NULL);
	put(100);
	stream = rig_stream(0);
	/* Without `all`, only packets that are whole. */
	ck_assert_int_eq(cairn_drain_step(rig.drain, CAIRN_DRAIN_WHOLE), 0);
	ck_assert_uint_eq(rig_stats(&rig).recorded, 0);
	rig_step(&rig);
	ck_assert_uint_eq(rig_stats(&rig).recorded, 1);
	ck_assert_uint_eq(stream->consumed, 0);
	put(200);
	rig_step(&rig);
	rig_step(&rig);
	ck_assert_uint_eq(rig_stats(&rig).recorded, 2);
	put(CAPACITY);
	ck_assert_uint_eq(stream->opened, 2);
	ck_assert_int_eq(cairn_drain_step(rig.drain, CAIRN_DRAIN_WHOLE), 0);
	/* The first one was taken in part: its records are not counted again. */
	ck_assert_uint_eq(rig_stats(&rig).recorded, 2);
	ck_assert_uint_eq(stream->consumed, 1);
	rig_step(&rig);
	ck_assert_uint_eq(rig_stats(&rig).recorded, 3);
	ck_assert_uint_eq(stream->consumed, 1);
	ck_assert_uint_eq(rig_close(&rig).recorded, 3);
	rig_end(&rig);
}
END_TEST

/* After every step, however little came, readers get exactly what was committed. */
START_TEST(readable_at_each_step)
{
	char *output = reader_folder("/tmp"), *text, *at, line[40];
	uint32_t n = 0, step, k, i;

	begin_number(4);
	rig_drain(&rig, output);
	for (step = 0; step < 25; step++) {
		for (k = 0; k < (step * 37) % 400; k++)
			put_number(n++);
		ck_assert_int_eq(cairn_drain_step(rig.drain, CAIRN_DRAIN_NOW), 0);
		if (n == 0)
			continue;
		text = read_output(output);
		for (i = 0, at = text; i < n; i++, at += strcspn(at, "\n") + 1)
			if (i % 97 == 0 || i == n - 1) {
				snprintf(line, sizeof(line), "{ n = %u }\n", i);
				ck_assert_ptr_nonnull(strstr(at, line));
			}
		ck_assert_str_eq(at, "");
		free(text);
	}
	ck_assert_uint_eq(rig_close(&rig).recorded, n);
	recorded_remove(output);
	rig_end(&rig);
}
END_TEST

/* The description of an event is in the metadata before any record of it, also late. */
START_TEST(lesson_59)
{
	char *output = reader_folder("/tmp"), *text, name[16], wanted[40];
	struct make_field field = { "u32", "n", 0 };
	struct cairn_desc *desc;
	uint32_t id;

	begin_number(4);
	rig_drain(&rig, output);
	put_number(0);
	for (id = 2; id <= 300; id++) {
		snprintf(name, sizeof(name), "late%u", id);
		desc = make_event("drain", name, 0, &field, 1);
		rig_listen(&rig, &event_number, desc, id, true);
		put_number(id);
		free(desc);
		if (id % 50)
			continue;
		rig_step(&rig);
		text = read_output(output);
		snprintf(wanted, sizeof(wanted), "drain:%s:", name);
		ck_assert_uint_eq(recorded_count(text, wanted), 1);
		ck_assert_uint_eq(recorded_count(text, "{ n = "), id);
		free(text);
	}
	ck_assert_uint_eq(rig_stats(&rig).events, 300);
	rig_close(&rig);
	recorded_remove(output);
	rig_end(&rig);
}
END_TEST

/* Losses without a stream have one of their own. */
START_TEST(lost_stream)
{
	char *output = reader_folder("/tmp"), *trace;
	struct cairn_stats stats;

	begin_number(4);
	rig_drain(&rig, output);
	put_number(1);
	rig.shared->lost = 7;
	stats = rig_close(&rig);
	ck_assert_uint_eq(stats.lost, 7);
	ck_assert_uint_eq(stats.recorded, 1);
	trace = recorded_trace(output);
	ck_assert_uint_eq(recorded_check_all(trace), 7);
	free(recorded_read(trace));
	free(trace);
	recorded_remove(output);
	rig_end(&rig);
}
END_TEST

/* Nothing but losses: an event that is too big is all that ever came. */
START_TEST(only_losses)
{
	char *output = reader_folder("/tmp"), *trace;
	struct cairn_stats stats;

	begin_bytes(4);
	rig_drain(&rig, output);
	put(CAPACITY + 1);
	put(CAPACITY + 1);
	stats = rig_close(&rig);
	ck_assert_uint_eq(stats.recorded, 0);
	ck_assert_uint_eq(stats.lost, 2);
	trace = recorded_trace(output);
	ck_assert_uint_eq(recorded_check_all(trace), 2);
	free(recorded_read(trace));
	free(trace);
	recorded_remove(output);
	rig_end(&rig);
}
END_TEST

/* Nothing at all: no folder is made before there is something to write. */
START_TEST(nothing)
{
	char *output = reader_folder("/tmp");
	struct cairn_stats stats;

	begin_number(4);
	rig_drain(&rig, output);
	ck_assert_str_eq(cairn_drain_path(rig.drain), "");
	rig_step(&rig);
	stats = rig_close(&rig);
	ck_assert_uint_eq(stats.recorded + stats.lost + stats.streams, 0);
	rig_end(&rig);
	recorded_remove(output);
}
END_TEST

/* Figures: of each kind once, and times at which the clock went back. */
START_TEST(figures)
{
	char *output = reader_folder("/tmp");
	struct cairn_stats stats;
	const char *path;
	unsigned i;

	begin_bytes(2);
	rig_drain(&rig, output);
	put(100);
	rig.now -= 50;
	put(100);
	for (i = 0; i < 5; i++)
		put(CAPACITY);
	rig_step(&rig);
	path = cairn_drain_path(rig.drain);
	ck_assert_uint_eq(strncmp(path, output, strlen(output)), 0);
	stats = rig_stats(&rig);
	ck_assert_uint_eq(stats.recorded, 3);
	ck_assert_uint_eq(stats.lost, 4);
	ck_assert_uint_eq(stats.events, 1);
	ck_assert_uint_eq(stats.streams, 1);
	ck_assert_uint_eq(stats.back, rig_stream(0)->back);
	ck_assert_uint_gt(stats.back, 0);
	ck_assert_uint_ge(stats.bytes, 2 * 104 + CAPACITY);
	rig_close(&rig);
	recorded_remove(output);
	rig_end(&rig);
}
END_TEST

/* ---- disks ---- */

/* No room for more: what is whole is counted as lost and makes room, and the trace stays readable. */
START_TEST(file_limit)
{
	char *output = reader_folder("/tmp"), *trace, *text;
	const struct rlimit little = { 2000, RLIM_INFINITY };
	struct rlimit before;
	struct cairn_stats stats;
	unsigned i, refused = 0;

	begin_bytes(4);
	rig_drain(&rig, output);
	getrlimit(RLIMIT_FSIZE, &before);
	put(100);
	rig_step(&rig);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &little), 0);
	for (i = 0; i < 60; i++) {
		put(CAPACITY);
		refused += cairn_drain_step(rig.drain, CAIRN_DRAIN_NOW) == -EFBIG;
	}
	ck_assert_uint_gt(refused, 4);
	stats = rig_stats(&rig);
	ck_assert_uint_gt(stats.lost, 10);
	/* One record may be in neither column: the open packet's, which is tried again. */
	ck_assert_uint_ge(stats.recorded + stats.lost, 60);
	setrlimit(RLIMIT_FSIZE, &before);
	trace = recorded_trace(output);
	text = recorded_read(trace);
	ck_assert_uint_eq(recorded_count(text, "drain:bytes"), stats.recorded);
	free(text);
	put(CAPACITY);
	put(100);
	rig_step(&rig);
	stats = rig_close(&rig);
	ck_assert_uint_eq(stats.recorded + stats.lost, 63);
	text = recorded_read(trace);
	ck_assert_uint_eq(recorded_count(text, "drain:bytes"), stats.recorded);
	ck_assert_uint_eq(recorded_check_all(trace), stats.lost);
	free(text);
	free(trace);
	recorded_remove(output);
	rig_end(&rig);
}
END_TEST

START_TEST(no_folder)
{
	begin_number(4);
	rig_drain(&rig, "/proc/nowhere");
	ck_assert_int_eq(cairn_drain_begin(rig.drain), -ENOENT);
	put_number(1);
	ck_assert_int_eq(cairn_drain_step(rig.drain, CAIRN_DRAIN_NOW), -ENOENT);
	ck_assert_uint_eq(rig_stats(&rig).recorded, 0);
	ck_assert_str_eq(cairn_drain_path(rig.drain), "");
	ck_assert_int_eq(cairn_drain_close(rig.drain), -ENOENT);
	ck_assert_uint_eq(rig_stats(&rig).recorded, 0);
	ck_assert_uint_eq(rig_stats(&rig).lost, 1);
	rig_end(&rig);
}
END_TEST

/*
 * The metadata is written again from time to time, as the clock is known better. If that fails there is
 * the one before: all is recorded. Without one that has the event, nothing is, and all of it is lost.
 */
START_TEST(no_room_for_metadata)
{
	char *output = reader_folder("/tmp"), *text;
	const struct rlimit little = { 2000, RLIM_INFINITY };
	uint64_t had;
	struct cairn_stats stats;
	struct rlimit before;
	int status = 0;
	unsigned i;

	begin_number(4);
	rig_drain(&rig, output);
	put_number(1);
	rig_step(&rig);
	getrlimit(RLIMIT_FSIZE, &before);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &little), 0);
	put_number(2);
	/* It is due when four times the time passed that the first one took to come. */
	for (i = 0; i < 1000 && status == 0; i++) {
		rest();
		put_number(3);
		status = cairn_drain_step(rig.drain, CAIRN_DRAIN_NOW);
	}
	ck_assert_int_eq(status, -EFBIG);
	had = rig_stats(&rig).recorded;
	ck_assert_uint_eq(had, i + 2);
	rig_listen(&rig, &event_bytes, cairn_desc_drain__bytes(), 2, true);
	put(100);
	put(CAPACITY);
	ck_assert_int_eq(cairn_drain_step(rig.drain, CAIRN_DRAIN_NOW), -EFBIG);
	ck_assert_int_eq(cairn_drain_close(rig.drain), -EFBIG);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
	stats = rig_stats(&rig);
	ck_assert_uint_eq(stats.recorded, had);
	ck_assert_uint_eq(stats.lost, 2);
	text = read_output(output);
	ck_assert_uint_eq(recorded_count(text, "drain:number"), had);
	free(text);
	recorded_remove(output);
	rig_end(&rig);
}
END_TEST

/* ---- broken rings ---- */

/* An area that is not what it should be is refused at once. */
START_TEST(wrong_area)
{
	struct cairn_drain_config config = { .program = "x",
					     .clock = CAIRN_CLOCK_USER,
					     .clock_hz = 1 };
	struct cairn_drain *drain;
	struct cairn_shared good;
	unsigned i;

	begin_number(4);
	config.shared = rig.shared;
	config.copy = true;
	good = *rig.shared;
	for (i = 0; i < 14; i++) {
		config.size = rig.size;
		switch (i) {
		case 0:
			rig.shared->magic++;
			break;
		case 1:
			rig.shared->version++;
			break;
		case 2:
			rig.shared->word_bytes = 12;
			break;
		case 3:
			rig.shared->packet_size = 0;
			break;
		case 4:
			rig.shared->packet_size = 64u << 20;
			break;
		case 5:
			rig.shared->streams = CAIRN_STREAMS + 1;
			break;
		case 6:
			rig.shared->rings_at = rig.size;
			break;
		case 7:
			rig.shared->rings_at = UINT64_MAX - 100;
			break;
		case 8:
			rig.shared->streams_at = rig.size - 64;
			break;
		case 9:
			rig.shared->streams_at += 8;
			break;
		case 10:
			rig.shared->manifest_at = rig.size - 8;
			break;
		case 11:
			rig.shared->ring_size = 1ull << 60;
			break;
		case 12:
			rig.shared->ring_size = PACKET;
			break;
		case 13:
			config.size = 4096;
			break;
		}
		ck_assert_msg(cairn_drain_open(&drain, &config) == -EINVAL, "case %u was accepted",
			      i);
		*rig.shared = good;
	}
	config.size = rig.size;
	ck_assert_int_eq(cairn_drain_open(&drain, &config), 0);
	cairn_drain_free(drain);
	rig_end(&rig);
}
END_TEST

/* What a manifest may not say: each makes the step fail, and no event of it reaches a file. */
START_TEST(wrong_manifest)
{
	const struct make_field field = { "enum nowhere", "e", 0 };
	struct cairn_manifest *entry;
	struct cairn_desc *desc;
	unsigned i;

	for (i = 0; i < 9; i++) {
		begin_number(4);
		rig_drain(&rig, NULL);
		put_number(1);
		rig_step(&rig);
		desc = i == 8 ? make_event("drain", "x", 0, &field, 1) :
				make_event("drain", "x", 0, &field, 0);
		entry = (struct cairn_manifest *)((uintptr_t)rig.shared +
						  (uintptr_t)rig.shared->manifest_at +
						  rig.shared->manifest_used);
		ck_assert_int_eq(cairn_manifest_add(rig.shared, desc, i == 0 ? 1 : 2), 0);
		free(desc);
		desc = (struct cairn_desc *)(entry + 1);
		switch (i) {
		case 0:
			break; /* an id for the second time */
		case 1:
			entry->id = 0;
			break; /* of a type, but it is an event */
		case 2:
			entry->id = 65535;
			break;
		case 3:
			entry->size = 8;
			break;
		case 4:
			entry->size -= 4;
			break;
		case 5:
			entry->size = UINT32_MAX - 7;
			break;
		case 6:
			desc->size = entry->size;
			break;
		case 7:
			desc->abi++;
			break;
		case 8:
			break; /* of a type that nobody described */
		}
		ck_assert_msg(cairn_drain_step(rig.drain, CAIRN_DRAIN_NOW) == -EINVAL,
			      "case %u was accepted", i);
		ck_assert_uint_eq(rig_stats(&rig).events, 1);
		ck_assert_uint_eq(rig_stats(&rig).recorded, 1);
		rig_end(&rig);
	}
}
END_TEST

static uint64_t random_state;

/* xorshift64, Marsaglia 2003. */
static uint64_t random_next(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

static uint64_t random_value(void)
{
	static const uint64_t edge[] = {
		0,    1,    2,         103,        104,       105,        4095,
		4096, 4097, INT32_MAX, UINT32_MAX, INT64_MAX, UINT64_MAX, UINT64_MAX - 103
	};
	const uint64_t value = random_next();

	return value % 3 ? edge[value / 3 % 14] : random_next();
}

/* Overwrite something that the drain reads. */
static void spoil(struct cairn_stream *stream)
{
	unsigned char *ring = (unsigned char *)stream->base;
	uint64_t value = random_value();
	size_t i;

	switch (random_next() % 10) {
	case 0:
		stream->opened = (uintptr_t)value;
		break;
	case 1:
		stream->cursor.cur = (unsigned char *)(uintptr_t)value;
		break;
	case 2:
		stream->cursor.cur = ring + value % (4 * PACKET);
		break;
	case 3:
		stream->packets = (uint32_t)value;
		break;
	case 4:
		stream->base = (uintptr_t)value;
		break;
	case 5:
		rig.shared->used = (uintptr_t)value;
		break;
	case 6:
		rig.shared->manifest_used = (uintptr_t)value;
		break;
	case 7:
		rig.shared->header = (uint32_t)value;
		break;
	case 8:
		memcpy(ring + random_next() % 4 * PACKET + random_next() % 96, &value,
		       sizeof(value));
		break;
	case 9:
		for (i = 0; i < 64; i++)
			ring[random_next() % (4 * PACKET)] = (unsigned char)random_next();
		break;
	}
}

/* The words of a program on its clock, all `c` and without an end: 127 of them, if they are ASCII. */
static void expect_choice(const char *output, char c)
{
	char *trace = recorded_trace(output), *text, *at;
	const int dir = cairn_os_dir_open(trace), file = openat(dir, "metadata", O_RDONLY);
	unsigned n = 0;

	ck_assert_int_ge(file, 0);
	text = reader_file(file, NULL);
	at = strstr(text, "clock_choice = \"");
	ck_assert_ptr_nonnull(at);
	for (at += strlen("clock_choice = \""); *at == (c == '"' ? '\\' : '?'); n++)
		at += c == '"' ? 2 : 1;
	ck_assert_msg(n == CAIRN_CLOCK_CHOICE - 1 && !strncmp(at, "\";\n", 3), "%u, then %.20s", n,
		      at);
	free(text);
	free(trace);
	close(file);
	close(dir);
}

/*
 * A program writes nonsense into its own rings while a recorder outside drains them: no crash, no
 * endless loop, and what reaches the disk is a trace.
 */
START_TEST(hostile)
{
	const unsigned long seed = recorded_option("CAIRN_SEED", (unsigned long)time(NULL));
	static const char words[] = "\n\"\x01\xff";
	unsigned round, i;

	fprintf(stderr, "CAIRN_SEED=%lu\n", seed);
	for (round = 0; round < 25; round++) {
		char *output = reader_folder("/tmp"), *text;
		struct cairn_drain_config config = { .output = output,
						     .program = "hostile",
						     .pid = 1,
						     .copy = true,
						     .global = true,
						     .clock = CAIRN_CLOCK_USER,
						     .clock_hz = 1000 };
		struct cairn_stream *stream;
		unsigned char *ring;

		/* The first one has a packet that begins at a time which readers have no date for. */
		random_state = (round ? seed + round : 1796082141) * 2 + 1;
		for (i = 0; i < 20; i++)
			random_next();
		begin_bytes(4);
		config.shared = rig.shared;
		config.size = rig.size;
		ck_assert_int_eq(cairn_drain_open(&rig.drain, &config), 0);
		memset(rig.shared->clock_choice, words[round % 4], CAIRN_CLOCK_CHOICE);
		for (i = 0; i < 6; i++)
			put(2 + random_next() % 1000);
		stream = rig_stream(0);
		ring = (unsigned char *)stream->base;
		cairn_drain_step(rig.drain, CAIRN_DRAIN_NOW);
		for (i = 0; i < 20; i++) {
			stream->base = (uintptr_t)ring;
			spoil(stream);
			cairn_drain_step(rig.drain, random_next() % 3);
		}
		cairn_drain_close(rig.drain);
		if (*cairn_drain_path(rig.drain)) {
			text = read_output(output);
			ck_assert_uint_ge(recorded_count(text, "drain:bytes"), 6);
			expect_choice(output, words[round % 4]);
			free(text);
		}
		recorded_remove(output);
		rig_end(&rig);
	}
}
END_TEST

/* ---- sleeping ---- */

static bool yes(void *data)
{
	(void)data;
	return true;
}

static bool no(void *data)
{
	(void)data;
	return false;
}

static uint64_t now_ms(void)
{
	return cairn_os_monotonic() / 1000000;
}

static void *wake_later(void *data)
{
	const struct timespec nap = { .tv_nsec = 50000000 };

	nanosleep(&nap, NULL);
	cairn_bell_wake(data);
	return NULL;
}

START_TEST(bell)
{
	struct cairn_bell bell = { 0 };
	uint64_t before = now_ms();
	pthread_t thread;

	ck_assert(!cairn_bell_sleep(&bell, 100000000000, yes, NULL)); /* a reason not to */
	ck_assert(cairn_bell_sleep(&bell, 30000000, no, NULL));
	ck_assert_uint_ge(now_ms() - before, 29);
	ck_assert_uint_eq(bell.sleeping, 0);
	pthread_create(&thread, NULL, wake_later, &bell);
	ck_assert(
		cairn_bell_sleep(&bell, 100000000000, NULL, NULL)); /* the test's time is limited */
	pthread_join(thread, NULL);
}
END_TEST

/* A writer rings when half its ring waits, and only if somebody sleeps. */
START_TEST(rung)
{
	struct cairn_bell *bell;
	unsigned i;

	begin_bytes(8);
	rig_drain(&rig, NULL);
	bell = &rig.shared->bell;
	for (i = 0; i < 8; i++)
		put(CAPACITY);
	ck_assert_uint_eq(bell->rings, 0);
	rig_step(&rig);
	bell->sleeping = 1;
	put(CAPACITY);
	ck_assert_uint_eq(bell->rings, 0); /* 2 of 8 */
	put(CAPACITY);
	put(CAPACITY);
	ck_assert_uint_eq(bell->rings, 1);
	ck_assert_uint_eq(bell->sleeping, 0);
	put(CAPACITY);
	ck_assert_uint_eq(bell->rings, 1); /* it is awake */
	rig_end(&rig);
}
END_TEST

START_TEST(pressed)
{
	begin_bytes(2);
	rig_drain(&rig, NULL);
	ck_assert(!cairn_drain_pressed(rig.drain));
	put(CAPACITY);
	ck_assert(cairn_drain_pressed(rig.drain)); /* a stream that was not seen yet */
	rig_step(&rig);
	ck_assert(!cairn_drain_pressed(rig.drain));
	put(CAPACITY);
	ck_assert(cairn_drain_pressed(rig.drain)); /* one of two is whole */
	ck_assert_int_eq(cairn_drain_step(rig.drain, CAIRN_DRAIN_WHOLE), 0);
	ck_assert(!cairn_drain_pressed(rig.drain));
	rig_close(&rig);
	rig_end(&rig);
}
END_TEST

/* ---- readers of older metadata ---- */

/* How many packets the stream has, and how many bytes of records number `at` has. */
static size_t known_packets(const char *trace, size_t at, size_t *bytes)
{
	size_t n;
	struct recorded_packet *packet = recorded_packets(trace, "stream-0", &n);

	ck_assert_uint_lt(at, n);
	*bytes = packet[at].bytes;
	free(packet);
	return n;
}

/*
 * A reader reads the metadata, then which packets there are, later what is in them. After an event that
 * it has no class for came, what it reads of the last one that it knows is the same, be that a packet
 * that was open or a cover; and what is written reads well.
 */
static void new_event(bool cover)
{
	char *output = reader_folder("/tmp"), *trace, *text;
	size_t known, before, bytes;

	begin_number(8);
	rig_drain(&rig, output);
	put_number(1);
	put_number(2);
	ck_assert_int_eq(cairn_drain_step(rig.drain, CAIRN_DRAIN_OPEN), 0);
	rest();
	ck_assert_int_eq(cairn_drain_step(rig.drain, CAIRN_DRAIN_OPEN), 0);
	if (cover) {
		while (rig_stream(0)->opened < 2)
			put_number(3);
		ck_assert_int_eq(cairn_drain_step(rig.drain, CAIRN_DRAIN_WHOLE), 0);
	}
	trace = recorded_trace(output);
	known = cover;
	ck_assert_uint_eq(known_packets(trace, known, &before), known + 1);
	ck_assert_uint_eq(before, cover ? 0 : 16);

	rig_listen(&rig, &event_bytes, cairn_desc_drain__bytes(), 2, true);
	put(10);
	/* The metadata comes at once, the event later. */
	ck_assert_int_eq(cairn_drain_step(rig.drain, CAIRN_DRAIN_OPEN), 0);
	ck_assert_uint_eq(rig_stats(&rig).events, 2);
	ck_assert_uint_eq(known_packets(trace, known, &bytes), known + 1);
	ck_assert_uint_eq(bytes, before);
	ck_assert_uint_lt(cairn_drain_due(rig.drain, UINT64_MAX), UINT64_MAX);
	rest();
	ck_assert_int_eq(cairn_drain_step(rig.drain, CAIRN_DRAIN_WHOLE), 0);
	ck_assert_uint_eq(cairn_drain_due(rig.drain, UINT64_MAX), UINT64_MAX);
	ck_assert_uint_eq(known_packets(trace, known, &bytes), known + 2);
	ck_assert_uint_eq(bytes, before);
	free(recorded_read(trace));
	put(20);
	rig_step(&rig);
	ck_assert_uint_eq(rig_close(&rig).lost, 0);
	free(trace);
	text = read_output(output);
	ck_assert_ptr_nonnull(strstr(text, "data_length = 8, data = ["));
	ck_assert_ptr_nonnull(strstr(text, "data_length = 18, data = ["));
	free(text);
	recorded_remove(output);
	rig_end(&rig);
}

START_TEST(new_event_in_open_packet)
{
	new_event(false);
}
END_TEST

START_TEST(new_event_in_cover)
{
	new_event(true);
}
END_TEST

/* The wait for readers ends when half the ring waits, and at a flush. */
START_TEST(no_time_for_readers)
{
	char *output = reader_folder("/tmp");

	begin_bytes(8);
	rig_drain(&rig, output);
	put(CAPACITY);
	put(CAPACITY);
	put(CAPACITY);
	ck_assert_int_eq(cairn_drain_step(rig.drain, CAIRN_DRAIN_OPEN), 0);
	ck_assert_uint_eq(rig_stats(&rig).recorded, 0);
	put(CAPACITY);
	ck_assert_int_eq(cairn_drain_step(rig.drain, CAIRN_DRAIN_WHOLE), 0);
	ck_assert_uint_eq(rig_stats(&rig).recorded, 4); /* the open one was asked for before */
	rig_listen(&rig, &event_number, cairn_desc_drain__number(), 2, true);
	put_number(5);
	ck_assert_int_eq(cairn_drain_step(rig.drain, CAIRN_DRAIN_OPEN), 0);
	ck_assert_uint_eq(rig_stats(&rig).recorded, 4);
	rig_step(&rig);
	ck_assert_uint_eq(rig_stats(&rig).recorded, 5);
	rig_close(&rig);
	recorded_remove(output);
	rig_end(&rig);
}
END_TEST

/* Packets that a seal splits, with a disk that refuses some of them: nothing is twice or forgotten. */
/* ---- snapshots ---- */

static void lapped(void *data, uint32_t stream, uint32_t tid)
{
	(void)stream;
	(void)tid;
	++*(unsigned *)data;
}

/* One event a packet, `events` of them, in a ring of 4; then a snapshot; the records in it. */
static uint64_t snapshot_of(uint32_t events, bool in_switch, unsigned *laps)
{
	char *output = reader_folder("/tmp"), *text;
	struct cairn_stream *stream;
	struct cairn_stats stats;
	uint32_t i;

	*laps = 0;
	rig_begin(&rig, CAIRN_FLIGHT, PACKET, 4, 4);
	rig_listen(&rig, &event_bytes, cairn_desc_drain__bytes(), 1, true);
	for (i = 0; i < events; i++)
		put(CAPACITY);
	if (in_switch) {
		/* The owner has begun to write the head of the next packet over the oldest one. */
		stream = rig_stream(0);
		memset((char *)stream->base + events % 4 * PACKET, 0xff, CAIRN_PACKET_HEADER);
	}
	rig_drain(&rig, output);
	ck_assert_int_eq(cairn_drain_snapshot(rig.drain, lapped, laps), 0);
	stats = rig_close(&rig);
	text = read_output(output);
	free(text);
	recorded_remove(output);
	rig_end(&rig);
	return stats.recorded;
}

/* The packet whose place is taken next is left out, whether its owner is at it or not. */
START_TEST(snapshot)
{
	unsigned laps;

	ck_assert_uint_eq(snapshot_of(0, false, &laps), 0);
	ck_assert_uint_eq(snapshot_of(1, false, &laps), 1);
	ck_assert_uint_eq(snapshot_of(3, false, &laps), 3);
	ck_assert_uint_eq(snapshot_of(4, true, &laps), 3);
	ck_assert_uint_eq(snapshot_of(6, true, &laps), 3);
	ck_assert_uint_eq(snapshot_of(1000, false, &laps), 3);
	ck_assert_uint_eq(laps, 0);
}
END_TEST

/* Losses from before its first packet are not the snapshot's. */
START_TEST(snapshot_forgets)
{
	char *output = reader_folder("/tmp"), *text;
	unsigned laps = 0;
	uint32_t i;

	rig_begin(&rig, CAIRN_FLIGHT, PACKET, 4, 4);
	rig_listen(&rig, &event_bytes, cairn_desc_drain__bytes(), 1, true);
	put(100);
	put(PACKET); /* too big */
	for (i = 0; i < 6; i++)
		put(CAPACITY);
	put(PACKET);
	put(CAPACITY);
	rig_drain(&rig, output);
	ck_assert_int_eq(cairn_drain_snapshot(rig.drain, lapped, &laps), 0);
	ck_assert_uint_eq(rig_close(&rig).recorded, 3);
	text = recorded_trace(output);
	ck_assert_uint_eq(recorded_check_all(text), 1);
	free(text);
	recorded_remove(output);
	rig_end(&rig);
}
END_TEST

START_TEST(sealed_on_a_full_disk)
{
	char *output = reader_folder("/tmp"), *text, *at, *line;
	struct cairn_stats stats;
	uint32_t round, n = 0, refused = 0, lines = 0, next = 0, value;
	struct rlimit limit, none;

	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &none);
	limit = none;
	begin_number(8);
	rig_drain(&rig, output);
	for (round = 0; round < 200; round++) {
		/* The id changes, so what is traced next is new to readers. */
		rig_listen(&rig, &event_number, cairn_desc_drain__number(), 2 + round, true);
		put_number(n++);
		put_number(n++);
		limit.rlim_cur = round % 7 == 3 ? 20000 : none.rlim_cur;
		ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
		refused += cairn_drain_step(rig.drain, CAIRN_DRAIN_NOW) != 0;
		ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &none), 0);
		if (round % 20 == 3) {
			char *trace = recorded_trace(output);

			free(recorded_read(trace));
			free(trace);
		}
	}
	ck_assert_uint_gt(refused, 4);
	stats = rig_close(&rig);
	ck_assert_uint_eq(stats.recorded + stats.lost, n);
	ck_assert_uint_eq(stats.lost, 0);
	text = read_output(output);
	for (at = text; (line = strstr(at, "{ n = ")); at = line + 6, lines++, next++) {
		value = (uint32_t)strtoul(line + 6, NULL, 10);
		ck_assert_msg(value == next, "record %u has number %u", next, value);
	}
	ck_assert_uint_eq(lines, n);
	free(text);
	recorded_remove(output);
	rig_end(&rig);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("drain");
	TCase *tcase = tcase_create("drain");
	SRunner *runner;
	int failed;

	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, open_and_closed);
	tcase_add_test(tcase, readable_at_each_step);
	tcase_add_test(tcase, lesson_59);
	tcase_add_test(tcase, lost_stream);
	tcase_add_test(tcase, only_losses);
	tcase_add_test(tcase, nothing);
	tcase_add_test(tcase, figures);
	tcase_add_test(tcase, file_limit);
	tcase_add_test(tcase, no_folder);
	tcase_add_test(tcase, no_room_for_metadata);
	tcase_add_test(tcase, wrong_area);
	tcase_add_test(tcase, wrong_manifest);
	tcase_add_test(tcase, hostile);
	tcase_add_test(tcase, bell);
	tcase_add_test(tcase, rung);
	tcase_add_test(tcase, pressed);
	tcase_add_test(tcase, new_event_in_open_packet);
	tcase_add_test(tcase, new_event_in_cover);
	tcase_add_test(tcase, no_time_for_readers);
	tcase_add_test(tcase, sealed_on_a_full_disk);
	tcase_add_test(tcase, snapshot);
	tcase_add_test(tcase, snapshot_forgets);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
