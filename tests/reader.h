/* SPDX-License-Identifier: MIT */
/*
 * Read a trace with babeltrace2, for tests: run it, keep what it prints, compare.
 */
#ifndef CAIRN_TEST_READER_H
#define CAIRN_TEST_READER_H

#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Raw clock values, no differences: one line an event, the same in every time zone. */
#define READER "babeltrace2", "--clock-cycles", "--no-delta"

struct reader {
	int status; /* exit status, or 128 + signal */
	char *out, *err;
};

/* The whole of a file, and a NUL behind it. */
static char *reader_file(int fd, size_t *size)
{
	size_t room = 65536, used = 0;
	char *text = malloc(room + 1);
	ssize_t n;

	ck_assert_ptr_nonnull(text);
	while ((n = pread(fd, text + used, room - used, (off_t)used)) > 0) {
		used += (size_t)n;
		if (used == room) {
			room *= 2;
			text = realloc(text, room + 1);
			ck_assert_ptr_nonnull(text);
		}
	}
	text[used] = 0;
	if (size)
		*size = used;
	return text;
}

static int reader_temporary(void)
{
	char name[] = "/tmp/cairn-reader-XXXXXX";
	const int fd = mkstemp(name);

	ck_assert_msg(fd >= 0, "cannot make a file in /tmp: %s", strerror(errno));
	unlink(name);
	return fd;
}

/* Run a command with NULL behind its arguments. */
static struct reader reader_run(const char *const *command)
{
	const int out = reader_temporary(), err = reader_temporary();
	struct reader reader;
	int status;
	pid_t pid;

	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		dup2(out, 1);
		dup2(err, 2);
		unsetenv("LD_PRELOAD");
		execvp(command[0], (char *const *)(uintptr_t)command);
		dprintf(2, "cannot run %s: %s (on Debian: apt-get install babeltrace2)\n",
			command[0], strerror(errno));
		_exit(127);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	reader.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	reader.out = reader_file(out, NULL);
	reader.err = reader_file(err, NULL);
	close(out);
	close(err);
	return reader;
}

static __attribute__((unused)) void reader_free(struct reader *reader)
{
	free(reader->out);
	free(reader->err);
}

/* Read the trace in `dir`: it must be accepted without a word on stderr. The caller frees the text. */
static __attribute__((unused)) char *reader_read(const char *dir)
{
	const char *const command[] = { READER, dir, NULL };
	struct reader reader = reader_run(command);

	ck_assert_msg(
		reader.status == 0 && !*reader.err,
		"babeltrace2 %s: exit status %d, expected 0, and on stderr, expected nothing: %.900s",
		dir, reader.status, reader.err);
	free(reader.err);
	return reader.out;
}

/* Compare; a message shows where the first difference is. */
static __attribute__((unused)) void reader_same(const char *got, const char *expected)
{
	size_t same = 0, from, line = 1, i;

	while (got[same] && got[same] == expected[same])
		same++;
	if (got[same] == expected[same])
		return;
	from = same;
	while (from > 0 && same - from < 200 && got[from - 1] != '\n')
		from--;
	for (i = 0; i < same; i++)
		line += got[i] == '\n';
	ck_abort_msg("line %zu:\n  expected: %.*s\n  got:      %.*s", line, (int)(same - from + 60),
		     expected + from, (int)(same - from + 60), got + from);
}

/* An empty folder in `parent`; the caller frees the path. */
static __attribute__((unused)) char *reader_folder(const char *parent)
{
	char *path = NULL;

	ck_assert_int_gt(asprintf(&path, "%s/cairn-test-XXXXXX", parent), 0);
	ck_assert_msg(mkdtemp(path) != NULL, "cannot make %s: %s", path, strerror(errno));
	return path;
}

/* Remove a folder of files, and its path from memory. */
static __attribute__((unused)) void reader_remove(char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	ck_assert_ptr_nonnull(dir);
	while ((entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			unlinkat(dirfd(dir), entry->d_name, 0);
	closedir(dir);
	rmdir(path);
	free(path);
}

#endif
