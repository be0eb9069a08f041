/* SPDX-License-Identifier: MIT */
/*
 * Read descriptions (struct cairn_desc, include/cairn/fields.h): walk a section of them, walk the
 * fields of one. Used by the registry, by the CTF metadata, by the record walker and by `cairn list`.
 * Every value is checked against the bounds it is given: a description may come from a file.
 */
#ifndef CAIRN_DESCRIBE_H
#define CAIRN_DESCRIBE_H

#include <cairn/fields.h>

/* How a field's bytes are to be understood. */
enum cairn_shape {
	CAIRN_SHAPE_SCALAR,
	CAIRN_SHAPE_ARRAY,    /* `count` elements */
	CAIRN_SHAPE_SEQUENCE, /* uint16_t number, then elements */
	CAIRN_SHAPE_STRING,   /* bytes up to a NUL */
	CAIRN_SHAPE_TEXT      /* `count` bytes of text */
};

struct cairn_field {
	const char *name;
	const char *type;     /* as described: "u8", "u8[n]", "enum shop_state[]", "str" */
	uint32_t type_length; /* of the element type alone, without "[n]" or "[]" */
	char base[16];        /* "u8" .. "double", "str", "text"; of an enum, "enum" */
	enum cairn_shape shape;
	uint32_t count;   /* of arrays and text */
	uint32_t element; /* bytes of one element; 0: a string, or an enum (see its type) */
};

/*
 * Next valid description at or after *at, below end; moves *at behind it. Zeros between descriptions
 * are skipped, and so is one that is whole but not valid (of another CAIRN_ABI). NULL: no more, or a
 * size that cannot be, where the walk ends. The section must be in memory at a multiple of 8.
 */
const struct cairn_desc *cairn_desc_next(const unsigned char **at, const unsigned char *end);
/*
 * True if the description is of this CAIRN_ABI, all its offsets, counts and texts lie inside it, its
 * names are identifiers and its types are known. `desc->size` bytes of it must be readable.
 */
bool cairn_desc_valid(const struct cairn_desc *desc);

/* Names; for a valid description. */
const char *cairn_desc_provider(const struct cairn_desc *event);
const char *cairn_desc_event(const struct cairn_desc *event);
const char *cairn_desc_enum(const struct cairn_desc *type);
/* Storage type of an enum: "u8" .. "i64". */
const char *cairn_desc_store(const struct cairn_desc *type);

/* Walk: start with *text NULL. False after the last field (label). */
bool cairn_desc_field(const struct cairn_desc *event, uint32_t index, const char **text,
		      struct cairn_field *field);
bool cairn_desc_label(const struct cairn_desc *type, uint32_t index, const char **text,
		      const char **label, uint64_t *first, uint64_t *last);
/* The enum type of a field (base "enum") among `n` of them; NULL: none has that name. */
const struct cairn_desc *cairn_desc_find(const struct cairn_desc *const *types, size_t n,
					 const struct cairn_field *field);

/* Bytes of one element of base type `base` ("ptr" is sizeof(void *)); 0: it has no fixed size. */
uint32_t cairn_base_size(const char *base);

#endif
