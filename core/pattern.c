/* SPDX-License-Identifier: MIT */
/* Glob patterns over event names. Called from control functions only; pure. */
#include "pattern.h"

#include <errno.h>
#include <string.h>

int cairn_pattern_check(const char *pattern)
{
	size_t size = strlen(pattern);

	if (size == 0 || size > CAIRN_PATTERN_MAX)
		return -EINVAL;
	if (strcspn(pattern, " \t\n") < size) /* no name has one: it is a mistake */
		return -EINVAL;
	if (pattern[0] == ',' || pattern[size - 1] == ',' || strstr(pattern, ",,"))
		return -EINVAL;
	return 0;
}

const char *cairn_pattern_hopeless(const char *pattern)
{
	size_t length;

	for (;; pattern += length + 1) {
		length = strcspn(pattern, ",");
		if (strcspn(pattern, ":*?") >= length)
			return pattern;
		if (!pattern[length])
			return NULL;
	}
}

/* One alternative, [pattern, end). Linear in name times stars: on a mismatch the last star takes more. */
static bool cairn_pattern_one(const char *pattern, const char *end, const char *name)
{
	const char *star = NULL, *resume = NULL;

	while (*name) {
		if (pattern < end && *pattern == '*') {
			star = ++pattern;
			resume = name;
		} else if (pattern < end && (*pattern == '?' || *pattern == *name)) {
			pattern++;
			name++;
		} else if (star) {
			pattern = star;
			name = ++resume;
		} else {
			return false;
		}
	}
	while (pattern < end && *pattern == '*')
		pattern++;
	return pattern == end;
}

bool cairn_pattern_match(const char *pattern, const char *name)
{
	for (;;) {
		const char *end = strchr(pattern, ',');

		if (!end)
			return cairn_pattern_one(pattern, pattern + strlen(pattern), name);
		if (cairn_pattern_one(pattern, end, name))
			return true;
		pattern = end + 1;
	}
}
