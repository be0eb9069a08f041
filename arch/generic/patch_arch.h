/* SPDX-License-Identifier: MIT */
/* Any CPU: sites are branches on a word (site_arch.h), so there is nothing to encode or to write. */
#ifndef CAIRN_PATCH_ARCH_H
#define CAIRN_PATCH_ARCH_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

/* The disabled site at `from` whose cold branch is at `to`: -ERANGE, no jump reaches anywhere. */
static inline int cairn_arch_nop(unsigned char *insn, uintptr_t from, uintptr_t to)
{
	(void)insn;
	(void)from;
	(void)to;
	return -ERANGE;
}

/* The jump from `from` to `to`: -ERANGE, no jump reaches anywhere. */
static inline int cairn_arch_jump(unsigned char *insn, uintptr_t from, uintptr_t to)
{
	(void)insn;
	(void)from;
	(void)to;
	return -ERANGE;
}

/* Write one instruction over the other while threads may run it. Never called. */
static inline void cairn_arch_poke(unsigned char *at, const unsigned char *insn, size_t size)
{
	(void)at;
	(void)insn;
	(void)size;
}

/* Make what was written in [begin, end) visible to instruction fetch. Never called. */
static inline void cairn_arch_sync(unsigned char *begin, unsigned char *end)
{
	(void)begin;
	(void)end;
}

#endif
