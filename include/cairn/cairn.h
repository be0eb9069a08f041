/* SPDX-License-Identifier: MIT */
/*
 * Control: sessions that record events, from inside the program. Instrumented files include
 * <cairn/event.h>; this header is for the code that decides what is recorded.
 *
 * A program needs none of it to be traced: `cairn record -- ./app`, or
 * CAIRN_TRACE='shop:*' CAIRN_OUTPUT=dir ./app, do it from outside.
 *
 * All functions here are thread-safe. None is async-signal-safe: each may take a lock and allocate;
 * from inside a probe, or a signal handler that interrupted an event, each returns -EDEADLK and does
 * nothing. They return 0 or more, or a negative errno; cairn_error() has the reason in words. A session
 * that is NULL or was stopped is -EINVAL, as is a NULL where something is to be put or read.
 */
#ifndef CAIRN_CAIRN_H
#define CAIRN_CAIRN_H

#include <cairn/event.h>

CAIRN__BEGIN_C

#define CAIRN_VERSION "0.1.0"

struct cairn_session;

/* What happens to an event when its ring is full. */
enum cairn_mode {
	CAIRN_DISCARD, /* it is counted and dropped */
	CAIRN_BLOCK, /* its thread waits for the consumer, at most block_ms, then as CAIRN_DISCARD */
	CAIRN_FLIGHT /* the oldest packet of its thread is overwritten: a flight recorder, in memory, without
	              * a thread or a file of its own; cairn_session_snapshot writes what is there */
};

struct cairn_config {
	size_t size;        /* sizeof(struct cairn_config): lets later versions add fields */
	const char *output; /* directory, created if it is not there; each process makes a trace
	                        * directory of its own in it; NULL: records are drained, counted and
	                        * thrown away (to measure) */
	enum cairn_mode mode;
	size_t packet_size; /* bytes, a power of two from 4096 to 32 MiB; 0: 65536 */
	unsigned packets;   /* per thread, a power of two from 2 (flight: 4) to 32768; 0: 16 */
	unsigned flush_ms;  /* how old a record may be before it is on disk; 0: 1000 */
	unsigned block_ms;  /* longest wait of one event in block mode; 0: 1000 */
	uint64_t (*clock)(
		void *data); /* time of an event; must not go back, must be callable from a
	                        * signal handler, must not trace; NULL: the best the CPU has */
	void *clock_data;
	uint64_t clock_hz; /* ticks a second of `clock` */
};

struct cairn_stats {
	uint64_t recorded; /* events written to the trace (or thrown away, without output) */
	uint64_t lost;     /* events that found no room, were too big, or could not be written */
	uint64_t bytes;    /* written to stream files */
	uint32_t events;   /* event classes enabled so far */
	uint32_t streams;  /* streams so far */
	uint64_t back; /* times that the clock went back in a thread: the event got the last time */
	uint64_t overwritten; /* packets, by a flight recorder */
};

/*
 * Start a session. Nothing is recorded before cairn_enable.
 * 0; -EINVAL (a field of config is out of range), -ENOSPC (no session number is free, or no room for
 * the rings), -ENOMEM, -EDEADLK, -EFBIG (ulimit -f leaves no room for rings), or the
 * errno of creating the output.
 */
CAIRN__API int cairn_session_start(struct cairn_session **session,
				   const struct cairn_config *config);

/*
 * Record the events whose "provider:event" matches the pattern: `*` any characters, `?` one, a comma
 * separates alternatives. Also for modules that are loaded later. Returns how many events match now
 * (0 is no error), or
 * -EINVAL (empty pattern or alternative, or over 4095 characters), -EACCES or -EPERM (the system refuses to make
 *   program text writable: build with CAIRN_SITES=branch), -EBUSY (the bytes at a site are not what
 *   Cairn put there: a debugger's breakpoint, or two events at one address), -ERANGE (a site's cold
 *   branch is out of reach), -EEXIST (one event is declared with two field lists), -ENOSPC (over 65534
 *   events in a session, or 8 MiB of descriptions, 4 MiB on 32-bit CPUs), -ENOMEM, -EDEADLK.
 * On an error nothing of this call stays enabled.
 */
CAIRN__API int cairn_enable(struct cairn_session *session, const char *pattern);
/* Stop recording matching events, now and in modules loaded later. Returns how many were recorded. */
CAIRN__API int cairn_disable(struct cairn_session *session, const char *pattern);

/*
 * Write what a flight recorder's rings hold now into a trace of its own, in a new directory in `output`
 * (NULL: config.output): of each thread the newest packets, all but one of the ring's. Threads go on
 * recording meanwhile, also into the packets that are being copied: those are left out. *stats, if it is
 * not NULL, gets the snapshot's figures. Any thread may call it; snapshots of one session wait for one
 * another.
 * 0; -EINVAL (the session's mode is not CAIRN_FLIGHT, or there is no output), -EDEADLK, -ENOMEM; -EAGAIN: a
 * thread overwrote its whole ring in each of several copies, so that nothing of it is in the snapshot
 * (cairn_error names it; give more packets); or the errno of a failed write.
 */
CAIRN__API int cairn_session_snapshot(struct cairn_session *session, const char *output,
				      struct cairn_stats *stats);
/* Write out all that is committed; nothing in flight mode. 0, -EDEADLK, or the errno of the first failed write. */
CAIRN__API int cairn_session_flush(struct cairn_session *session);
/* Exact after a flush in a program whose threads do not trace at this moment. 0, -EDEADLK. */
CAIRN__API int cairn_session_stats(struct cairn_session *session, struct cairn_stats *stats);
/*
 * Disable everything, write out what is left, close the trace, free the session. 0, or the errno of a
 * failed write; -EDEADLK: nothing was done. Final figures are put in *stats if it is not NULL.
 */
CAIRN__API int cairn_session_stop(struct cairn_session *session, struct cairn_stats *stats);

/*
 * Which clock sessions use without one of their own, and why: "NAME: REASON", in ASCII, one line of at
 * most 127 characters, e.g. "tsc: invariant, advances" or "monotonic: CAIRN_CLOCK=monotonic". NAME is
 * what the trace's metadata calls the clock; `monotonic` counts nanoseconds of CLOCK_MONOTONIC, any
 * other one is the CPU's counter, whose frequency is in the metadata. The same text is there as
 * `clock_choice`, and `cairn list` shows it; a program under `cairn record` may have to use another
 * clock than this one, for the sake of the others, and then the trace has the reason for that.
 *
 * Puts at most `size` bytes, the last of them a NUL, into `text` (NULL or 0: none) and returns the length
 * of the whole without the NUL, as snprintf does; or -EDEADLK. Decided at the first call or the first
 * session, and then the same for the life of the process and of its forked children: CAIRN_CLOCK in the
 * environment is read just then.
 */
CAIRN__API int cairn_clock_info(char *text, size_t size);
/* The reason of the last failure in this copy of the library, in words; "" if there was none. */
CAIRN__API int cairn_error(char *text, size_t size);

CAIRN__END_C

#endif
