/* SPDX-License-Identifier: MIT */
/*
 * The `cairn` command: finds the sub-command and runs it. A new sub-command is one source file and
 * one line in the table below.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <string.h>
#include <unistd.h>

#include <cairn/cairn.h>

#include "tool.h"

static const struct cairn_command commands[] = {
	{ "record", "run a program and record its events", cairn_record_help, cairn_record_run },
	{ "snapshot", "write what flight recorders hold now", cairn_snapshot_help,
	  cairn_snapshot_run },
	{ "recover", "finish the traces of programs that died", cairn_recover_help,
	  cairn_recover_run },
	{ "list", "show the events of a program, a library or a trace", cairn_list_help,
	  cairn_list_run },
};
#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static void help(FILE *out)
{
	size_t i;

	fputs("usage: cairn COMMAND [ARGUMENT]...\n\n"
	      "Trace programs that are instrumented with Cairn.\n\nCommands:\n",
	      out);
	for (i = 0; i < COMMANDS; i++)
		fprintf(out, "  %-10s %s\n", commands[i].name, commands[i].summary);
	fputs("\nOptions:\n"
	      "  -h, --help     this text; `cairn COMMAND --help` has more on a command\n"
	      "  -V, --version  the version\n\n"
	      "The manual is cairn(1): `man cairn`.\n",
	      out);
}

static int no_command(const char *name)
{
	char known[256] = "";
	size_t i, used = 0;

	for (i = 0; i < COMMANDS; i++)
		used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s", i ? ", " : "",
					 commands[i].name);
	if (name)
		cairn_tool_say("no such command: %s: the commands are %s: see `cairn --help`", name,
			       known);
	else
		cairn_tool_say("no command given: the commands are %s: see `cairn --help`", known);
	return CAIRN_EXIT_USAGE;
}

/*
 * A file that is opened while descriptor 0, 1 or 2 is closed would get that number, and our
 * messages would end up in it. Close-on-exec: a recorded program finds them closed, as they were.
 */
static void keep_standard_descriptors(void)
{
	int fd;

	for (fd = 0; fd < 3; fd++) {
		if (fcntl(fd, F_GETFD) >= 0)
			continue;
		if (open("/dev/null", O_RDWR | O_CLOEXEC) != fd)
			return;
	}
}

/* A full disk behind `cairn list > file` shows only now. */
static int flush_output(int result)
{
	if (!fflush(stdout) && !ferror(stdout))
		return result;
	cairn_tool_say("cannot write the output: %s: free some room, or write elsewhere",
		       strerror(errno));
	return result ? result : CAIRN_EXIT_FAILED;
}

static int run(int argc, char **argv)
{
	size_t i;

	for (i = 0; i < COMMANDS; i++) {
		if (strcmp(argv[0], commands[i].name))
			continue;
		optind = 0; /* the scan starts anew, on the command's own options */
		return commands[i].run(argc, argv);
	}
	return no_command(argv[0]);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	keep_standard_descriptors();
	opterr = 0;
	c = getopt_long(argc, argv, "+:hV", options, NULL);
	if (c == 'h') {
		help(stdout);
		return flush_output(CAIRN_EXIT_OK);
	}
	if (c == 'V') {
		puts("cairn " CAIRN_VERSION);
		return flush_output(CAIRN_EXIT_OK);
	}
	if (c != -1)
		return cairn_tool_bad_option(NULL, c, argv);
	if (optind >= argc)
		return no_command(NULL);
	return flush_output(run(argc - optind, argv + optind));
}
