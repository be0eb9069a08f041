/* expect: incompatible (function )?pointer type */
/* SPDX-License-Identifier: MIT */
#include <cairn/event.h>

CAIRN_EVENT(api, two, CAIRN_U32(n), CAIRN_STR(name));

static void probe(void *data, const char *name, uint32_t n)
{
	(void)data;
	(void)name;
	(void)n;
}

int test(void);
int test(void)
{
	return cairn_attach(api, two, probe, NULL);
}
