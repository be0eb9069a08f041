/* SPDX-License-Identifier: MIT */
/*
 * What `cairn record` asks of the code that records other processes. tools/record.c runs the
 * command, waits for it and talks to the user; the recorder has the session, takes the
 * announcements of processes, and has a drain (core/drain.h) for each. One thread calls all of
 * this.
 *
 * Order of calls: open; environment (before the command starts); step in a loop, whenever the
 * descriptor is readable or the time that the last step named has come; finish when the command has
 * ended; stats at any time; close, also if the command could not be started.
 */
#ifndef CAIRN_RECORDER_H
#define CAIRN_RECORDER_H

#include <cairn/cairn.h>

struct cairn_recorder;

struct cairn_recorder_config {
	const char *output;         /* an empty directory that exists */
	const char *const *pattern; /* each as for cairn_enable, checked for length only */
	size_t patterns;            /* at least 1 */
	enum cairn_mode mode;
	size_t packet_size; /* bytes, a power of two from 4096 to 32 MiB */
	unsigned packets;   /* per thread, a power of two from 2 to 32768 */
};

struct cairn_recorder_stats {
	uint64_t recorded; /* events in the trace */
	uint64_t lost;     /* events that found no room, were too big, or could not be written */
	uint64_t bytes;    /* in stream files */
	uint32_t
		announced; /* processes that said they have Cairn in them, also if no event matched */
	uint32_t traced;   /* of these, processes that have a trace directory */
	uint32_t living; /* of these, processes that still run; after finish, that still ran then */
	uint32_t refused; /* processes that could not be recorded */
	int refusal;      /* the first -errno for which one was refused */
	int error;        /* the first -errno with which the trace could not be written; 0: none */
};

/*
 * Make the session. 0, or -errno: -ENOSPC (no room for the shared memory), -EACCES, -EMFILE,
 * -ENOMEM, or that of the call that failed; *recorder is NULL then.
 */
int cairn_recorder_open(struct cairn_recorder **recorder,
			const struct cairn_recorder_config *config);

/*
 * "NAME=value" strings to put into the command's environment, NULL at the end; valid until close.
 */
const char *const *cairn_recorder_environment(const struct cairn_recorder *recorder);

/* Readable (poll: POLLIN) when a step is due before its time; -1: never. */
int cairn_recorder_fd(const struct cairn_recorder *recorder);

/*
 * Take announcements, copy what is committed, write. Does not block but for the disk. Returns in
 * how many milliseconds, at the latest, it wants to be called again (1 to 1000). What goes wrong is
 * in the stats, and the recorder goes on: events that cannot be written are counted as lost.
 */
int cairn_recorder_step(struct cairn_recorder *recorder);

/* The command has ended: take all that is left, of living processes too, and close every trace. */
void cairn_recorder_finish(struct cairn_recorder *recorder);

void cairn_recorder_stats(const struct cairn_recorder *recorder,
			  struct cairn_recorder_stats *stats);

/* Remove the session and free it. NULL is fine. */
void cairn_recorder_close(struct cairn_recorder *recorder);

#endif
