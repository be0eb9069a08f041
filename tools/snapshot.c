/* SPDX-License-Identifier: MIT */
/*
 * `cairn snapshot`: writes what flight recorders (CAIRN_MODE=flight) hold at this moment, each into a trace of its
 * own. Their programs run on and are asked nothing: their rings are files in memory.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "dump.h"
#include "os.h"
#include "rings.h"
#include "tool.h"

const char cairn_snapshot_help[] =
	"usage: cairn snapshot [-o DIR] [-p PID]... [DIR]...\n\n"
	"Write what flight recorders (CAIRN_MODE=flight) hold now, each into a trace of its own.\n"
	"Their programs run on. DIR: those that were told to write to this folder. Without DIR and\n"
	"PID: all of this user's.\n\n"
	"Options:\n"
	"  -p, --pid PID      the recorder of this process; may be given several times\n"
	"  -o, --output DIR   put the traces into DIR, not where the programs were told to\n"
	"  -h, --help         this text\n";

struct snapshot {
	const char *output; /* given; NULL: the program's own */
	uint32_t pid;       /* 0: any */
	const char *folder; /* NULL: any */
	unsigned found, failed;
};

static void say_failed(struct snapshot *snapshot, uint32_t pid, const char *why)
{
	cairn_tool_say("no snapshot of process %" PRIu32 ": %s", pid, why);
	snapshot->failed++;
}

static bool is_wanted(const struct snapshot *snapshot, const struct cairn_shared *head)
{
	if (head->mode != CAIRN_FLIGHT || cairn_os_owner_alive(&head->owner) != 1)
		return false;
	if (snapshot->pid)
		return head->owner.pid == snapshot->pid;
	return !snapshot->folder || cairn_rings_belong(head->output, snapshot->folder);
}

static void take(struct snapshot *snapshot, struct cairn_rings *rings)
{
	const char *output = snapshot->output ? snapshot->output : rings->head.output;
	const uint32_t pid = rings->head.owner.pid;
	struct cairn_stats stats;
	char trace[PATH_MAX] = "";
	int status;

	if (!rings->native) {
		say_failed(
			snapshot, pid,
			"it is of another CPU, or of another word size: use the cairn that was built for it");
		return;
	}
	status = cairn_rings_map(rings);
	if (!status)
		status = cairn_dump(rings, output, true, &stats, trace);
	if (status && status != -ESTALE) {
		say_failed(snapshot, pid, cairn_dump_why(status));
		return;
	}
	snapshot->failed += status != 0;
	cairn_tool_say("%" PRIu64 " event%s of process %" PRIu32 ", %" PRIu64 " lost: %s",
		       stats.recorded, stats.recorded == 1 ? "" : "s", pid, stats.lost, trace);
}

static void each_file(void *data, const char *path)
{
	struct snapshot *snapshot = data;
	struct cairn_rings rings;

	if (cairn_rings_open(&rings, path))
		return; /* one that is being made, or is no flight recorder's that we know of */
	rings.head.output[CAIRN_OUTPUT_MAX - 1] = 0;
	if (is_wanted(snapshot, &rings.head)) {
		snapshot->found++;
		take(snapshot, &rings);
	}
	cairn_rings_close(&rings);
}

/* All flight recorders of what is asked for. */
static void take_all(struct snapshot *snapshot)
{
	char of[PATH_MAX + 32] = "";

	snapshot->found = 0;
	cairn_rings_find(each_file, NULL, snapshot);
	if (snapshot->found)
		return;
	if (snapshot->pid)
		snprintf(of, sizeof(of), " in process %" PRIu32, snapshot->pid);
	else if (snapshot->folder)
		snprintf(of, sizeof(of), " for %s", snapshot->folder);
	cairn_tool_say(
		"no flight recorder of yours runs%s: start the program with CAIRN_TRACE=PATTERNS "
		"CAIRN_MODE=flight",
		of);
	snapshot->failed++;
}

static int bad_pid(const char *text)
{
	return cairn_tool_usage("snapshot", "no process number: %s", text);
}

/* `pid` has room for `argc` numbers. */
static int run(int argc, char **argv, uint32_t *pid)
{
	static const struct option options[] = {
		{ "pid", required_argument, NULL, 'p' },
		{ "output", required_argument, NULL, 'o' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct snapshot snapshot = { .output = NULL };
	int c, i, pids = 0;
	char *end;

	while ((c = getopt_long(argc, argv, ":p:o:h", options, NULL)) != -1) {
		unsigned long number;

		if (c == 'h') {
			fputs(cairn_snapshot_help, stdout);
			return CAIRN_EXIT_OK;
		}
		if (c == 'o' && *optarg) {
			snapshot.output = optarg;
			continue;
		}
		if (c == 'o')
			return cairn_tool_usage("snapshot",
						"the output directory has an empty name");
		if (c != 'p')
			return cairn_tool_bad_option("snapshot", c, argv);
		errno = 0;
		number = strtoul(optarg, &end, 10);
		if (*optarg < '1' || *optarg > '9' || *end || errno || number > INT_MAX)
			return bad_pid(optarg);
		pid[pids++] = (uint32_t)number;
	}
	cairn_rings_guard();
	for (i = 0; i < pids; i++) {
		snapshot.pid = pid[i];
		take_all(&snapshot);
	}
	snapshot.pid = 0;
	for (i = optind; i < argc; i++) {
		snapshot.folder = argv[i];
		take_all(&snapshot);
	}
	if (!pids && optind == argc)
		take_all(&snapshot);
	return snapshot.failed ? CAIRN_EXIT_FAILED : CAIRN_EXIT_OK;
}

int cairn_snapshot_run(int argc, char **argv)
{
	uint32_t *pid = calloc((size_t)argc, sizeof(*pid));
	int result;

	if (!pid) {
		cairn_tool_say("no memory");
		return CAIRN_EXIT_FAILED;
	}
	result = run(argc, argv, pid);
	free(pid);
	return result;
}
