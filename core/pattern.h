/* SPDX-License-Identifier: MIT */
/* Glob patterns over event names: `*` any characters, `?` one, `,` separates alternatives. Pure. */
#ifndef CAIRN_PATTERN_H
#define CAIRN_PATTERN_H

#include <stdbool.h>

#define CAIRN_PATTERN_MAX 4095

/* 0, or -EINVAL: empty, has an empty alternative or a space, or is longer than CAIRN_PATTERN_MAX. */
int cairn_pattern_check(const char *pattern);
/* The first alternative that no name can match, having no `:` nor a wild card for it; NULL: none. */
const char *cairn_pattern_hopeless(const char *pattern);
bool cairn_pattern_match(const char *pattern, const char *name);

#endif
