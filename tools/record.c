/* SPDX-License-Identifier: MIT */
/*
 * `cairn record`: makes the trace directory, opens the recorder (recorder.h), starts the command
 * (child.h), and steps the recorder until the command has ended. stdout is the command's alone;
 * what we have to say goes to stderr.
 *
 * The exit status is the command's; 1 if it was 0 but the trace could not be written.
 */
#define _GNU_SOURCE 1
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "child.h"
#include "os.h"
#include "pattern.h"
#include "recorder.h"
#include "tool.h"

#define PACKET_SIZE_MIN 4096u
#define PACKET_SIZE_MAX (32u << 20)
#define PACKETS_MIN 2u
#define PACKETS_MAX 32768u
#define PROGRESS_NS UINT64_C(500000000)

const char cairn_record_help[] =
	"usage: cairn record [OPTION]... [--] COMMAND [ARGUMENT]...\n\n"
	"Run COMMAND, record the events of it and of the processes that it starts, and write them\n"
	"as Common Trace Format, which babeltrace2 and Trace Compass read.\n\n"
	"Options:\n"
	"  -o, --output DIR     trace directory, new or empty; default: cairn-YYYYMMDD-HHMMSS\n"
	"  -e, --event PATTERN  record the events that match, as in 'shop:*,net:tcp_?x'; may be\n"
	"                       given several times; default: all\n"
	"      --mode MODE      when a ring is full: discard (lose events, and count them; default)\n"
	"                       or block (the program waits)\n"
	"      --packet-size N  bytes of a packet, a power of two, 4K to 32M; default: 64K\n"
	"      --packets N      packets in each thread's ring, a power of two, 2 to 32768;\n"
	"                       default: 16\n"
	"  -q, --quiet          no progress line, no summary; errors and losses are told\n"
	"  -h, --help           this text\n\n"
	"Exit status: COMMAND's; 128 + N if signal N ended it; 127 if there is no such program, 126\n"
	"if it cannot be executed, 2 for a wrong command line, 1 for another failure.\n";

struct record {
	const char *output;
	char default_output[64];
	bool made_output; /* by us: to be removed if it stays empty */
	bool quiet, progress, line_shown;
	const char **pattern;
	size_t pattern_bytes;
	struct cairn_recorder_config config;
	struct cairn_recorder *recorder;
	struct cairn_child child;
	uint64_t started, shown; /* ns */
};

/* A number with an optional K or M behind it, a power of two from `low` to `high`; 0: it is not. */
static size_t power_of_two(const char *text, size_t low, size_t high)
{
	unsigned long long value;
	char *end;

	if (*text < '0' || *text > '9')
		return 0;
	errno = 0;
	value = strtoull(text, &end, 10);
	if (errno || value > high)
		return 0;
	if ((*end == 'K' || *end == 'k') && high > 1u << 20) {
		value <<= 10;
		end++;
	} else if ((*end == 'M' || *end == 'm') && high > 1u << 20) {
		value <<= 20;
		end++;
	}
	if (*end || value < low || value > high || value & (value - 1))
		return 0;
	return (size_t)value;
}

static int add_pattern(struct record *record, const char *pattern)
{
	const char *bad;

	if (cairn_pattern_check(pattern))
		return cairn_tool_usage("record",
					"bad pattern '%.80s': it must have 1 to %d "
					"characters, no spaces, and none of its alternatives be "
					"empty",
					pattern, CAIRN_PATTERN_MAX);
	/* One list for all, with commas. */
	record->pattern_bytes += strlen(pattern) + 1;
	if (record->pattern_bytes > CAIRN_PATTERN_MAX + 1)
		return cairn_tool_usage("record",
					"the patterns have more than %d characters together",
					CAIRN_PATTERN_MAX);
	bad = cairn_pattern_hopeless(pattern);
	if (bad) {
		const int length = (int)strcspn(bad, ",");

		return cairn_tool_usage("record",
					"pattern '%.*s' matches no event, since their "
					"names are provider:event: did you mean '%.*s:*'",
					length, bad, length, bad);
	}
	record->pattern[record->config.patterns++] = pattern;
	return 0;
}

static int take_option(struct record *record, int c)
{
	switch (c) {
	case 'o':
		if (!*optarg)
			return cairn_tool_usage("record", "the output directory has an empty name");
		record->output = optarg;
		return 0;
	case 'e':
		return add_pattern(record, optarg);
	case 'q':
		record->quiet = true;
		return 0;
	case 'm':
		if (strcmp(optarg, "discard") && strcmp(optarg, "block"))
			return cairn_tool_usage("record",
						"unknown mode '%s': it is discard or block",
						optarg);
		record->config.mode = !strcmp(optarg, "block") ? CAIRN_BLOCK : CAIRN_DISCARD;
		return 0;
	case 's':
		record->config.packet_size = power_of_two(optarg, PACKET_SIZE_MIN, PACKET_SIZE_MAX);
		if (!record->config.packet_size)
			return cairn_tool_usage("record",
						"bad packet size '%s': it is a power of two "
						"from 4096 to 32M",
						optarg);
		return 0;
	default:
		record->config.packets = (unsigned)power_of_two(optarg, PACKETS_MIN, PACKETS_MAX);
		if (!record->config.packets)
			return cairn_tool_usage("record",
						"bad number of packets '%s': it is a power "
						"of two from 2 to 32768",
						optarg);
		return 0;
	}
}

/* 0: go on; else the exit code, or -1 for `--help`. */
static int take_options(struct record *record, int argc, char **argv)
{
	static const struct option options[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "event", required_argument, NULL, 'e' },
		{ "mode", required_argument, NULL, 'm' },
		{ "packet-size", required_argument, NULL, 's' },
		{ "packets", required_argument, NULL, 'n' },
		{ "quiet", no_argument, NULL, 'q' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int c, result;

	while ((c = getopt_long(argc, argv, "+:o:e:qh", options, NULL)) != -1) {
		if (c == 'h')
			return -1;
		if (c == '?' || c == ':')
			return cairn_tool_bad_option("record", c, argv);
		result = take_option(record, c);
		if (result)
			return result;
	}
	if (optind >= argc)
		return cairn_tool_usage("record",
					"no program to run: name it behind the options, as in "
					"`cairn record -- ./app`");
	if (record->config.patterns == 0)
		record->pattern[record->config.patterns++] = "*";
	return 0;
}

static int explain_output(const struct record *record, int error)
{
	const char *dir = record->output;

	if (error == ENOTEMPTY)
		cairn_tool_say("%s exists and is not empty: give another directory with -o, or "
			       "remove it",
			       dir);
	else if (error == ENOTDIR)
		cairn_tool_say(
			"cannot make %s: there is a file of that name, or in place of one of "
			"its folders: give another directory with -o",
			dir);
	else if (error == ENOSPC || error == EDQUOT)
		cairn_tool_say("cannot make %s: %s: free some room, or give a directory on another "
			       "disk with -o",
			       dir, strerror(error));
	else if (error == EMFILE || error == ENFILE)
		cairn_tool_say("cannot make %s: %s: raise the limit of open files (ulimit -n)", dir,
			       strerror(error));
	else
		cairn_tool_say("cannot make %s: %s: give a directory that you can write to with -o",
			       dir, strerror(error));
	return CAIRN_EXIT_FAILED;
}

/* A new directory with the time as its name; a number is added if the second already has one. */
static int make_default_output(struct record *record)
{
	const size_t size = sizeof(record->default_output);
	const time_t now = time(NULL);
	struct tm local;
	char stamp[32];
	unsigned i;

	if (!localtime_r(&now, &local))
		return EINVAL;
	strftime(stamp, sizeof(stamp), "cairn-%Y%m%d-%H%M%S", &local);
	snprintf(record->default_output, size, "%s", stamp);
	record->output = record->default_output;
	for (i = 2; mkdir(record->output, 0777); i++) {
		if (errno != EEXIST || i > 99)
			return errno;
		snprintf(record->default_output, size, "%s-%u", stamp, i);
	}
	record->made_output = true;
	return 0;
}

static void remove_output(const struct record *record)
{
	if (record->made_output)
		rmdir(record->output); /* fails, as it must, if something is in it */
}

static int make_output(struct record *record)
{
	struct stat st;
	int error;

	if (!record->output) {
		error = make_default_output(record);
	} else {
		const bool missing = stat(record->output, &st) && errno == ENOENT;

		error = -cairn_os_dir_create(record->output);
		record->made_output = missing && !error;
		if (!error)
			error = -cairn_os_dir_empty(record->output);
		if (!error && access(record->output, W_OK | X_OK))
			error = errno;
	}
	if (!error)
		return 0;
	remove_output(record);
	return explain_output(record, error);
}

/*
 * The progress line is for a terminal that nobody else draws on: an editor or a pager has switched
 * off its line mode.
 */
static bool may_draw(void)
{
	struct termios terminal;

	return !tcgetattr(STDERR_FILENO, &terminal) && terminal.c_lflag & ICANON &&
	       tcgetpgrp(STDERR_FILENO) == getpgrp();
}

static void show_progress(struct record *record)
{
	const uint64_t now = cairn_os_monotonic();
	struct cairn_recorder_stats stats;

	if (!record->progress || now - record->shown < PROGRESS_NS || !may_draw())
		return;
	record->shown = now;
	cairn_recorder_stats(record->recorder, &stats);
	fprintf(stderr,
		"\rcairn: %" PRIu64 " events, %" PRIu64 " lost, %" PRIu64 " KiB, %" PRIu64
		" s | \033[K",
		stats.recorded, stats.lost, stats.bytes / 1024,
		(now - record->started) / UINT64_C(1000000000));
	record->line_shown = true;
}

static void clear_progress(const struct record *record)
{
	if (record->line_shown && may_draw())
		fputs("\r\033[K", stderr);
}

static void watch(struct record *record)
{
	struct pollfd wait[2] = {
		{ .fd = record->child.signals, .events = POLLIN },
		{ .fd = cairn_recorder_fd(record->recorder), .events = POLLIN },
	};
	int timeout;

	while (!record->child.ended) {
		timeout = cairn_recorder_step(record->recorder);
		show_progress(record);
		if (record->progress && timeout > (int)(PROGRESS_NS / 1000000))
			timeout = (int)(PROGRESS_NS / 1000000);
		poll(wait, 2, timeout);
		cairn_child_signals(&record->child);
	}
	cairn_recorder_finish(record->recorder);
	clear_progress(record);
}

/* `text` as a word of the shell's. */
static void quote(const char *text, char *quoted, size_t size)
{
	const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+:,@%";
	size_t used = 1;

	if (!text[strspn(text, plain)]) {
		snprintf(quoted, size, "%s%s", text[0] == '-' ? "./" : "", text);
		return;
	}
	quoted[0] = '\'';
	for (; *text && used + 6 < size; text++)
		if (*text == '\'')
			used += (size_t)sprintf(quoted + used, "'\\''");
		else
			quoted[used++] = *text;
	snprintf(quoted + used, size - used, "'");
}

static void say_recorded(const struct record *record, const struct cairn_recorder_stats *stats)
{
	char dir[4200];

	quote(record->output, dir, sizeof(dir));
	cairn_tool_say("%" PRIu64 " event%s recorded, %" PRIu64 " lost, %" PRIu64 " bytes, %" PRIu32
		       " process%s: read them with `babeltrace2 %s`",
		       stats->recorded, stats->recorded == 1 ? "" : "s", stats->lost, stats->bytes,
		       stats->traced, stats->traced == 1 ? "" : "es", dir);
}

/* Why there is no trace. */
static void say_nothing(const struct record *record, const struct cairn_recorder_stats *stats)
{
	size_t i;

	if (stats->announced == 0) {
		cairn_tool_say(
			"nothing was recorded, since no process had Cairn in it: `cairn list "
			"PROGRAM` shows a program's events; set-uid programs are not recorded");
		return;
	}
	if (stats->announced == stats->refused) {
		cairn_tool_say("nothing was recorded: none of the processes could be: see below");
		return;
	}
	for (i = 0; i < record->config.patterns; i++)
		cairn_tool_say("nothing was recorded, since no event matched '%s': `cairn list "
			       "PROGRAM` shows a program's events",
			       record->pattern[i]);
}

static void say_signal(const char *command, int number, bool traced)
{
	if (traced)
		cairn_tool_say("%s ended by signal %d (%s): its events up to then are in the trace",
			       command, number, strsignal(number));
	else
		cairn_tool_say("%s ended by signal %d: %s", command, number, strsignal(number));
}

/* What to do about an errno. */
static const char *remedy(int status)
{
	switch (-status) {
	case ENOSPC:
	case EDQUOT:
		return "free some room, or give a directory on another disk with -o";
	case EMFILE:
	case ENFILE:
		return "raise the limit of open files (ulimit -n), or run fewer processes at once";
	case ENOMEM:
		return "raise the limit of memory (ulimit -v), make the rings smaller (--packets, "
		       "--packet-size), or run fewer processes at once";
	case EFBIG:
		return "raise the limit of file sizes (ulimit -f)";
	case EPROTO:
		return "build the program and this command from the same version of Cairn";
	default:
		return "check the disk and the limits (ulimit -a)";
	}
}

/* The end: what there is, what went wrong. Returns the exit code. */
static int summarise(const struct record *record, const char *command)
{
	const int code = cairn_child_exit(&record->child);
	struct cairn_recorder_stats stats;

	cairn_recorder_stats(record->recorder, &stats);
	if (WIFSIGNALED(record->child.status) && !record->quiet)
		say_signal(command, WTERMSIG(record->child.status), stats.traced != 0);
	if (!stats.traced && !record->quiet)
		say_nothing(record, &stats);
	if (stats.traced && !record->quiet)
		say_recorded(record, &stats);
	if (stats.living)
		cairn_tool_say("%" PRIu32
			       " process%s of %s still run%s and %s recorded no further: "
			       "record a command that waits for them",
			       stats.living, stats.living == 1 ? "" : "es", command,
			       stats.living == 1 ? "s" : "", stats.living == 1 ? "is" : "are");
	if (stats.refused)
		cairn_tool_say("%" PRIu32 " process%s could not be recorded: %s: %s", stats.refused,
			       stats.refused == 1 ? "" : "es", strerror(-stats.refusal),
			       remedy(stats.refusal));
	if (stats.error)
		cairn_tool_say("cannot write the trace in %s: %s: %s", record->output,
			       strerror(-stats.error), remedy(stats.error));
	if (stats.lost)
		cairn_tool_say(
			"%" PRIu64 " event%s lost: %s", stats.lost,
			stats.lost == 1 ? " was" : "s were",
			stats.error || stats.refused ?
				"see above" :
				"make the rings larger (--packets, --packet-size), choose "
				"fewer events (-e), or use --mode block; an event larger than "
				"a packet is always lost");
	return (stats.error || stats.refused) && !code ? CAIRN_EXIT_FAILED : code;
}

static int run_command(struct record *record, char **argv)
{
	const char *terminal = getenv("TERM");
	int result;

	result = cairn_child_prepare(&record->child);
	if (!result)
		result = make_output(record);
	if (result)
		return result;
	record->config.output = record->output;
	result = -cairn_recorder_open(&record->recorder, &record->config);
	if (result) {
		cairn_tool_say("cannot set up the session: %s: check the free memory, the room in "
			       "/dev/shm and /tmp, and the limits (ulimit -a)",
			       strerror(result));
		remove_output(record);
		return CAIRN_EXIT_FAILED;
	}
	record->progress = !record->quiet && isatty(STDERR_FILENO) && terminal &&
			   strcmp(terminal, "dumb");
	record->started = record->shown = cairn_os_monotonic();
	result = cairn_child_start(&record->child, argv,
				   cairn_recorder_environment(record->recorder));
	if (!result) {
		watch(record);
		result = summarise(record, argv[0]);
	}
	cairn_recorder_close(record->recorder);
	remove_output(record);
	return result;
}

int cairn_record_run(int argc, char **argv)
{
	struct record record = {
		.config = { .mode = CAIRN_DISCARD, .packet_size = 65536, .packets = 16 }
	};
	int result;

	/* each -e takes one word of the command line at least; and one for the default */
	record.pattern = calloc((size_t)argc + 1, sizeof(*record.pattern));
	if (!record.pattern) {
		cairn_tool_say("no memory: close other programs and try again");
		return CAIRN_EXIT_FAILED;
	}
	record.config.pattern = record.pattern;
	result = take_options(&record, argc, argv);
	if (!result)
		result = run_command(&record, argv + optind);
	else if (result < 0)
		fputs(cairn_record_help, stdout);
	free(record.pattern);
	return result < 0 ? CAIRN_EXIT_OK : result;
}
