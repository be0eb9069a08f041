/* SPDX-License-Identifier: MIT */
/* A user's program: one event of its own. consumers/lib.sh looks for it in the trace. */
#include <cairn/event.h>

CAIRN_EVENT(shop, checkout, CAIRN_U32(order), CAIRN_STR(customer));

int main(void)
{
	cairn_trace(shop, checkout, 42, "Ada");
	return 0;
}
