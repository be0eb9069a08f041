/* SPDX-License-Identifier: MIT */
/*
 * Messages of the `cairn` command. Each is put together first and written by one call, so that the
 * lines of a recorded program and ours do not mix. Names in messages and listings come from files
 * of any origin, so nothing that a terminal would obey gets through.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <getopt.h>

#include "tool.h"

#define MESSAGE_MAX 8192

/* Bytes of the UTF-8 character at `s`; 0: a terminal would obey it, or it is not UTF-8. */
static size_t printable(const unsigned char *s)
{
	size_t bytes, i;

	if (s[0] < 0x80)
		return s[0] >= 0x20 && s[0] != 0x7f;
	if (s[0] < 0xc2 || s[0] > 0xf4)
		return 0;
	bytes = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
	for (i = 1; i < bytes; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	/* U+0080 to U+009F are control characters too. */
	return s[0] == 0xc2 && s[1] < 0xa0 ? 0 : bytes;
}

/* Replace in place; a malformed character becomes one '?' for each byte. */
static void make_printable(char *text)
{
	unsigned char *s = (unsigned char *)text;
	size_t bytes;

	while (*s) {
		bytes = printable(s);
		if (!bytes)
			*s = '?';
		s += bytes ? bytes : 1;
	}
}

void cairn_tool_put(FILE *out, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t bytes;

	while (*s) {
		bytes = printable(s);
		if (bytes)
			fwrite(s, 1, bytes, out);
		else
			fputc('?', out);
		s += bytes ? bytes : 1;
	}
}

static void say(const char *format, va_list args, const char *tail)
{
	char line[MESSAGE_MAX] = "cairn: ";
	const size_t start = strlen(line), most = sizeof(line) - 128;
	int n;

	n = vsnprintf(line + start, most - start, format, args);
	if (n < 0)
		return;
	make_printable(line);
	strcat(line, tail);
	strcat(line, "\n");
	fputs(line, stderr);
}

void cairn_tool_say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(format, args, "");
	va_end(args);
}

int cairn_tool_usage(const char *command, const char *format, ...)
{
	char tail[64];
	va_list args;

	snprintf(tail, sizeof(tail), ": see `cairn %s%s--help`", command ? command : "",
		 command ? " " : "");
	va_start(args, format);
	say(format, args, tail);
	va_end(args);
	return CAIRN_EXIT_USAGE;
}

int cairn_tool_bad_option(const char *command, int result, char **argv)
{
	/* getopt_long has moved behind a long option, and not always behind a short one */
	const char *word = argv[optind - 1];

	if (result == ':' && optopt > 0 && strncmp(word, "--", 2))
		return cairn_tool_usage(command, "option -%c wants a value", optopt);
	if (result == ':')
		return cairn_tool_usage(command, "option %s wants a value", word);
	if (strncmp(word, "--", 2) && optopt > 0)
		return cairn_tool_usage(command, "unknown option -%c", optopt);
	if (optopt > 0)
		return cairn_tool_usage(command, "option %s takes no value", word);
	return cairn_tool_usage(command, "unknown or ambiguous option %s", word);
}
