/* SPDX-License-Identifier: MIT */
/*
 * Rings at rest: the file that a traced process left in memory (core/ring.h), also one of another CPU, with
 * another byte order and word size, as the drain (core/drain.h) reads rings.
 */
#ifndef CAIRN_RINGS_H
#define CAIRN_RINGS_H

#include "ring.h"

struct cairn_rings {
	int file;
	struct cairn_shared head; /* what the file says of itself, in this CPU's form */
	struct cairn_shared *shared;
	size_t size;
	bool swap;           /* of the other byte order: packets and records are left as they are */
	uint32_t word_bytes; /* of the program's words */
	bool native; /* `shared` is the file itself, so that what is drained is told to whoever comes next */
};

/*
 * Open the file and read its head; then, if it is wanted, map it: `shared`. Whose rings these are can be
 * asked of any number of files of any size.
 * 0; -EINVAL: it is no file of rings; -ENOMSG: it has no head (yet); -EPROTO: of another version of
 * Cairn; -ENODATA: it is cut off; or -errno. Nothing that the file says is believed: a drain needs `copy`. A file that is made shorter
 * meanwhile is a SIGBUS: see cairn_rings_guard.
 */
int cairn_rings_open(struct cairn_rings *rings, const char *path);
int cairn_rings_map(struct cairn_rings *rings);
void cairn_rings_close(struct cairn_rings *rings);

/*
 * From now on a file that is made shorter while it is mapped reads as zeros where it ends, in place of a
 * SIGBUS: the files of traced programs are theirs.
 */
void cairn_rings_guard(void);
/* A program's name, at most `most` bytes, as a file name. */
void cairn_rings_program(char *name, size_t size, const char *program, size_t most);

/* Are the traces that go to `output` in the folder `filter`, or is it in theirs? */
bool cairn_rings_belong(const char *output, const char *filter);
/*
 * Call `each` with the path of every file of rings that this user's programs, living and dead, have in
 * memory; and then `folder` (not NULL) with each folder that such files may be in.
 */
void cairn_rings_find(void (*each)(void *data, const char *path),
		      void (*folder)(void *data, const char *path), void *data);

#endif
