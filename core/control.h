/* SPDX-License-Identifier: MIT */
/*
 * How `cairn record` and the programs it records meet. CAIRN_SESSION in the environment names a file:
 * this control area. A program that starts tracing maps it, makes its rings in a sealed memory file, and
 * hands that over the recorder's socket (path in the area), whose credentials tell the recorder the
 * process in its own name space. A child of fork does so at its first event, exec starts anew.
 */
#ifndef CAIRN_CONTROL_H
#define CAIRN_CONTROL_H

#include "clock.h"
#include "ring.h"

#define CAIRN_CONTROL_MAGIC 0x43726e63u
#define CAIRN_CONTROL_PATTERNS 4096
#define CAIRN_CONTROL_SIZE 8192u

struct cairn_control {
	uint32_t magic, version; /* CAIRN_CONTROL_MAGIC, CAIRN_SHARED_VERSION */
	uint32_t mode, packet_size, packets;
	uint32_t clock; /* enum cairn_clock_kind: all processes must use the same */
	char clock_choice[CAIRN_CLOCK_CHOICE]; /* and why it is this one */
	uint64_t block_ns;
	struct cairn_bell bell;
	char output[CAIRN_OUTPUT_MAX]; /* folder of the trace directories, from the root */
	struct cairn_owner recorder;
	char socket[108];
	char patterns[CAIRN_CONTROL_PATTERNS]; /* comma-separated */
};

/*
 * What a program sends along with the descriptor of its area. The answer is one byte: 0, or the errno for
 * which it cannot be recorded.
 */
struct cairn_announce {
	uint32_t magic, version;
	uint64_t size; /* of the area */
	uint32_t pid;  /* as it sees itself */
	uint32_t clock;
	uint32_t error; /* errno: it has no area, and what it hits is lost; 0: it has */
	uint32_t zero;
};

#endif
