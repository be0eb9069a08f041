/* SPDX-License-Identifier: MIT */
/*
 * CTF 1.8 output. Called by the consumer, one thread at a time for a trace.
 *
 * A stream file and the order of writes. [H] is a header of 104 bytes, `...` sparse:
 *
 *     packet [H records] packet [H records] cover [H ....................]
 *                                           ^at                          ^room
 *
 * A file of other tools grows by whole packets, but write(2) lets readers see half of one. Here the
 * size of the file does not change. To add a packet: its records go into the cover's padding, and
 * behind them the header of the next cover; readers see none of it. Then one write puts the packet's
 * header over the cover's: it publishes the records, and the next cover with them. A packet that is
 * still open spans the rest of the file itself; each time it grows, its records are written first and
 * its header then.
 *
 * Invariants, after every single write, whether it worked or not:
 * - packets follow one another without a gap up to the end of the file;
 * - begin <= events <= end <= next begin; numbers go up by one from 0; events_discarded never goes down
 *   and starts at 0 (babeltrace2 gives no number for a loss in the first packet);
 * - the header that a write replaces lies in one page: not even a SIGKILL leaves half of it.
 */
#include "ctf.h"

#include "os.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- metadata ---- */

struct cairn_ctf_text {
	char *text;
	size_t size, used; /* used: what it takes, also if it does not fit */
};

static void __attribute__((format(printf, 2, 3)))
cairn_ctf_put(struct cairn_ctf_text *out, const char *format, ...)
{
	const size_t room = out->used < out->size ? out->size - out->used : 0;
	va_list arguments;
	int n;

	va_start(arguments, format);
	n = vsnprintf(room ? out->text + out->used : NULL, room, format, arguments);
	va_end(arguments);
	if (n > 0)
		out->used += (size_t)n;
}

static void cairn_ctf_add(struct cairn_ctf_text *out, char c)
{
	if (out->used + 1 < out->size) {
		out->text[out->used] = c;
		out->text[out->used + 1] = 0;
	}
	out->used++;
}

/* A string literal of TSDL. */
static void cairn_ctf_put_quoted(struct cairn_ctf_text *out, const char *text)
{
	cairn_ctf_add(out, '"');
	for (; *text; text++) {
		const unsigned char c = (unsigned char)*text;

		if (c == '"' || c == '\\')
			cairn_ctf_put(out, "\\%c", c);
		else if (c < ' ' || c == 0x7f)
			cairn_ctf_put(out, "\\%03o", c);
		else
			cairn_ctf_add(out, *text);
	}
	cairn_ctf_add(out, '"');
}

/* A name in TSDL, whose identifiers are ASCII: other bytes become _xHH. */
static void cairn_ctf_put_name(struct cairn_ctf_text *out, const char *name)
{
	for (; *name; name++) {
		const unsigned char c = (unsigned char)*name;

		if (c == '$' || c >= 0x80)
			cairn_ctf_put(out, "_x%02x", c);
		else
			cairn_ctf_add(out, *name);
	}
}

static bool cairn_ctf_word(const char *text)
{
	const char *c;

	for (c = text; *c; c++)
		if (!(*c >= 'a' && *c <= 'z') && !(*c >= 'A' && *c <= 'Z') && *c != '_' &&
		    (c == text || !(*c >= '0' && *c <= '9')))
			return false;
	return c != text;
}

static void cairn_ctf_put_trace(struct cairn_ctf_text *out, const struct cairn_ctf_info *info)
{
	const uint8_t *u = info->uuid;

	cairn_ctf_put(
		out,
		"/* CTF 1.8 */\n\n"
		"trace {\n"
		"\tmajor = 1;\n"
		"\tminor = 8;\n"
		"\tuuid = \"%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x\";\n"
		"\tbyte_order = %s;\n",
		u[0], u[1], u[2], u[3], u[4], u[5], u[6], u[7], u[8], u[9], u[10], u[11], u[12],
		u[13], u[14], u[15], info->big_endian ? "be" : "le");
	cairn_ctf_put(out,
		      "\tpacket.header := struct {\n"
		      "\t\tinteger { size = 32; align = 8; signed = false; base = 16; } magic;\n"
		      "\t\tinteger { size = 8; align = 8; signed = false; base = 16; } uuid[16];\n"
		      "\t\tinteger { size = 32; align = 8; signed = false; } stream_id;\n"
		      "\t\tinteger { size = 64; align = 8; signed = false; } stream_instance_id;\n"
		      "\t};\n"
		      "};\n\n");
}

/* One entry of the environment; nothing for an empty text. */
static void cairn_ctf_put_env(struct cairn_ctf_text *out, const char *name, const char *text)
{
	if (!*text)
		return;
	cairn_ctf_put(out, "\t%s = ", name);
	cairn_ctf_put_quoted(out, text);
	cairn_ctf_put(out, ";\n");
}

static void cairn_ctf_put_environment(struct cairn_ctf_text *out, const struct cairn_ctf_info *info)
{
	static const char *const name[] = { "tracer_major", "tracer_minor", "tracer_patchlevel" };
	const char *version = info->version;
	size_t i;

	cairn_ctf_put(out, "env {\n");
	cairn_ctf_put_env(out, "domain", "ust");
	cairn_ctf_put_env(out, "tracer_name", "cairn");
	for (i = 0; i < sizeof(name) / sizeof(name[0]); i++) {
		unsigned number = 0;

		while (*version >= '0' && *version <= '9')
			number = 10 * number + (unsigned)(*version++ - '0');
		if (*version == '.')
			version++;
		cairn_ctf_put(out, "\t%s = %u;\n", name[i], number);
	}
	cairn_ctf_put(out, "\tarchitecture_bit_width = %u;\n", info->word_bits);
	cairn_ctf_put_env(out, "hostname", info->host);
	cairn_ctf_put_env(out, "procname", info->program);
	cairn_ctf_put(out, "\tvpid = %u;\n", info->pid);
	cairn_ctf_put_env(out, "clock_choice", info->clock_choice);
	cairn_ctf_put(out, "};\n\n");
}

static void cairn_ctf_put_clock(struct cairn_ctf_text *out, const struct cairn_clock_record *clock)
{
	cairn_ctf_put(out, "clock {\n\tname = \"%s\";\n", clock->name);
	cairn_ctf_put_env(out, "uuid", clock->uuid);
	cairn_ctf_put_env(out, "description", clock->description);
	cairn_ctf_put(out,
		      "\tfreq = %llu;\n"
		      "\toffset = %llu;\n"
		      "\tabsolute = TRUE;\n"
		      "};\n\n",
		      (unsigned long long)clock->frequency, (unsigned long long)clock->offset);
}

/* Named types, each with the name that a description gives it; `char` and the floats are keywords. */
static void cairn_ctf_put_types(struct cairn_ctf_text *out, uint32_t word_bits)
{
	static const struct {
		char letter[4], more[20];
		bool is_signed;
		unsigned base;
	} kind[] = {
		{ "u", "", false, 10 },
		{ "i", "", true, 10 },
		{ "x", "", false, 16 },
		{ "net", " byte_order = be;", false, 10 },
	};
	unsigned size;
	size_t i;

	for (i = 0; i < sizeof(kind) / sizeof(kind[0]); i++)
		for (size = i == 3 ? 16 : 8; size <= 64; size *= 2)
			cairn_ctf_put(out,
				      "typealias integer { size = %u; align = 8; signed = %s; "
				      "base = %u;%s } := %s%u;\n",
				      size, kind[i].is_signed ? "true" : "false", kind[i].base,
				      kind[i].more, kind[i].letter, size);
	cairn_ctf_put(
		out,
		"typealias integer { size = %u; align = 8; signed = false; base = 16; } := ptr;\n"
		"typealias integer { size = 8; align = 8; signed = false; } := bool8;\n"
		"typealias integer { size = 8; align = 8; signed = false; encoding = UTF8; }"
		" := text8;\n"
		"typealias floating_point { exp_dig = 8; mant_dig = 24; align = 8; } := float32;\n"
		"typealias floating_point { exp_dig = 11; mant_dig = 53; align = 8; } := float64;\n",
		word_bits);
}

static void cairn_ctf_put_clock_types(struct cairn_ctf_text *out, const char *clock)
{
	static const struct {
		unsigned size, align;
	} type[] = { { 27, 1 }, { 32, 8 }, { 64, 8 } };
	size_t i;

	for (i = 0; i < sizeof(type) / sizeof(type[0]); i++)
		cairn_ctf_put(out,
			      "typealias integer { size = %u; align = %u; signed = false; "
			      "map = clock.%s.value; } := time%u;\n",
			      type[i].size, type[i].align, clock, type[i].size);
	cairn_ctf_put(out, "typealias integer { size = 5; align = 1; signed = false; } := u5;\n\n");
}

static void cairn_ctf_put_stream(struct cairn_ctf_text *out, uint32_t header)
{
	const bool compact = header == 4;

	cairn_ctf_put(out, "stream {\n"
			   "\tid = 0;\n"
			   "\tpacket.context := struct {\n"
			   "\t\tu64 content_size;\n"
			   "\t\tu64 packet_size;\n"
			   "\t\ttime64 timestamp_begin;\n"
			   "\t\ttime64 timestamp_end;\n"
			   "\t\tu64 packet_seq_num;\n"
			   "\t\tu64 events_discarded;\n"
			   "\t\tu32 cpu_id;\n"
			   "\t\tu32 vtid;\n"
			   "\t\ttext8 procname[16];\n"
			   "\t};\n");
	cairn_ctf_put(out,
		      "\tevent.header := struct {\n"
		      "\t\tenum : %s { compact = 0 ... %u, extended = %u } id;\n"
		      "\t\tvariant <id> {\n"
		      "\t\t\tstruct { %s timestamp; } compact;\n"
		      "\t\t\tstruct { u32 id; time64 timestamp; } extended;\n"
		      "\t\t} v;\n"
		      "\t} align(8);\n"
		      "};\n",
		      compact ? "u5" : "u16", compact ? 30u : 65534u, compact ? 31u : 65535u,
		      compact ? "time27" : "time32");
}

/* A label's value as an integer of `bits` bits has it. */
static uint64_t cairn_ctf_fit(uint64_t value, unsigned bits, bool is_signed)
{
	const unsigned spare = 64 - bits;

	if (is_signed)
		return (uint64_t)((int64_t)(value << spare) >> spare);
	return value << spare >> spare;
}

static void cairn_ctf_put_number(struct cairn_ctf_text *out, uint64_t value, bool is_signed)
{
	if (is_signed)
		cairn_ctf_put(out, "%lld", (long long)value);
	else
		cairn_ctf_put(out, "%llu", (unsigned long long)value);
}

/*
 * One label. A single value is cut to the storage as C cuts it; of a range that is wider than the
 * storage, the part that can occur is left.
 */
static void cairn_ctf_put_label(struct cairn_ctf_text *out, const char *store, const char *label,
				uint64_t first, uint64_t last)
{
	const unsigned bits = 8 * cairn_base_size(store);
	const bool is_signed = store[0] == 'i';
	const uint64_t most = UINT64_MAX >> (64 - bits) >> is_signed;
	uint64_t swap;

	cairn_ctf_put_quoted(out, label);
	if (first == last) {
		cairn_ctf_put(out, " = ");
		cairn_ctf_put_number(out, cairn_ctf_fit(first, bits, is_signed), is_signed);
		return;
	}
	if (is_signed ? (int64_t)first > (int64_t)last : first > last) {
		swap = first;
		first = last;
		last = swap;
	}
	if (is_signed) {
		first = (int64_t)first < -(int64_t)most - 1 ? ~most : first;
		last = (int64_t)last > (int64_t)most ? most : last;
	} else {
		first = first > most ? most : first;
		last = last > most ? most : last;
	}
	cairn_ctf_put(out, " = ");
	cairn_ctf_put_number(out, first, is_signed);
	cairn_ctf_put(out, " ... ");
	cairn_ctf_put_number(out, last, is_signed);
}

static int cairn_ctf_put_enum(struct cairn_ctf_text *out, const struct cairn_ctf_info *info,
			      const struct cairn_field *field)
{
	const struct cairn_desc *type = cairn_desc_find(info->type, info->types, field);
	const char *store, *label, *text = NULL;
	uint64_t first, last;
	uint32_t i;

	if (!type || !cairn_desc_valid(type) || type->kind != CAIRN_DESC_ENUM)
		return -EINVAL;
	store = cairn_desc_store(type);
	if (type->fields == 0) {
		cairn_ctf_put(out, "%s", store);
		return 0;
	}
	cairn_ctf_put(out, "enum : %s { ", store);
	for (i = 0; cairn_desc_label(type, i, &text, &label, &first, &last); i++) {
		if (i > 0)
			cairn_ctf_put(out, ", ");
		cairn_ctf_put_label(out, store, label, first, last);
	}
	cairn_ctf_put(out, " }");
	return 0;
}

/* The name of an element type in the metadata. */
static const char *cairn_ctf_type(const char *base)
{
	static const char *const other[][2] = {
		{ "bool", "bool8" },    { "char", "text8" },     { "text", "text8" },
		{ "float", "float32" }, { "double", "float64" }, { "str", "string" },
	};
	size_t i;

	for (i = 0; i < sizeof(other) / sizeof(other[0]); i++)
		if (!strcmp(base, other[i][0]))
			return other[i][1];
	return base;
}

static bool cairn_ctf_reserved(const char *name)
{
	static const char *const word[] = {
		"align", "callsite",  "char",    "clock",          "const",   "double",  "enum",
		"env",   "event",     "float",   "floating_point", "int",     "integer", "long",
		"map",   "ptr",       "short",   "signed",         "stream",  "string",  "struct",
		"trace", "typealias", "typedef", "unsigned",       "variant", "void",
	};
	const char *number = name + strcspn(name, "0123456789");
	size_t i;

	for (i = 0; i < sizeof(word) / sizeof(word[0]); i++)
		if (!strcmp(name, word[i]))
			return true;
	/* Our own type names end in a number: take no risk with any that does. */
	return *number && number[strspn(number, "0123456789")] == 0;
}

/*
 * The name of field `index`. Readers strip one `_`, which keeps names apart from the keywords of TSDL.
 * But babeltrace2 2.0 takes a field for a duplicate if its name with the `_` is that of an earlier
 * field without. Then it gets no `_`; or a number behind, if that cannot be.
 */
static void cairn_ctf_put_field_name(struct cairn_ctf_text *out, const struct cairn_desc *event,
				     uint32_t index, const char *name)
{
	struct cairn_field other;
	const char *text = NULL;
	bool clash = false;
	uint32_t i;

	for (i = 0; i < index && cairn_desc_field(event, i, &text, &other); i++)
		clash = clash || (other.name[0] == '_' && !strcmp(other.name + 1, name));
	if (!clash || name[0] == '_' || cairn_ctf_reserved(name))
		cairn_ctf_add(out, '_');
	cairn_ctf_put_name(out, name);
	if (clash && (name[0] == '_' || cairn_ctf_reserved(name)))
		cairn_ctf_put(out, "_%u", index);
}

/* If `name` is "length_SEQUENCE" or "_length_SEQUENCE" and then n times `_`: n + 1. Else 0. */
static unsigned cairn_ctf_length_taken(const char *name, const char *sequence)
{
	const size_t length = strlen(sequence);

	name += name[0] == '_';
	if (strncmp(name, "length_", 7) || strncmp(name + 7, sequence, length))
		return 0;
	name += 7 + length;
	return name[strspn(name, "_")] ? 0 : (unsigned)strlen(name) + 1;
}

/*
 * How the lengths of an event's sequences are named. 0: __NAME_length, if no field has a name with
 * which that could be confused. n: _length_NAME and n - 1 times `_`, which no field is called.
 */
static unsigned cairn_ctf_length_style(const struct cairn_desc *event)
{
	struct cairn_field field, other;
	const char *text = NULL, *again;
	unsigned style = 0, taken;
	uint32_t i, j;

	for (i = 0; cairn_desc_field(event, i, &text, &field); i++) {
		const size_t length = strlen(field.name);

		if (style == 0 && (field.name[0] == '_' ||
				   (length > 7 && !strcmp(field.name + length - 7, "_length"))))
			style = 1;
		again = NULL;
		for (j = 0; cairn_desc_field(event, j, &again, &other); j++) {
			taken = cairn_ctf_length_taken(other.name, field.name);
			if (taken >= style && taken > 0)
				style = taken + 1;
		}
	}
	return style;
}

static void cairn_ctf_put_length(struct cairn_ctf_text *out, unsigned style, const char *name)
{
	cairn_ctf_put(out, style ? "_length_" : "__");
	cairn_ctf_put_name(out, name);
	if (style == 0)
		cairn_ctf_put(out, "_length");
	for (; style > 1; style--)
		cairn_ctf_add(out, '_');
}

static int cairn_ctf_put_field(struct cairn_ctf_text *out, const struct cairn_ctf_info *info,
			       const struct cairn_desc *event, uint32_t index,
			       const struct cairn_field *field, unsigned style)
{
	int error = 0;

	cairn_ctf_put(out, "\t\t");
	if (field->shape == CAIRN_SHAPE_SEQUENCE) {
		cairn_ctf_put(out, "u16 ");
		cairn_ctf_put_length(out, style, field->name);
		cairn_ctf_put(out, ";\n\t\t");
	}
	if (!strcmp(field->base, "enum"))
		error = cairn_ctf_put_enum(out, info, field);
	else
		cairn_ctf_put(out, "%s", cairn_ctf_type(field->base));
	cairn_ctf_put(out, " ");
	cairn_ctf_put_field_name(out, event, index, field->name);
	if (field->shape == CAIRN_SHAPE_SEQUENCE) {
		cairn_ctf_put(out, "[");
		cairn_ctf_put_length(out, style, field->name);
		cairn_ctf_put(out, "]");
	} else if (field->shape == CAIRN_SHAPE_ARRAY || field->shape == CAIRN_SHAPE_TEXT) {
		cairn_ctf_put(out, "[%u]", field->count);
	} else if (!strcmp(field->base, "char")) {
		cairn_ctf_put(out, "[1]"); /* shown as text, not as a number */
	}
	cairn_ctf_put(out, ";\n");
	return error;
}

static int cairn_ctf_put_event(struct cairn_ctf_text *out, const struct cairn_ctf_info *info,
			       const struct cairn_ctf_event *event)
{
	const struct cairn_desc *desc = event->desc;
	struct cairn_field field;
	const char *text = NULL;
	unsigned style;
	uint32_t i;
	int error = 0;

	if (!cairn_desc_valid(desc) || desc->kind != CAIRN_DESC_EVENT)
		return -EINVAL;
	style = cairn_ctf_length_style(desc);
	cairn_ctf_put(out,
		      "\nevent {\n"
		      "\tname = \"%s:%s\";\n"
		      "\tid = %u;\n"
		      "\tstream_id = 0;\n"
		      "\tloglevel = %u;\n"
		      "\tfields := struct {\n",
		      cairn_desc_provider(desc), cairn_desc_event(desc), event->id,
		      desc->level ? desc->level - 1u : CAIRN__LEVEL_DEBUG);
	for (i = 0; !error && cairn_desc_field(desc, i, &text, &field); i++)
		error = cairn_ctf_put_field(out, info, desc, i, &field, style);
	cairn_ctf_put(out, "\t};\n};\n");
	return error;
}

long cairn_ctf_metadata(char *text, size_t size, const struct cairn_ctf_info *info)
{
	struct cairn_ctf_text out = { text, size, 0 };
	size_t i;
	int error;

	if (!cairn_ctf_word(info->clock.name) || info->clock.frequency == 0)
		return -EINVAL;
	if (size > 0)
		*text = 0;
	cairn_ctf_put_trace(&out, info);
	cairn_ctf_put_environment(&out, info);
	cairn_ctf_put_clock(&out, &info->clock);
	cairn_ctf_put_types(&out, info->word_bits);
	cairn_ctf_put_clock_types(&out, info->clock.name);
	cairn_ctf_put_stream(&out, info->header);
	for (i = 0; i < info->events; i++) {
		error = cairn_ctf_put_event(&out, info, &info->event[i]);
		if (error)
			return error;
	}
	return (long)out.used;
}

int cairn_ctf_metadata_write(int dir, const char *text, size_t size)
{
	static const char name[] = ".metadata";
	int file, error;

	file = cairn_os_file_create(dir, name);
	if (file == -EEXIST) {
		/* Left by a write that failed. Nothing here can remove it; there is at most one. */
		error = cairn_os_file_rename(dir, name, ".metadata.failed");
		if (error)
			return error;
		file = cairn_os_file_create(dir, name);
	}
	if (file < 0)
		return file;
	error = size > cairn_os_file_limit() ? -EFBIG : cairn_os_file_write(file, text, size, 0);
	if (error)
		cairn_os_file_resize(file, 0); /* give the space back */
	cairn_os_close(file);
	return error ? error : cairn_os_file_rename(dir, name, "metadata");
}

/* ---- stream files ---- */

#define CAIRN_CTF_PART ((uint64_t)64 << 20)
/* The smallest page of any system. */
#define CAIRN_CTF_PAGE 4096u
/* Room behind a packet for three headers, each with the bytes that place it, and more. */
#define CAIRN_CTF_SLACK 1024u
/* The last records of a packet are copied, if they are no more, to be one write with the next header. */
#define CAIRN_CTF_GATHER 4096u
#define CAIRN_CTF_PACKET_MOST ((uint64_t)1 << 40)

_Static_assert(sizeof(struct cairn_packet) == CAIRN_PACKET_HEADER, "packet header");

void cairn_ctf_swap(struct cairn_packet *packet)
{
	packet->magic = __builtin_bswap32(packet->magic);
	packet->stream_id = __builtin_bswap32(packet->stream_id);
	packet->stream_instance_id = __builtin_bswap64(packet->stream_instance_id);
	packet->content_size = __builtin_bswap64(packet->content_size);
	packet->packet_size = __builtin_bswap64(packet->packet_size);
	packet->timestamp_begin = __builtin_bswap64(packet->timestamp_begin);
	packet->timestamp_end = __builtin_bswap64(packet->timestamp_end);
	packet->packet_seq_num = __builtin_bswap64(packet->packet_seq_num);
	packet->events_discarded = __builtin_bswap64(packet->events_discarded);
	packet->cpu_id = __builtin_bswap32(packet->cpu_id);
	packet->vtid = __builtin_bswap32(packet->vtid);
}

void cairn_ctf_uuid(uint8_t uuid[16])
{
	cairn_os_random(uuid, 16);
	uuid[6] = (uint8_t)((uuid[6] & 0x0f) | 0x40); /* RFC 4122, version 4 */
	uuid[8] = (uint8_t)((uuid[8] & 0x3f) | 0x80);
}

/*
 * Where the next packet can start, at or behind `at`. Its header may not cross a page; and its sizes
 * and times, bytes 32 to 63, lie in one cache line, so that readers see them change together.
 */
static uint64_t cairn_ctf_place(uint64_t at)
{
	at = (at + 63) & ~(uint64_t)63;
	if (at % CAIRN_CTF_PAGE + CAIRN_PACKET_HEADER > CAIRN_CTF_PAGE)
		at += CAIRN_CTF_PAGE - at % CAIRN_CTF_PAGE;
	return at;
}

void cairn_ctf_file_init(struct cairn_ctf_file *file, int dir, const char *name,
			 const struct cairn_packet *like)
{
	memset(file, 0, sizeof(*file));
	file->dir = dir;
	file->file = -1;
	file->file_size = CAIRN_CTF_PART;
	snprintf(file->name, sizeof(file->name), "%s", name);
	file->cover = *like;
	file->cover.magic = CAIRN_CTF_MAGIC;
	file->cover.timestamp_begin = 0;
	file->cover.timestamp_end = 0;
	file->cover.packet_seq_num = 0;
	file->cover.events_discarded = 0;
}

/* A header as it stands in the file, or back. */
static struct cairn_packet cairn_ctf_order(const struct cairn_ctf_file *file,
					   const struct cairn_packet *packet)
{
	struct cairn_packet other = *packet;

	if (file->swap)
		cairn_ctf_swap(&other);
	return other;
}

static void cairn_ctf_sizes(struct cairn_packet *packet, uint64_t content, uint64_t size)
{
	packet->content_size = 8 * content;
	packet->packet_size = 8 * size;
}

/* The empty packet that covers what is behind `packet`, from `at` to `room`. */
static struct cairn_packet cairn_ctf_cover(const struct cairn_packet *packet, uint64_t at,
					   uint64_t room)
{
	struct cairn_packet cover = *packet;

	cover.timestamp_begin = packet->timestamp_end;
	cover.packet_seq_num++;
	cairn_ctf_sizes(&cover, CAIRN_PACKET_HEADER, room - at);
	return cover;
}

/* Name of the open part, hidden or not. */
static void cairn_ctf_part_name(const struct cairn_ctf_file *file, bool hidden, char name[80])
{
	const char *dot = hidden ? "." : "";

	if (file->part)
		snprintf(name, 80, "%s%s.%u", dot, file->name, file->part);
	else
		snprintf(name, 80, "%s%s", dot, file->name);
}

int cairn_ctf_regain(int *handle, int again, const struct cairn_identity *identity)
{
	if (again < 0)
		return again;
	if (!cairn_os_is(again, identity)) {
		cairn_os_close(again);
		return -ESTALE;
	}
	*handle = again;
	return 0;
}

/* The program may have closed our file behind our back: open it again, and touch no other. */
static int cairn_ctf_file_hold(struct cairn_ctf_file *file)
{
	char name[80];

	if (file->file < 0 || cairn_os_is(file->file, &file->identity))
		return 0;
	cairn_ctf_part_name(file, file->hidden, name);
	return cairn_ctf_regain(&file->file, cairn_os_file_open(file->dir, name), &file->identity);
}

static int cairn_ctf_part_show(struct cairn_ctf_file *file)
{
	char from[80], to[80];
	int error;

	cairn_ctf_part_name(file, true, from);
	cairn_ctf_part_name(file, false, to);
	error = cairn_os_file_rename(file->dir, from, to);
	if (!error)
		file->hidden = false;
	return error;
}

/* ---- going on ---- */

/*
 * The last packet that ends at or before `end`, which must be where a packet ends. 0; -EINVAL: it is not.
 * *last is zero if there is none.
 */
static int cairn_ctf_file_last(const struct cairn_ctf_file *file, int handle, uint64_t end,
			       struct cairn_packet *last)
{
	struct cairn_packet packet;
	uint64_t at = 0;

	memset(last, 0, sizeof(*last));
	while (at < end) {
		if (cairn_os_file_read(handle, &packet, sizeof(packet), at) != sizeof(packet))
			return -EINVAL;
		packet = cairn_ctf_order(file, &packet);
		if (packet.magic != CAIRN_CTF_MAGIC || packet.packet_size % 8 ||
		    packet.packet_size / 8 < CAIRN_PACKET_HEADER ||
		    packet.packet_size / 8 > end - at)
			return -EINVAL;
		*last = packet;
		at += packet.packet_size / 8;
	}
	return 0;
}

/* Remove the parts from `part` on, also a hidden one. */
static int cairn_ctf_parts_remove(struct cairn_ctf_file *file, uint32_t part)
{
	char name[80];
	int error;

	for (file->part = part;; file->part++) {
		cairn_ctf_part_name(file, true, name);
		cairn_os_file_remove(file->dir, name);
		cairn_ctf_part_name(file, false, name);
		error = cairn_os_file_remove(file->dir, name);
		if (error)
			return error == -ENOENT ? 0 : error;
	}
}

/* What parts before `part`, whole ones, say that was lost. Their covers repeat it. */
static int cairn_ctf_parts_lost(struct cairn_ctf_file *file, uint32_t part)
{
	struct cairn_packet last;
	char name[80];
	int handle, error = 0;

	for (file->part = 0; !error && file->part < part; file->part++) {
		cairn_ctf_part_name(file, false, name);
		handle = cairn_os_file_open(file->dir, name);
		if (handle < 0)
			return handle;
		error = cairn_ctf_file_last(file, handle, cairn_os_file_size(handle), &last);
		cairn_os_close(handle);
		file->lost += last.events_discarded;
	}
	return error;
}

int cairn_ctf_file_resume(struct cairn_ctf_file *file, uint32_t part, uint64_t at)
{
	struct cairn_packet last;
	char name[80];
	int error = cairn_ctf_parts_lost(file, part);

	if (!error)
		error = cairn_ctf_parts_remove(file, at ? part + 1 : part);
	file->part = part;
	file->cover.stream_instance_id += (uint64_t)part << 32;
	if (error || at == 0)
		return error;
	cairn_ctf_part_name(file, false, name);
	file->file = cairn_os_file_open(file->dir, name);
	if (file->file < 0)
		return file->file;
	error = cairn_os_identify(file->file, &file->identity);
	if (!error)
		error = cairn_ctf_file_last(file, file->file, at, &last);
	if (!error)
		error = cairn_os_file_resize(file->file, at);
	if (error)
		return error;
	/* Full: the next packet leaves it. */
	file->at = file->room = at;
	file->cover.timestamp_end = file->cover.timestamp_begin = last.timestamp_end;
	file->cover.packet_seq_num = last.packet_seq_num + 1;
	file->cover.events_discarded = last.events_discarded;
	return 0;
}

/* ---- packets ---- */

/* Write what of the payload is new, and behind a closed packet the next cover at `next`. */
static int cairn_ctf_put_records(struct cairn_ctf_file *file, const unsigned char *records,
				 size_t bytes, const struct cairn_packet *cover, uint64_t next)
{
	const size_t done = file->open ? (size_t)file->open - CAIRN_PACKET_HEADER : 0;
	const uint64_t at = file->at + CAIRN_PACKET_HEADER + done;
	unsigned char tail[CAIRN_CTF_GATHER + CAIRN_CTF_SLACK];
	const size_t left = bytes - done;
	int error = 0;

	if (cover && left <= CAIRN_CTF_GATHER) {
		memset(tail, 0, sizeof(tail));
		if (left > 0)
			memcpy(tail, records + done, left);
		memcpy(tail + (next - at), cover, sizeof(*cover));
		return cairn_os_file_write(file->file, tail, (size_t)(next - at) + sizeof(*cover),
					   at);
	}
	if (left > 0)
		error = cairn_os_file_write(file->file, records + done, left, at);
	if (!error && cover)
		error = cairn_os_file_write(file->file, cover, sizeof(*cover), next);
	return error;
}

/* Write the packet at file->at, or more of it, and its header last. There is room. */
static int cairn_ctf_put_packet(struct cairn_ctf_file *file, const struct cairn_packet *head,
				const void *records, size_t bytes, bool closed)
{
	const uint64_t end = file->at + CAIRN_PACKET_HEADER + bytes;
	const uint64_t next = closed ? cairn_ctf_place(end) : file->room;
	struct cairn_packet packet = *head, cover, stored;
	int error;

	if ((closed ? next + CAIRN_PACKET_HEADER : end) > cairn_os_file_limit())
		return -EFBIG;
	packet.magic = CAIRN_CTF_MAGIC;
	memcpy(packet.uuid, file->cover.uuid, sizeof(packet.uuid));
	packet.stream_id = file->cover.stream_id;
	packet.stream_instance_id = file->cover.stream_instance_id;
	packet.packet_seq_num = file->cover.packet_seq_num;
	packet.events_discarded = file->cover.events_discarded;
	if (packet.packet_seq_num > 0 &&
	    head->events_discarded > file->lost + packet.events_discarded)
		packet.events_discarded = head->events_discarded - file->lost;
	cairn_ctf_sizes(&packet, end - file->at, next - file->at);
	cover = cairn_ctf_cover(&packet, next, file->room);

	stored = cairn_ctf_order(file, &cover);
	error = cairn_ctf_put_records(file, records, bytes, closed ? &stored : NULL, next);
	stored = cairn_ctf_order(file, &packet);
	if (!error)
		error = cairn_os_file_write(file->file, &stored, sizeof(stored), file->at);
	if (!error && file->hidden)
		error = cairn_ctf_part_show(file);
	if (error)
		return error;

	file->written += (closed ? next : end) - (file->at + file->open);
	file->cover = closed ? cover : packet;
	file->open = closed ? 0 : end - file->at;
	file->at = closed ? next : file->at;
	return 0;
}

/* Close the open packet as it is. */
static int cairn_ctf_put_end(struct cairn_ctf_file *file)
{
	const struct cairn_packet packet = file->cover;

	return cairn_ctf_put_packet(file, &packet, NULL, (size_t)file->open - CAIRN_PACKET_HEADER,
				    true);
}

/* Make a packet of the cover, with a new cover behind it. */
static int cairn_ctf_put_empty(struct cairn_ctf_file *file, uint64_t lost, uint64_t now)
{
	struct cairn_packet packet = file->cover;

	packet.events_discarded = lost;
	if (now > packet.timestamp_begin)
		packet.timestamp_end = now;
	return cairn_ctf_put_packet(file, &packet, NULL, 0, true);
}

/*
 * Leave a part that is full. It stays as it is: its cover spans less than a packet.
 *
 * The next part is a stream of its own, with another stream_instance_id: of files that are one stream
 * babeltrace2 2.0 sorts all packets by their begin alone, and puts one that begins at the same time as
 * another before it. Where a clock ticks slowly that is another order, and an unreadable trace.
 */
static void cairn_ctf_part_leave(struct cairn_ctf_file *file)
{
	cairn_os_close(file->file);
	file->file = -1;
	file->part++;
	file->lost += file->cover.events_discarded;
	file->cover.events_discarded = 0;
	file->cover.packet_seq_num = 0;
	file->cover.stream_instance_id += (uint64_t)1 << 32;
}

/* Make the next part, with room for `need` bytes. It stays hidden until it has a packet. */
static int cairn_ctf_part_make(struct cairn_ctf_file *file, const struct cairn_packet *head,
			       uint64_t need, uint64_t limit)
{
	/* Readers open all parts at once: later ones are larger, up to 1 GiB, so that they stay few. */
	uint64_t room = file->file_size << (file->part < 4 ? file->part : 4);
	struct cairn_packet first;
	char name[80];
	int error;

	if (file->file < 0) {
		cairn_ctf_part_name(file, true, name);
		error = cairn_os_file_create(file->dir, name);
		if (error < 0)
			return error;
		file->file = error;
		file->hidden = true;
		file->at = 0;
		error = cairn_os_identify(file->file, &file->identity);
		if (error)
			return error;
	}
	if (room < need)
		room = need;
	if (room > limit)
		room = limit;
	if (room < need)
		return -EFBIG;
	error = cairn_os_file_resize(file->file, room);
	if (error)
		return error;
	file->room = room;
	if (head->events_discarded <= file->lost)
		return 0;
	first = *head;
	first.timestamp_end = first.timestamp_begin;
	return cairn_ctf_put_packet(file, &first, NULL, 0, true);
}

/* A part in which `need` bytes fit behind file->at. */
static int cairn_ctf_part_for(struct cairn_ctf_file *file, const struct cairn_packet *head,
			      uint64_t need)
{
	const uint64_t limit = cairn_os_file_limit();
	const uint64_t room = file->room < limit ? file->room : limit;

	if (file->file >= 0 && !file->hidden) {
		if (file->at + need <= room)
			return 0;
		cairn_ctf_part_leave(file);
	}
	return cairn_ctf_part_make(file, head, need, limit);
}

/* True if `head` and `bytes` make sense, and go on from what is written. */
static bool cairn_ctf_fits(const struct cairn_ctf_file *file, const struct cairn_packet *head,
			   size_t bytes)
{
	const struct cairn_packet *cover = &file->cover;
	const uint64_t size = head->packet_size / 8;

	if (head->packet_size % 8 || size > CAIRN_CTF_PACKET_MOST || size < CAIRN_PACKET_HEADER ||
	    bytes > size - CAIRN_PACKET_HEADER || head->timestamp_end < head->timestamp_begin ||
	    head->timestamp_end < cover->timestamp_end)
		return false;
	if (file->open)
		return head->timestamp_begin == cover->timestamp_begin &&
		       CAIRN_PACKET_HEADER + bytes >= file->open;
	return head->timestamp_begin >= cover->timestamp_end;
}

int cairn_ctf_file_packet(struct cairn_ctf_file *file, const struct cairn_packet *head,
			  const void *records, size_t bytes, bool closed)
{
	uint64_t need;
	int error = cairn_ctf_file_hold(file);

	if (error)
		return error;
	if (file->open && head->packet_seq_num != file->number) {
		error = cairn_ctf_put_end(file);
		if (error)
			return error;
	}
	if (!cairn_ctf_fits(file, head, bytes))
		return -EINVAL;
	if (file->open && !closed && CAIRN_PACKET_HEADER + bytes == file->open &&
	    head->timestamp_end == file->cover.timestamp_end)
		return 0;
	if (!file->open) {
		need = closed ? CAIRN_PACKET_HEADER + bytes : head->packet_size / 8;
		error = cairn_ctf_part_for(file, head, need + CAIRN_CTF_SLACK);
		if (error)
			return error;
	}
	error = cairn_ctf_put_packet(file, head, records, bytes, closed);
	if (!error)
		file->number = head->packet_seq_num;
	return error;
}

/* Close the open packet, or make an empty packet of the cover. The file is shown. */
static int cairn_ctf_put_seal(struct cairn_ctf_file *file)
{
	return file->open ? cairn_ctf_put_end(file) :
			    cairn_ctf_put_empty(file, file->cover.events_discarded, 0);
}

int cairn_ctf_file_seal(struct cairn_ctf_file *file)
{
	int error;

	if (file->file < 0 || file->hidden)
		return 0;
	error = cairn_ctf_file_hold(file);
	return error ? error : cairn_ctf_put_seal(file);
}

/*
 * Make the stream say `lost`, and make the cover a packet of its own: a reader that knows of the cover
 * from an earlier look finds a packet there after the file was cut.
 */
static int cairn_ctf_finish(struct cairn_ctf_file *file, uint64_t lost, uint64_t now)
{
	/* One that was taken up again and is full has no cover any more. */
	const bool shown = file->file >= 0 && !file->hidden && file->at < file->room;
	const bool more = lost > file->lost + file->cover.events_discarded;
	struct cairn_packet packet;
	int error = 0;

	if (shown && file->open) {
		error = cairn_ctf_put_end(file);
		return error || !more ? error : cairn_ctf_put_empty(file, lost, now);
	}
	if (shown)
		return cairn_ctf_put_empty(file, lost, more ? now : 0);
	if (!more)
		return 0;
	packet = file->cover;
	packet.events_discarded = lost;
	if (now > packet.timestamp_end)
		packet.timestamp_end = now;
	packet.timestamp_begin = packet.timestamp_end;
	error = cairn_ctf_part_for(file, &packet, CAIRN_PACKET_HEADER + CAIRN_CTF_SLACK);
	return error ? error : cairn_ctf_put_packet(file, &packet, NULL, 0, true);
}

int cairn_ctf_file_close(struct cairn_ctf_file *file, uint64_t lost, uint64_t now)
{
	int error = cairn_ctf_file_hold(file), failed = 0;

	if (error) {
		file->file = -1;
		return error;
	}
	error = cairn_ctf_finish(file, lost, now);
	if (file->file < 0)
		return error;
	/*
	 * Where a packet is still open it needs the rest of the file. And a reader that is looking for
	 * packets right now would miss what is cut off: then the system says EAGAIN, and all stays.
	 */
	if (!file->open)
		failed = cairn_os_file_resize(file->file, file->hidden ? 0 : file->at);
	if (failed == -EAGAIN)
		failed = 0;
	cairn_os_close(file->file);
	file->file = -1;
	return error ? error : failed;
}
