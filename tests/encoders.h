/* SPDX-License-Identifier: MIT */
/* The encoders of the ports, from patch.c. `from` is the site's address. 0 or -ERANGE. */
#ifndef CAIRN_TEST_ENCODERS_H
#define CAIRN_TEST_ENCODERS_H

#include <stdint.h>

#define ENCODER_DECLARE(port)                                                                      \
	int port##_nop(unsigned char *insn, uintptr_t from, uintptr_t to);                         \
	int port##_jump(unsigned char *insn, uintptr_t from, uintptr_t to)

ENCODER_DECLARE(x86);
ENCODER_DECLARE(aarch64);
ENCODER_DECLARE(arm);
ENCODER_DECLARE(armv5);
ENCODER_DECLARE(thumb);
ENCODER_DECLARE(powerpc);
ENCODER_DECLARE(powerpcle);
ENCODER_DECLARE(mips);
ENCODER_DECLARE(mipsle);
ENCODER_DECLARE(mipsr6);
ENCODER_DECLARE(mipsr6le);
ENCODER_DECLARE(micromips);
ENCODER_DECLARE(micromipsle);
ENCODER_DECLARE(riscv);

#undef ENCODER_DECLARE

#endif
