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
#include "dump.h"
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

static void say_failed(struct recover *recover, const char *path, int status)
{
	cairn_tool_say("cannot recover what is in %s: %s", path, cairn_dump_why(status));
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
	char output[CAIRN_OUTPUT_MAX], trace[PATH_MAX];
	struct cairn_stats stats;
	int status;

	snprintf(output, sizeof(output), "%.*s", (int)CAIRN_OUTPUT_MAX - 1, rings->head.output);
	if (*recover->filter && !cairn_rings_belong(output, recover->filter))
		return;
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
		status = cairn_dump(rings, recover->output ? recover->output : output, false,
				    &stats, trace);
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
	snprintf(recover->filter, sizeof(recover->filter), "%s", path);
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
