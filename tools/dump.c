/* SPDX-License-Identifier: MIT */
/* Rings, of living programs and of dead ones, into a trace: what `cairn recover` and `cairn snapshot` share. */
#define _GNU_SOURCE
#include "dump.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "drain.h"
#include "os.h"
#include "tool.h"

/* True: the metadata of the trace directory has this UUID. */
static bool has_uuid(int dir, const char *name, const uint8_t *id)
{
	char text[4096], expected[64];
	const int trace = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	const int file = trace < 0 ? -1 : openat(trace, "metadata", O_RDONLY | O_CLOEXEC);
	const long got = file < 0 ? 0 : cairn_os_file_read(file, text, sizeof(text) - 1, 0);

	text[got > 0 ? got : 0] = 0;
	if (file >= 0)
		close(file);
	if (trace >= 0)
		close(trace);
	snprintf(expected, sizeof(expected),
		 "\"%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x\"", id[0],
		 id[1], id[2], id[3], id[4], id[5], id[6], id[7], id[8], id[9], id[10], id[11],
		 id[12], id[13], id[14], id[15]);
	return strstr(text, expected) != NULL;
}

/* The trace directory in `output` that belongs to the rings; false: there is none. */
static bool find_trace(const char *output, const uint8_t *id, char trace[PATH_MAX])
{
	DIR *dir = opendir(output);
	const struct dirent *entry;
	char tail[16];
	size_t length;
	bool found = false;

	snprintf(tail, sizeof(tail), "-%02x%02x%02x%02x", id[0], id[1], id[2], id[3]);
	while (dir && !found && (entry = readdir(dir))) {
		length = strlen(entry->d_name);
		if (length < 9 || strcmp(entry->d_name + length - 9, tail) ||
		    !has_uuid(dirfd(dir), entry->d_name, id))
			continue;
		found = snprintf(trace, PATH_MAX, "%s/%s", output, entry->d_name) < PATH_MAX;
	}
	if (dir)
		closedir(dir);
	return found;
}

/* What the times of the rings are fitted to: the counter now, if it is this machine's, else the last that
 * their consumer noted. */
static struct cairn_anchor end_of(const struct cairn_rings *rings)
{
	const struct cairn_shared *shared = rings->shared;
	struct cairn_anchor end = { .monotonic = 0 };

	if (shared->clock != CAIRN_CLOCK_COUNTER) {
		end.monotonic = shared->start.monotonic + 1;
		return end;
	}
	if (rings->native &&
	    !strncmp(shared->clock_name, cairn_clock_counter_name(), sizeof(shared->clock_name)) &&
	    cairn_clock_kind() == CAIRN_CLOCK_COUNTER)
		return end;
	if (shared->anchors)
		end = shared->latest[shared->anchors % 2];
	if (end.monotonic > shared->start.monotonic)
		return end;
	cairn_tool_say(
		"the rate of the counter '%.15s' was not noted before the end: it is taken as 1 GHz",
		shared->clock_name);
	end.monotonic = shared->start.monotonic + 1000000000;
	end.ticks = shared->start.ticks + 1000000000;
	return end;
}

/* Nothing of this thread's is in the snapshot. */
static void say_lapped(void *data, uint32_t stream, uint32_t tid)
{
	unsigned *lapped = data;

	++*lapped;
	cairn_tool_say(
		"thread %u (stream %u) overwrites its whole ring faster than it can be copied, and is not in "
		"the snapshot: give it more packets (CAIRN_PACKETS)",
		tid, stream);
}

int cairn_dump(struct cairn_rings *rings, const char *output, bool living,
	       struct cairn_stats *stats, char trace[PATH_MAX])
{
	struct cairn_shared *shared = rings->shared;
	const bool snapshot = shared->mode == CAIRN_FLIGHT;
	char program[64], clock[16];
	struct cairn_drain_config config = { .shared = shared,
					     .size = rings->size,
					     .output = output,
					     .program = program,
					     .pid = shared->owner.pid,
					     .copy = true,
					     .global = living,
					     .rest = !snapshot,
					     .snapshot = snapshot,
					     .swap = rings->swap,
					     .word_bytes = rings->word_bytes,
					     .clock = (enum cairn_clock_kind)shared->clock,
					     .clock_hz = shared->clock_hz,
					     .clock_name = clock,
					     .start = shared->start,
					     .end = end_of(rings) };
	struct cairn_drain *drain;
	unsigned lapped = 0;
	int status, closed;

	if (shared->clock > CAIRN_CLOCK_USER ||
	    (shared->clock == CAIRN_CLOCK_USER && !shared->clock_hz))
		return -EINVAL;
	snprintf(clock, sizeof(clock), "%.15s", shared->clock_name);
	cairn_rings_program(program, sizeof(program), shared->program, sizeof(shared->program));
	if (!snapshot && find_trace(output, shared->uuid, trace))
		config.trace = trace;
	status = cairn_drain_open(&drain, &config);
	if (status)
		return status;
	if (snapshot)
		status = cairn_drain_snapshot(drain, say_lapped, &lapped);
	closed = status ? 0 : cairn_drain_close(drain);
	if (!status)
		status = closed ? closed : lapped ? -ESTALE : 0;
	cairn_drain_stats(drain, stats);
	snprintf(trace, PATH_MAX, "%s", cairn_drain_path(drain));
	cairn_drain_free(drain);
	return status;
}

const char *cairn_dump_why(int status)
{
	switch (-status) {
	case EINVAL:
		return "it is damaged, or no file of rings of Cairn";
	case ENOMSG:
		return "there is nothing in it: it is no file of rings of Cairn, or its program did not "
		       "come so far as to record";
	case EPROTO:
		return "it was made by another version of Cairn: use that version's cairn";
	case ENODATA:
		return "it is cut off: copy it again";
	case EAGAIN:
		return "a program reads the trace just now: try again when it has ended";
	case ENOSPC:
	case EDQUOT:
		return "no room: free some, or give a directory on another disk with -o";
	default:
		return strerror(-status);
	}
}
