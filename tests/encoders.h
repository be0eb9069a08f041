/* SPDX-License-Identifier: MIT */
/* The encoders of the ports, from patch.c. `from` is the site's address. 0 or -ERANGE. */
#ifndef CAIRN_TEST_ENCODERS_H
#define CAIRN_TEST_ENCODERS_H

#include <stdint.h>

int x86_nop(unsigned char *insn, uintptr_t from, uintptr_t to);
int x86_jump(unsigned char *insn, uintptr_t from, uintptr_t to);
int aarch64_nop(unsigned char *insn, uintptr_t from, uintptr_t to);
int aarch64_jump(unsigned char *insn, uintptr_t from, uintptr_t to);
int arm_nop(unsigned char *insn, uintptr_t from, uintptr_t to);
int arm_jump(unsigned char *insn, uintptr_t from, uintptr_t to);
int armv5_nop(unsigned char *insn, uintptr_t from, uintptr_t to);
int armv5_jump(unsigned char *insn, uintptr_t from, uintptr_t to);
int thumb_nop(unsigned char *insn, uintptr_t from, uintptr_t to);
int thumb_jump(unsigned char *insn, uintptr_t from, uintptr_t to);
int powerpc_nop(unsigned char *insn, uintptr_t from, uintptr_t to);
int powerpc_jump(unsigned char *insn, uintptr_t from, uintptr_t to);
int powerpcle_nop(unsigned char *insn, uintptr_t from, uintptr_t to);
int powerpcle_jump(unsigned char *insn, uintptr_t from, uintptr_t to);
int mips_nop(unsigned char *insn, uintptr_t from, uintptr_t to);
int mips_jump(unsigned char *insn, uintptr_t from, uintptr_t to);
int mipsle_nop(unsigned char *insn, uintptr_t from, uintptr_t to);
int mipsle_jump(unsigned char *insn, uintptr_t from, uintptr_t to);
int mipsr6_nop(unsigned char *insn, uintptr_t from, uintptr_t to);
int mipsr6_jump(unsigned char *insn, uintptr_t from, uintptr_t to);
int mipsr6le_nop(unsigned char *insn, uintptr_t from, uintptr_t to);
int mipsr6le_jump(unsigned char *insn, uintptr_t from, uintptr_t to);
int micromips_nop(unsigned char *insn, uintptr_t from, uintptr_t to);
int micromips_jump(unsigned char *insn, uintptr_t from, uintptr_t to);
int micromipsle_nop(unsigned char *insn, uintptr_t from, uintptr_t to);
int micromipsle_jump(unsigned char *insn, uintptr_t from, uintptr_t to);
int riscv_nop(unsigned char *insn, uintptr_t from, uintptr_t to);
int riscv_jump(unsigned char *insn, uintptr_t from, uintptr_t to);

#endif
