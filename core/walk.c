/* SPDX-License-Identifier: MIT */
/*
 * Step from record to record. Called by the consumer for every record, so the case that fills most
 * packets is a loop of its own: events of one class after another, all of one size. There the address
 * of the next record waits for no load.
 *
 * Time is rebuilt as babeltrace2 does: a short time stamp of n bits moves the clock forward by less
 * than 2^n, a long one sets it.
 *
 * Invariant: nothing at or beyond `to` is read, whatever the bytes say.
 */
#include "walk.h"

#include <errno.h>
#include <string.h>

#define CAIRN_WALK_NO_TAG UINT32_MAX
#define CAIRN_WALK_LITTLE (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
#define CAIRN_WALK_INLINE static inline __attribute__((always_inline))

/* Add `count` elements of `size` bytes to a run. Saturates: what is that long is in no packet. */
static void cairn_walk_bytes(uint32_t *run, uint64_t size, uint64_t count)
{
	const uint64_t sum = *run + size * count;

	*run = sum < UINT32_MAX ? (uint32_t)sum : UINT32_MAX;
}

static void cairn_walk_step(struct cairn_shape_program *program, uint8_t op, uint32_t n)
{
	program->step[program->steps].op = op;
	program->step[program->steps].n = n;
	program->steps++;
}

int cairn_walk_compile(struct cairn_shape_program *program, const struct cairn_desc *event,
		       const struct cairn_desc *const *types, size_t n, uint32_t word)
{
	const struct cairn_desc *type;
	struct cairn_field field;
	const char *text = NULL;
	uint32_t run = 0, i;

	program->steps = 0;
	program->fixed = 0;
	for (i = 0; cairn_desc_field(event, i, &text, &field); i++) {
		if (!strcmp(field.base, "enum")) {
			type = cairn_desc_find(types, n, &field);
			if (!type)
				return -EINVAL;
			field.element = cairn_base_size(cairn_desc_store(type));
		}
		if (!strcmp(field.base, "ptr"))
			field.element = word;
		if (field.shape == CAIRN_SHAPE_SCALAR) {
			cairn_walk_bytes(&run, field.element, 1);
			continue;
		}
		if (field.shape == CAIRN_SHAPE_ARRAY || field.shape == CAIRN_SHAPE_TEXT) {
			cairn_walk_bytes(&run, field.element, field.count);
			continue;
		}
		if (run)
			cairn_walk_step(program, CAIRN_STEP_BYTES, run);
		run = 0;
		if (field.shape == CAIRN_SHAPE_STRING)
			cairn_walk_step(program, CAIRN_STEP_STRING, 0);
		else if (field.element == 0)
			cairn_walk_step(program, CAIRN_STEP_STRINGS, 0);
		else
			cairn_walk_step(program, CAIRN_STEP_SEQ, field.element);
	}
	if (program->steps == 0)
		program->fixed = run;
	else if (run)
		cairn_walk_step(program, CAIRN_STEP_BYTES, run);
	return 0;
}

/* What the records of a packet look like. Constants in each copy of the code that walks them. */
struct cairn_walk_form {
	bool compact; /* the short header: 5 bits of id, then 27 of time, filled from the CPU's first bit;
		       * else 16 bits of id, then 32 of time */
	bool swap;
};

CAIRN_WALK_INLINE uint16_t cairn_walk_16(const unsigned char *at, bool swap)
{
	uint16_t value;

	memcpy(&value, at, sizeof(value));
	return swap ? __builtin_bswap16(value) : value;
}

CAIRN_WALK_INLINE uint32_t cairn_walk_32(const unsigned char *at, bool swap)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return swap ? __builtin_bswap32(value) : value;
}

CAIRN_WALK_INLINE uint64_t cairn_walk_64(const unsigned char *at, bool swap)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return swap ? __builtin_bswap64(value) : value;
}

CAIRN_WALK_INLINE uint32_t cairn_walk_tag(const unsigned char *at, struct cairn_walk_form form)
{
	uint32_t word;

	if (!form.compact)
		return cairn_walk_16(at, form.swap);
	word = cairn_walk_32(at, form.swap);
	return CAIRN_WALK_LITTLE != form.swap ? word & 31 : word >> 27;
}

CAIRN_WALK_INLINE uint64_t cairn_walk_time(const unsigned char *at, struct cairn_walk_form form,
					   uint64_t now)
{
	const uint64_t mask = form.compact ? (1u << 27) - 1 : UINT32_MAX;
	uint32_t word = cairn_walk_32(at + (form.compact ? 0 : sizeof(uint16_t)), form.swap);

	if (form.compact && CAIRN_WALK_LITTLE != form.swap)
		word >>= 5;
	return now + ((word - now) & mask);
}

/* How to step over an event of this id; NULL: there is no such event. */
CAIRN_WALK_INLINE const struct cairn_shape_program *cairn_walk_find(const struct cairn_walk *walk,
								    uint32_t id)
{
	return id > 0 && id < walk->programs ? walk->program[id] : NULL;
}

/* Behind `n` strings from `at`; NULL: the last one is cut. */
static const unsigned char *cairn_walk_strings(const unsigned char *at, const unsigned char *to,
					       uint32_t n)
{
	for (; n > 0; n--) {
		at = at < to ? memchr(at, 0, (size_t)(to - at)) : NULL;
		if (!at)
			return NULL;
		at++;
	}
	return at;
}

/* Behind the payload at `at`; NULL: it is cut. */
static const unsigned char *cairn_walk_payload(const struct cairn_shape_program *program,
					       const unsigned char *at, const unsigned char *to,
					       bool swap)
{
	uint32_t i, skip;
	uint16_t count;

	if (program->steps == 0)
		return (size_t)(to - at) >= program->fixed ? at + program->fixed : NULL;
	for (i = 0; at && i < program->steps; i++) {
		const uint32_t op = program->step[i].op, n = program->step[i].n;

		if (op == CAIRN_STEP_STRING) {
			at = cairn_walk_strings(at, to, 1);
			continue;
		}
		skip = n;
		if (op != CAIRN_STEP_BYTES) {
			if ((size_t)(to - at) < sizeof(count))
				return NULL;
			count = cairn_walk_16(at, swap);
			at += sizeof(count);
			skip = n * count;
		}
		if (op == CAIRN_STEP_STRINGS)
			at = cairn_walk_strings(at, to, count);
		else
			at = (size_t)(to - at) >= skip ? at + skip : NULL;
	}
	return at;
}

/* Behind the record whose long header has its id and time at `at`; NULL: cut, unknown, or too old. */
static const unsigned char *cairn_walk_long(struct cairn_walk *walk, const unsigned char *at,
					    const unsigned char *to)
{
	const struct cairn_shape_program *program;
	const unsigned char *end;
	uint32_t id;
	uint64_t time;

	if (at > to || (size_t)(to - at) < sizeof(id) + sizeof(time))
		return NULL;
	id = cairn_walk_32(at, walk->swap);
	time = cairn_walk_64(at + sizeof(id), walk->swap);
	program = cairn_walk_find(walk, id);
	if (!program || time < walk->now || (walk->latest && time > walk->latest))
		return NULL;
	end = cairn_walk_payload(program, at + sizeof(id) + sizeof(time), to, walk->swap);
	if (end)
		walk->now = time;
	return end;
}

/* Records of fixed size that are likely to come next: the two kinds that were met last. */
struct cairn_walk_kind {
	uint32_t tag;
	size_t size; /* of the record */
};

/*
 * Walk records of two kinds. Their sizes are in registers and which kind comes is left to the CPU's
 * branch prediction: the address of the next record waits for no load. The barriers keep the compiler
 * from turning the branches into a selection, which would wait.
 */
CAIRN_WALK_INLINE const unsigned char *
cairn_walk_run(struct cairn_walk *walk, const unsigned char *at, const unsigned char *to,
	       struct cairn_walk_form form, const struct cairn_walk_kind kind[2])
{
	const uint32_t tag0 = kind[0].tag, tag1 = kind[1].tag;
	const size_t size0 = kind[0].size, size1 = kind[1].size;
	const size_t most = size0 > size1 ? size0 : size1;
	uint64_t now = walk->now, records = walk->records;

	while ((size_t)(to - at) >= most) {
		const uint32_t tag = cairn_walk_tag(at, form);
		const uint64_t time = cairn_walk_time(at, form, now);

		if (tag == tag0) {
			CAIRN__BARRIER();
			at += size0;
		} else if (tag == tag1) {
			CAIRN__BARRIER();
			at += size1;
		} else {
			break;
		}
		now = time;
		records++;
	}
	walk->now = now;
	walk->records = records;
	return at;
}

CAIRN_WALK_INLINE const unsigned char *cairn_walk_all(struct cairn_walk *walk,
						      const unsigned char *from,
						      const unsigned char *to,
						      struct cairn_walk_form form)
{
	const uint32_t escape = form.compact ? 31 : UINT16_MAX;
	const size_t header = form.compact ? 4 : 6;
	struct cairn_walk_kind kind[2] = { { CAIRN_WALK_NO_TAG, 0 }, { CAIRN_WALK_NO_TAG, 0 } };

	while ((size_t)(to - from) >= header) {
		const uint32_t tag = cairn_walk_tag(from, form);
		const struct cairn_shape_program *program;
		const unsigned char *end;

		if (tag == escape) {
			end = cairn_walk_long(walk, from + (form.compact ? 1 : 2), to);
			if (!end)
				break;
			from = end;
			walk->records++;
			continue;
		}
		program = cairn_walk_find(walk, tag);
		end = program ? cairn_walk_payload(program, from + header, to, form.swap) : NULL;
		if (!end)
			break;
		walk->now = cairn_walk_time(from, form, walk->now);
		walk->records++;
		if (program->steps == 0) {
			if (tag != kind[0].tag) {
				kind[1] = kind[0];
				kind[0].tag = tag;
				kind[0].size = (size_t)(end - from);
			}
			end = cairn_walk_run(walk, end, to, form, kind);
		}
		from = end;
	}
	return from;
}

const unsigned char *cairn_walk_records(struct cairn_walk *walk, const unsigned char *from,
					const unsigned char *to)
{
	if (from >= to)
		return from;
	if (walk->swap && walk->header == 4)
		return cairn_walk_all(walk, from, to, (struct cairn_walk_form){ true, true });
	if (walk->swap)
		return cairn_walk_all(walk, from, to, (struct cairn_walk_form){ false, true });
	if (walk->header == 4)
		return cairn_walk_all(walk, from, to, (struct cairn_walk_form){ true, false });
	return cairn_walk_all(walk, from, to, (struct cairn_walk_form){ false, false });
}
