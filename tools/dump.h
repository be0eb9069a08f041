/* SPDX-License-Identifier: MIT */
#ifndef CAIRN_DUMP_H
#define CAIRN_DUMP_H

#include <limits.h>

#include <cairn/cairn.h>

#include "rings.h"

/*
 * Put what the rings, mapped, hold into a trace in `output`: a flight recorder's newest packets into a trace of
 * their own; of other rings what nobody has drained, behind what their trace has. `living`: the program
 * writes them meanwhile (flight recorders only). `trace`: where; "": nowhere, as there was nothing.
 * 0; -ESTALE: threads that were named are not in the snapshot; or a drain's -errno.
 */
int cairn_dump(struct cairn_rings *rings, const char *output, bool living,
	       struct cairn_stats *stats, char trace[PATH_MAX]);
/* A failed dump's reason and what to do, behind "cannot ... what is in FILE: ". */
const char *cairn_dump_why(int status);

#endif
