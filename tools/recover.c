/* SPDX-License-Identifier: MIT */
/*
 * `cairn recover`: finishes the traces of programs that are gone and whose rings nobody has drained to the
 * end. A program without a recorder that was killed, or one whose recorder was, leaves a file of rings in
 * memory; it says which trace it belongs to. What is in it goes behind what the trace has already.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "control.h"
#include "drain.h"
#include "os.h"
#include "rings.h"
#include "tool.h"

const char cairn_recover_help[] =
	"usage: cairn recover [-o DIR] [DIR|FILE]...\n\n"
	"Finish the traces of programs that died: put what they left in memory behind what their\n"
	"traces have. DIR: only traces in this folder; FILE: a file of rings, copied from wherever,\n"
	"of any CPU. Without either: all of this user's programs on this machine.\n\n"
	"Options:\n"
	"  -o, --output DIR   put the traces into DIR, not where the programs were told to\n"
	"  -h, --help         this text\n";

struct recover {
	const char *output;    /* given; NULL: the program's own */
	char filter[PATH_MAX]; /* only traces in this folder; "": all */
	bool named; /* the file was named on the command line: it stays, and nobody asks for its owner */
	unsigned found, failed, living;
};

/* ---- one file of rings ---- */

/* A folder's path from the root, without links; "" if there is none. */
static void real_path(const char *path, char full[PATH_MAX])
{
	if (!realpath(path, full))
		full[0] = 0;
}

static bool is_inside(const char *path, const char *folder)
{
	const size_t length = strlen(folder);

	return !strncmp(path, folder, length) && (path[length] == '/' || path[length] == 0);
}

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

/* 0, or the -errno of a drain. */
static int finish(struct cairn_rings *rings, const char *output, struct cairn_stats *stats,
		  char trace[PATH_MAX])
{
	struct cairn_shared *shared = rings->shared;
	char program[64], clock[16];
	struct cairn_drain_config config = { .shared = shared,
					     .size = rings->size,
					     .output = output,
					     .program = program,
					     .pid = shared->owner.pid,
					     .copy = true,
					     .rest = true,
					     .swap = rings->swap,
					     .word_bytes = rings->word_bytes,
					     .clock = (enum cairn_clock_kind)shared->clock,
					     .clock_hz = shared->clock_hz,
					     .clock_name = clock,
					     .start = shared->start,
					     .end = end_of(rings) };
	struct cairn_drain *drain;
	int status;

	if (shared->clock > CAIRN_CLOCK_USER ||
	    (shared->clock == CAIRN_CLOCK_USER && !shared->clock_hz))
		return -EINVAL;
	snprintf(clock, sizeof(clock), "%.15s", shared->clock_name);
	cairn_rings_program(program, sizeof(program), shared->program, sizeof(shared->program));
	if (find_trace(output, shared->uuid, trace))
		config.trace = trace;
	status = cairn_drain_open(&drain, &config);
	if (status)
		return status;
	status = cairn_drain_close(drain);
	cairn_drain_stats(drain, stats);
	snprintf(trace, PATH_MAX, "%s", cairn_drain_path(drain));
	cairn_drain_free(drain);
	return status;
}

static const char *why(int status)
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

static void say_failed(struct recover *recover, const char *path, int status)
{
	cairn_tool_say("cannot recover what is in %s: %s", path, why(status));
	recover->failed++;
}

/* Is the recorder alive whose control area is in this folder? As cairn_os_owner_alive; -ENOENT: there is none. */
static int recorder_alive(const char *folder)
{
	char path[CAIRN_OS_RING_PATH + 16];
	struct cairn_control control;
	long got;
	int file;

	snprintf(path, sizeof(path), "%s/control", folder);
	file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (file < 0)
		return -ENOENT;
	got = cairn_os_file_read(file, &control, sizeof(control), 0);
	close(file);
	return got == (long)sizeof(control) && control.magic == CAIRN_CONTROL_MAGIC &&
			       control.version == CAIRN_SHARED_VERSION ?
		       cairn_os_owner_alive(&control.recorder) :
		       -ENOENT;
}

/* The program, or the recorder that drains it, is still there. */
static bool is_owned(const struct cairn_shared *shared, const char *path)
{
	char folder[CAIRN_OS_RING_PATH];
	int alive = cairn_os_owner_alive(&shared->owner);

	if (alive == -EXDEV)
		cairn_tool_say(
			"%s: its program ran in another name space of process numbers: to recover it "
			"here, when it has ended, name the file",
			path);
	if (alive)
		return true;
	snprintf(folder, sizeof(folder), "%.*s", (int)(strrchr(path, '/') - path), path);
	alive = recorder_alive(folder);
	return alive != 0 && alive != -ENOENT;
}

static void recover_rings(struct recover *recover, struct cairn_rings *rings, const char *path)
{
	char output[CAIRN_OUTPUT_MAX], full[PATH_MAX], trace[PATH_MAX];
	struct cairn_stats stats;
	int status;

	snprintf(output, sizeof(output), "%.*s", (int)CAIRN_OUTPUT_MAX - 1, rings->head.output);
	if (*recover->filter) {
		real_path(output, full);
		if (!*full ||
		    (!is_inside(full, recover->filter) && !is_inside(recover->filter, full)))
			return;
	}
	recover->found++;
	if (!recover->named && is_owned(&rings->head, path)) {
		recover->living++;
		return;
	}
	if (!recover->output && !*output) {
		cairn_tool_say("%s: process %u wrote no trace: give -o DIR to make one", path,
			       rings->head.owner.pid);
		recover->failed++;
		return;
	}
	status = cairn_rings_map(rings);
	if (!status)
		status = finish(rings, recover->output ? recover->output : output, &stats, trace);
	if (status) {
		say_failed(recover, path, status);
		return;
	}
	cairn_tool_say("%" PRIu64 " event%s of process %u recovered, %" PRIu64 " lost: %s",
		       stats.recorded, stats.recorded == 1 ? "" : "s", rings->head.owner.pid,
		       stats.lost, *trace ? trace : "no trace, as there was none");
	if (!recover->named)
		cairn_os_shared_remove(path);
}

/* A file without a head is of a program that makes it just now; one that takes more than a minute is dead. */
static void sweep_unborn(const char *path)
{
	struct stat stat_of;

	if (!lstat(path, &stat_of) && stat_of.st_mtime + 60 < time(NULL))
		cairn_os_shared_remove(path);
}

static void recover_file(void *data, const char *path)
{
	struct recover *recover = data;
	struct cairn_rings rings;
	int status;

	status = cairn_rings_open(&rings, path);
	if (!status) {
		/* Else another `cairn recover` is at it. */
		if (!flock(rings.file, LOCK_EX | LOCK_NB))
			recover_rings(recover, &rings, path);
		cairn_rings_close(&rings);
	} else if (!recover->named && status == -ENOMSG) {
		sweep_unborn(path);
	} else if (recover->named || status != -ENOENT) {
		say_failed(recover, path, status);
	}
}

/* A recorder's folder without a recorder and without rings. */
static void sweep_folder(void *data, const char *path)
{
	char name[CAIRN_OS_RING_PATH + 16];
	DIR *dir = opendir(path);
	const struct dirent *entry;
	unsigned others = 0;

	(void)data;
	while (dir && (entry = readdir(dir)))
		others += strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..") &&
			  strcmp(entry->d_name, "control") && strcmp(entry->d_name, "socket");
	if (dir)
		closedir(dir);
	if (others || recorder_alive(path) != 0)
		return;
	snprintf(name, sizeof(name), "%s/control", path);
	unlink(name);
	snprintf(name, sizeof(name), "%s/socket", path);
	unlink(name);
	rmdir(path);
}

/* ---- the command ---- */

static void recover_one(struct recover *recover, const char *path)
{
	struct stat stat_of;

	if (stat(path, &stat_of)) {
		cairn_tool_say("cannot open %s: %s: check the name", path, strerror(errno));
		recover->failed++;
		return;
	}
	if (!S_ISDIR(stat_of.st_mode)) {
		recover->named = true;
		recover_file(recover, path);
		recover->named = false;
		return;
	}
	real_path(path, recover->filter);
	recover->found = 0;
	cairn_rings_find(recover_file, NULL, recover);
	if (!recover->found)
		cairn_tool_say("%s: nothing to recover: no program left anything in memory for it",
			       path);
	recover->filter[0] = 0;
}

int cairn_recover_run(int argc, char **argv)
{
	static const struct option options[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	static struct recover recover;
	int c, i;

	while ((c = getopt_long(argc, argv, ":o:h", options, NULL)) != -1) {
		if (c == 'h') {
			fputs(cairn_recover_help, stdout);
			return CAIRN_EXIT_OK;
		}
		if (c != 'o')
			return cairn_tool_bad_option("recover", c, argv);
		if (!*optarg)
			return cairn_tool_usage("recover",
						"the output directory has an empty name");
		recover.output = optarg;
	}
	cairn_rings_guard();
	for (i = optind; i < argc; i++)
		recover_one(&recover, argv[i]);
	if (optind == argc) {
		cairn_rings_find(recover_file, sweep_folder, &recover);
		if (!recover.found)
			cairn_tool_say(
				"nothing to recover: no program of yours left anything in memory");
	}
	if (recover.living)
		cairn_tool_say(
			"%u process%s still run%s, or %s recorder does: nothing of %s was touched",
			recover.living, recover.living == 1 ? "" : "es",
			recover.living == 1 ? "s" : "", recover.living == 1 ? "its" : "their",
			recover.living == 1 ? "it" : "them");
	return recover.failed ? CAIRN_EXIT_FAILED : CAIRN_EXIT_OK;
}
