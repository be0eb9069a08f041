/* SPDX-License-Identifier: MIT */
/*
 * What the sub-commands of `cairn` share: the exit codes, and how a message looks. One source file
 * per sub-command (tools/<command>.c), one line per sub-command in the table of tools/cairn.c.
 *
 * Every message is one line on stderr, "cairn: what happened: what to do".
 */
#ifndef CAIRN_TOOL_H
#define CAIRN_TOOL_H

#include <stdbool.h>
#include <stdio.h>

enum cairn_exit {
	CAIRN_EXIT_OK = 0,
	CAIRN_EXIT_FAILED = 1,           /* the operation failed */
	CAIRN_EXIT_USAGE = 2,            /* the command line is wrong; nothing was done */
	CAIRN_EXIT_NOT_EXECUTABLE = 126, /* record: the program cannot be executed */
	CAIRN_EXIT_NOT_FOUND = 127,      /* record: there is no such program */
	CAIRN_EXIT_SIGNAL = 128          /* record: the program died of a signal; plus its number */
};

struct cairn_command {
	const char *name;
	const char *summary;               /* for `cairn --help` */
	const char *help;                  /* for `cairn NAME --help` */
	int (*run)(int argc, char **argv); /* argv[0] is the name; returns the exit code */
};

int cairn_list_run(int argc, char **argv);
int cairn_record_run(int argc, char **argv);
int cairn_recover_run(int argc, char **argv);
int cairn_snapshot_run(int argc, char **argv);
extern const char cairn_list_help[], cairn_record_help[], cairn_recover_help[],
	cairn_snapshot_help[];

/* One line on stderr with "cairn: " before it; control characters in it become '?'. */
void cairn_tool_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same for a wrong command line, with where to read on behind it. Returns CAIRN_EXIT_USAGE. */
int cairn_tool_usage(const char *command, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* What getopt_long (opterr 0, option string with ':' first) refused, in words. */
int cairn_tool_bad_option(const char *command, int result, char **argv);
/* `text` with everything a terminal could take for a command replaced by '?'. */
void cairn_tool_put(FILE *out, const char *text);

/*
 * cairn list. A program or library (list_elf.c), a trace directory (list_trace.c): what is in it,
 * on `out`. `path` is for messages. Both return an exit code and have said why if it is not 0. They
 * read files of any origin: every offset and count is checked against what is there.
 */
struct cairn_list_options {
	bool sites; /* each site's address */
	bool again; /* something was listed before: leave a line free */
};
int cairn_list_elf(FILE *out, const char *path, int file, const struct cairn_list_options *options);
int cairn_list_trace(FILE *out, const char *path, int directory,
		     const struct cairn_list_options *options);
/* A log level's name; level + 1, 0: none given. Valid until the next call. */
const char *cairn_list_level(unsigned level);
/* A field's line, with `width` columns for the type; labels may be NULL. */
void cairn_list_field(FILE *out, int width, const char *type, const char *name, const char *labels);

#endif
