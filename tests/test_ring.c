/* SPDX-License-Identifier: MIT */
/*
 * core/ring.c: where records go, at every boundary of packets and rings, on a rig of tests/rig.h. Each
 * case runs the short way of include/cairn/record.h and the long one.
 */
#define _GNU_SOURCE
#include <cairn/cairn.h>

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <time.h>

#include "effort.h"
#include "rig.h"
#include "ring.h"

#define PACKET 4096u
/* Payload that a packet takes behind a short header of 4 bytes. */
#define CAPACITY (PACKET - CAIRN_PACKET_HEADER - 4)

CAIRN_EVENT(ring, bytes, CAIRN_SEQ(u8, data, count));
CAIRN_EVENT(ring, number, CAIRN_U32(n));
CAIRN_EVENT(ring, nothing);

extern struct cairn_event event_bytes __asm__("cairn_event_ring__bytes");
extern struct cairn_event event_number __asm__("cairn_event_ring__number");
extern struct cairn_event event_nothing __asm__("cairn_event_ring__nothing");

static unsigned char filler[20 * PACKET];
static struct rig rig;

/* One event of `size` bytes of payload, at least 2. */
static void put(size_t size)
{
	cairn_hit_ring__bytes(filler, size - 2, 0);
}

static void put_number(uint32_t n)
{
	cairn_hit_ring__number(n, 0);
}

static void begin_bytes(int way, enum cairn_mode mode, uint32_t packets)
{
	rig_begin(&rig, mode, PACKET, packets, 4);
	rig_listen(&rig, &event_bytes, cairn_desc_ring__bytes(), 1, way);
}

static void begin_number(int way, enum cairn_mode mode, uint32_t packets)
{
	rig_begin(&rig, mode, PACKET, packets, 4);
	rig_listen(&rig, &event_number, cairn_desc_ring__number(), 1, way);
}

/* Bytes that the open packet still has room for. */
static size_t rest(void)
{
	const struct cairn_cursor *cursor = &rig_stream(0)->cursor;

	return (size_t)(cursor->end - cursor->cur);
}

/* Fill the open packet until `size` bytes are left. */
static void leave(size_t size)
{
	const size_t now = rest();

	ck_assert_uint_ge(now, size + 6);
	put(now - size - 4);
	ck_assert_uint_eq(rest(), size);
}

/* Events of one byte less, just, one byte more and ten times what a packet takes. */
START_TEST(lesson_47)
{
	struct cairn_stats stats;
	struct cairn_stream *stream;

	begin_bytes(_i, CAIRN_DISCARD, 8);
	rig_drain(&rig, NULL);
	put(CAPACITY - 1);
	stream = rig_stream(0);
	ck_assert_uint_eq(stream->opened, 1);
	ck_assert_uint_eq(rest(), 1);
	put(CAPACITY);
	ck_assert_uint_eq(stream->opened, 2);
	ck_assert_uint_eq(rest(), 0);
	ck_assert_uint_eq(stream->lost, 0);
	put(CAPACITY + 1);
	put(10 * CAPACITY);
	ck_assert_uint_eq(stream->lost, 2);
	ck_assert_uint_eq(stream->opened, 2);    /* what is refused opens no packet */
	cairn_hit_ring__bytes(filler, 65536, 0); /* more elements than a sequence counts */
	ck_assert_uint_eq(stream->lost, 3);
	put(2);
	ck_assert_uint_eq(stream->opened, 3);
	rig_step(&rig);
	stats = rig_close(&rig);
	ck_assert_uint_eq(stats.recorded, 3);
	ck_assert_uint_eq(stats.lost, 3);
	rig_end(&rig);
}
END_TEST

/* With 0 to 40 bytes left in the packet, events of 2 to 42 bytes go where they fit. */
START_TEST(every_boundary)
{
	struct cairn_stream *stream;
	size_t left, size, opened, events = 0;

	begin_bytes(_i, CAIRN_DISCARD, 4);
	rig_drain(&rig, NULL);
	for (left = 0; left <= 40; left++) {
		for (size = 2; size <= 42; size++) {
			put(CAPACITY / 2);
			stream = rig_stream(0);
			if (rest() < 60)
				put(CAPACITY / 2);
			leave(left);
			opened = stream->opened;
			put(size);
			ck_assert_msg(stream->opened == opened + (size + 4 > left),
				      "an event of %zu bytes with %zu left: packet %zu, was %zu",
				      size, left, (size_t)stream->opened, opened);
			ck_assert_uint_eq(rest(),
					  size + 4 > left ? CAPACITY - size : left - size - 4);
			rig_step(&rig);
			while (rest() > 100)
				put(rest() > 2000 ? 1500 : rest() - 90);
			rig_step(&rig);
			events++;
		}
	}
	ck_assert_uint_eq(stream->lost, 0);
	ck_assert_uint_eq(rig_close(&rig).lost, 0);
	ck_assert_uint_gt(events, 1600);
	rig_end(&rig);
}
END_TEST

/* An empty sequence that ends with the packet, and an event of no bytes. */
START_TEST(empty_at_the_end)
{
	char *output = reader_folder("/tmp"), *trace, *text;
	struct cairn_stats stats;

	begin_bytes(_i, CAIRN_DISCARD, 4);
	rig_drain(&rig, output);
	put(100);
	leave(6);
	put(2);
	ck_assert_uint_eq(rest(), 0);
	ck_assert_uint_eq(rig_stream(0)->opened, 1);
	put(2);
	ck_assert_uint_eq(rig_stream(0)->opened, 2);
	rig_listen(&rig, &event_nothing, cairn_desc_ring__nothing(), 2, _i);
	event_bytes.list = event_bytes.by_clock = NULL;
	while (rest() >= 4)
		cairn_hit_ring__nothing(0);
	ck_assert_uint_eq(rest(), CAPACITY + 4 - 6 - (CAPACITY + 4 - 6) / 4 * 4);
	cairn_hit_ring__nothing(0);
	ck_assert_uint_eq(rig_stream(0)->opened, 3);
	stats = rig_close(&rig);
	ck_assert_uint_eq(stats.lost, 0);
	trace = recorded_trace(output);
	text = recorded_read_whole(trace);
	ck_assert_uint_eq(recorded_count(text, "ring:bytes"), 4);
	ck_assert_uint_eq(recorded_count(text, "ring:nothing"), stats.recorded - 4);
	ck_assert_uint_eq(recorded_check_all(trace), 0);
	free(text);
	free(trace);
	recorded_remove(output);
	rig_end(&rig);
}
END_TEST

/* Losses are exact, and each packet says how many there were before it. */
START_TEST(lost)
{
	char *output = reader_folder("/tmp"), *trace, *text;
	uint64_t round, in = 0, lost = 0, before;
	struct recorded_packet *packet;
	struct cairn_stats stats;
	size_t n;

	begin_bytes(_i, CAIRN_DISCARD, 2);
	rig_drain(&rig, output);
	for (round = 1; round <= 20; round++) {
		rig.now += 10;
		put(1000);
		before = rig_stream(0)->lost;
		ck_assert_uint_eq(before, lost);
		in++;
		/* 4 events of 1000 bytes to a packet, 2 packets: 7 more find room. */
		for (n = 0; n < 7 + round; n++)
			put(n < 7 ? 950 : 400);
		in += 7;
		lost = rig_stream(0)->lost;
		in += round - (lost - before); /* some small ones fit behind */
		rig_step(&rig);
		rig_step(&rig);
		put(CAPACITY);
		in++;
		rig_step(&rig);
	}
	ck_assert_uint_gt(lost, 100);
	stats = rig_close(&rig);
	ck_assert_uint_eq(stats.recorded, in);
	ck_assert_uint_eq(stats.lost, lost);
	trace = recorded_trace(output);
	ck_assert_uint_eq(recorded_check(trace, "stream-0"), lost);
	packet = recorded_packets(trace, "stream-0", &n);
	ck_assert_uint_gt(n, 40);
	/* Not all of it at the end: half-way, about a third was lost, as rounds lose more and more. */
	ck_assert_uint_gt(packet[n / 2].head.events_discarded, lost / 10);
	ck_assert_uint_lt(packet[n / 2].head.events_discarded, lost / 2);
	free(packet);
	text = recorded_read(trace);
	ck_assert_uint_eq(recorded_count(text, "ring:bytes"), in);
	free(text);
	free(trace);
	recorded_remove(output);
	rig_end(&rig);
}
END_TEST

CAIRN_EVENT(ring, huge, CAIRN_SEQ(u64, a, na), CAIRN_SEQ(u64, b, nb), CAIRN_SEQ(u64, c, nc),
	    CAIRN_SEQ(u64, d, nd), CAIRN_SEQ(u64, e, ne), CAIRN_SEQ(u64, f, nf),
	    CAIRN_SEQ(u64, g, ng), CAIRN_SEQ(u64, h, nh), CAIRN_SEQ(u64, i, ni),
	    CAIRN_SEQ(u64, j, nj), CAIRN_SEQ(u64, k, nk), CAIRN_SEQ(u64, l, nl),
	    CAIRN_SEQ(u64, m, nm), CAIRN_SEQ(u64, n, nn), CAIRN_SEQ(u64, o, no),
	    CAIRN_SEQ(u64, p, np));
extern struct cairn_event event_huge __asm__("cairn_event_ring__huge");

/* What does not fit is refused also when its size, added to an address, leaves a 32-bit address space. */
START_TEST(huge)
{
	const uint64_t *const s = (const uint64_t *)(const void *)filler;
	const size_t n = 70000;

	rig_begin(&rig, CAIRN_DISCARD, PACKET, 4, 4);
	rig_listen(&rig, &event_number, cairn_desc_ring__number(), 1, _i);
	put_number(1);
	rig_listen(&rig, &event_huge, cairn_desc_ring__huge(), 2, _i);
	cairn_hit_ring__huge(s, n, s, n, s, n, s, n, s, n, s, n, s, n, s, n, s, n, s, n, s, n, s, n,
			     s, n, s, n, s, n, s, n, 0);
	ck_assert_uint_eq(rig_stream(0)->lost, 1);
	cairn_hit_ring__huge(s, 1, s, 1, s, 1, s, 1, s, 1, s, n, s, 1, s, 1, s, 1, s, n, s, 1, s, 1,
			     s, 1, s, 1, s, 1, s, n, 0);
	ck_assert_uint_eq(rig_stream(0)->lost, 2);
	ck_assert_uint_eq(rest(), CAPACITY - 4);
	rig_end(&rig);
}
END_TEST

/* What a closed packet in the ring says of itself: recovery will have nothing else. */
START_TEST(heads)
{
	const struct cairn_packet *head;
	struct cairn_stream *stream;
	unsigned i;

	begin_bytes(_i, CAIRN_DISCARD, 4);
	rig.now = 5000;
	put(100);
	stream = rig_stream(0);
	for (i = 0; i < 3; i++) {
		rig.now += 10;
		put(200);
	}
	rig.now += 10;
	put(CAPACITY + 1); /* lost */
	put(CAPACITY);
	ck_assert_uint_eq(stream->opened, 2);
	head = (const struct cairn_packet *)stream->base;
	ck_assert_uint_eq(head->magic, CAIRN_CTF_MAGIC);
	ck_assert_mem_eq(head->uuid, rig.shared->uuid, 16);
	ck_assert_uint_eq(head->stream_instance_id, 0);
	ck_assert_uint_eq(head->packet_seq_num, 0);
	ck_assert_uint_eq(head->timestamp_begin, 5000);
	ck_assert_uint_eq(head->timestamp_end, 5030);
	ck_assert_uint_eq(head->content_size, 8 * (CAIRN_PACKET_HEADER + 104 + 3 * 204));
	ck_assert_uint_eq(head->packet_size, 8 * PACKET);
	ck_assert_uint_eq(head->events_discarded, 0);
	ck_assert_uint_eq(head->vtid, cairn_os_tid());
	head = (const struct cairn_packet *)(stream->base + PACKET);
	ck_assert_uint_eq(head->packet_seq_num, 1);
	ck_assert_uint_eq(head->timestamp_begin, 5040);
	ck_assert_uint_eq(head->events_discarded, 1);
	rig_end(&rig);
}
END_TEST

/* ---- time ---- */

/* Gaps on both sides of every limit, written and read back exactly. */
START_TEST(gaps)
{
	static const uint64_t gap[] = { 0,
					1,
					(1u << 27) - 1,
					1u << 27,
					(1u << 27) + 1,
					1ull << 31,
					UINT32_MAX,
					1ull << 32,
					(1ull << 32) + 1,
					3ull << 32,
					1ull << 40,
					5,
					(1u << 27) - 1,
					7 };
	const size_t gaps = sizeof(gap) / sizeof(gap[0]);
	const uint32_t header = _i < 2 ? 4 : 6;
	char *output = reader_folder("/tmp"), *trace, *text, *at;
	uint64_t time = (1u << 27) - 3; /* just before the first wrap */
	size_t i;

	rig_begin(&rig, CAIRN_DISCARD, PACKET, 4, header);
	rig_listen(&rig, &event_number, cairn_desc_ring__number(), 1, _i == 1);
	rig_drain(&rig, output);
	for (i = 0; i < 200 * gaps; i++) {
		time += gap[i % gaps];
		rig.now = time;
		put_number((uint32_t)i);
		if (i % 64 == 0)
			rig_step(&rig);
	}
	ck_assert_uint_eq(rig_stream(0)->back, 0);
	ck_assert_uint_eq(rig_close(&rig).lost, 0);
	trace = recorded_trace(output);
	text = recorded_read_whole(trace);
	time = (1u << 27) - 3;
	for (i = 0, at = text; i < 200 * gaps; i++) {
		uint64_t stamp;
		char *field = strstr(at, "n = ");

		time += gap[i % gaps];
		ck_assert_msg(sscanf(at, "[%" SCNu64 "]", &stamp) == 1 && field, "event %zu of %zu",
			      i, 200 * gaps);
		ck_assert_uint_eq(stamp, time);
		ck_assert_uint_eq(strtoul(field + 4, NULL, 10), i);
		at += strcspn(at, "\n") + 1;
	}
	ck_assert_str_eq(at, "");
	free(text);
	free(trace);
	recorded_remove(output);
	rig_end(&rig);
}
END_TEST

/* A clock that goes back, a little, by a wrap of 27 bits, by 32 bits, to zero: held, and counted. */
START_TEST(clock_back)
{
	static const uint64_t back[] = { 1, 1u << 27, (1u << 27) + 1, 1ull << 32, 1ull << 41 };
	char *output = reader_folder("/tmp"), *trace, *text, *at;
	uint64_t stamp, before = 0;
	size_t i;

	begin_number(_i, CAIRN_DISCARD, 4);
	rig_drain(&rig, output);
	rig.now = (1ull << 42) + 12345;
	for (i = 0; i < 5; i++) {
		put_number(1);
		ck_assert_uint_eq(rig_stream(0)->cursor.last, rig.now);
		rig.now -= back[i];
		put_number(2);
		ck_assert_uint_eq(rig_stream(0)->back, 2 * i + 1);
		ck_assert_uint_eq(rig_stream(0)->cursor.last, rig.now + back[i]);
		put_number(3);
		ck_assert_uint_eq(rig_stream(0)->back, 2 * i + 2);
		rig.now += back[i] + 5;
	}
	ck_assert_uint_eq(rig_close(&rig).recorded, 15);
	trace = recorded_trace(output);
	text = recorded_read_whole(trace);
	for (i = 0, at = text; i < 15; i++, at += strcspn(at, "\n") + 1) {
		ck_assert_int_eq(sscanf(at, "[%" SCNu64 "]", &stamp), 1);
		ck_assert_uint_eq(stamp, (1ull << 42) + 12345 + 5 * (i / 3));
		ck_assert_uint_ge(stamp, before);
		before = stamp;
	}
	free(text);
	free(trace);
	recorded_remove(output);
	rig_end(&rig);
}
END_TEST

/* Times near the end of 64 bits. */
START_TEST(clock_end)
{
	begin_number(_i, CAIRN_DISCARD, 4);
	rig_drain(&rig, NULL);
	rig.now = UINT64_MAX - (1u << 27) - 5;
	put_number(1);
	rig.now = UINT64_MAX - 1;
	put_number(2);
	rig.now = UINT64_MAX;
	put_number(3);
	put_number(4);
	ck_assert_uint_eq(rig_stream(0)->cursor.last, UINT64_MAX);
	ck_assert_uint_eq(rig_stream(0)->back, 0);
	ck_assert_uint_eq(rig_close(&rig).recorded, 4);
	rig_end(&rig);
}
END_TEST

/* Every packet's begin and end hold its events' times. */
START_TEST(lesson_43)
{
	char *output = reader_folder("/tmp"), *trace;
	struct recorded_packet *packet;
	uint64_t first, last;
	uint32_t word, n = 0;
	size_t i, count;

	begin_number(_i, CAIRN_DISCARD, 8);
	rig_drain(&rig, output);
	for (i = 0; i < 20000; i++) {
		rig.now += 3;
		put_number((uint32_t)i);
		if (i % 1000 == 0)
			rig_step(&rig);
	}
	ck_assert_uint_eq(rig_close(&rig).recorded, 20000);
	trace = recorded_trace(output);
	recorded_check(trace, "stream-0");
	packet = recorded_packets(trace, "stream-0", &count);
	for (i = 0; i < count; i++) {
		if (packet[i].bytes == 0)
			continue;
		memcpy(&word, packet[i].records, sizeof(word));
		first = 1000 + 3 * (uint64_t)(n + 1);
		n += (uint32_t)(packet[i].bytes / 8);
		last = 1000 + 3 * (uint64_t)n;
		ck_assert_uint_eq(word, cairn_compact(cairn_compact_id(1), first));
		ck_assert_uint_eq(packet[i].head.timestamp_begin, first);
		ck_assert_uint_eq(packet[i].head.timestamp_end, last);
	}
	ck_assert_uint_eq(n, 20000);
	free(packet);
	free(trace);
	recorded_remove(output);
	rig_end(&rig);
}
END_TEST

/* ---- events that interrupt events ---- */

static volatile sig_atomic_t depth, deepest;

static void (*on_signal)(int number);

/* ThreadSanitizer delivers signals late: there the handler is called, which nests as well. */
static void raise_here(struct rig *unused)
{
	(void)unused;
	if (CAIRN__TSAN)
		on_signal(SIGUSR1);
	else
		raise(SIGUSR1);
}

static void handle(void (*handler)(int number))
{
	const struct sigaction action = { .sa_handler = handler, .sa_flags = SA_NODEFER };

	on_signal = handler;
	sigaction(SIGUSR1, &action, NULL);
}

static void on_nest(int number)
{
	(void)number;
	if (depth >= deepest)
		return;
	depth++;
	put_number((uint32_t)depth);
	depth--;
}

/* A signal inside each event: four levels have a stream each, what nests deeper is counted. */
START_TEST(levels)
{
	uint32_t level, i;

	begin_number(_i, CAIRN_DISCARD, 8);
	rig_drain(&rig, NULL);
	handle(on_nest);
	put_number(0); /* by the long way: claims the slot */
	rig.at_clock = raise_here;
	for (i = 1; i <= 7; i++) {
		deepest = (sig_atomic_t)i - 1;
		rig.now++;
		put_number(i);
		ck_assert_int_eq(depth, 0);
	}
	rig.at_clock = NULL;
	ck_assert_uint_eq(rig_stream(0)->opened, 1);
	for (level = 1; level < CAIRN_LEVELS; level++)
		ck_assert_msg(rig_stream(level) && rig_stream(level) != rig_stream(level - 1),
			      "level %u has no stream of its own", level);
	ck_assert_uint_eq(cairn_tls->rcu & CAIRN__NEST, 0);
	/* Depths of 5, 6 and 7 reach the fifth level once each, and stop there. */
	ck_assert_uint_eq(rig.shared->lost, 3);
	rig_step(&rig);
	/* 7 at level 0, 6, 5 and 4 above, and the first. */
	ck_assert_uint_eq(rig_stats(&rig).recorded, 1 + 7 + 6 + 5 + 4);
	rig_close(&rig);
	rig_end(&rig);
}
END_TEST

static unsigned handled;

static void on_time(int number)
{
	(void)number;
	rig.at_clock = NULL;
	handled++;
	rig.now += 100;
	put_number(handled);
}

/*
 * An event between another one's reading of the clock and its reservation. There is no such place for
 * one stream here: the inner one goes to the stream of its level. Time does not go back in either.
 */
START_TEST(lesson_44)
{
	char *output = reader_folder("/tmp"), *trace, *text;
	unsigned i;

	begin_number(_i, CAIRN_DISCARD, 8);
	rig_drain(&rig, output);
	handle(on_time);
	handled = 0;
	for (i = 0; i < 2000; i++) {
		rig.now++;
		rig.at_clock = i % 3 ? NULL : raise_here;
		put_number(i);
		if (i % 100 == 0)
			rig_step(&rig);
	}
	ck_assert_uint_eq(rig_stream(0)->back, 0);
	ck_assert_uint_eq(rig_stream(1)->back, 0);
	ck_assert_uint_eq(rig_close(&rig).recorded, 2000 + handled);
	trace = recorded_trace(output);
	ck_assert_uint_eq(recorded_check_all(trace), 0);
	text = recorded_read_whole(trace);
	ck_assert_uint_eq(recorded_count(text, "ring:number"), 2000 + handled);
	free(text);
	free(trace);
	recorded_remove(output);
	rig_end(&rig);
}
END_TEST

static unsigned char *hole; /* two pages; the second cannot be read until the handler lets it */
static uint64_t seen_recorded;
static int seen_status;

static uint32_t step_now;

static void *step_elsewhere(void *unused)
{
	const struct timespec nap = { .tv_nsec = 1000000 };

	while (__atomic_load_n(&step_now, __ATOMIC_ACQUIRE) != 1)
		nanosleep(&nap, NULL);
	seen_status = cairn_drain_step(rig.drain, CAIRN_DRAIN_NOW);
	seen_recorded = rig_stats(&rig).recorded;
	__atomic_store_n(&step_now, 2, __ATOMIC_RELEASE);
	return unused;
}

/* The event is half written now: trace a lot, let another thread drain, then let the event go on. */
static void on_fault(int number)
{
	const struct timespec nap = { .tv_nsec = 1000000 };
	const long page = sysconf(_SC_PAGESIZE);
	unsigned i;

	(void)number;
	for (i = 0; i < 3 * 8; i++) {
		rig.now++;
		put(450);
	}
	__atomic_store_n(&step_now, 1, __ATOMIC_RELEASE);
	while (__atomic_load_n(&step_now, __ATOMIC_ACQUIRE) != 2)
		nanosleep(&nap, NULL);
	rig.now += 1000;
	mprotect(hole + page, (size_t)page, PROT_READ | PROT_WRITE);
}

/* A writer that is held up between reserve and commit, and is lapped by its own handler meanwhile. */
START_TEST(lesson_42)
{
	const struct sigaction action = { .sa_handler = on_fault };
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *output = reader_folder("/tmp"), *trace, *text;
	uint64_t lost;
	struct cairn_stats stats;
	pthread_t thread;

	hole = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(hole, MAP_FAILED);
	memset(hole, 7, 2 * page);
	mprotect(hole + page, page, PROT_NONE);
	begin_bytes(_i, CAIRN_DISCARD, 8);
	rig_drain(&rig, output);
	sigaction(SIGSEGV, &action, NULL);
	pthread_create(&thread, NULL, step_elsewhere, NULL);
	put(100);
	rig_step(&rig);
	ck_assert_uint_eq(rig_stats(&rig).recorded, 1);
	cairn_hit_ring__bytes(hole + page - 100, 200, 0);
	pthread_join(thread, NULL);
	ck_assert_int_eq(seen_status, 0);
	/* The open record is not seen; the handler's stream has 2 packets, its losses are its own. */
	ck_assert_uint_eq(rig_stream(0)->lost, 0);
	lost = rig_stream(1)->lost;
	ck_assert_uint_eq(lost, 3 * 8 - 2 * 8);
	ck_assert_uint_eq(seen_recorded, 1 + 2 * 8);
	put(100);
	stats = rig_close(&rig);
	ck_assert_uint_eq(stats.recorded, 3 + 2 * 8);
	ck_assert_uint_eq(stats.lost, lost);
	trace = recorded_trace(output);
	ck_assert_uint_eq(recorded_check_all(trace), lost);
	text = recorded_read(trace);
	ck_assert_uint_eq(recorded_count(text, "ring:bytes"), 3 + 2 * 8);
	free(text);
	free(trace);
	recorded_remove(output);
	rig_end(&rig);
}
END_TEST

/*
 * A handler that fills its ring again and again while an event is open: only the handler's own events
 * are lost, never the open one, however often.
 */
START_TEST(lesson_46)
{
	unsigned i;

	begin_number(_i, CAIRN_DISCARD, 2);
	rig_drain(&rig, NULL);
	handle(on_nest);
	deepest = 1;
	rig.at_clock = raise_here;
	for (i = 0; i < 5000; i++) {
		depth = 0;
		put_number(i);
		if (i % 100 ==
		    99) /* the outer stream is drained often enough, the inner one is full */
			rig_step(&rig);
	}
	rig.at_clock = NULL;
	ck_assert_uint_eq(rig_stream(0)->lost, 0);
	rig_close(&rig);
	rig_end(&rig);
}
END_TEST

/* ---- threads ---- */

static void *one_event(void *unused)
{
	put_number(1);
	return unused;
}

/* Streams of threads that ended are taken over: their number is that of threads at one time. */
START_TEST(hand_over)
{
	enum { TOGETHER = 4 };
	const unsigned rounds = effort(2500);
	pthread_t thread[TOGETHER];
	struct cairn_stats stats;
	unsigned i, k;

	begin_number(_i, CAIRN_DISCARD, 8);
	rig_drain(&rig, NULL);
	for (i = 0; i < rounds; i++) {
		for (k = 0; k < TOGETHER; k++)
			ck_assert_int_eq(pthread_create(&thread[k], NULL, one_event, NULL), 0);
		for (k = 0; k < TOGETHER; k++)
			pthread_join(thread[k], NULL);
		rig_step(&rig);
	}
	stats = rig_close(&rig);
	ck_assert_uint_eq(stats.recorded, rounds * TOGETHER);
	ck_assert_uint_eq(stats.lost, 0);
	ck_assert_uint_le(stats.streams, TOGETHER);
	ck_assert_uint_le(rig.shared->used, TOGETHER);
	ck_assert_uint_le(cairn_arena->used, TOGETHER + 2);
	rig_end(&rig);
}
END_TEST

/* The next owner's first event opens a packet that names it. */
START_TEST(hand_over_names)
{
	char *output = reader_folder("/tmp"), *trace;
	struct recorded_packet *packet;
	pthread_t thread;
	size_t n, i, with = 0;
	unsigned k;

	begin_number(_i, CAIRN_DISCARD, 8);
	rig_drain(&rig, output);
	for (k = 0; k < 4; k++) {
		pthread_create(&thread, NULL, one_event, NULL);
		pthread_join(thread, NULL);
		rig.now += 10;
	}
	ck_assert_uint_eq(rig_close(&rig).streams, 1);
	trace = recorded_trace(output);
	packet = recorded_packets(trace, "stream-0", &n);
	for (i = 0; i < n; i++) {
		if (packet[i].bytes == 0)
			continue;
		ck_assert_uint_eq(packet[i].bytes, 8);
		ck_assert_uint_eq(packet[i].head.timestamp_begin, 1000 + 10 * with);
		ck_assert_uint_ne(packet[i].head.vtid, 0);
		with++;
	}
	ck_assert_uint_eq(with, 4);
	free(packet);
	free(trace);
	recorded_remove(output);
	rig_end(&rig);
}
END_TEST

/* When streams run out, what has none is counted for all. */
START_TEST(no_stream)
{
	struct cairn_stats stats;
	pthread_t thread;

	begin_number(_i, CAIRN_DISCARD, 4);
	rig.shared->streams = 1;
	rig_drain(&rig, NULL);
	put_number(1);
	pthread_create(&thread, NULL, one_event, NULL);
	pthread_join(thread, NULL);
	ck_assert_uint_eq(rig.shared->lost, 1);
	put_number(2);
	stats = rig_close(&rig);
	ck_assert_uint_eq(stats.recorded, 2);
	ck_assert_uint_eq(stats.lost, 1);
	rig_end(&rig);
}
END_TEST

static void *many_events(void *data)
{
	uint32_t i;

	for (i = 0; i < (uint32_t)(uintptr_t)data; i++)
		put_number(i);
	return NULL;
}

/* 8 threads, tiny rings, a slow consumer: the losses of a stream never go down, and all add up. */
START_TEST(lesson_45)
{
	enum { THREADS = 8, EACH = 20000 };
	char *output = reader_folder("/tmp"), *trace;
	pthread_t thread[THREADS];
	struct cairn_stats stats;
	unsigned i;

	begin_number(_i, CAIRN_DISCARD, 2);
	rig_drain(&rig, output);
	for (i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, many_events, (void *)(uintptr_t)EACH);
	for (i = 0; i < 20; i++) {
		const struct timespec nap = { .tv_nsec = 2000000 };

		rig_step(&rig);
		nanosleep(&nap, NULL);
	}
	for (i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	stats = rig_close(&rig);
	ck_assert_uint_eq(stats.recorded + stats.lost, THREADS * EACH);
	ck_assert_uint_gt(stats.lost, 0);
	trace = recorded_trace(output);
	ck_assert_uint_eq(recorded_check_all(trace), stats.lost);
	free(recorded_read(trace));
	free(trace);
	recorded_remove(output);
	rig_end(&rig);
}
END_TEST

/* ---- block mode ---- */

static uint64_t now_ms(void)
{
	return cairn_os_monotonic() / 1000000;
}

/* Until both packets of the ring are full. */
static void fill(void)
{
	put(CAPACITY);
	put(CAPACITY);
	ck_assert_uint_eq(rig_stream(0)->lost, 0);
}

/* A consumer that does not come: one event waits for the limit, the rest is discarded at once. */
START_TEST(block_gives_up)
{
	struct cairn_stream *stream;
	uint64_t before;
	unsigned i;

	begin_bytes(_i, CAIRN_BLOCK, 2);
	fill();
	stream = rig_stream(0);
	before = now_ms();
	put(CAPACITY);
	ck_assert_uint_ge(now_ms() - before, 190);
	ck_assert_uint_eq(stream->lost, 1);
	before = now_ms();
	for (i = 0; i < 1000; i++)
		put(CAPACITY);
	ck_assert_uint_lt(now_ms() - before, 20000); /* 200 s if each waited */
	ck_assert_uint_eq(stream->lost, 1001);
	/* The consumer shows life: worth waiting for again. */
	rig.shared->bell.beat++;
	before = now_ms();
	put(CAPACITY);
	ck_assert_uint_ge(now_ms() - before, 190);
	ck_assert_uint_eq(stream->lost, 1002);
	/* It says that it goes: not worth waiting for. */
	rig.shared->bell.beat++;
	rig.shared->bell.gone = 1;
	rig.writer.block_ns = 1000000000000;
	put(CAPACITY);
	ck_assert_uint_eq(stream->lost, 1003);
	rig_end(&rig);
}
END_TEST

static void *drain_later(void *unused)
{
	const struct timespec nap = { .tv_nsec = 50000000 };

	nanosleep(&nap, NULL);
	ck_assert_uint_eq(rig_stats(&rig).recorded, 0);
	rig_step(&rig);
	return unused;
}

/* An event waits until the consumer gives a packet back. */
START_TEST(block_waits)
{
	pthread_t thread;
	unsigned i;

	begin_bytes(_i, CAIRN_BLOCK, 2);
	rig.writer.block_ns = 100000000000;
	for (i = 0; i < 3; i++) {
		rig_drain(&rig, NULL);
		rig.drain = rig.drain;
		fill();
		pthread_create(&thread, NULL, drain_later, NULL);
		put(CAPACITY);
		pthread_join(thread, NULL);
		ck_assert_uint_eq(rig_stream(0)->lost, 0);
		ck_assert_uint_eq(rig_stream(0)->waiting, 0);
		ck_assert_uint_eq(rig_close(&rig).recorded, 3);
		rig_end(&rig);
		begin_bytes(_i, CAIRN_BLOCK, 2);
		rig.writer.block_ns = 100000000000;
	}
	rig_end(&rig);
}
END_TEST

/* ---- ids and headers ---- */

/* An event that came too late for a short header: 13 bytes of header, 14 in the other form. */
START_TEST(long_ids)
{
	char *output = reader_folder("/tmp"), *trace, *text;
	static const uint32_t id[] = { 30, 31, 32, 300, 65534 };
	const uint32_t header = _i % 2 ? 6 : 4;
	const size_t long_header = _i % 2 ? 14 : 13;
	struct cairn_stream *stream;
	size_t before, expected;
	unsigned i, k;

	rig_begin(&rig, CAIRN_DISCARD, PACKET, 8, header);
	rig_drain(&rig, output);
	for (i = 0; i < 5; i++) {
		struct cairn_desc *desc = malloc(cairn_desc_ring__number()->size);

		memcpy(desc, cairn_desc_ring__number(), cairn_desc_ring__number()->size);
		rig_listen(&rig, &event_number, desc, id[i], _i >= 2);
		free(desc);
		put_number(0);
		stream = rig_stream(0);
		for (k = 0; k < 10; k++) {
			before = rest();
			put_number(k);
			expected = 4 + (header == 6 ? 6 : id[i] > 30 ? long_header : 4);
			ck_assert_msg(before - rest() == expected, "id %u: %zu bytes, expected %zu",
				      id[i], before - rest(), expected);
		}
		rig.now += 1u << 28; /* a gap */
		before = rest();
		put_number(99);
		ck_assert_uint_eq(before - rest(), 4 + long_header);
		rig_step(&rig);
	}
	ck_assert_uint_eq(stream->lost, 0);
	ck_assert_uint_eq(rig_close(&rig).recorded, 5 * 12);
	trace = recorded_trace(output);
	text = recorded_read_whole(trace);
	ck_assert_uint_eq(recorded_count(text, "ring:number"), 5 * 12);
	ck_assert_uint_eq(recorded_count(text, "n = 99"), 5);
	free(text);
	free(trace);
	recorded_remove(output);
	rig_end(&rig);
}
END_TEST

/* The largest events with a long id: room for 14 bytes of header is asked for, always. */
START_TEST(long_id_capacity)
{
	const size_t most = PACKET - CAIRN_PACKET_HEADER - CAIRN_LONG_HEADER;

	rig_begin(&rig, CAIRN_DISCARD, PACKET, 8, 4);
	rig_listen(&rig, &event_bytes, cairn_desc_ring__bytes(), 31, false);
	rig_drain(&rig, NULL);
	put(most);
	ck_assert_uint_eq(rig_stream(0)->lost, 0);
	put(most + 1);
	ck_assert_uint_eq(rig_stream(0)->lost, 1);
	ck_assert_uint_eq(rig_close(&rig).recorded, 1);
	rig_end(&rig);
}
END_TEST

/* ---- the shared area ---- */

START_TEST(manifest_full)
{
	const struct cairn_desc *desc = cairn_desc_ring__bytes();
	const size_t entry = (sizeof(struct cairn_manifest) + desc->size + 7) & ~(size_t)7;
	uint32_t n = 1;

	rig_begin(&rig, CAIRN_DISCARD, PACKET, 4, 4);
	while (cairn_manifest_add(rig.shared, desc, n) == 0)
		n++;
	ck_assert_uint_eq(n - 1, CAIRN_MANIFEST_SIZE / entry);
	ck_assert_int_eq(cairn_manifest_add(rig.shared, desc, n), -ENOSPC);
	ck_assert_uint_eq(rig.shared->manifest_used, (n - 1) * entry);
	rig_end(&rig);
}
END_TEST

START_TEST(sizes)
{
	static const uint32_t packet[] = { CAIRN_PACKET_MIN, 65536, 1u << 20, CAIRN_PACKET_MAX };
	static const uint32_t packets[] = { 2, 4, 16, 1024, 32768 };
	uint32_t streams;
	size_t i, k, size;

	for (i = 0; i < 4; i++) {
		for (k = 0; k < 5; k++) {
			const uint64_t ring = (uint64_t)packet[i] * packets[k];

			size = cairn_shared_size(packet[i], packets[k], &streams);
			if (!size) {
				ck_assert_uint_gt(ring,
						  sizeof(void *) == 4 ? 64u << 20 : 8ull << 30);
				continue;
			}
			ck_assert_uint_ge(streams, 1);
			ck_assert_uint_le(streams, CAIRN_STREAMS);
			ck_assert_uint_gt(size, ring * streams);
		}
	}
	ck_assert_uint_gt(cairn_shared_size(65536, 16, &streams), 0);
	ck_assert_uint_ge(streams, 64);
}
END_TEST

/* The head of a packet is not part of any record, and its size is that of the structure. */
START_TEST(layout)
{
	struct cairn_stream *stream;

	ck_assert_uint_eq(sizeof(struct cairn_packet), CAIRN_PACKET_HEADER);
	begin_number(1, CAIRN_DISCARD, 4);
	put_number(1);
	stream = rig_stream(0);
	ck_assert_uint_eq((uintptr_t)stream->cursor.end - stream->base, PACKET);
	ck_assert_uint_eq((uintptr_t)stream->cursor.cur - stream->base, CAIRN_PACKET_HEADER + 8);
	ck_assert_uint_eq((uintptr_t)stream % 64, 0);
	ck_assert_uint_eq(stream->packets, 4);
	ck_assert_uint_eq(stream->state, CAIRN_STREAM_OWNED);
	rig_end(&rig);
}
END_TEST

/* Never called: a site makes the linker give each event its object. */
void ring_sites(void);
void ring_sites(void)
{
	cairn_trace(ring, bytes, filler, 1);
	cairn_trace(ring, number, 1);
	cairn_trace(ring, nothing);
	cairn_trace(ring, huge, NULL, 0, NULL, 0, NULL, 0, NULL, 0, NULL, 0, NULL, 0, NULL, 0, NULL,
		    0, NULL, 0, NULL, 0, NULL, 0, NULL, 0, NULL, 0, NULL, 0, NULL, 0, NULL, 0);
}

int main(void)
{
	Suite *suite = suite_create("ring");
	TCase *tcase = tcase_create("ring");
	SRunner *runner;
	int failed;

	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, lesson_47, 0, 2);
	tcase_add_loop_test(tcase, every_boundary, 0, 2);
	tcase_add_loop_test(tcase, empty_at_the_end, 0, 2);
	tcase_add_loop_test(tcase, lost, 0, 2);
	tcase_add_loop_test(tcase, heads, 0, 2);
	tcase_add_loop_test(tcase, huge, 0, 2);
	tcase_add_loop_test(tcase, gaps, 0, 3);
	tcase_add_loop_test(tcase, clock_back, 0, 2);
	tcase_add_loop_test(tcase, clock_end, 0, 2);
	tcase_add_loop_test(tcase, lesson_43, 0, 2);
	tcase_add_loop_test(tcase, levels, 0, 2);
	tcase_add_loop_test(tcase, lesson_44, 0, 2);
	tcase_add_loop_test(tcase, lesson_42, 0, 2);
	tcase_add_loop_test(tcase, lesson_46, 0, 2);
	tcase_add_loop_test(tcase, hand_over, 0, 2);
	tcase_add_loop_test(tcase, hand_over_names, 0, 2);
	tcase_add_loop_test(tcase, no_stream, 0, 2);
	tcase_add_loop_test(tcase, lesson_45, 0, 2);
	tcase_add_loop_test(tcase, block_gives_up, 0, 2);
	tcase_add_loop_test(tcase, block_waits, 0, 2);
	tcase_add_loop_test(tcase, long_ids, 0, 4);
	tcase_add_test(tcase, long_id_capacity);
	tcase_add_test(tcase, manifest_full);
	tcase_add_test(tcase, sizes);
	tcase_add_test(tcase, layout);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
