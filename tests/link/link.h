/* SPDX-License-Identifier: MIT */
/* The events of the link tests (tests/link.sh). C: a.c, b.c, run.c, main.c; C++: one.cc, two.cc. */
#ifndef LINK_H
#define LINK_H

#include <cairn/event.h>

CAIRN_ENUM_TYPE(link_kind, u8, CAIRN_VALUE(GOOD, 0), CAIRN_RANGE(BAD, 1, 9));
CAIRN_EVENT(link, one, CAIRN_I32(n));
CAIRN_EVENT(link, two, CAIRN_STR(name), CAIRN_ENUM(kind, link_kind), CAIRN_LOGLEVEL(INFO));
CAIRN_EVENT(link, dead, CAIRN_SEQ(ENUM(link_kind), kinds, n));
CAIRN_EVENT(link, declared_only, CAIRN_I32(n)); /* has no site, so it must not be in the program */

/* A function whose sites are counted: no copies. */
#ifdef __clang__
#define LINK_COUNTED __attribute__((noinline))
#else
#define LINK_COUNTED __attribute__((noinline, noclone))
#endif

CAIRN__BEGIN_C
int link_a(int n);
int link_b(int n);
int link_run(void); /* 0: all hits were recorded */
CAIRN__END_C

#endif
