/* SPDX-License-Identifier: MIT */
/*
 * `cairn list DIR`: finds the traces below a folder; for each it says what the metadata says, and
 * what the headers of the packets in the stream files say. It takes the metadata line by line, as
 * core/ctf.c writes it, and no other form of TSDL; babeltrace2 reads all.
 *
 * The files may be damaged, made to harm, or being written. They are read, never mapped, so that
 * one that shrinks does no harm; a packet counts only if it lies inside its file; folders are
 * followed DEPTH deep, symbolic links to folders not at all.
 */
#define _GNU_SOURCE 1
#include <byteswap.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "ctf.h"
#include "tool.h"

#define DEPTH 8
#define PATH_BYTES 4096
#define METADATA_BYTES (64u << 20)

/* Texts point into the metadata, whose lines were cut apart. */
struct event {
	const char *name;
	unsigned level; /* + 1; 0: none */
	char **line;    /* its fields */
	size_t lines;
};

struct trace {
	const char *path;
	FILE *out;
	char *text, **line;
	size_t lines;
	bool cairn, swap;
	bool whole; /* the metadata does not end in the middle */
	const char *byte_order, *host, *program, *clock, *choice;
	unsigned long long pid, word_bits, version[3];
	uint64_t frequency, offset;
	struct event *event;
	size_t events;
	uint64_t streams, packets, bytes, lost; /* sums over the streams */
};

struct stream {
	uint64_t packets, bytes, begin, end, lost;
	uint32_t thread;
	char name[17]; /* of the thread */
};

static int refuse(const char *path, const char *what)
{
	cairn_tool_say("%s: %s", path, what);
	return CAIRN_EXIT_FAILED;
}

/* ---- folders ---- */

static int by_version(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

static void free_names(char **names, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		free(names[i]);
	free(names);
}

/* One more name in *names, which has room for 16, 32, 64, ... */
static bool add_name(char ***names, size_t *count, const char *name)
{
	char **more;

	if (*count >= 16 && !(*count & (*count - 1))) {
		more = realloc(*names, 2 * *count * sizeof(**names));
		if (!more)
			return false;
		*names = more;
	}
	(*names)[*count] = strdup(name);
	if (!(*names)[*count])
		return false;
	++*count;
	return true;
}

/* Names in a folder that `wanted` wants, sorted with numbers as numbers. NULL: cannot be read. */
static char **list_folder(int folder, bool (*wanted)(int folder, const char *name), size_t *count)
{
	/* a descriptor of its own, since closedir closes it */
	const int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	char **names = malloc(16 * sizeof(*names));
	struct dirent *entry;
	bool whole = dir && names;

	*count = 0;
	while (whole && (entry = readdir(dir)))
		if (entry->d_name[0] != '.' && wanted(folder, entry->d_name))
			whole = add_name(&names, count, entry->d_name);
	if (dir)
		closedir(dir);
	else if (fd >= 0)
		close(fd);
	if (whole) {
		qsort(names, *count, sizeof(*names), by_version);
		return names;
	}
	free_names(names, *count);
	*count = 0;
	return NULL;
}

static bool is_folder(int folder, const char *name)
{
	struct stat st;

	return !fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) && S_ISDIR(st.st_mode);
}

static bool is_stream(int folder, const char *name)
{
	struct stat st;

	return strcmp(name, "metadata") && !fstatat(folder, name, &st, 0) && S_ISREG(st.st_mode);
}

/* ---- metadata ---- */

/* The file's bytes with a NUL behind them; NULL and errno. To be freed. */
static char *read_metadata(int folder, size_t *used)
{
	const int fd = openat(folder, "metadata", O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	char *text = NULL;
	ssize_t got;
	size_t size;

	*used = 0;
	if (fd < 0)
		return NULL;
	errno = EFBIG;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size <= (off_t)METADATA_BYTES) {
		size = (size_t)st.st_size;
		text = malloc(size + 1);
		while (text && *used < size && (got = read(fd, text + *used, size - *used)) > 0)
			*used += (size_t)got;
		if (text)
			text[*used] = 0;
	}
	close(fd);
	return text;
}

/* Cut the text into lines. A NUL in it is no text: false. */
static bool cut_lines(struct trace *trace, size_t size)
{
	char *at = trace->text, *end;
	size_t lines = 1, i;

	if (strlen(trace->text) != size)
		return false;
	for (i = 0; i < size; i++)
		lines += trace->text[i] == '\n';
	trace->line = calloc(lines, sizeof(*trace->line));
	trace->event = calloc(lines, sizeof(*trace->event));
	if (!trace->line || !trace->event)
		return false;
	for (; *at; at = end) {
		end = at + strcspn(at, "\n");
		if (*end)
			*end++ = 0;
		trace->line[trace->lines++] = at;
	}
	return true;
}

/* A string literal's content, in place. */
static void unescape(char *text)
{
	char *to = text;
	unsigned i, code;

	for (; *text; text++) {
		if (*text != '\\' || !text[1]) {
			*to++ = *text;
			continue;
		}
		text++;
		if (*text < '0' || *text > '7') {
			*to++ = *text;
			continue;
		}
		for (code = i = 0; i < 3 && text[i] >= '0' && text[i] <= '7'; i++)
			code = 8 * code + (unsigned)(text[i] - '0');
		text += i - 1;
		*to++ = (char)(code & 0xff ? code : '?');
	}
	*to = 0;
}

/* The value of a line "\tNAME = VALUE;", without quotes; NULL: the line is another one. */
static char *value_of(char *line, const char *name)
{
	const size_t length = strlen(name);
	char *value, *end;

	if (line[0] != '\t' || strncmp(line + 1, name, length) ||
	    strncmp(line + 1 + length, " = ", 3))
		return NULL;
	value = line + 1 + length + 3;
	end = value + strlen(value);
	if (end == value || end[-1] != ';')
		return NULL;
	*--end = 0;
	if (*value != '"')
		return value;
	if (end - value < 2 || end[-1] != '"')
		return NULL;
	end[-1] = 0;
	unescape(value + 1);
	return value + 1;
}

/* Unsigned decimal digits and nothing else. */
static bool number_of(char *line, const char *name, unsigned long long *number)
{
	const char *value = value_of(line, name);
	char *end;

	if (!value || *value < '0' || *value > '9')
		return false;
	*number = strtoull(value, &end, 10);
	return *end == 0;
}

static void text_of(char *line, const char *name, const char **text)
{
	const char *value = value_of(line, name);

	if (value)
		*text = value;
}

static void read_environment(struct trace *trace, char *line)
{
	const char *tracer = value_of(line, "tracer_name");

	if (tracer)
		trace->cairn = !strcmp(tracer, "cairn");
	text_of(line, "hostname", &trace->host);
	text_of(line, "procname", &trace->program);
	text_of(line, "clock_choice", &trace->choice);
	number_of(line, "vpid", &trace->pid);
	number_of(line, "architecture_bit_width", &trace->word_bits);
	number_of(line, "tracer_major", &trace->version[0]);
	number_of(line, "tracer_minor", &trace->version[1]);
	number_of(line, "tracer_patchlevel", &trace->version[2]);
}

static void read_clock(struct trace *trace, char *line)
{
	unsigned long long number;

	text_of(line, "name", &trace->clock);
	if (number_of(line, "freq", &number))
		trace->frequency = number;
	if (number_of(line, "offset", &number))
		trace->offset = number;
}

/* The lines of a block, from behind "event {" to "};". Returns how many. */
static size_t read_event(struct trace *trace, char **line, size_t left)
{
	struct event *event = &trace->event[trace->events];
	unsigned long long level;
	bool fields = false;
	size_t i;

	for (i = 0; i < left && strcmp(line[i], "};"); i++) {
		if (fields && !strcmp(line[i], "\t};")) {
			fields = false;
		} else if (fields) {
			event->lines++;
		} else if (!strcmp(line[i], "\tfields := struct {")) {
			event->line = line + i + 1;
			event->lines = 0;
			fields = true;
		} else if (number_of(line[i], "loglevel", &level) && level <= CAIRN__LEVEL_DEBUG) {
			event->level = (unsigned)level + 1;
		} else {
			text_of(line[i], "name", &event->name);
		}
	}
	if (event->name)
		trace->events++;
	return i;
}

static int by_event_name(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static void read_blocks(struct trace *trace)
{
	enum { TOP, TRACE, ENVIRONMENT, CLOCK, STREAM, OTHER } block = TOP;
	bool streams = false;
	size_t i;

	for (i = 0; i < trace->lines; i++) {
		char *line = trace->line[i];

		if (!strcmp(line, "event {"))
			i += read_event(trace, trace->line + i + 1, trace->lines - i - 1);
		else if (!strcmp(line, "};"))
			streams |= block == STREAM, block = TOP;
		else if (line[0] != '\t' && line[0])
			block = !strcmp(line, "trace {")  ? TRACE :
				!strcmp(line, "env {")    ? ENVIRONMENT :
				!strcmp(line, "clock {")  ? CLOCK :
				!strcmp(line, "stream {") ? STREAM :
							    OTHER;
		else if (block == TRACE)
			text_of(line, "byte_order", &trace->byte_order);
		else if (block == ENVIRONMENT)
			read_environment(trace, line);
		else if (block == CLOCK)
			read_clock(trace, line);
	}
	/* An event's block is behind the stream's, and the last of them ends the file. */
	trace->whole = streams && !strcmp(trace->line[trace->lines - 1], "};");
	qsort(trace->event, trace->events, sizeof(*trace->event), by_event_name);
}

static int understand(struct trace *trace, int folder)
{
	size_t size;

	trace->text = read_metadata(folder, &size);
	if (!trace->text) {
		cairn_tool_say("%s/metadata cannot be read: %s: check it", trace->path,
			       strerror(errno));
		return CAIRN_EXIT_FAILED;
	}
	if (strncmp(trace->text, "/* CTF 1.8", 10) || !cut_lines(trace, size))
		return refuse(trace->path,
			      "its metadata is not as Cairn writes it: `babeltrace2` may "
			      "read it");
	read_blocks(trace);
	if (!trace->cairn)
		return refuse(trace->path, "not a trace of Cairn: `babeltrace2` reads it");
	if (!trace->byte_order || !trace->clock || !trace->frequency || !trace->whole)
		return refuse(trace->path, "its metadata is cut off or changed: `babeltrace2` may "
					   "tell what is wrong");
	trace->swap = strcmp(trace->byte_order,
			     __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? "le" : "be") != 0;
	return 0;
}

/* ---- streams ---- */

static uint64_t get64(const struct trace *trace, uint64_t value)
{
	return trace->swap ? bswap_64(value) : value;
}

static uint32_t get32(const struct trace *trace, uint32_t value)
{
	return trace->swap ? bswap_32(value) : value;
}

/* Take one packet's header into account. Bytes of the packet; 0: it is none. */
static uint64_t take_packet(const struct trace *trace, struct stream *stream,
			    const struct cairn_packet *head, uint64_t left)
{
	const uint64_t size = get64(trace, head->packet_size) / 8;
	const uint64_t content = get64(trace, head->content_size) / 8;

	if (get32(trace, head->magic) != CAIRN_CTF_MAGIC || content < CAIRN_PACKET_HEADER ||
	    content > size || size > left)
		return 0;
	stream->lost = get64(trace, head->events_discarded);
	stream->thread = get32(trace, head->vtid);
	memcpy(stream->name, head->thread, sizeof(head->thread));
	if (content == CAIRN_PACKET_HEADER)
		return size; /* a cover, or the place of a loss */
	if (stream->packets++ == 0)
		stream->begin = get64(trace, head->timestamp_begin);
	stream->end = get64(trace, head->timestamp_end);
	stream->bytes += content;
	return size;
}

/*
 * Headers from the first packet to the last. True, or the file is damaged at *at. One that is being
 * written loses its sparse end when it is closed, perhaps while we read.
 */
static bool read_stream(const struct trace *trace, struct stream *stream, int file, uint64_t *at)
{
	struct cairn_packet head;
	struct stat st;
	uint64_t size, packet;

	*at = 0;
	if (fstat(file, &st) || !S_ISREG(st.st_mode))
		return false;
	size = (uint64_t)st.st_size;
	while (*at < size) {
		packet = 0;
		if (pread(file, &head, sizeof(head), (off_t)*at) == (ssize_t)sizeof(head))
			packet = take_packet(trace, stream, &head, size - *at);
		*at += packet;
		if (packet)
			continue;
		if (fstat(file, &st) || (uint64_t)st.st_size >= size)
			return false;
		size = (uint64_t)st.st_size;
	}
	return true;
}

/* ---- printing ---- */

/* "2026-11-30 18:00:00.123456789 +0100": the counter's value as a date. */
static void date_text(const struct trace *trace, uint64_t ticks, char *text, size_t size)
{
	const uint64_t all = ticks + trace->offset, rest = all % trace->frequency;
	const time_t seconds = (time_t)(all / trace->frequency);
	char day[40], zone[8];
	struct tm local;
	uint64_t ns;

	/* exact where it fits in 64 bits */
	if (trace->frequency <= UINT64_C(10000000000))
		ns = rest * UINT64_C(1000000000) / trace->frequency;
	else
		ns = (uint64_t)((double)rest / (double)trace->frequency * 999999999.0);
	if (!localtime_r(&seconds, &local) ||
	    !strftime(day, sizeof(day), "%Y-%m-%d %H:%M:%S", &local) ||
	    !strftime(zone, sizeof(zone), "%z", &local))
		snprintf(text, size, "%lld.%09u s after 1970", (long long)seconds, (unsigned)ns);
	else
		snprintf(text, size, "%s.%09u %s", day, (unsigned)ns, zone);
}

static void print_head(const struct trace *trace)
{
	FILE *out = trace->out;
	char date[80];

	cairn_tool_put(out, trace->path);
	fputs(": trace of ", out);
	cairn_tool_put(out, trace->program ? trace->program : "a program without a name");
	fprintf(out, ", process %llu on ", trace->pid);
	cairn_tool_put(out, trace->host ? trace->host : "a host without a name");
	fprintf(out, " (%llu bit, ", trace->word_bits);
	cairn_tool_put(out, trace->byte_order);
	fprintf(out, "), Cairn %llu.%llu.%llu\n", trace->version[0], trace->version[1],
		trace->version[2]);
	date_text(trace, 0, date, sizeof(date));
	fputs("clock ", out);
	cairn_tool_put(out, trace->clock);
	fprintf(out, ": %" PRIu64 " Hz, 0 is %s\n", trace->frequency, date);
	if (!trace->choice)
		return;
	fputs("clock choice ", out);
	cairn_tool_put(out, trace->choice);
	fputc('\n', out);
}

/*
 * A field's line in the metadata, "\t\tTYPE _NAME;" or "\t\tTYPE _NAME[SIZE];", taken apart in
 * place. False: it is of another form.
 */
static bool take_field(char *line, char **type, char **name, char **size)
{
	char *end = line + strlen(line);

	*type = line + strspn(line, "\t");
	if (end - *type < 4 || *--end != ';')
		return false;
	*end = 0;
	*size = NULL;
	if (end[-1] == ']') {
		end[-1] = 0;
		*size = strrchr(*type, '[');
		if (!*size)
			return false;
		*(*size)++ = 0;
	}
	*name = strrchr(*type, ' ');
	if (!*name)
		return false;
	*(*name)++ = 0;
	*name += **name == '_'; /* missing only where two names would be one without */
	return true;
}

static const char *type_name(const char *type, const char *size)
{
	static const char *const names[][2] = {
		{ "text8", "text" },     { "bool8", "bool" }, { "float32", "float" },
		{ "float64", "double" }, { "string", "str" },
	};
	size_t i;

	if (!strcmp(type, "text8") && size && (!strcmp(size, "1") || size[0] == '_'))
		return "char";
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(type, names[i][0]))
			return names[i][1];
	return type;
}

/* "enum : u8 { "OPEN" = 0 }": cut to "enum u8"; returns the labels, without quotes, or NULL. */
static char *cut_enum(char *type)
{
	char *open = strchr(type, '{'), *from, *to;

	if (strncmp(type, "enum : ", 7) || !open || open[-1] != ' ')
		return NULL;
	open[-1] = 0;
	memmove(type + 5, type + 7, strlen(type + 7) + 1);
	open += open[1] == ' ' ? 2 : 1;
	for (from = to = open; *from && *from != '}'; from++)
		if (*from != '"')
			*to++ = *from;
	while (to > open && to[-1] == ' ')
		to--;
	*to = 0;
	return open;
}

/* The type as `cairn list` shows it. */
static void type_text(const char *type, const char *size, char *text, size_t room)
{
	const char *name = type_name(type, size);

	if (!size || !strcmp(name, "char"))
		snprintf(text, room, "%s%s", name, size && size[0] == '_' ? "[]" : "");
	else
		snprintf(text, room, "%s[%s]", name, size[0] == '_' ? "" : size);
}

/* Is `name` the length of the sequence in line `next`? */
static bool is_length(const char *name, const char *next)
{
	const size_t length = strlen(name), all = strlen(next);

	return all > length + 3 && next[all - length - 3] == '[' &&
	       !memcmp(next + all - length - 2, name, length) && !strcmp(next + all - 2, "];");
}

static void print_event(FILE *out, const struct event *event)
{
	struct field {
		char type[64];
		const char *name, *labels;
	} *field = calloc(event->lines + 1, sizeof(*field));
	char *type, *name, *size;
	size_t i, fields = 0;
	int width = 0;

	if (!field)
		return;
	for (i = 0; i < event->lines; i++) {
		if (!take_field(event->line[i], &type, &name, &size))
			continue;
		if (!size && i + 1 < event->lines && is_length(name - 1, event->line[i + 1]))
			continue;
		field[fields].labels = cut_enum(type);
		field[fields].name = name;
		type_text(type, size, field[fields].type, sizeof(field->type));
		if ((int)strlen(field[fields].type) > width)
			width = (int)strlen(field[fields].type);
		fields++;
	}
	cairn_tool_put(out, event->name);
	fprintf(out, "  %s\n", cairn_list_level(event->level));
	for (i = 0; i < fields; i++)
		cairn_list_field(out, width, field[i].type, field[i].name, field[i].labels);
	if (fields == 0)
		fputs("    (no fields)\n", out);
	free(field);
}

static void print_stream(struct trace *trace, const char *name, const struct stream *stream)
{
	const uint64_t time = stream->end - stream->begin;
	FILE *out = trace->out;
	char date[80];

	cairn_tool_put(out, name);
	fprintf(out, ": thread %" PRIu32 " ", stream->thread);
	cairn_tool_put(out, stream->name[0] ? stream->name : "without a name");
	fprintf(out, ", %" PRIu64 " packet%s, %" PRIu64 " bytes, %" PRIu64 " event%s lost\n",
		stream->packets, stream->packets == 1 ? "" : "s", stream->bytes, stream->lost,
		stream->lost == 1 ? "" : "s");
	if (stream->packets) {
		date_text(trace, stream->begin, date, sizeof(date));
		fprintf(out, "    %s, for %.6f s\n", date, (double)time / (double)trace->frequency);
	}
	trace->streams++;
	trace->packets += stream->packets;
	trace->bytes += stream->bytes;
	trace->lost += stream->lost;
}

static int list_stream(struct trace *trace, int folder, const char *name)
{
	const int file = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stream stream = { .packets = 0 };
	uint64_t at;
	bool whole;

	if (file < 0) {
		cairn_tool_say("%s/%s cannot be opened: %s: check it", trace->path, name,
			       strerror(errno));
		return CAIRN_EXIT_FAILED;
	}
	whole = read_stream(trace, &stream, file, &at);
	close(file);
	print_stream(trace, name, &stream);
	if (whole)
		return 0;
	cairn_tool_say("%s/%s is damaged at byte %" PRIu64 ", where no whole packet of Cairn is: "
		       "move it elsewhere to read the others with babeltrace2",
		       trace->path, name, at);
	return CAIRN_EXIT_FAILED;
}

static int list_streams(struct trace *trace, int folder)
{
	size_t count, i;
	char **names = list_folder(folder, is_stream, &count);
	int result = 0;

	if (!names)
		return refuse(trace->path, "cannot be read: check its permissions");
	for (i = 0; i < count; i++)
		if (list_stream(trace, folder, names[i]))
			result = CAIRN_EXIT_FAILED;
	free_names(names, count);
	fprintf(trace->out,
		"%" PRIu64 " stream%s, %" PRIu64 " packet%s, %" PRIu64 " bytes, %" PRIu64
		" event%s lost\n",
		trace->streams, trace->streams == 1 ? "" : "s", trace->packets,
		trace->packets == 1 ? "" : "s", trace->bytes, trace->lost,
		trace->lost == 1 ? "" : "s");
	return result;
}

static int list_trace(FILE *out, const char *path, int folder, bool again)
{
	struct trace trace = { .path = path, .out = out };
	size_t i;
	int result = understand(&trace, folder);

	if (!result) {
		if (again)
			fputc('\n', out);
		print_head(&trace);
		for (i = 0; i < trace.events; i++) {
			fputc('\n', out);
			print_event(out, &trace.event[i]);
		}
		fputc('\n', out);
		result = list_streams(&trace, folder);
	}
	free(trace.text);
	free(trace.line);
	free(trace.event);
	return result;
}

/* ---- search ---- */

struct search {
	FILE *out;
	bool again;
	size_t found;
	int result;
};

static void search_folder(struct search *search, const char *path, int folder, unsigned depth)
{
	char **names, below[PATH_BYTES];
	struct stat st;
	size_t count, i;
	int fd;

	if (!fstatat(folder, "metadata", &st, 0)) {
		if (list_trace(search->out, path, folder, search->again))
			search->result = CAIRN_EXIT_FAILED;
		search->again = true;
		search->found++;
		return;
	}
	names = list_folder(folder, is_folder, &count);
	if (!names)
		search->result = refuse(path, "cannot be read: check its permissions");
	for (i = 0; i < count && depth < DEPTH; i++) {
		fd = openat(folder, names[i], O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		snprintf(below, sizeof(below), "%s/%s", path, names[i]);
		if (fd < 0) {
			search->result = refuse(below, "cannot be opened: check its permissions");
			continue;
		}
		search_folder(search, below, fd, depth + 1);
		close(fd);
	}
	free_names(names, count);
}

int cairn_list_trace(FILE *out, const char *path, int directory,
		     const struct cairn_list_options *options)
{
	struct search search = { .out = out, .again = options->again };
	char top[PATH_BYTES];
	size_t length;

	snprintf(top, sizeof(top), "%s", path);
	for (length = strlen(top); length > 1 && top[length - 1] == '/'; length--)
		top[length - 1] = 0;
	search_folder(&search, top, directory, 0);
	if (!search.found && !search.result)
		return refuse(path, "no trace in it: give a directory that `cairn record` wrote");
	return search.result;
}
