/* SPDX-License-Identifier: MIT */
/*
 * What board.sh runs on its board. It hits an event with its second word; `say WORD...` prints what the program
 * sees; `exit STATUS`, `die SIGNAL` and `wait` are ways to end; `fill FILE` prints the file's first line and makes
 * FILE.new; `read FOLDER` becomes babeltrace2.
 */
#include <cairn/event.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

CAIRN_EVENT(board, ran, CAIRN_STR(text));

static int say(int count, char **words)
{
	const char *text = getenv("CAIRN_TEXT"), *emulator = getenv("CAIRN_EMULATOR");
	char folder[4096];
	int i;

	for (i = 0; i < count; i++)
		printf("[%s]\n", words[i]);
	printf("text [%s]\n", text ? text : "unset");
	printf("emulator [%s]\n", emulator ? emulator : "unset");
	printf("folder %s\n", getcwd(folder, sizeof(folder)) ? folder : "none");
	fprintf(stderr, "to stderr\n");
	return 0;
}

static int fill(const char *name)
{
	FILE *from = fopen(name, "r"), *to;
	char path[4096], line[100];

	snprintf(path, sizeof(path), "%s.new", name);
	to = fopen(path, "w");
	if (!from || !to || !fgets(line, sizeof(line), from))
		return 3;
	fputs(line, stdout);
	fputs("made there\n", to);
	fclose(from);
	return fclose(to) ? 3 : 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "say", *with = argc > 2 ? argv[2] : "";

	cairn_trace(board, ran, with);
	if (!strcmp(what, "exit"))
		return atoi(with);
	if (!strcmp(what, "die"))
		return raise(atoi(with));
	if (!strcmp(what, "fill"))
		return fill(with);
	if (!strcmp(what, "read"))
		return execlp("babeltrace2", "babeltrace2", "--no-delta", with, (char *)NULL);
	if (!strcmp(what, "wait"))
		return (int)sleep(1000);
	if (!strcmp(what, "say"))
		return say(argc - 2, argv + 2);
	return 2;
}
