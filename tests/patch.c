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
#define cairn_arch_put_insn aarch64_put_insn
#define cairn_arch_nop aarch64_nop_inline
#define cairn_arch_jump aarch64_jump_inline
#define cairn_arch_poke aarch64_poke
#define cairn_arch_sync aarch64_sync
#include "../arch/aarch64/patch_arch.h"
#undef CAIRN_PATCH_ARCH_H
#undef cairn_arch_put_insn
#undef cairn_arch_nop
#undef cairn_arch_jump
#undef cairn_arch_poke
#undef cairn_arch_sync

#define cairn_arch_nop arm_nop_inline
#define cairn_arch_jump arm_jump_inline
#define cairn_arch_poke arm_poke
#define cairn_arch_sync arm_sync
#include "../arch/arm/patch_arch.h"
#undef CAIRN_PATCH_ARCH_H
#undef cairn_arch_nop
#undef cairn_arch_jump
#undef cairn_arch_poke
#undef cairn_arch_sync

/* Both byte orders, by the one macro of its site_arch.h that the encoders use. */
#define CAIRN_ARCH_SITE_BIG 1
#define cairn_arch_put_insn powerpc_put_insn
#define cairn_arch_nop powerpc_nop_inline
#define cairn_arch_jump powerpc_jump_inline
#define cairn_arch_poke powerpc_poke
#define cairn_arch_sync powerpc_sync
#include "../arch/powerpc/patch_arch.h"
#undef CAIRN_ARCH_SITE_BIG
#undef CAIRN_PATCH_ARCH_H
#undef CAIRN_ARCH_CACHE_BLOCK
#undef cairn_arch_put_insn
#undef cairn_arch_nop
#undef cairn_arch_jump
#undef cairn_arch_poke
#undef cairn_arch_sync

#define CAIRN_ARCH_SITE_BIG 0
#define cairn_arch_put_insn powerpcle_put_insn
#define cairn_arch_nop powerpcle_nop_inline
#define cairn_arch_jump powerpcle_jump_inline
#define cairn_arch_poke powerpcle_poke
#define cairn_arch_sync powerpcle_sync
#include "../arch/powerpc/patch_arch.h"
#undef CAIRN_ARCH_SITE_BIG
#undef CAIRN_PATCH_ARCH_H
#undef CAIRN_ARCH_SITE_SIZE
#undef cairn_arch_put_insn
#undef cairn_arch_nop
#undef cairn_arch_jump
#undef cairn_arch_poke
#undef cairn_arch_sync

/* By size, byte order and tag: MIPS32 and MIPS64, Release 6, microMIPS. */
#define CAIRN_ARCH_SITE_SIZE 8
#define CAIRN_ARCH_SITE_BIG 1
#define CAIRN_ARCH_SITE_TAG 0
#define cairn_arch_jump_word mips_jump_word
#define cairn_arch_put_insn mips_put_insn
#define cairn_arch_nop mips_nop_inline
#define cairn_arch_jump mips_jump_inline
#define cairn_arch_poke mips_poke
#define cairn_arch_sync mips_sync
#include "../arch/mips/patch_arch.h"
#undef CAIRN_PATCH_ARCH_H
#undef CAIRN_ARCH_SITE_SIZE
#undef CAIRN_ARCH_SITE_BIG
#undef CAIRN_ARCH_SITE_TAG
#undef cairn_arch_jump_word
#undef cairn_arch_put_insn
#undef cairn_arch_nop
#undef cairn_arch_jump
#undef cairn_arch_poke
#undef cairn_arch_sync
#undef CAIRN_ARCH_BOTH_CACHES

#define CAIRN_ARCH_SITE_SIZE 8
#define CAIRN_ARCH_SITE_BIG 0
#define CAIRN_ARCH_SITE_TAG 0
#define cairn_arch_jump_word mipsle_jump_word
#define cairn_arch_put_insn mipsle_put_insn
#define cairn_arch_nop mipsle_nop_inline
#define cairn_arch_jump mipsle_jump_inline
#define cairn_arch_poke mipsle_poke
#define cairn_arch_sync mipsle_sync
#include "../arch/mips/patch_arch.h"
#undef CAIRN_PATCH_ARCH_H
#undef CAIRN_ARCH_SITE_SIZE
#undef CAIRN_ARCH_SITE_BIG
#undef CAIRN_ARCH_SITE_TAG
#undef cairn_arch_jump_word
#undef cairn_arch_put_insn
#undef cairn_arch_nop
#undef cairn_arch_jump
#undef cairn_arch_poke
#undef cairn_arch_sync
#undef CAIRN_ARCH_BOTH_CACHES

#define CAIRN_ARCH_SITE_SIZE 4
#define CAIRN_ARCH_SITE_BIG 1
#define CAIRN_ARCH_SITE_TAG 0
#define cairn_arch_jump_word mipsr6_jump_word
#define cairn_arch_put_insn mipsr6_put_insn
#define cairn_arch_nop mipsr6_nop_inline
#define cairn_arch_jump mipsr6_jump_inline
#define cairn_arch_poke mipsr6_poke
#define cairn_arch_sync mipsr6_sync
#include "../arch/mips/patch_arch.h"
#undef CAIRN_PATCH_ARCH_H
#undef CAIRN_ARCH_SITE_SIZE
#undef CAIRN_ARCH_SITE_BIG
#undef CAIRN_ARCH_SITE_TAG
#undef cairn_arch_jump_word
#undef cairn_arch_put_insn
#undef cairn_arch_nop
#undef cairn_arch_jump
#undef cairn_arch_poke
#undef cairn_arch_sync
#undef CAIRN_ARCH_BOTH_CACHES

#define CAIRN_ARCH_SITE_SIZE 4
#define CAIRN_ARCH_SITE_BIG 0
#define CAIRN_ARCH_SITE_TAG 0
#define cairn_arch_jump_word mipsr6le_jump_word
#define cairn_arch_put_insn mipsr6le_put_insn
#define cairn_arch_nop mipsr6le_nop_inline
#define cairn_arch_jump mipsr6le_jump_inline
#define cairn_arch_poke mipsr6le_poke
#define cairn_arch_sync mipsr6le_sync
#include "../arch/mips/patch_arch.h"
#undef CAIRN_PATCH_ARCH_H
#undef CAIRN_ARCH_SITE_SIZE
#undef CAIRN_ARCH_SITE_BIG
#undef CAIRN_ARCH_SITE_TAG
#undef cairn_arch_jump_word
#undef cairn_arch_put_insn
#undef cairn_arch_nop
#undef cairn_arch_jump
#undef cairn_arch_poke
#undef cairn_arch_sync
#undef CAIRN_ARCH_BOTH_CACHES

#define CAIRN_ARCH_SITE_SIZE 8
#define CAIRN_ARCH_SITE_BIG 1
#define CAIRN_ARCH_SITE_TAG 1
#define cairn_arch_jump_word micromips_jump_word
#define cairn_arch_put_insn micromips_put_insn
#define cairn_arch_nop micromips_nop_inline
#define cairn_arch_jump micromips_jump_inline
#define cairn_arch_poke micromips_poke
#define cairn_arch_sync micromips_sync
#include "../arch/mips/patch_arch.h"
#undef CAIRN_PATCH_ARCH_H
#undef CAIRN_ARCH_SITE_SIZE
#undef CAIRN_ARCH_SITE_BIG
#undef CAIRN_ARCH_SITE_TAG
#undef cairn_arch_jump_word
#undef cairn_arch_put_insn
#undef cairn_arch_nop
#undef cairn_arch_jump
#undef cairn_arch_poke
#undef cairn_arch_sync
#undef CAIRN_ARCH_BOTH_CACHES

#define CAIRN_ARCH_SITE_SIZE 8
#define CAIRN_ARCH_SITE_BIG 0
#define CAIRN_ARCH_SITE_TAG 1
#define cairn_arch_jump_word micromipsle_jump_word
#define cairn_arch_put_insn micromipsle_put_insn
#define cairn_arch_nop micromipsle_nop_inline
#define cairn_arch_jump micromipsle_jump_inline
#define cairn_arch_poke micromipsle_poke
#define cairn_arch_sync micromipsle_sync
#include "../arch/mips/patch_arch.h"
#undef CAIRN_PATCH_ARCH_H
#undef CAIRN_ARCH_SITE_SIZE
#undef CAIRN_ARCH_SITE_BIG
#undef CAIRN_ARCH_SITE_TAG
#undef cairn_arch_jump_word
#undef cairn_arch_put_insn
#undef cairn_arch_nop
#undef cairn_arch_jump
#undef cairn_arch_poke
#undef cairn_arch_sync
#undef CAIRN_ARCH_BOTH_CACHES

#define CAIRN_ARCH_SITE_SIZE 4
#define cairn_arch_put_insn riscv_put_insn
#define cairn_arch_nop riscv_nop_inline
#define cairn_arch_jump riscv_jump_inline
#define cairn_arch_poke riscv_poke
#define cairn_arch_sync riscv_sync
#include "../arch/riscv/patch_arch.h"

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

/* The instruction set is in the low bits of the cold branch's address: arch/arm/site_arch.h. */
int arm_nop(unsigned char *insn, uintptr_t from, uintptr_t to)
{
	return arm_nop_inline(insn, from, to);
}

int arm_jump(unsigned char *insn, uintptr_t from, uintptr_t to)
{
	return arm_jump_inline(insn, from, to);
}

int armv5_nop(unsigned char *insn, uintptr_t from, uintptr_t to)
{
	return arm_nop_inline(insn, from, to + 2);
}

int armv5_jump(unsigned char *insn, uintptr_t from, uintptr_t to)
{
	return arm_jump_inline(insn, from, to + 2);
}

int thumb_nop(unsigned char *insn, uintptr_t from, uintptr_t to)
{
	return arm_nop_inline(insn, from, to + 1);
}

int thumb_jump(unsigned char *insn, uintptr_t from, uintptr_t to)
{
	return arm_jump_inline(insn, from, to + 1);
}

int powerpc_nop(unsigned char *insn, uintptr_t from, uintptr_t to)
{
	return powerpc_nop_inline(insn, from, to);
}

int powerpc_jump(unsigned char *insn, uintptr_t from, uintptr_t to)
{
	return powerpc_jump_inline(insn, from, to);
}

int powerpcle_nop(unsigned char *insn, uintptr_t from, uintptr_t to)
{
	return powerpcle_nop_inline(insn, from, to);
}

int powerpcle_jump(unsigned char *insn, uintptr_t from, uintptr_t to)
{
	return powerpcle_jump_inline(insn, from, to);
}

int mips_nop(unsigned char *insn, uintptr_t from, uintptr_t to)
{
	return mips_nop_inline(insn, from, to);
}

int mips_jump(unsigned char *insn, uintptr_t from, uintptr_t to)
{
	return mips_jump_inline(insn, from, to);
}

int mipsle_nop(unsigned char *insn, uintptr_t from, uintptr_t to)
{
	return mipsle_nop_inline(insn, from, to);
}

int mipsle_jump(unsigned char *insn, uintptr_t from, uintptr_t to)
{
	return mipsle_jump_inline(insn, from, to);
}

int mipsr6_nop(unsigned char *insn, uintptr_t from, uintptr_t to)
{
	return mipsr6_nop_inline(insn, from, to);
}

int mipsr6_jump(unsigned char *insn, uintptr_t from, uintptr_t to)
{
	return mipsr6_jump_inline(insn, from, to);
}

int mipsr6le_nop(unsigned char *insn, uintptr_t from, uintptr_t to)
{
	return mipsr6le_nop_inline(insn, from, to);
}

int mipsr6le_jump(unsigned char *insn, uintptr_t from, uintptr_t to)
{
	return mipsr6le_jump_inline(insn, from, to);
}

int micromips_nop(unsigned char *insn, uintptr_t from, uintptr_t to)
{
	return micromips_nop_inline(insn, from, to);
}

int micromips_jump(unsigned char *insn, uintptr_t from, uintptr_t to)
{
	return micromips_jump_inline(insn, from, to);
}

int micromipsle_nop(unsigned char *insn, uintptr_t from, uintptr_t to)
{
	return micromipsle_nop_inline(insn, from, to);
}

int micromipsle_jump(unsigned char *insn, uintptr_t from, uintptr_t to)
{
	return micromipsle_jump_inline(insn, from, to);
}

int riscv_nop(unsigned char *insn, uintptr_t from, uintptr_t to)
{
	return riscv_nop_inline(insn, from, to);
}

int riscv_jump(unsigned char *insn, uintptr_t from, uintptr_t to)
{
	return riscv_jump_inline(insn, from, to);
}
