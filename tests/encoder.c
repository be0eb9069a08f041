/* SPDX-License-Identifier: MIT */
/*
 * The encoders of one port, for every CPU that tests run on: they are pure C. CMakeLists.txt compiles
 * this file for each line "encoder NAME: PORT FACT=VALUE..." of golden/PORT_sites.s, with ENCODER_NAME,
 * ENCODER_FILE and CAIRN_ARCH_SITE_FACT defined, which stand for the port's site_arch.h: that is for its
 * own compilers only. MODE is the number that CAIRN_ARCH_SITE_MODE adds to the cold branch's address.
 */
#define CAIRN_SITE_ARCH_H
#include ENCODER_FILE

#include "encoder.h"

#ifndef CAIRN_ARCH_SITE_MODE
#define CAIRN_ARCH_SITE_MODE 0
#endif

static int nop(unsigned char *insn, uintptr_t from, uintptr_t to)
{
	return cairn_arch_nop(insn, from, to + CAIRN_ARCH_SITE_MODE);
}

static int jump(unsigned char *insn, uintptr_t from, uintptr_t to)
{
	return cairn_arch_jump(insn, from, to + CAIRN_ARCH_SITE_MODE);
}

static struct encoder encoder = { ENCODER_NAME, CAIRN_ARCH_SITE_SIZE, nop, jump, NULL };

static __attribute__((constructor)) void encoder_begin(void)
{
	encoder.next = encoders;
	encoders = &encoder;
}
