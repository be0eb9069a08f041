/* SPDX-License-Identifier: MIT */
/* A program with the library in it and no event: it links, and nothing matches. */
#include <cairn/cairn.h>

int main(void)
{
	struct cairn_config config = { .size = sizeof(config) };
	struct cairn_session *session;

	if (cairn_session_start(&session, &config) || cairn_enable(session, "*") != 0)
		return 1;
	return cairn_session_stop(session, NULL) ? 1 : 0;
}
