/* SPDX-License-Identifier: MIT */
/*
 * The memory that a traced process shares with its consumer, one per session and process: a head, the
 * manifest (descriptions of enabled events, appended before their first record), the table of streams,
 * and a ring for each stream. It is sparse: what is not used takes no memory.
 *
 * Who writes what: the manifest is written under the control lock; a stream's owner thread alone
 * writes its cursor, counters and packets; the consumer alone writes `consumed`. Words that are read
 * across threads are of machine word size, so that no CPU needs a 64-bit atomic.
 */
#ifndef CAIRN_RING_H
#define CAIRN_RING_H

#include <cairn/cairn.h>

#include "ctf.h"

#define CAIRN_SHARED_MAGIC 0x6e726143u /* "Carn" in the byte order of the writer */
#define CAIRN_SHARED_VERSION 2
#define CAIRN_STREAMS 4096
#define CAIRN_MANIFEST_SIZE (sizeof(void *) == 4 ? 4u << 20 : 8u << 20)
/* Bytes of a long event header at most: a 16-bit tag, a 32-bit id, a 64-bit time. */
#define CAIRN_LONG_HEADER 14u
#define CAIRN_PACKET_MIN 4096u
#define CAIRN_PACKET_MAX (32u << 20)

enum cairn_stream_state { CAIRN_STREAM_FREE, CAIRN_STREAM_OWNED, CAIRN_STREAM_IDLE };

/*
 * One stream: a ring of `packets` packets of packet_size bytes. Packet number i, from 0, is at
 * (i mod packets) and is open while i == opened - 1.
 */
struct cairn_stream {
	/* The owner's line: per event. */
	struct cairn_cursor cursor __attribute__((aligned(64)));
	/* The owner's line: per packet. */
	uintptr_t opened __attribute__((aligned(64))); /* packets opened so far */
	uintptr_t lost;                                /* events that found no room */
	uintptr_t back;                                /* times the clock went back */
	uint32_t tid;                                  /* of the owner */
	uint32_t packets;
	uint32_t waiting; /* the owner sleeps, or is about to, on `room` */
	uintptr_t base;   /* address of the ring in the process */
	uintptr_t state;  /* enum cairn_stream_state */
	/* The consumer's line. */
	uintptr_t consumed __attribute__((aligned(64))); /* packets given back */
	uint32_t room; /* what a blocked owner sleeps on: changes when a packet is given back */
};

/* An entry of the manifest: this, then the description, padded to 8. id 0: an enum type. */
struct cairn_manifest {
	uint32_t size; /* of the entry, padded */
	uint32_t id;
};

/* How a writer rings for a sleeping consumer, and knows that one is there. */
struct cairn_bell {
	uint32_t sleeping; /* the consumer sleeps on `rings` */
	uint32_t rings;
	uint32_t beat; /* changes while a consumer lives */
	uint32_t gone; /* no consumer any more: block is discard */
};

struct cairn_shared {
	uint32_t magic, version;
	uint32_t word_bytes;                        /* of the writer */
	uint32_t header;                            /* bytes of the short event header */
	uint64_t size;                              /* of the whole */
	uint64_t manifest_at, streams_at, rings_at; /* offsets */
	uint64_t ring_size;                         /* bytes from one stream's ring to the next */
	uint32_t packet_size, packets, streams;
	uint32_t pid; /* as the writer sees itself */
	uint8_t uuid[16];
	char program[64];
	char clock_choice[CAIRN_CLOCK_CHOICE]; /* which clock the writer took, and why */
	struct cairn_bell bell;                /* used unless the session has one of its own */
	/* Changing words, each on its line. */
	uintptr_t manifest_used __attribute__((aligned(64))); /* bytes; published after the entry */
	uintptr_t used __attribute__((aligned(64)));          /* streams below this were claimed */
	uintptr_t lost __attribute__((aligned(64)));          /* events that found no stream */
	uintptr_t exhausted; /* there was no memory for a new ring: do not ask again */
};

/* A session as the path of an event sees it. */
struct cairn_writer {
	struct cairn_channel channel;
	struct cairn_shared *shared; /* NULL: this process has none (yet) */
	struct cairn_bell *bell;
	enum cairn_mode mode;
	uint64_t block_ns;
	uint32_t beat; /* the beat at which block mode gave up */
	bool gave_up;
	bool mute; /* a child that could get no rings: its events are lost, and counted */
};

/* The writers of all sessions, by session number; NULL: none. */
extern struct cairn_writer *cairn_writers[CAIRN_SESSIONS] CAIRN__HIDDEN;

/* The one that a recorder outside drains, NULL: none. It is never freed. */
extern struct cairn_writer *cairn_writer_outside CAIRN__HIDDEN;

/* Bytes that a shared area with these rings takes, 0 if they are too many for the address space. */
size_t cairn_shared_size(uint32_t packet_size, uint32_t packets, uint32_t *streams);
/* Bytes of it in front of the rings. */
size_t cairn_shared_head(void);
/* Lay out a zeroed area of `size` bytes. */
void cairn_shared_init(struct cairn_shared *shared, size_t size, uint32_t packet_size,
		       uint32_t packets, uint32_t streams);
static inline struct cairn_stream *cairn_shared_stream(const struct cairn_shared *shared,
						       uint32_t i)
{
	return (struct cairn_stream *)((uintptr_t)shared + (uintptr_t)shared->streams_at) + i;
}

/* In a child: give the streams of the inherited area, which was put out of sight and is zero now, what an
 * event that the fork cut in two may still read there. [s] */
void cairn_shared_blank(struct cairn_shared *shared);

/* Append a description. 0, or -ENOSPC: the manifest is full. Under the control lock. */
int cairn_manifest_add(struct cairn_shared *shared, const struct cairn_desc *desc, uint32_t id);

/* The owner is gone: another thread may take the stream over. [s] */
void cairn_stream_release(struct cairn_cursor *cursor);

#endif
