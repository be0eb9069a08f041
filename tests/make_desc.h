/* SPDX-License-Identifier: MIT */
/*
 * Descriptions made at run time, for tests: what CAIRN_EVENT and CAIRN_ENUM_TYPE compile, from tables.
 */
#ifndef CAIRN_TEST_MAKE_DESC_H
#define CAIRN_TEST_MAKE_DESC_H

#include <cairn/fields.h>

#include <stdlib.h>
#include <string.h>

struct make_field {
	const char *type; /* "u8", "u8[n]", "u8[]", "str", "text", "enum NAME", ... */
	const char *name;
	uint32_t count; /* of arrays and text */
};

struct make_label {
	const char *name;
	uint64_t first, last;
};

static void make_text(struct cairn_desc *desc, const char *text)
{
	const size_t bytes = strlen(text) + 1;

	memcpy((char *)desc + desc->size, text, bytes);
	desc->size += (uint32_t)bytes;
}

/* Room for a description with texts of `bytes` bytes. */
static struct cairn_desc *make_begin(uint16_t kind, uint16_t fields, size_t numbers, size_t bytes)
{
	struct cairn_desc *desc = calloc(1, sizeof(*desc) + numbers + bytes + 16);

	if (!desc)
		abort();
	desc->kind = kind;
	desc->fields = fields;
	desc->abi = CAIRN_ABI;
	desc->text = (uint32_t)(sizeof(*desc) + numbers);
	desc->size = desc->text;
	return desc;
}

/* The caller frees it. */
static __attribute__((unused)) struct cairn_desc *make_event(const char *provider, const char *name,
							     uint16_t level,
							     const struct make_field *field,
							     uint16_t fields)
{
	size_t bytes = strlen(provider) + strlen(name) + 2;
	struct cairn_desc *desc;
	uint32_t *count;
	uint16_t i;

	for (i = 0; i < fields; i++)
		bytes += strlen(field[i].type) + strlen(field[i].name) + 2;
	desc = make_begin(CAIRN_DESC_EVENT, fields, sizeof(uint32_t) * (fields + 1u), bytes);
	desc->level = level;
	count = (uint32_t *)(desc + 1);
	make_text(desc, provider);
	make_text(desc, name);
	for (i = 0; i < fields; i++) {
		count[i] = field[i].count;
		make_text(desc, field[i].type);
		make_text(desc, field[i].name);
	}
	desc->size = (desc->size + 7) & ~7u;
	return desc;
}

static __attribute__((unused)) struct cairn_desc *
make_enum(const char *name, const char *store, const struct make_label *label, uint16_t labels)
{
	size_t bytes = strlen(name) + strlen(store) + 2;
	struct cairn_desc *desc;
	uint64_t *range;
	uint16_t i;

	for (i = 0; i < labels; i++)
		bytes += strlen(label[i].name) + 1;
	desc = make_begin(CAIRN_DESC_ENUM, labels, sizeof(uint64_t) * (2u * labels + 1u), bytes);
	range = (uint64_t *)(desc + 1);
	make_text(desc, name);
	make_text(desc, store);
	for (i = 0; i < labels; i++) {
		range[2 * i] = label[i].first;
		range[2 * i + 1] = label[i].last;
		make_text(desc, label[i].name);
	}
	desc->size = (desc->size + 7) & ~7u;
	return desc;
}

#endif
