/* SPDX-License-Identifier: MIT */
/*
 * Sessions in tests: a folder for the output, the trace in it, and the packets of its stream files.
 */
#ifndef CAIRN_TEST_RECORDED_H
#define CAIRN_TEST_RECORDED_H

#include <cairn/cairn.h>

#include <check.h>
#include <dirent.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctf.h"
#include "reader.h"

/* The status of a call of cairn.h; the message has the reason. */
#define expect_status(call, expected)                                                              \
	do {                                                                                       \
		const int expect_got = (call);                                                     \
		char expect_why[256];                                                              \
                                                                                                   \
		cairn_error(expect_why, sizeof(expect_why));                                       \
		ck_assert_msg(expect_got == (expected),                                            \
			      "%s: returned %d, expected %d; last error: %s", #call, expect_got,   \
			      (int)(expected), expect_why);                                        \
	} while (0)

static __attribute__((unused)) struct cairn_config recorded_config(const char *output)
{
	return (struct cairn_config){ .size = sizeof(struct cairn_config), .output = output };
}

static __attribute__((unused)) struct cairn_session *
recorded_start(const struct cairn_config *config)
{
	struct cairn_session *session = NULL;

	expect_status(cairn_session_start(&session, config), 0);
	ck_assert_ptr_nonnull(session);
	return session;
}

/* The one trace directory in `output`; the caller frees the path. */
static __attribute__((unused)) char *recorded_trace(const char *output)
{
	DIR *dir = opendir(output);
	struct dirent *entry;
	char *path = NULL;

	ck_assert_msg(dir != NULL, "%s: %s", output, strerror(errno));
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		ck_assert_msg(!path, "%s holds %s and %s, expected one trace", output, path,
			      entry->d_name);
		ck_assert_int_gt(asprintf(&path, "%s/%s", output, entry->d_name), 0);
	}
	closedir(dir);
	ck_assert_msg(path != NULL, "%s holds no trace", output);
	return path;
}

/* Remove `output` and the traces in it, and its path from memory. */
static __attribute__((unused)) void recorded_remove(char *output)
{
	DIR *dir = opendir(output);
	struct dirent *entry;
	char *path;

	ck_assert_ptr_nonnull(dir);
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		ck_assert_int_gt(asprintf(&path, "%s/%s", output, entry->d_name), 0);
		reader_remove(path);
	}
	closedir(dir);
	rmdir(output);
	free(output);
}

/* One packet of a stream file. `records` is its payload. */
struct recorded_packet {
	struct cairn_packet head;
	const unsigned char *records;
	size_t bytes;
};

/* All packets of one stream file, `count` of them; the caller frees the array. */
static __attribute__((unused)) struct recorded_packet *
recorded_packets(const char *trace, const char *stream, size_t *count)
{
	struct recorded_packet *packet = calloc(1, sizeof(*packet));
	size_t n = 0, at, size;
	char path[PATH_MAX];
	struct stat stat;
	char *text;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", trace, stream);
	fd = open(path, O_RDONLY);
	ck_assert_msg(fd >= 0, "%s: %s", path, strerror(errno));
	ck_assert_int_eq(fstat(fd, &stat), 0);
	size = (size_t)stat.st_size;
	text = size ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0) : NULL;
	close(fd); /* the mapping is kept: packets point into it */
	ck_assert_ptr_ne(text, MAP_FAILED);
	for (at = 0; at < size; n++) {
		packet = realloc(packet, (n + 2) * sizeof(*packet));
		ck_assert_msg(size - at >= sizeof(packet->head), "%s: a cut packet", path);
		memcpy(&packet[n].head, text + at, sizeof(packet->head));
		ck_assert_msg(packet[n].head.magic == CAIRN_CTF_MAGIC &&
				      packet[n].head.packet_size / 8 <= size - at &&
				      packet[n].head.content_size <= packet[n].head.packet_size,
			      "%s: no packet at %zu", path, at);
		packet[n].records = (unsigned char *)text + at + CAIRN_PACKET_HEADER;
		packet[n].bytes = packet[n].head.content_size / 8 - CAIRN_PACKET_HEADER;
		at += packet[n].head.packet_size / 8;
	}
	*count = n;
	return packet;
}

/* Names of the stream files in `trace`, each a stream to readers; ends with NULL. */
static __attribute__((unused)) char **recorded_streams(const char *trace)
{
	DIR *dir = opendir(trace);
	char **name = calloc(1, sizeof(*name));
	struct dirent *entry;
	size_t n = 0;

	ck_assert_ptr_nonnull(dir);
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.' || !strcmp(entry->d_name, "metadata"))
			continue;
		name = realloc(name, (n + 2) * sizeof(*name));
		name[n++] = strdup(entry->d_name);
		name[n] = NULL;
	}
	closedir(dir);
	return name;
}

/*
 * Numbers go up by one, time and losses never down, begin <= end <= next begin: what readers rely on.
 * Returns the losses that the last packet says.
 */
static __attribute__((unused)) uint64_t recorded_check(const char *trace, const char *stream)
{
	uint64_t end = 0, lost = 0;
	size_t n, i;
	struct recorded_packet *packet = recorded_packets(trace, stream, &n);

	for (i = 0; i < n; i++) {
		const struct cairn_packet *head = &packet[i].head;

		ck_assert_msg(head->packet_seq_num == i, "%s: packet %zu has number %llu", stream,
			      i, (unsigned long long)head->packet_seq_num);
		ck_assert_msg(head->timestamp_begin >= end &&
				      head->timestamp_end >= head->timestamp_begin,
			      "%s: packet %zu is from %llu to %llu, the one before ended at %llu",
			      stream, i, (unsigned long long)head->timestamp_begin,
			      (unsigned long long)head->timestamp_end, (unsigned long long)end);
		ck_assert_msg(head->events_discarded >= lost &&
				      (i > 0 || head->events_discarded == 0),
			      "%s: packet %zu says %llu lost, the one before %llu", stream, i,
			      (unsigned long long)head->events_discarded, (unsigned long long)lost);
		end = head->timestamp_end;
		lost = head->events_discarded;
	}
	free(packet);
	return lost;
}

/* recorded_check for every stream; returns all losses. */
static __attribute__((unused)) uint64_t recorded_check_all(const char *trace)
{
	char **name = recorded_streams(trace);
	uint64_t lost = 0;
	size_t i;

	for (i = 0; name[i]; i++) {
		lost += recorded_check(trace, name[i]);
		free(name[i]);
	}
	free(name);
	return lost;
}

/*
 * As reader_run of a reader of `trace`, by posix_spawn: a fork of a program with a live session would
 * start a thread in the child, and ThreadSanitizer ends a process that does so.
 */
static __attribute__((unused)) struct reader recorded_run(const char *trace)
{
	const char *const command[] = { READER, trace, NULL };
	const int out = reader_temporary(), err = reader_temporary();
	posix_spawn_file_actions_t actions;
	struct reader reader;
	int status, error;
	pid_t pid;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, out, 1);
	posix_spawn_file_actions_adddup2(&actions, err, 2);
	error = posix_spawnp(&pid, command[0], &actions, NULL, (char *const *)(uintptr_t)command,
			     environ);
	posix_spawn_file_actions_destroy(&actions);
	ck_assert_msg(error == 0,
		      "cannot run babeltrace2: %s (on Debian: apt-get install babeltrace2)",
		      strerror(error));
	while (waitpid(pid, &status, 0) < 0)
		ck_assert_int_eq(errno, EINTR);
	reader.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	reader.out = reader_file(out, NULL);
	reader.err = reader_file(err, NULL);
	close(out);
	close(err);
	return reader;
}

/*
 * What babeltrace2 prints of `trace`: exit status 0, and on stderr nothing but losses. The caller frees
 * the text.
 */
static __attribute__((unused)) char *recorded_read(const char *trace)
{
	struct reader reader = recorded_run(trace);
	const char *line, *next;
	char *out;

	ck_assert_msg(reader.status == 0, "babeltrace2 %s: exit status %d: %.3000s", trace,
		      reader.status, reader.err);
	for (line = reader.err; *line; line = next) {
		next = line + strcspn(line, "\n");
		next += *next == '\n';
		ck_assert_msg(!strncmp(line, "WARNING: Tracer discarded ", 26) || *line == '\n',
			      "babeltrace2 %s: %.*s", trace, (int)(next - line), line);
	}
	out = reader.out;
	reader.out = NULL;
	reader_free(&reader);
	return out;
}

/* The same of a trace that lost nothing. */
static __attribute__((unused)) char *recorded_read_whole(const char *trace)
{
	struct reader reader = recorded_run(trace);

	ck_assert_msg(
		reader.status == 0 && !*reader.err,
		"babeltrace2 %s: exit status %d, expected 0, and on stderr, expected nothing: %s",
		trace, reader.status, reader.err);
	free(reader.err);
	return reader.out;
}

/* How many lines of what babeltrace2 printed have `what` in them. */
static __attribute__((unused)) uint64_t recorded_count(const char *text, const char *what)
{
	uint64_t n = 0;

	while ((text = strstr(text, what))) {
		n++;
		text += strcspn(text, "\n");
	}
	return n;
}

/* A number from the environment, for long runs. */
static __attribute__((unused)) unsigned long recorded_option(const char *name,
							     unsigned long standard)
{
	const char *text = getenv(name);

	return text && *text ? strtoul(text, NULL, 0) : standard;
}

#endif
