/* SPDX-License-Identifier: MIT */
/*
 * Patch sites. Policy only: the instructions are arch/<name>/patch_arch.h, the protection of text is
 * core/os.h. Called by tracepoint.c under the control lock; threads run the sites meanwhile.
 *
 * One change of protection per executable segment and batch, not per page: a page that was once
 * writable keeps a mapping of its own for good, and a process may have only some 65,000. Text never
 * loses its execute permission, since threads are in it. What stands at a site is checked before
 * anything is written: a debugger's breakpoint, another tracer, or two events that the linker folded
 * into one address make the batch fail as a whole.
 */
#include "patch.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "os.h"
#include "patch_arch.h"
#include "site_arch.h"

int cairn_texts_read(struct cairn_texts *texts)
{
	size_t room = 0, count;

	memset(texts, 0, sizeof(*texts));
	/* A module may be loaded between the two counts: look again. */
	while ((count = cairn_os_text(texts->text, room)) > room) {
		cairn_os_free(texts->text);
		room = count + 8;
		texts->text = cairn_os_alloc(room * sizeof(*texts->text));
		if (!texts->text)
			return -ENOMEM;
	}
	texts->count = count;
	return 0;
}

void cairn_texts_free(struct cairn_texts *texts)
{
	cairn_os_free(texts->text);
	memset(texts, 0, sizeof(*texts));
}

#if CAIRN_ARCH_SITE_SIZE

static struct cairn_text *cairn_texts_find(const struct cairn_texts *texts, uintptr_t code)
{
	size_t i;

	for (i = 0; i < texts->count; i++)
		if (code >= texts->text[i].begin && code < texts->text[i].end)
			return &texts->text[i];
	return NULL;
}

/* 1: to be written; 0: as wanted already; negative: why not. */
static int cairn_patch_check(const struct cairn_patch *patch, bool on)
{
	unsigned char nop[CAIRN_ARCH_SITE_SIZE], jump[CAIRN_ARCH_SITE_SIZE];
	const unsigned char *at = (const unsigned char *)patch->code;

	if (cairn_arch_nop(nop, patch->code, patch->target) ||
	    cairn_arch_jump(jump, patch->code, patch->target))
		return -ERANGE;
	if (!memcmp(at, on ? jump : nop, CAIRN_ARCH_SITE_SIZE))
		return 0;
	return memcmp(at, on ? nop : jump, CAIRN_ARCH_SITE_SIZE) ? -EBUSY : 1;
}

static void cairn_patch_write(const struct cairn_patch *patch, bool on)
{
	unsigned char insn[CAIRN_ARCH_SITE_SIZE] = { 0 };

	if (on)
		cairn_arch_jump(insn, patch->code, patch->target);
	else
		cairn_arch_nop(insn, patch->code, patch->target);
	cairn_arch_poke((unsigned char *)patch->code, insn, CAIRN_ARCH_SITE_SIZE);
	cairn_arch_sync((unsigned char *)patch->code,
			(unsigned char *)patch->code + CAIRN_ARCH_SITE_SIZE);
}

static int cairn_patch_verify(const struct cairn_patch *patch, size_t n, bool on,
			      const struct cairn_texts *texts, bool *open, char *why, size_t size)
{
	const struct cairn_text *text = NULL;
	size_t i;

	for (i = 0; i < n; i++) {
		int status;

		if (!text || patch[i].code < text->begin || patch[i].code >= text->end)
			text = cairn_texts_find(texts, patch[i].code);
		status = text ? cairn_patch_check(&patch[i], on) : -ENOENT;
		if (status > 0)
			open[text - texts->text] = true;
		if (status >= 0)
			continue;
		snprintf(why, size, "%s at %p: %s", patch[i].name, (void *)patch[i].code,
			 status == -ERANGE ?
				 "its cold branch is out of the reach of a jump" :
			 status == -ENOENT ?
				 "it is in no loaded program text" :
				 "other bytes stand there than Cairn put (a breakpoint, "
				 "or another event: link without --icf)");
		return status;
	}
	return 0;
}

static int cairn_patch_open(const struct cairn_texts *texts, const bool *open, char *why,
			    size_t size)
{
	size_t i, k;
	int status;

	for (i = 0; i < texts->count; i++) {
		status = open[i] ? cairn_os_text_open(&texts->text[i]) : 0;
		if (!status)
			continue;
		for (k = 0; k < i; k++)
			if (open[k])
				cairn_os_text_close(&texts->text[k]);
		snprintf(why, size,
			 "the system does not let program text at %p be written (%s): build with "
			 "CAIRN_SITES=branch",
			 (void *)texts->text[i].begin, strerror(-status));
		return status;
	}
	return 0;
}

int cairn_patch_batch(const struct cairn_patch *patch, size_t n, bool on,
		      const struct cairn_texts *texts, char *why, size_t size)
{
	bool *open;
	size_t i;
	int status;

	if (n == 0)
		return 0;
	open = cairn_os_alloc(texts->count + 1);
	if (!open)
		return -ENOMEM;
	status = cairn_patch_verify(patch, n, on, texts, open, why, size);
	if (!status)
		status = cairn_patch_open(texts, open, why, size);
	if (!status) {
		for (i = 0; i < n; i++)
			if (cairn_patch_check(&patch[i], on) > 0)
				cairn_patch_write(&patch[i], on);
		for (i = 0; i < texts->count; i++)
			if (open[i])
				cairn_os_text_close(&texts->text[i]);
		/* Where the system has no such barrier, coherent caches or the port's sync suffice. */
		cairn_os_barrier_code();
	}
	cairn_os_free(open);
	return status;
}

#else

int cairn_patch_batch(const struct cairn_patch *patch, size_t n, bool on,
		      const struct cairn_texts *texts, char *why, size_t size)
{
	(void)on;
	(void)texts;
	if (n == 0)
		return 0;
	snprintf(why, size, "%s at %p: patched by another port than the library's", patch->name,
		 (void *)patch->code);
	return -EBUSY;
}

#endif
