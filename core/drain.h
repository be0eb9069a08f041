/* SPDX-License-Identifier: MIT */
/*
 * The consumer: copies what is committed in the rings of one process into one CTF trace directory. The
 * same code runs in a thread of the traced program (session.c) and in `cairn record`, outside of it.
 * One thread at a time uses a drain. Nothing is allocated after cairn_drain_open. In the rings it
 * writes only what is the consumer's: that a packet is given back.
 *
 * Seen from outside, the rings are written by a program that may be broken or hostile: with `copy`,
 * every value is copied once and then checked, and records are copied before they are walked.
 */
#ifndef CAIRN_DRAIN_H
#define CAIRN_DRAIN_H

#include <cairn/cairn.h>

#include "clock.h"
#include "ring.h"

struct cairn_drain;

/* What a drain writes metadata in: address space; what is not used takes no memory. */
#define CAIRN_METADATA_SIZE (64u << 20)

struct cairn_drain_config {
	struct cairn_shared *shared; /* mapped here; the drain does not unmap it */
	size_t size;                 /* of the area */
	/*
	 * A recorder of many processes maps only the first cairn_shared_head() bytes, and each ring when it
	 * is first used: NULL if that fails, which is tried again. The drain unmaps it. NULL: all of
	 * the area is mapped.
	 */
	void *(*ring)(void *data, uint64_t at, size_t size);
	void *data;
	char *text; /* CAIRN_METADATA_SIZE bytes that all drains of a thread may share; NULL: its own */
	const char *output; /* folder that the trace directory is made in; NULL: none */
	const char *program;
	uint32_t pid; /* as seen from here */
	bool copy;    /* do not trust what is mapped */
	bool global;  /* the writers are another process */
	/*
	 * The writers are gone, and so is who drained their rings: go on where it stopped, in the trace
	 * directory `trace` (NULL: it made none).
	 */
	bool rest;
	const char *trace;
	/*
	 * Of rings that are overwritten, their writers alive or not: what is there at the moment of
	 * cairn_drain_snapshot, into a new directory. Nothing is written in the rings.
	 */
	bool snapshot;
	bool swap;           /* of another CPU: its byte order is the other one; */
	uint32_t word_bytes; /* and its words are of this size; 0: of this CPU's */
	enum cairn_clock_kind clock;
	uint64_t clock_hz;         /* of a user's clock */
	const char *clock_name;    /* of a counter that is not this CPU's; NULL: it is */
	struct cairn_anchor start; /* of the session */
	struct cairn_anchor end;   /* to fit the counter to; monotonic 0: what it says now */
};

/* 0; -EINVAL: the area is not what it should be; -ENOMEM. Makes no file. */
int cairn_drain_open(struct cairn_drain **drain, const struct cairn_drain_config *config);

enum cairn_drain_what {
	CAIRN_DRAIN_WHOLE, /* whole packets */
	CAIRN_DRAIN_OPEN,  /* the open ones too */
	CAIRN_DRAIN_NOW    /* the same, and do not wait for readers of older metadata */
};
/*
 * Copy what has come. When there are new events, what came waits until readers that have the metadata
 * without them know their packets; see drain.c. Returns 0, or the errno of a failed write: what could
 * not be written is counted as lost if its packet is whole, else it stays.
 */
int cairn_drain_step(struct cairn_drain *drain, enum cairn_drain_what what);
/*
 * In place of steps, for a `snapshot`. `lapped` is called for each stream whose owner wrote all of the ring over
 * in each of several copies: nothing of it is in the trace. 0, or the errno of a failed write.
 */
int cairn_drain_snapshot(struct cairn_drain *drain,
			 void (*lapped)(void *data, uint32_t stream, uint32_t tid), void *data);
/* When the next step is wanted, monotonic ns, if the next regular one is at `due`. */
uint64_t cairn_drain_due(const struct cairn_drain *drain, uint64_t due);
/* Make the trace directory now, to learn early of an error. 0 or -errno. */
int cairn_drain_begin(struct cairn_drain *drain);
/* The program is gone or has stopped: the rest, final losses, final metadata. 0 or -errno. */
int cairn_drain_close(struct cairn_drain *drain);
/* After the close: give the memory back. */
void cairn_drain_free(struct cairn_drain *drain);
void cairn_drain_stats(const struct cairn_drain *drain, struct cairn_stats *stats);
/* Path of the trace directory, "" if none was made. */
const char *cairn_drain_path(const struct cairn_drain *drain);

/*
 * Sleep until a writer rings or `ns` passed. False: there was a reason not to. Another thread may wake
 * it by cairn_bell_wake.
 */
bool cairn_bell_sleep(struct cairn_bell *bell, uint64_t ns, bool (*more)(void *data), void *data);
void cairn_bell_wake(struct cairn_bell *bell);
/* True if half a ring of some stream waits. */
bool cairn_drain_pressed(void *drain);

#endif
