/* SPDX-License-Identifier: MIT */
/*
 * Two functions with the same bytes that ask for two events. A linker that folds them gives both sites
 * one address. Then Cairn must refuse to enable either, and say why; else each is enabled by itself.
 * Prints "folded" or "apart".
 */
#include <cairn/cairn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

CAIRN_EVENT(icf, apple);
CAIRN_EVENT(icf, pear);

int apple(void);
__attribute__((noinline)) int apple(void)
{
	return cairn_enabled(icf, apple);
}

int pear(void);
__attribute__((noinline)) int pear(void)
{
	return cairn_enabled(icf, pear);
}

static int icf_check(struct cairn_session *session, const char *pattern, int folded, int apples,
		     int pears)
{
	char text[256] = "";
	int got = cairn_enable(session, pattern);

	cairn_error(text, sizeof(text));
	if (got != (folded ? -EBUSY : 1) || (folded && !strstr(text, "icf:"))) {
		printf("cairn_enable(%s): %d (%s), folded %d\n", pattern, got, text, folded);
		return 1;
	}
	if (!folded && (apple() != apples || pear() != pears)) {
		printf("%s enabled: apple %d, pear %d\n", pattern, apple(), pear());
		return 1;
	}
	if (folded && (apple() || pear())) {
		printf("%s refused, but a site is enabled\n", pattern);
		return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	const int folded = argc > 1 && !strcmp(argv[1], "folded");
	struct cairn_config config = { .size = sizeof(config) };
	struct cairn_session *session;

	if (argc < 2) { /* so that both events are hit and described */
		cairn_trace(icf, apple);
		cairn_trace(icf, pear);
		return 0;
	}
	if (cairn_session_start(&session, &config))
		return 1;
	if (icf_check(session, "icf:apple", folded, 1, 0) ||
	    icf_check(session, "icf:pear", folded, 1, 1))
		return 1;
	return cairn_session_stop(session, NULL) ? 1 : 0;
}
