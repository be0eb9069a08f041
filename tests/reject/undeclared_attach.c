/* expect: cairn_attach_api__nobody */
/* SPDX-License-Identifier: MIT */
#include <cairn/event.h>

int test(void);
int test(void)
{
	return cairn_attach(api, nobody, NULL, NULL);
}
