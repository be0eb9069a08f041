/* SPDX-License-Identifier: MIT */
/*
 * Lockless reservation: everything that the inline path in include/cairn/record.h does not do. Runs in
 * the thread that hits the event, also in signal handlers: async-signal-safe, no lock, no allocation.
 *
 * The argument. A stream has one writer at one nesting level, so between the writer's reading `cur` and
 * its storing it nothing else writes the stream: an event that interrupts this one writes the stream of
 * the next level. A record is committed by the store of `cur`; a reader that sees `cur` sees what was
 * stored before it because it issues a membarrier between reading `cur` and reading the bytes [B]. A
 * packet is closed (time and size written into its head) before `opened` counts the next one, and
 * `cur` points into the next one only after that; so a reader that finds `opened` unchanged around its
 * read of `cur` knows which packet `cur` is in: the last one if it lies in it, else the last one is
 * empty so far. A packet is opened only if the consumer gave back the one that was there before.
 * A writer killed anywhere leaves `cur` below whole records and every closed packet whole.
 *
 * Time: one counter read per event. The head of a packet takes the time of the event that opened it, a
 * closed packet ends at the time of its last record. So begin <= events <= end <= next begin.
 */
#include "ring.h"

#include <errno.h>
#include <string.h>

#include "atomic_arch.h"
#include "os.h"
#include "slot.h"

#define CAIRN_ALIGN(x, to) (((x) + (to)-1) & ~((uint64_t)(to)-1))
#define CAIRN_PAGE 65536u /* the largest page size in use on the supported CPUs */

_Static_assert(sizeof(struct cairn_packet) == CAIRN_PACKET_HEADER, "packet head");
_Static_assert(sizeof(struct cairn_event) <= CAIRN__EVENT_BYTES, "common symbol of an event");
/* As on every other CPU: `cairn recover` reads what it finds there. */
_Static_assert(offsetof(struct cairn_stream, opened) == 64, "stream");
_Static_assert(offsetof(struct cairn_stream, tid) == 104, "stream");
_Static_assert(offsetof(struct cairn_stream, consumed) == 128, "stream");
_Static_assert(offsetof(struct cairn_stream, filed) == 144, "stream");
_Static_assert(sizeof(struct cairn_stream) == 192, "stream");
_Static_assert(sizeof(struct cairn_owner) == 64, "owner of an area");
_Static_assert(offsetof(struct cairn_shared, owner) == 184, "head of an area");
_Static_assert(offsetof(struct cairn_shared, output) == 336, "head of an area");
_Static_assert(offsetof(struct cairn_shared, manifest_used) == 896, "head of an area");
_Static_assert(sizeof(struct cairn_shared) == 1088, "head of an area");

struct cairn_writer *cairn_writers[CAIRN_SESSIONS];
struct cairn_writer *cairn_writer_outside;

size_t cairn_shared_head(void)
{
	return CAIRN_ALIGN(sizeof(struct cairn_shared), CAIRN_PAGE) + CAIRN_MANIFEST_SIZE +
	       CAIRN_ALIGN(sizeof(struct cairn_stream) * CAIRN_STREAMS, CAIRN_PAGE);
}

size_t cairn_shared_size(uint32_t packet_size, uint32_t packets, uint32_t *streams)
{
	/* Address space, not memory: what a 32-bit program can spare; and more than 4096 rings need. */
	const uint64_t most = sizeof(void *) == 4 ? 128u << 20 : 16ull << 30;
	const uint64_t ring = (uint64_t)packet_size * packets;
	const uint64_t fixed = cairn_shared_head();
	uint64_t n;

	if (ring > most - fixed)
		return 0;
	n = (most - fixed) / ring;
	*streams = n < CAIRN_STREAMS ? (uint32_t)n : CAIRN_STREAMS;
	return (size_t)(fixed + ring * *streams);
}

void cairn_shared_init(struct cairn_shared *shared, size_t size, uint32_t packet_size,
		       uint32_t packets, uint32_t streams)
{
	shared->version = CAIRN_SHARED_VERSION;
	shared->word_bytes = sizeof(void *);
	shared->size = size;
	shared->manifest_at = CAIRN_ALIGN(sizeof(*shared), CAIRN_PAGE);
	shared->streams_at = shared->manifest_at + CAIRN_MANIFEST_SIZE;
	shared->rings_at = cairn_shared_head();
	shared->ring_size = (uint64_t)packet_size * packets;
	shared->packet_size = packet_size;
	shared->packets = packets;
	shared->streams = streams;
}

void cairn_shared_publish(struct cairn_shared *shared)
{
	__atomic_store_n(&shared->magic, CAIRN_SHARED_MAGIC, __ATOMIC_RELEASE);
}

/*
 * The event goes on in private memory that nobody reads. Whatever it has read before the fork, it finds
 * a ring that is there and not full, and room for one packet at `cur`.
 */
void cairn_shared_blank(struct cairn_shared *shared)
{
	const uint32_t packets = shared->packets < 8 ? shared->packets : shared->packets / 4;
	const uintptr_t used = __atomic_load_n(&shared->used, __ATOMIC_ACQUIRE);
	uint32_t i;

	for (i = 0; i < used && i < shared->streams; i++) {
		struct cairn_stream *stream = cairn_shared_stream(shared, i);

		stream->base = (uintptr_t)shared +
			       (uintptr_t)(shared->rings_at + shared->ring_size * i);
		stream->packets = packets;
		stream->state = CAIRN_STREAM_OWNED;
		stream->cursor.cur = stream->cursor.end = (unsigned char *)stream->base;
	}
}

int cairn_manifest_add(struct cairn_shared *shared, const struct cairn_desc *desc, uint32_t id)
{
	const uint32_t size = (uint32_t)CAIRN_ALIGN(sizeof(struct cairn_manifest) + desc->size, 8);
	const uintptr_t used = shared->manifest_used;
	struct cairn_manifest *entry;

	if (size > CAIRN_MANIFEST_SIZE - used)
		return -ENOSPC;
	entry = (struct cairn_manifest *)((uintptr_t)shared + (uintptr_t)shared->manifest_at +
					  used);
	if (cairn_os_populate(entry, size))
		return -ENOSPC;
	entry->size = size;
	entry->id = id;
	memcpy(entry + 1, desc, desc->size);
	__atomic_store_n(&shared->manifest_used, used + size, __ATOMIC_RELEASE);
	return 0;
}

static struct cairn_stream *cairn_stream_of(struct cairn_cursor *cursor)
{
	return (struct cairn_stream *)((uintptr_t)cursor - offsetof(struct cairn_stream, cursor));
}

void cairn_stream_release(struct cairn_cursor *cursor)
{
	struct cairn_stream *stream = cairn_stream_of(cursor);

	if (cursor == &cairn_no_cursor)
		return;
	/* The next owner's first event opens a packet of its own. */
	cursor->end = cursor->cur;
	__atomic_store_n(&stream->state, CAIRN_STREAM_IDLE, __ATOMIC_RELEASE);
}

static bool cairn_stream_take(struct cairn_stream *stream, uintptr_t state)
{
	return __atomic_load_n(&stream->state, __ATOMIC_ACQUIRE) == state &&
	       cairn_arch_cmpxchg(&stream->state, &state, CAIRN_STREAM_OWNED);
}

static bool cairn_stream_full(const struct cairn_stream *stream)
{
	return CAIRN__LOAD(stream->opened) - __atomic_load_n(&stream->consumed, __ATOMIC_ACQUIRE) >=
	       stream->packets;
}

/* A stream that an ended thread left; `full` ones too if need be. */
static struct cairn_stream *cairn_stream_idle(struct cairn_shared *shared, uint32_t packets,
					      bool full)
{
	const uintptr_t used = __atomic_load_n(&shared->used, __ATOMIC_ACQUIRE);
	uint32_t i;

	for (i = 0; i < used && i < shared->streams; i++) {
		struct cairn_stream *stream = cairn_shared_stream(shared, i);

		if (__atomic_load_n(&stream->state, __ATOMIC_ACQUIRE) == CAIRN_STREAM_IDLE &&
		    stream->packets == packets && (full || !cairn_stream_full(stream)) &&
		    cairn_stream_take(stream, CAIRN_STREAM_IDLE))
			return stream;
	}
	return NULL;
}

/* A stream that no thread had before. NULL: no memory. */
static struct cairn_stream *cairn_stream_fresh(struct cairn_shared *shared, uint32_t packets)
{
	struct cairn_stream *stream;
	uintptr_t seen, base;

	if (__atomic_load_n(&shared->exhausted, __ATOMIC_RELAXED))
		return NULL;
	do {
		seen = __atomic_load_n(&shared->used, __ATOMIC_ACQUIRE);
		if (seen >= shared->streams)
			return NULL;
	} while (!cairn_arch_cmpxchg(&shared->used, &seen, seen + 1));
	stream = cairn_shared_stream(shared, (uint32_t)seen);
	base = (uintptr_t)shared + (uintptr_t)(shared->rings_at + shared->ring_size * seen);
	if (cairn_os_populate(stream, sizeof(*stream)) ||
	    cairn_os_populate((void *)base, (size_t)packets * shared->packet_size)) {
		__atomic_store_n(&shared->exhausted, 1, __ATOMIC_RELAXED);
		return NULL; /* the record stays FREE for good; the caller counts the event */
	}
	stream->base = base;
	stream->packets = packets;
	__atomic_store_n(&stream->state, CAIRN_STREAM_OWNED, __ATOMIC_RELEASE);
	return stream;
}

/* A stream for the calling thread. NULL: there is none. */
static struct cairn_stream *cairn_stream_claim(struct cairn_shared *shared, uint32_t level)
{
	const uint32_t packets = level == 0 || shared->packets < 8 ? shared->packets :
								     shared->packets / 4;
	const bool any = shared->mode == CAIRN_FLIGHT; /* nothing ever fills it */
	struct cairn_stream *stream = cairn_stream_idle(shared, packets, any);

	if (!stream)
		stream = cairn_stream_fresh(shared, packets);
	return stream ? stream : cairn_stream_idle(shared, packets, true);
}

static struct cairn_packet *cairn_stream_packet(const struct cairn_shared *shared,
						const struct cairn_stream *stream, uintptr_t number)
{
	return (struct cairn_packet *)(stream->base + (number & (stream->packets - 1)) *
							      (uintptr_t)shared->packet_size);
}

/* Wake the consumer if it sleeps. Full barrier [C]: the packet is published before we look; the
 * consumer says that it sleeps before it looks again (cairn_bell_sleep). */
static void cairn_bell_ring(struct cairn_bell *bell)
{
	cairn_arch_mb();
	if (!__atomic_load_n(&bell->sleeping, __ATOMIC_RELAXED))
		return;
	__atomic_store_n(&bell->sleeping, 0, __ATOMIC_RELAXED);
	__atomic_add_fetch(&bell->rings, 1, __ATOMIC_RELAXED);
	cairn_os_wake(&bell->rings);
}

/*
 * Block mode: sleep until the consumer gives a packet back. False after the time limit, and from then
 * on at once until the consumer's heart beats again: a dead consumer must not slow the program down.
 */
static bool cairn_stream_wait(struct cairn_writer *writer, struct cairn_stream *stream)
{
	const uint64_t limit = cairn_os_monotonic() + writer->block_ns;
	uint64_t now;

	if (__atomic_load_n(&writer->bell->gone, __ATOMIC_RELAXED))
		return false;
	if (CAIRN__LOAD(writer->gave_up) &&
	    CAIRN__LOAD(writer->beat) == __atomic_load_n(&writer->bell->beat, __ATOMIC_RELAXED))
		return false;
	CAIRN__STORE(writer->gave_up, false);
	/* Say that we wait, full barrier [D], look: the consumer gives back, full barrier, looks whether
	 * we wait (cairn_drain_wake). */
	__atomic_store_n(&stream->waiting, 1, __ATOMIC_RELAXED);
	for (;;) {
		const uint32_t room = __atomic_load_n(&stream->room, __ATOMIC_ACQUIRE);

		cairn_bell_ring(writer->bell); /* has the full barrier */
		now = cairn_os_monotonic();
		if (!cairn_stream_full(stream) || now >= limit)
			break;
		cairn_os_wait(&stream->room, room, limit - now);
	}
	__atomic_store_n(&stream->waiting, 0, __ATOMIC_RELAXED);
	if (!cairn_stream_full(stream))
		return true;
	CAIRN__STORE(writer->beat, __atomic_load_n(&writer->bell->beat, __ATOMIC_RELAXED));
	CAIRN__STORE(writer->gave_up, true);
	return false;
}

/*
 * Close the open packet and open the next one at time `now`. False: the ring is full. In flight mode it is
 * the oldest packet's place; who copies the ring meanwhile looks at `opened` before and after [E]
 * (cairn_drain_catch).
 */
static bool cairn_stream_switch(struct cairn_writer *writer, struct cairn_stream *stream,
				const struct cairn_thread *thread, uint64_t now)
{
	const struct cairn_shared *shared = writer->shared;
	const bool flight = writer->mode == CAIRN_FLIGHT;
	const uintptr_t number = stream->opened;
	struct cairn_cursor *cursor = &stream->cursor;
	struct cairn_packet *packet;

	if (!flight && cairn_stream_full(stream) &&
	    (writer->mode != CAIRN_BLOCK || !cairn_stream_wait(writer, stream)))
		return false;
	if (number > 0) {
		packet = cairn_stream_packet(shared, stream, number - 1);
		packet->timestamp_end = cursor->last;
		packet->content_size = 8 * (uint64_t)(cursor->cur - (unsigned char *)packet);
	}
	packet = cairn_stream_packet(shared, stream, number);
	packet->magic = CAIRN_CTF_MAGIC;
	memcpy(packet->uuid, shared->uuid, sizeof(packet->uuid));
	packet->stream_id = 0;
	packet->stream_instance_id = (uint64_t)(stream - cairn_shared_stream(shared, 0));
	packet->timestamp_begin = now;
	packet->timestamp_end = now;
	packet->content_size = 8 * CAIRN_PACKET_HEADER;
	packet->packet_size = 8 * (uint64_t)shared->packet_size;
	packet->packet_seq_num = number;
	packet->events_discarded = stream->lost;
	packet->cpu_id = cairn_os_cpu();
	packet->vtid = thread->tid;
	memcpy(packet->thread, thread->name, sizeof(packet->thread));
	stream->tid = thread->tid;
	cairn_fence_stores();
	CAIRN__PUBLISH(stream->opened, number + 1); /* [B] with cairn_drain_note */
	cursor->last = now;
	cursor->end = (unsigned char *)packet + shared->packet_size;
	CAIRN__PUBLISH(cursor->cur, (unsigned char *)packet + CAIRN_PACKET_HEADER);
	/* Half a ring is waiting: time for the consumer, long before the ring is full. */
	if (!flight && number + 1 - __atomic_load_n(&stream->consumed, __ATOMIC_RELAXED) >=
			       stream->packets / 2)
		cairn_bell_ring(writer->bell);
	return true;
}

/* The event header that carries all 64 bits of the time. */
static unsigned char *cairn_put_long(unsigned char *at, uint32_t header, uint32_t id, uint64_t now)
{
	const uint16_t tag = 65535;

	if (header == 4)
		*at++ = cairn_compact_tag();
	else
		at = cairn_put(at, &tag, sizeof(tag));
	at = cairn_put(at, &id, sizeof(id));
	return cairn_put(at, &now, sizeof(now));
}

static unsigned char *cairn_put_short(unsigned char *at, uint32_t header, uint32_t id, uint64_t now)
{
	const uint16_t id16 = (uint16_t)id;
	uint32_t word = (uint32_t)now;

	if (header == 4)
		word = cairn_compact(cairn_compact_id(id), now);
	else
		at = cairn_put(at, &id16, sizeof(id16));
	return cairn_put(at, &word, sizeof(word));
}

/* The stream that the thread writes at this nesting level, claimed now if it has none. */
static struct cairn_stream *cairn_reserve_stream(struct cairn_slot *slot,
						 struct cairn_writer *writer, uint32_t index,
						 uint32_t level)
{
	struct cairn_cursor *cursor = slot->cursor[index + level];
	struct cairn_stream *stream;

	if (cursor != &cairn_no_cursor)
		return cairn_stream_of(cursor);
	if (!writer->shared)
		return NULL;
	stream = writer->mute ? NULL : cairn_stream_claim(writer->shared, level);
	if (!stream) {
		cairn_arch_add(&writer->shared->lost, 1);
		return NULL;
	}
	/* Unless a fork in a handler came in between, and the child has a stream by now. */
	if (!cairn_arch_cmpxchg_local((uintptr_t *)&slot->cursor[index + level],
				      (uintptr_t *)&cursor, (uintptr_t)&stream->cursor)) {
		cairn_stream_release(&stream->cursor);
		return NULL;
	}
	return stream;
}

struct cairn_spot cairn_reserve_slow(struct cairn_slot *slot, uintptr_t rcu,
				     const struct cairn_entry *entry, size_t size, uint64_t now)
{
	const struct cairn_spot lost = { NULL, NULL };
	struct cairn_writer *writer = cairn_writers[entry->channel->session];
	const uint32_t header = entry->channel->header;
	const int error = errno;
	struct cairn_stream *stream;
	struct cairn_cursor *cursor;
	bool wide;

	/* An event that a fork cut in two: the parent's copy is the record. */
	if (slot->owner != &cairn_tls)
		return lost;
	stream = cairn_reserve_stream(slot, writer, entry->index, rcu & CAIRN__NEST);
	errno = error;
	if (!stream)
		return lost;
	cursor = &stream->cursor;
	if (now < cursor->last) {
		now = cursor->last;
		stream->back++;
	}
	wide = !entry->header || (now - cursor->last) >> CAIRN__GAP_BITS;
	if ((size_t)(cursor->end - cursor->cur) < size + (wide ? CAIRN_LONG_HEADER : header)) {
		/* A packet begins at the time of its first record: no gap in there. */
		wide = !entry->header;
		if (size + (wide ? CAIRN_LONG_HEADER : header) >
			    writer->shared->packet_size - CAIRN_PACKET_HEADER ||
		    !cairn_stream_switch(writer, stream, (struct cairn_thread *)slot, now)) {
			stream->lost++;
			errno = error;
			return lost;
		}
	}
	cursor->last = now;
	errno = error;
	return (struct cairn_spot){ wide ? cairn_put_long(cursor->cur, header, entry->id, now) :
					   cairn_put_short(cursor->cur, header, entry->id, now),
				    cursor };
}
