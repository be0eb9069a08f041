/* expect: cairn_site_api__nobody */
/* SPDX-License-Identifier: MIT */
#include <cairn/event.h>

int test(void);
int test(void)
{
	return cairn_enabled(api, nobody);
}
