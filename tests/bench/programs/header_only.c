/* SPDX-License-Identifier: MIT */
/* A file that includes the declaration of an event (HEADER_ONLY_EVENT) and hits nothing. */
#ifdef HEADER_ONLY_EVENT
#include "event.h"
#endif

int header_only(int x);
int header_only(int x)
{
	return x + 1;
}
