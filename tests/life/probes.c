/* SPDX-License-Identifier: MIT */
/* A member of an archive of instrumented code, for tests/life.sh. */
#include <cairn/event.h>

CAIRN_EVENT(archive, used, CAIRN_U32(n));

void archive_use(unsigned n);
void archive_use(unsigned n)
{
	cairn_trace(archive, used, n);
}
