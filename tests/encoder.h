/* SPDX-License-Identifier: MIT */
/* The encoders of all ports, for test_patch: encoder.c is compiled once for each. */
#ifndef CAIRN_TEST_ENCODER_H
#define CAIRN_TEST_ENCODER_H

#include <stdint.h>

struct encoder {
	const char *name; /* as in golden/ */
	unsigned size;
	/* `from` is the site's address. 0 or -ERANGE. */
	int (*nop)(unsigned char *insn, uintptr_t from, uintptr_t to);
	int (*jump)(unsigned char *insn, uintptr_t from, uintptr_t to);
	struct encoder *next;
};

extern struct encoder *encoders; /* in test_patch.c; complete before main */

#endif
