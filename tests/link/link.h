/* SPDX-License-Identifier: MIT */
/* The events of the link tests (tests/link.sh). C: a.c, b.c, run.c, main.c; C++: one.cc, two.cc. */
#ifndef LINK_H
#define LINK_H

#include <cairn/event.h>

CAIRN_ENUM_TYPE(link_kind, u8, CAIRN_VALUE(GOOD, 0), CAIRN_RANGE(BAD, 1, 9));
CAIRN_EVENT(link, one, CAIRN_I32(n));
CAIRN_EVENT(link, two, CAIRN_STR(name), CAIRN_ENUM(kind, link_kind), CAIRN_LOGLEVEL(INFO));
CAIRN_EVENT(link, dead, CAIRN_SEQ(ENUM(link_kind), kinds, n));
CAIRN_EVENT(link, copied, CAIRN_I32(n));
/* Has no site but in a function that no file uses, so it must not be in the program. */
CAIRN_EVENT(link, dropped, CAIRN_I32(n));

/* A function whose sites are counted: no copies. */
#ifdef __clang__
#define LINK_COUNTED __attribute__((noinline))
#else
#define LINK_COUNTED __attribute__((noinline, noclone))
#endif

CAIRN__BEGIN_C

int link_a(int n);
int link_b(int n);
int link_run(void);    /* 0: all hits of the C files were recorded */
int link_run_cc(void); /* the same for C++ */

static inline __attribute__((__unused__)) void link_dropped(int n)
{
	cairn_trace(link, dropped, n);
}

/* Compilers put it into its callers and unroll the loop, so one site becomes many; or they do not. The
 * second site is in code that they drop. In any case three records. */
static inline void link_copied(int n)
{
	int i;

	for (i = 0; i < 3; i++)
		cairn_trace(link, copied, n + i);
	if (sizeof(n) == 1)
		cairn_trace(link, copied, n);
}

CAIRN__END_C

#endif
