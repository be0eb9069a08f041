/* SPDX-License-Identifier: MIT */
/*
 * Reading of descriptions. cairn_desc_valid checks one once, against its own size; the functions that
 * walk a valid one then trust what it says. Pure: no memory, no lock, any thread.
 */
#include "describe.h"

#include <string.h>

#define CAIRN_DESC_ALIGN 8u
#define CAIRN_FIELDS_MAX 32u

static const struct {
	const char *name;
	uint32_t size;
} cairn_bases[] = {
	{ "u8", 1 },   { "u16", 2 },  { "u32", 4 },   { "u64", 8 },    { "i8", 1 },
	{ "i16", 2 },  { "i32", 4 },  { "i64", 8 },   { "x8", 1 },     { "x16", 2 },
	{ "x32", 4 },  { "x64", 8 },  { "net16", 2 }, { "net32", 4 },  { "net64", 8 },
	{ "bool", 1 }, { "char", 1 }, { "float", 4 }, { "double", 8 }, { "ptr", sizeof(void *) },
};

uint32_t cairn_base_size(const char *base)
{
	size_t i;

	for (i = 0; i < sizeof(cairn_bases) / sizeof(cairn_bases[0]); i++)
		if (!strcmp(cairn_bases[i].name, base))
			return cairn_bases[i].size;
	return 0;
}

/* Types that an enum may be stored in. */
static bool cairn_desc_storable(const char *base)
{
	return (base[0] == 'u' || base[0] == 'i') && cairn_base_size(base) != 0;
}

/* An identifier of C, with the letters beyond ASCII and the `$` that compilers let pass. */
static bool cairn_desc_identifier(const char *name, size_t length)
{
	size_t i;

	for (i = 0; i < length; i++) {
		const unsigned char c = (unsigned char)name[i];
		const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
				    c == '$' || c >= 0x80;

		if (!letter && (i == 0 || c < '0' || c > '9'))
			return false;
	}
	return length > 0;
}

static bool cairn_desc_ends(const char *text, size_t length, const char *suffix)
{
	const size_t n = strlen(suffix);

	return length >= n && !memcmp(text + length - n, suffix, n);
}

/* Shape, base and element size from the text of a type. False: no such type. */
static bool cairn_desc_type(const char *type, struct cairn_field *field)
{
	size_t length = strlen(type);
	bool array = false, sequence = false;

	if (cairn_desc_ends(type, length, "[n]")) {
		array = true;
		length -= 3;
	} else if (cairn_desc_ends(type, length, "[]")) {
		sequence = true;
		length -= 2;
	}
	field->type = type;
	field->type_length = (uint32_t)length;
	field->shape = array    ? CAIRN_SHAPE_ARRAY :
		       sequence ? CAIRN_SHAPE_SEQUENCE :
				  CAIRN_SHAPE_SCALAR;
	field->element = 0;
	if (length > 5 && !memcmp(type, "enum ", 5)) {
		memcpy(field->base, "enum", sizeof("enum"));
		return cairn_desc_identifier(type + 5, length - 5);
	}
	if (length >= sizeof(field->base))
		return false;
	memcpy(field->base, type, length);
	field->base[length] = 0;
	if (!strcmp(field->base, "str")) {
		if (!sequence)
			field->shape = CAIRN_SHAPE_STRING;
		return !array;
	}
	if (!strcmp(field->base, "text")) {
		field->shape = CAIRN_SHAPE_TEXT;
		field->element = 1;
		return !array && !sequence;
	}
	field->element = cairn_base_size(field->base);
	return field->element != 0;
}

/* The text at *at, which ends before `end`, and *at behind it; NULL: it does not end there. */
static const char *cairn_desc_text(const char **at, const char *end)
{
	const char *text = *at;
	const char *nul = memchr(text, 0, (size_t)(end - text));

	if (!nul)
		return NULL;
	*at = nul + 1;
	return text;
}

static bool cairn_desc_name(const char **at, const char *end)
{
	const char *name = cairn_desc_text(at, end);

	return name && cairn_desc_identifier(name, strlen(name));
}

static bool cairn_desc_event_valid(const struct cairn_desc *desc, const char *at, const char *end)
{
	struct cairn_field field;
	const char *type;
	uint32_t i;

	if (desc->fields > CAIRN_FIELDS_MAX || desc->level > CAIRN__LEVEL_DEBUG + 1 ||
	    desc->text < sizeof(*desc) + sizeof(uint32_t) * (desc->fields + 1u))
		return false;
	if (!cairn_desc_name(&at, end) || !cairn_desc_name(&at, end))
		return false;
	for (i = 0; i < desc->fields; i++) {
		type = cairn_desc_text(&at, end);
		if (!type || !cairn_desc_type(type, &field) || !cairn_desc_name(&at, end))
			return false;
	}
	return true;
}

static bool cairn_desc_enum_valid(const struct cairn_desc *desc, const char *at, const char *end)
{
	const char *store;
	uint32_t i;

	if (desc->text < sizeof(*desc) + 2 * sizeof(uint64_t) * desc->fields)
		return false;
	if (!cairn_desc_name(&at, end))
		return false;
	store = cairn_desc_text(&at, end);
	if (!store || !cairn_desc_storable(store))
		return false;
	for (i = 0; i < desc->fields; i++)
		if (!cairn_desc_name(&at, end))
			return false;
	return true;
}

bool cairn_desc_valid(const struct cairn_desc *desc)
{
	const char *end = (const char *)desc + desc->size;

	if (desc->size < sizeof(*desc) || desc->abi != CAIRN_ABI || desc->text > desc->size)
		return false;
	if (desc->kind == CAIRN_DESC_EVENT)
		return cairn_desc_event_valid(desc, (const char *)desc + desc->text, end);
	if (desc->kind == CAIRN_DESC_ENUM)
		return cairn_desc_enum_valid(desc, (const char *)desc + desc->text, end);
	return false;
}

const struct cairn_desc *cairn_desc_next(const unsigned char **at, const unsigned char *end)
{
	while (*at < end) {
		const size_t gap = -(uintptr_t)*at & (CAIRN_DESC_ALIGN - 1);
		const struct cairn_desc *desc;

		if ((size_t)(end - *at) < gap + sizeof(*desc))
			return NULL;
		*at += gap;
		desc = (const struct cairn_desc *)*at;
		if (desc->size == 0) {
			*at += CAIRN_DESC_ALIGN;
			continue;
		}
		if (desc->size < sizeof(*desc) || desc->size > (size_t)(end - *at))
			return NULL;
		*at += desc->size;
		if (cairn_desc_valid(desc))
			return desc;
	}
	return NULL;
}

static const char *cairn_desc_behind(const char *text)
{
	return text + strlen(text) + 1;
}

const char *cairn_desc_provider(const struct cairn_desc *event)
{
	return (const char *)event + event->text;
}

const char *cairn_desc_event(const struct cairn_desc *event)
{
	return cairn_desc_behind(cairn_desc_provider(event));
}

const char *cairn_desc_enum(const struct cairn_desc *type)
{
	return (const char *)type + type->text;
}

const char *cairn_desc_store(const struct cairn_desc *type)
{
	return cairn_desc_behind(cairn_desc_enum(type));
}

bool cairn_desc_field(const struct cairn_desc *event, uint32_t index, const char **text,
		      struct cairn_field *field)
{
	const uint32_t *count = (const uint32_t *)(event + 1);

	if (index >= event->fields)
		return false;
	if (!*text)
		*text = cairn_desc_behind(cairn_desc_event(event));
	if (!cairn_desc_type(*text, field))
		return false;
	field->name = cairn_desc_behind(*text);
	field->count = count[index];
	*text = cairn_desc_behind(field->name);
	return true;
}

bool cairn_desc_label(const struct cairn_desc *type, uint32_t index, const char **text,
		      const char **label, uint64_t *first, uint64_t *last)
{
	const unsigned char *range = (const unsigned char *)(type + 1);

	if (index >= type->fields)
		return false;
	if (!*text)
		*text = cairn_desc_behind(cairn_desc_store(type));
	*label = *text;
	*text = cairn_desc_behind(*text);
	/* Copied: a description in a 32-bit program is not always at a multiple of 8. */
	memcpy(first, range + 2 * sizeof(*first) * index, sizeof(*first));
	memcpy(last, range + 2 * sizeof(*first) * index + sizeof(*first), sizeof(*last));
	return true;
}

const struct cairn_desc *cairn_desc_find(const struct cairn_desc *const *types, size_t n,
					 const struct cairn_field *field)
{
	const char *name = field->type + 5; /* behind "enum " */
	const size_t length = field->type_length - 5;
	size_t i;

	for (i = 0; i < n; i++) {
		const char *other = cairn_desc_enum(types[i]);

		if (!strncmp(other, name, length) && other[length] == 0)
			return types[i];
	}
	return NULL;
}
