/* SPDX-License-Identifier: MIT */
/*
 * Walk the records of a packet: where each ends, when it was, how many there are. The consumer counts
 * and checks every record with it before it reaches a file, so that no ring, however broken, becomes a
 * trace that readers refuse. It costs the writer nothing. Allocates nothing.
 */
#ifndef CAIRN_WALK_H
#define CAIRN_WALK_H

#include "describe.h"

#define CAIRN_WALK_STEPS 33

/* How to step over one event's payload: fixed runs of bytes merged, then strings and sequences. */
struct cairn_shape_program {
	uint32_t fixed; /* bytes if the payload has a fixed size, and steps == 0 */
	uint32_t steps;
	struct {
		uint8_t op; /* CAIRN_STEP_BYTES n, CAIRN_STEP_STRING, CAIRN_STEP_SEQ of n bytes each,
			     * CAIRN_STEP_STRINGS: uint16_t count, then strings */
		uint32_t n;
	} step[CAIRN_WALK_STEPS];
};
enum { CAIRN_STEP_BYTES = 1, CAIRN_STEP_STRING, CAIRN_STEP_SEQ, CAIRN_STEP_STRINGS };

/* For a valid description. Enum types are looked up among `types` (n of them). A pointer has `word`
 * bytes. 0, or -EINVAL: an unknown type. */
int cairn_walk_compile(struct cairn_shape_program *program, const struct cairn_desc *event,
		       const struct cairn_desc *const *types, size_t n, uint32_t word);

struct cairn_walk {
	const struct cairn_shape_program *const *program; /* by event id; [0] is unused */
	uint32_t programs;                                /* ids are below this */
	uint32_t header;                                  /* 4: 5 + 27 bits; 6: 16 + 32 bits */
	uint64_t now;                                     /* time of the last record walked */
	uint64_t records;                                 /* walked so far */
	uint64_t latest; /* a long time stamp above it is wrong; 0: none is */
	bool swap;       /* the records are in the byte order that this CPU has not */
};

/*
 * Walk the records in [from, to); `walk->now` is the time before them: the packet's begin, or of the
 * record before `from`. Returns the end of the last whole and valid record: `to` if all are. Stops
 * before a record that is cut, that has an unknown id, or whose time goes back or beyond `latest`.
 */
const unsigned char *cairn_walk_records(struct cairn_walk *walk, const unsigned char *from,
					const unsigned char *to);

#endif
