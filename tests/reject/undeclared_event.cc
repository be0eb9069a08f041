/* expect: cairn_site_api__nobody */
/* SPDX-License-Identifier: MIT */
#include <cairn/event.h>

void test(void);
void test(void)
{
	cairn_trace(api, nobody, 1);
}
