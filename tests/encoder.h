/* SPDX-License-Identifier: MIT */
/*
 * One encoder, for patch.c: includes the patch_arch.h named ENCODER_FILE with its functions renamed, and
 * makes ENCODER_nop and ENCODER_jump of encoders.h. Before: ENCODER, and what that file wants of its
 * site_arch.h (size, byte order, tag). ENCODER_TAG is added to the address of the cold branch. Forgets
 * all of these, so it can be included again.
 */
#define ENCODER_PASTE_(encoder, name) encoder##_##name
#define ENCODER_PASTE(encoder, name) ENCODER_PASTE_(encoder, name)
#define cairn_arch_encode ENCODER_PASTE(ENCODER, encode)
#define cairn_arch_put_insn ENCODER_PASTE(ENCODER, put_insn)
#define cairn_arch_jump_word ENCODER_PASTE(ENCODER, jump_word)
#define cairn_arch_arm_put ENCODER_PASTE(ENCODER, arm_put)
#define cairn_arch_arm_jump ENCODER_PASTE(ENCODER, arm_jump)
#define cairn_arch_thumb_jump ENCODER_PASTE(ENCODER, thumb_jump)
#define cairn_arch_nop ENCODER_PASTE(ENCODER, nop_inline)
#define cairn_arch_jump ENCODER_PASTE(ENCODER, jump_inline)
#define cairn_arch_poke ENCODER_PASTE(ENCODER, poke)
#define cairn_arch_sync ENCODER_PASTE(ENCODER, sync)
#include ENCODER_FILE

#ifndef ENCODER_TAG
#define ENCODER_TAG 0
#endif

int ENCODER_PASTE(ENCODER, nop)(unsigned char *insn, uintptr_t from, uintptr_t to)
{
	return cairn_arch_nop(insn, from, to + ENCODER_TAG);
}

int ENCODER_PASTE(ENCODER, jump)(unsigned char *insn, uintptr_t from, uintptr_t to)
{
	return cairn_arch_jump(insn, from, to + ENCODER_TAG);
}

#undef ENCODER_PASTE_
#undef ENCODER_PASTE
#undef cairn_arch_encode
#undef cairn_arch_put_insn
#undef cairn_arch_jump_word
#undef cairn_arch_arm_put
#undef cairn_arch_arm_jump
#undef cairn_arch_thumb_jump
#undef cairn_arch_nop
#undef cairn_arch_jump
#undef cairn_arch_poke
#undef cairn_arch_sync
#undef ENCODER
#undef ENCODER_FILE
#undef ENCODER_TAG
#undef CAIRN_PATCH_ARCH_H
#undef CAIRN_ARCH_SITE_SIZE
#undef CAIRN_ARCH_SITE_BIG
#undef CAIRN_ARCH_SITE_TAG
#undef CAIRN_ARCH_CACHE_BLOCK
#undef CAIRN_ARCH_BOTH_CACHES
