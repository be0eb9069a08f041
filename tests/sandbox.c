/* SPDX-License-Identifier: MIT */
/* Events with branch sites, in the same program as the patched ones of test_sandbox.c. */
#undef CAIRN_SITES
#define CAIRN_SITES branch
#include <cairn/event.h>

CAIRN_EVENT(branch, ev, CAIRN_U32(n));

void branch_hit(unsigned n);
void branch_hit(unsigned n)
{
	cairn_trace(branch, ev, n);
}

int branch_enabled(void);
int branch_enabled(void)
{
	return cairn_enabled(branch, ev);
}
