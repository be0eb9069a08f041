/* SPDX-License-Identifier: MIT */
/* The encoders of arch/x86, for every CPU that tests run on: they are pure C. */
#define CAIRN_SITE_ARCH_H /* in place of arch/x86/site_arch.h, which is for x86 compilers only */
#define CAIRN_ARCH_SITE_SIZE 5
#include "../arch/x86/patch_arch.h"

int x86_nop(unsigned char *insn, uintptr_t from, uintptr_t to);
int x86_jump(unsigned char *insn, uintptr_t from, uintptr_t to);

int x86_nop(unsigned char *insn, uintptr_t from, uintptr_t to)
{
	return cairn_arch_nop(insn, from, to);
}

int x86_jump(unsigned char *insn, uintptr_t from, uintptr_t to)
{
	return cairn_arch_jump(insn, from, to);
}
