/* expect: invalid storage class|not allowed here|illegal */
/* SPDX-License-Identifier: MIT */
#include <cairn/event.h>

void test(void);
void test(void)
{
	CAIRN_EVENT(api, one);
}
