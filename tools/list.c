/* SPDX-License-Identifier: MIT */
/*
 * `cairn list`: looks at each argument and hands it to the reader of programs or of traces. Nothing
 * is run, and nothing but the named files is read.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cairn/fields.h>

#include "tool.h"

const char cairn_list_help[] =
	"usage: cairn list [-v] ELF|DIR...\n\n"
	"Show what is in a program or shared library (it need not run): its events with their\n"
	"fields, log levels and number of sites; or in a trace directory, or in all below a folder:\n"
	"program, clock, events, and each stream's packets, time span and losses.\n\n"
	"Options:\n"
	"  -v, --sites    also each site's address, and whether it is patched or a branch\n"
	"  -h, --help     this text\n";

const char *cairn_list_level(unsigned level)
{
	static const char *const name[] = { "EMERG",   "ALERT",  "CRIT", "ERR",
					    "WARNING", "NOTICE", "INFO" };
	static char number[24];

	if (level == 0 || level == CAIRN__LEVEL_DEBUG + 1)
		return "DEBUG";
	if (level <= sizeof(name) / sizeof(name[0]))
		return name[level - 1];
	snprintf(number, sizeof(number), "level %u", level - 1);
	return number;
}

void cairn_list_field(FILE *out, int width, const char *type, const char *name, const char *labels)
{
	fputs("    ", out);
	cairn_tool_put(out, type);
	fprintf(out, "%*s", width - (int)strlen(type) + 2, "");
	cairn_tool_put(out, name);
	if (labels) {
		fputs(": ", out);
		cairn_tool_put(out, labels);
	}
	fputc('\n', out);
}

static int explain_open(const char *path, int error)
{
	const char *what_to_do = error == ENOENT || error == ENOTDIR ? "check the name" :
				 error == EACCES                     ? "read permission is needed" :
				 error == ELOOP                      ? "check the symbolic links" :
								       "try again";

	cairn_tool_say("cannot open %s: %s: %s", path, strerror(error), what_to_do);
	return CAIRN_EXIT_FAILED;
}

static int list_one(const char *path, const struct cairn_list_options *options)
{
	/* O_NONBLOCK: a FIFO must not make us wait for its writer */
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	int result;

	if (fd < 0)
		return explain_open(path, errno);
	if (fstat(fd, &st)) {
		result = explain_open(path, errno);
	} else if (S_ISDIR(st.st_mode)) {
		result = cairn_list_trace(stdout, path, fd, options);
	} else if (S_ISREG(st.st_mode)) {
		result = cairn_list_elf(stdout, path, fd, options);
	} else {
		cairn_tool_say("%s is neither a file nor a directory: give a program, a shared "
			       "library or a trace directory",
			       path);
		result = CAIRN_EXIT_FAILED;
	}
	close(fd);
	return result;
}

int cairn_list_run(int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "sites", no_argument, NULL, 'v' },
		{ "verbose", no_argument, NULL, 'v' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct cairn_list_options options = { .sites = false };
	int c, i, result = CAIRN_EXIT_OK;

	while ((c = getopt_long(argc, argv, ":vh", long_options, NULL)) != -1) {
		if (c == 'h') {
			fputs(cairn_list_help, stdout);
			return CAIRN_EXIT_OK;
		}
		if (c != 'v')
			return cairn_tool_bad_option("list", c, argv);
		options.sites = true;
	}
	if (optind >= argc)
		return cairn_tool_usage("list", "nothing to list: name a program, a shared library "
						"or a trace directory");
	for (i = optind; i < argc; i++) {
		if (list_one(argv[i], &options))
			result = CAIRN_EXIT_FAILED;
		else
			options.again = true;
	}
	return result;
}
