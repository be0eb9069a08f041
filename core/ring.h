/* SPDX-License-Identifier: MIT */
/*
 * The memory that a traced process shares with its consumer, one per session and process: a head, the
 * manifest (descriptions of enabled events, appended before their first record), the table of streams,
 * and a ring for each stream. It is sparse: what is not used takes no memory.
 *
 * Who writes what: the manifest is written under the control lock; a stream's owner thread alone
 * writes its cursor, counters and packets; the consumer alone writes `consumed`. Words that are read
 * across threads are of machine word size, so that no CPU needs a 64-bit atomic.
 *
 * What a killed program left is read from its file by `cairn recover`, which may have been built for another
 * CPU. So everything is at the same place on all of them: 64-bit values at multiples of 8, and words in room
 * for 64 bits, at the first byte of it.
 */
#ifndef CAIRN_RING_H
#define CAIRN_RING_H

#include <cairn/cairn.h>

#include "clock.h"
#include "ctf.h"

#define CAIRN_SHARED_MAGIC 0x6e726143u /* "Carn" in the byte order of the writer */
#define CAIRN_SHARED_VERSION 2
#define CAIRN_STREAMS 4096
#define CAIRN_MANIFEST_SIZE (sizeof(void *) == 4 ? 4u << 20 : 8u << 20)
/* Bytes of a long event header at most: a 16-bit tag, a 32-bit id, a 64-bit time. */
#define CAIRN_LONG_HEADER 14u
#define CAIRN_PACKET_MIN 4096u
#define CAIRN_PACKET_MAX (32u << 20)
#define CAIRN_OUTPUT_MAX 408u

enum cairn_stream_state { CAIRN_STREAM_FREE, CAIRN_STREAM_OWNED, CAIRN_STREAM_IDLE };

/* A machine word of the writer's, at the same place whatever its size. */
#define CAIRN_WORD(name)                                                                           \
	union {                                                                                    \
		uintptr_t name;                                                                    \
		uint64_t name##_room;                                                              \
	}

/*
 * One stream: a ring of `packets` packets of packet_size bytes. Packet number i, from 0, is at
 * (i mod packets) and is open while i == opened - 1.
 */
struct cairn_stream {
	/* The owner's line: per event. */
	struct cairn_cursor cursor __attribute__((aligned(64)));
	/* The owner's line: per packet. */
	_Alignas(64) CAIRN_WORD(opened); /* packets opened so far */
	CAIRN_WORD(lost);                /* events that found no room */
	CAIRN_WORD(back);                /* times the clock went back */
	CAIRN_WORD(base);                /* address of the ring in the process */
	CAIRN_WORD(state);               /* enum cairn_stream_state */
	uint32_t tid;                    /* of the owner */
	uint32_t packets;
	uint32_t waiting; /* the owner sleeps, or is about to, on `room` */
	/* The consumer's line. */
	_Alignas(64) CAIRN_WORD(consumed); /* packets given back */
	uint32_t room; /* what a blocked owner sleeps on: changes when a packet is given back */
	uint32_t unused;
	/* Where the packet `consumed` begins in the stream's files: part << 32 | byte. Of consecutive
	 * packets in turn, written before `consumed`: so the one that counts is whole. */
	uint64_t filed[2];
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
	uint32_t clock; /* enum cairn_clock_kind */
	uint8_t uuid[16];
	char program[64];
	struct cairn_bell bell; /* used unless the session has one of its own */
	/* For recovery: whose rings these are, what the times mean, where the trace is. */
	char clock_name[16]; /* of the counter */
	struct cairn_owner owner;
	uint64_t clock_hz; /* of a user's clock */
	struct cairn_anchor start;
	struct cairn_anchor
		latest[2]; /* by a consumer in the process, in turn; [anchors % 2] is whole */
	uint32_t anchors;
	uint32_t mode;                 /* enum cairn_mode */
	char output[CAIRN_OUTPUT_MAX]; /* folder of the trace directory, from the root; "": none */
	char clock_choice[CAIRN_CLOCK_CHOICE]; /* which clock the writer took, and why */
	/* Changing words, each on its line. */
	_Alignas(64) CAIRN_WORD(manifest_used); /* bytes; published after the entry */
	_Alignas(64) CAIRN_WORD(used);          /* streams below this were claimed */
	_Alignas(64) CAIRN_WORD(lost);          /* events that found no stream */
	CAIRN_WORD(exhausted); /* there was no memory for a new ring: do not ask again */
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
/* The head is whole. Its file has a name before: whoever finds no magic there takes it for none yet. */
void cairn_shared_publish(struct cairn_shared *shared);
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
