/* SPDX-License-Identifier: MIT */
/* Turn patched sites on and off, a batch at a time. Under the control lock. */
#ifndef CAIRN_PATCH_H
#define CAIRN_PATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cairn_patch {
	uintptr_t code, target; /* addresses, without the ISA bit */
	const char *name;       /* of the event, for messages */
};

/* The executable segments of the process, as read before the lock was taken. */
struct cairn_text;
struct cairn_texts {
	struct cairn_text *text;
	size_t count;
};
/* 0, -ENOMEM. Not under the lock. */
int cairn_texts_read(struct cairn_texts *texts);
void cairn_texts_free(struct cairn_texts *texts);

/*
 * Make every site of the batch a jump (on) or a no-op. All or nothing: reach, what stands at each site
 * and the protection of every segment are settled before the first byte is written.
 * 0; -ERANGE, -EBUSY, -EACCES/-EPERM/-ENOMEM (the system refuses to make text writable), -ENOENT (a
 * site is in no executable segment); `why` says which site.
 */
int cairn_patch_batch(const struct cairn_patch *patch, size_t n, bool on,
		      const struct cairn_texts *texts, char *why, size_t size);

#endif
