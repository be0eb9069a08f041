/* SPDX-License-Identifier: MIT */
/* core/pattern.c: what matches, what is refused, and that no pattern takes long. */
#define _GNU_SOURCE
#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "os.h"
#include "pattern.h"

static const struct {
	const char *pattern, *name;
	bool match;
} cases[] = {
	{ "shop:checkout", "shop:checkout", true },
	{ "shop:checkout", "shop:checkou", false },
	{ "shop:checkou", "shop:checkout", false },
	{ "shop:checkout", "Shop:checkout", false },
	{ "*", "shop:checkout", true },
	{ "*", "", true },
	{ "?", "", false },
	{ "**", "a:b", true },
	{ "*:*", "a:b", true },
	{ "*:*", "ab", false },
	{ "shop:*", "shop:", true },
	{ "shop:*", "shop:x", true },
	{ "shop:*", "shopping:x", false },
	{ "*:x", "shop:x", true },
	{ "*:x", "shop:xx", false },
	{ "s*p:*t", "shop:checkout", true },
	{ "s*p:*t", "shop:checkouts", false },
	{ "????:checkout", "shop:checkout", true },
	{ "???:checkout", "shop:checkout", false },
	{ "sh?p:check?ut", "shop:checkout", true },
	{ "*ab", "aab", true },
	{ "*ab*", "xxabyy", true },
	{ "*aab", "aaab", true },
	{ "a*b*c", "abbbcbc", true },
	{ "a*b*c", "abbbcb", false },
	{ "?*", "", false },
	{ "?*", "x", true },
	{ "*?", "x", true },
	{ "a,b", "a", true },
	{ "a,b", "b", true },
	{ "a,b", "a,b", false },
	{ "a,b", "c", false },
	{ "net:tcp_*,shop:*", "shop:x", true },
	{ "net:tcp_*,shop:*", "net:udp_x", false },
	{ "*a,b*", "ca", true },
	{ "*a,b*", "bc", true },
	{ "*a,b*", "c", false },
	{ "[a]", "a", false }, /* a bracket is a character */
	{ "a\\*", "a*", false },
};

START_TEST(matches)
{
	const char *pattern = cases[_i].pattern, *name = cases[_i].name;

	ck_assert_int_eq(cairn_pattern_check(pattern), 0);
	ck_assert_msg(cairn_pattern_match(pattern, name) == cases[_i].match, "%s %s %s", pattern,
		      cases[_i].match ? "should match" : "should not match", name);
}
END_TEST

START_TEST(refused)
{
	static const char *const wrong[] = { "",   ",",  "a,", ",a",       "a,,b", ",,",
					     "*,", ",*", " a", "a:*, b:*", "a:b\n" };
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		ck_assert_msg(cairn_pattern_check(wrong[i]) == -EINVAL, "\"%s\" should be refused",
			      wrong[i]);
}
END_TEST

START_TEST(longest)
{
	char pattern[CAIRN_PATTERN_MAX + 2], name[CAIRN_PATTERN_MAX + 2];

	memset(pattern, 'a', sizeof(pattern));
	pattern[CAIRN_PATTERN_MAX + 1] = 0;
	ck_assert_int_eq(cairn_pattern_check(pattern), -EINVAL);
	pattern[CAIRN_PATTERN_MAX] = 0;
	ck_assert_int_eq(cairn_pattern_check(pattern), 0);
	memcpy(name, pattern, sizeof(name));
	ck_assert(cairn_pattern_match(pattern, name));
	name[CAIRN_PATTERN_MAX - 1] = 'b';
	ck_assert(!cairn_pattern_match(pattern, name));
	memset(pattern, '?', CAIRN_PATTERN_MAX);
	ck_assert(cairn_pattern_match(pattern, name));
}
END_TEST

/* What makes a naive matcher take for ever: many stars, and a name that nearly matches. */
START_TEST(no_explosion)
{
	char pattern[2 * 1000 + 2], name[2002];
	const uint64_t before = cairn_os_monotonic();
	size_t i;

	for (i = 0; i < 1000; i++)
		memcpy(pattern + 2 * i, "*a", 2);
	memcpy(pattern + 2000, "b", 2);
	memset(name, 'a', 2000);
	memcpy(name + 2000, "c", 2);
	ck_assert(!cairn_pattern_match(pattern, name));
	name[2000] = 'b';
	ck_assert(cairn_pattern_match(pattern, name));
	ck_assert_uint_lt((cairn_os_monotonic() - before) / 1000000, 10000);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("pattern");
	TCase *tcase = tcase_create("pattern");
	SRunner *runner;
	int failed;

	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, matches, 0, sizeof(cases) / sizeof(cases[0]));
	tcase_add_test(tcase, refused);
	tcase_add_test(tcase, longest);
	tcase_add_test(tcase, no_explosion);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
