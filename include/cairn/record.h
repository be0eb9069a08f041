/* SPDX-License-Identifier: MIT */
/*
 * The path of an event through the generated code: who listens, the thread's slot, the room in its
 * ring, the event header, the commit. Everything rare is behind a call into core/.
 *
 * Invariants (argued in core/README.md):
 * - A per-thread stream has one writer at one nesting level. An event that interrupts another one in
 *   the same thread (a signal handler, a probe that traces) writes the stream of the next level. So
 *   the writer needs no atomic read-modify-write, and a record is committed by one store of `cur`.
 * - `slot->rcu` has the nesting depth in its low 3 bits and a number that changes with every outermost
 *   event above them; whoever frees a list waits until each slot is at depth 0 or has changed.
 * - A slot is this thread's only while `slot->owner` is the address of this thread's `cairn_tls`:
 *   after a fork the slots are wiped and the child starts with none.
 *
 * These layouts are part of the ABI between a program and its copy of the library; CAIRN_ABI changes
 * with them. Nothing here is to be used by hand.
 */
#ifndef CAIRN_RECORD_H
#define CAIRN_RECORD_H

#include <cairn/compiler.h>

#include "clock_arch.h"
#include "site_arch.h"

CAIRN__BEGIN_C

#define CAIRN_ABI 1
/* Sessions at once in one process, and events of one thread that may interrupt one another. */
#define CAIRN_SESSIONS 8
#define CAIRN_LEVELS 4
#define CAIRN__NEST 7u
#define CAIRN__ROUND 8u
/* The time of the previous record must be nearer than 2^27 ticks for a short time stamp. */
#define CAIRN__GAP_BITS 27

/* The writer's end of a stream. In the shared ring; the owner thread writes, the consumer reads. */
struct cairn_cursor {
	unsigned char *cur; /* first free byte: every record below it is committed */
	unsigned char *end; /* first byte behind the open packet */
	uint64_t last;      /* time of the last record, ticks; the owner's alone */
};

/* A thread's place in its copy of the library; core/slot.h has the rest of it. */
struct cairn_slot {
	const void *owner; /* &cairn_tls of the thread, NULL if free */
	uintptr_t rcu;
	struct cairn_cursor *cursor[CAIRN_SESSIONS * CAIRN_LEVELS]; /* never NULL */
};

/* What the writer needs to know of a session. */
struct cairn_channel {
	uint64_t (*clock)(void *data); /* NULL: the CPU's counter */
	void *clock_data;
	uint32_t session; /* its number, 0 to CAIRN_SESSIONS - 1 */
	uint32_t header;  /* bytes of a short event header: 4 (5 + 27 bits) or 6 (16 + 32 bits) */
};

/* One listener: a probe, or (fn NULL) the recorder of a session. */
struct cairn_entry {
	void (*fn)(void);
	void *data;                    /* of the probe, or of the session's clock */
	uint64_t (*clock)(void *data); /* NULL: the CPU's counter */
	const struct cairn_channel *channel;
	uint32_t index;  /* of the session's level-0 cursor in a slot */
	uint32_t id;     /* of the event in the session, from 1 */
	uint32_t word;   /* the id at its place in a short header of 4 bytes */
	uint32_t header; /* bytes of the short header; 0: the id does not fit in one */
};

/* All listeners of an event: replaced as a whole, freed after a grace period. */
struct cairn_list {
	/* Copies of what entry[0] says, for the short ways. */
	uint64_t (*clock)(void *data);
	void *data;
	uint32_t index;
	uint32_t word;
	uint32_t count;
	const struct cairn_entry *entry;
};

/*
 * An event in one module: 64 zero bytes that every file which hits it asks the linker for as a
 * hidden common symbol. A file that only includes the declaration does not.
 */
#define CAIRN__EVENT_BYTES 64
struct cairn_event {
	uint32_t enabled; /* what a branch site tests */
	const struct cairn_list *list;
	/* The same list if its one listener is a recorder with short headers of 4 bytes, by what gives
	 * the time: the CPU's counter, or the session's clock. */
	const struct cairn_list *by_counter, *by_clock;
	void *tracepoint; /* core/tracepoint.h */
};

/* The module's glue (core/module.c): a reference to it makes the module register itself. */
extern struct cairn_module cairn_module CAIRN__HIDDEN;

#ifdef CAIRN_NO_TLS /* a system without threads: one slot */
#define CAIRN_THREAD_LOCAL
#define CAIRN_TLS_ATTRIBUTE
#else
#define CAIRN_THREAD_LOCAL __thread
#define CAIRN_TLS_ATTRIBUTE __attribute__((tls_model(CAIRN_TLS_MODEL)))
#endif
extern CAIRN__API CAIRN_THREAD_LOCAL struct cairn_slot *cairn_tls CAIRN_TLS_ATTRIBUTE;
extern CAIRN__API const struct cairn_list cairn_list_none;
/* Not 0 where the system has no barrier for all threads: readers then make their own. Set once. */
extern CAIRN__API uint32_t cairn_fences;

/* A thread's passage through one event. */
struct cairn_reader {
	struct cairn_slot *slot;
	uintptr_t rcu; /* the word as it was found */
	struct cairn_cursor *cursor;
};

/* This thread's slot, claimed now if need be; NULL if there is none. Async-signal-safe. */
CAIRN__API struct cairn_slot *cairn_slot_claim(struct cairn_module *module);
/* Count an event that found no slot (NULL), or that nests deeper than CAIRN_LEVELS. */
CAIRN__API void cairn_event_dropped(const struct cairn_event *nested);
/* Where a record goes; two words, so that it is returned in registers. */
struct cairn_spot {
	unsigned char *at; /* of the payload; NULL: the event is lost, and counted */
	struct cairn_cursor *cursor;
};

/*
 * Room for a record when the short way has none: first event of a thread, next packet, long gap.
 * Writes the event header; `size` bytes of payload follow. `rcu` is the reader's word.
 * Async-signal-safe.
 */
CAIRN__API struct cairn_spot cairn_reserve_slow(struct cairn_slot *slot, uintptr_t rcu,
						const struct cairn_entry *entry, size_t size,
						uint64_t now);

/* The short event header: event id in 5 bits, time in 27, first field first in either byte order. */
CAIRN__INLINE uint32_t cairn_compact(uint32_t id, uint64_t now)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	return id | CAIRN__CAST(uint32_t, now) << 5;
#else
	return id | (CAIRN__CAST(uint32_t, now) & 0x7ffffffu);
#endif
}

/* An id at its place in the short event header. */
CAIRN__INLINE uint32_t cairn_compact_id(uint32_t id)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	return id;
#else
	return id << 27;
#endif
}

/* The first byte of a long event header in the compact form: tag 31 in the first 5 bits. */
CAIRN__INLINE uint8_t cairn_compact_tag(void)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	return 31;
#else
	return 31 << 3;
#endif
}

CAIRN__INLINE unsigned char *cairn_put(unsigned char *to, const void *from, size_t size)
{
	__builtin_memcpy(to, from, size);
	return to + size;
}

/*
 * The short ways, of an event that one session records in a thread that has a slot and room. The
 * hot loop of many programs; every instruction was weighed (core/README.md has them and the figures).
 *
 * First cairn_begin_counter; if the time comes from the session's clock, cairn_begin_clock in another
 * function: a call in the first one would make it save registers (measured: 1.3 ns an event).
 */
enum cairn_way {
	CAIRN__GO,    /* *to is where the payload goes; cairn_commit_fast must follow */
	CAIRN__CLOCK, /* the event is entered; cairn_begin_clock must follow */
	CAIRN__LONG   /* nothing was done */
};

/* A sum costs a register less than a difference (measured: 0.35 ns), but may wrap on 32 bits. */
CAIRN__INLINE bool cairn_fits(const unsigned char *at, const unsigned char *end, size_t size)
{
	return sizeof(size_t) > 4 ? at + size <= end : CAIRN__CAST(size_t, end - at) >= size;
}

CAIRN__INLINE enum cairn_way cairn_begin_at(struct cairn_reader *r, const struct cairn_list *list,
					    uint64_t now, size_t size, unsigned char **to)
{
	struct cairn_cursor *cursor = r->slot->cursor[list->index];
	unsigned char *at = cursor->cur;
	uint32_t header;

	if (CAIRN__UNLIKELY(!cairn_fits(at, cursor->end, sizeof(header) + size) ||
			    (now - cursor->last) >> CAIRN__GAP_BITS)) {
		CAIRN__PUBLISH(r->slot->rcu, r->rcu);
		return CAIRN__LONG;
	}
	header = cairn_compact(list->word, now);
	*to = cairn_put(at, &header, sizeof(header));
	cursor->last = now;
	r->cursor = cursor;
	return CAIRN__GO;
}

CAIRN__INLINE enum cairn_way cairn_begin_counter(struct cairn_reader *r, struct cairn_event *event,
						 size_t size, unsigned char **to)
{
	const struct cairn_list *list;

	r->slot = cairn_tls;
	if (CAIRN__UNLIKELY(r->slot->owner != &cairn_tls))
		return CAIRN__LONG;
	r->rcu = CAIRN__LOAD(r->slot->rcu);
	if (CAIRN__UNLIKELY(r->rcu & CAIRN__NEST))
		return CAIRN__LONG;
	CAIRN__STORE(r->slot->rcu, r->rcu + 1); /* [A] with cairn_rcu_wait */
	CAIRN__BARRIER();
	if (CAIRN_ARCH_CLOCK_BITS != 64)
		return CAIRN__CLOCK;
	list = __atomic_load_n(&event->by_counter, __ATOMIC_CONSUME);
	if (CAIRN__UNLIKELY(!list))
		return CAIRN__CLOCK;
	return cairn_begin_at(r, list, cairn_arch_ticks(), size, to);
}

CAIRN__INLINE enum cairn_way cairn_begin_clock(struct cairn_reader *r, struct cairn_event *event,
					       size_t size, unsigned char **to)
{
	const struct cairn_list *list = __atomic_load_n(&event->by_clock, __ATOMIC_CONSUME);
	uint64_t now = 0;

	/* The clock first: what is loaded behind the call needs no saved register. */
	if (CAIRN__LIKELY(list != NULL))
		now = list->clock(list->data);
	r->slot = cairn_tls;
	/* At depth 1 now; or 0, if a fork in a handler wiped the slot in between. */
	r->rcu = CAIRN__LOAD(r->slot->rcu) & ~CAIRN__CAST(uintptr_t, CAIRN__NEST);
	if (CAIRN__LIKELY(list != NULL))
		return cairn_begin_at(r, list, now, size, to);
	CAIRN__PUBLISH(r->slot->rcu, r->rcu);
	return CAIRN__LONG;
}

CAIRN__INLINE void cairn_commit_fast(const struct cairn_reader *r, unsigned char *end)
{
	CAIRN__PUBLISH(r->cursor->cur, end); /* [B] with cairn_drain_note */
	CAIRN__PUBLISH(r->slot->rcu, r->rcu + CAIRN__ROUND);
}

/* Needed only where the system has no barrier for all threads and the CPU reorders stores. */
CAIRN__INLINE void cairn_fence_stores(void)
{
	if (!CAIRN_ARCH_STORES_ORDERED && CAIRN__UNLIKELY(cairn_fences))
		CAIRN__FENCE(__ATOMIC_RELEASE);
}

/* Enter the event: who listens, or NULL: nobody, or the event is lost and counted. Unless it returns
 * NULL, cairn_leave must follow. */
CAIRN__INLINE const struct cairn_list *cairn_enter(struct cairn_reader *r,
						   struct cairn_event *event)
{
	const struct cairn_list *list;

	r->slot = cairn_tls;
	if (CAIRN__UNLIKELY(r->slot->owner != &cairn_tls)) {
		r->slot = cairn_slot_claim(&cairn_module);
		if (!r->slot) {
			cairn_event_dropped(NULL);
			return NULL;
		}
	}
	r->rcu = CAIRN__LOAD(r->slot->rcu);
	if (CAIRN__UNLIKELY((r->rcu & CAIRN__NEST) >= CAIRN_LEVELS)) {
		cairn_event_dropped(event);
		return NULL;
	}
	CAIRN__STORE(r->slot->rcu, r->rcu + 1); /* [A] with cairn_rcu_wait */
	CAIRN__BARRIER();
	if (CAIRN__UNLIKELY(cairn_fences))
		CAIRN__FENCE(__ATOMIC_SEQ_CST);
	list = __atomic_load_n(&event->list, __ATOMIC_CONSUME);
	return CAIRN__LIKELY(list != NULL) ? list : &cairn_list_none;
}

CAIRN__INLINE void cairn_leave(const struct cairn_reader *r)
{
	cairn_fence_stores();
	CAIRN__PUBLISH(r->slot->rcu,
		       CAIRN__UNLIKELY(r->rcu & CAIRN__NEST) ? r->rcu : r->rcu + CAIRN__ROUND);
}

/* Room for one record of `size` bytes of payload, its header written. */
CAIRN__INLINE struct cairn_spot cairn_reserve(const struct cairn_reader *r,
					      const struct cairn_entry *entry, size_t size)
{
	const uint64_t now = CAIRN__LIKELY(entry->clock != NULL) ? entry->clock(entry->data) :
								   cairn_arch_ticks();
	struct cairn_spot spot;
	uint16_t id;
	uint32_t word;

	spot.cursor = r->slot->cursor[entry->index + (r->rcu & CAIRN__NEST)];
	spot.at = spot.cursor->cur;
	if (CAIRN__UNLIKELY((now - spot.cursor->last) >> CAIRN__GAP_BITS))
		return cairn_reserve_slow(r->slot, r->rcu, entry, size, now);
	if (CAIRN__LIKELY(entry->header == 4)) {
		if (CAIRN__UNLIKELY(CAIRN__CAST(size_t, spot.cursor->end - spot.at) < 4 + size))
			return cairn_reserve_slow(r->slot, r->rcu, entry, size, now);
		word = cairn_compact(entry->word, now);
	} else {
		if (!entry->header || CAIRN__CAST(size_t, spot.cursor->end - spot.at) < 6 + size)
			return cairn_reserve_slow(r->slot, r->rcu, entry, size, now);
		id = CAIRN__CAST(uint16_t, entry->id);
		spot.at = cairn_put(spot.at, &id, sizeof(id));
		word = CAIRN__CAST(uint32_t, now);
	}
	spot.cursor->last = now;
	spot.at = cairn_put(spot.at, &word, sizeof(word));
	return spot;
}

CAIRN__INLINE void cairn_commit(struct cairn_cursor *cursor, unsigned char *end)
{
	cairn_fence_stores();
	CAIRN__PUBLISH(cursor->cur, end); /* [B] with cairn_drain_note */
}

CAIRN__END_C

#endif
