/* SPDX-License-Identifier: MIT */
/*
 * The encoders of the ports, for every CPU that tests run on: they are pure C. Each port's patch_arch.h
 * is included with its functions renamed, and with the size of its sites in place of its site_arch.h,
 * which is for that port's compilers only.
 */
#define CAIRN_SITE_ARCH_H

#define CAIRN_ARCH_SITE_SIZE 5
#define cairn_arch_encode x86_encode
#define cairn_arch_nop x86_nop_inline
#define cairn_arch_jump x86_jump_inline
#define cairn_arch_poke x86_poke
#define cairn_arch_sync x86_sync
#include "../arch/x86/patch_arch.h"
#undef CAIRN_ARCH_SITE_SIZE
#undef CAIRN_PATCH_ARCH_H
#undef cairn_arch_nop
#undef cairn_arch_jump
#undef cairn_arch_poke
#undef cairn_arch_sync

#define CAIRN_ARCH_SITE_SIZE 4
#define cairn_arch_nop aarch64_nop_inline
#define cairn_arch_jump aarch64_jump_inline
#define cairn_arch_poke aarch64_poke
#define cairn_arch_sync aarch64_sync
#include "../arch/aarch64/patch_arch.h"

#include "encoders.h"

int x86_nop(unsigned char *insn, uintptr_t from, uintptr_t to)
{
	return x86_nop_inline(insn, from, to);
}

int x86_jump(unsigned char *insn, uintptr_t from, uintptr_t to)
{
	return x86_jump_inline(insn, from, to);
}

int aarch64_nop(unsigned char *insn, uintptr_t from, uintptr_t to)
{
	return aarch64_nop_inline(insn, from, to);
}

int aarch64_jump(unsigned char *insn, uintptr_t from, uintptr_t to)
{
	return aarch64_jump_inline(insn, from, to);
}
