/* SPDX-License-Identifier: MIT */
/*
 * The call site and its table entry, in assembler.
 *
 * Every copy that the compiler makes of a site adds one entry to section cairn_sites: four 32-bit
 * words, each an address relative to itself: the site, its cold branch, the event, the event's name.
 * No relocation is left for load time. Section flags: a allocated, R kept by --gc-sections, ? in the
 * COMDAT group of the function it stands in, so that C++ inline functions link. The name is in a
 * section of mergeable strings, once per program however many sites there are.
 *
 * The event is a hidden common symbol: 64 zero bytes, one per module, asked for by every file that has
 * a site and by no other.
 *
 * A branch site (CAIRN_SITES=branch, or a CPU whose port cannot patch) has 0 for the site and the
 * branch. Both kinds may be mixed in one program.
 */
#ifndef CAIRN_SITE_H
#define CAIRN_SITE_H

#include <cairn/compiler.h>
#include <cairn/map.h>
#include <cairn/record.h>

#include "site_arch.h"

/* -DCAIRN_SITES=branch or =patch; patched where the port can, unless told. */
#define CAIRN__SITES_branch 1
#define CAIRN__SITES_patch 0
#ifdef CAIRN_SITES
#define CAIRN__BRANCH_SITES CAIRN__CAT(CAIRN__SITES_, CAIRN_SITES)
#else
#define CAIRN__BRANCH_SITES 0
#endif

/* An assembler before binutils 2.36 knows no R: -DCAIRN_SITE_FLAGS='"a?"' -Wl,-z,nostart-stop-gc. */
#ifndef CAIRN_SITE_FLAGS
#define CAIRN_SITE_FLAGS "aR?"
#endif

struct cairn_site {
	int32_t code, target, event, name;
};

/* `asm inline`: its size for the inliner is that of one instruction, whatever the text's length. */
#if defined(__clang__) || __GNUC__ >= 9
#define CAIRN__ASM __asm__ __inline__
#else
#define CAIRN__ASM __asm__
#endif

#define CAIRN__EVENT_SYMBOL(p, n) "cairn_event_" #p "__" #n
#define CAIRN__COMMON(p, n)                                                                        \
	".comm " CAIRN__EVENT_SYMBOL(p, n) "," CAIRN__STR(CAIRN__EVENT_BYTES) "," CAIRN__STR(      \
		CAIRN__EVENT_BYTES) "\n\t.hidden " CAIRN__EVENT_SYMBOL(p, n) "\n\t"
/* clang-format off */
#define CAIRN__SITE_ENTRY(p, n, code, target)                                                      \
	".pushsection cairn_sites,\"" CAIRN_SITE_FLAGS "\",%%progbits\n\t"                         \
	".balign 4\n\t"                                                                            \
	".long " code "\n\t.long " target "\n\t.long " CAIRN__EVENT_SYMBOL(p, n) " - .\n\t"        \
	".long 99f - .\n\t"                                                                        \
	".popsection\n\t"                                                                          \
	".pushsection .rodata.cairn_names,\"aMS\",%%progbits,1\n"                                  \
	"99:\t.asciz \"" #p ":" #n "\"\n\t"                                                        \
	".popsection\n\t" CAIRN__COMMON(p, n)
/* clang-format on */

/* A port whose site must start at a multiple of something says so in assembler. */
#ifndef CAIRN_ARCH_SITE_ALIGN
#define CAIRN_ARCH_SITE_ALIGN ""
#endif

/* A port with more than one instruction set adds to the cold branch's address which one the site is in. */
#ifndef CAIRN_ARCH_SITE_MODE
#define CAIRN_ARCH_SITE_MODE ""
#endif

#if CAIRN_ARCH_SITE_SIZE && !CAIRN__BRANCH_SITES
#define CAIRN__SITE(p, n)                                                                          \
	CAIRN__INLINE bool cairn_site_##p##__##n(void)                                             \
	{                                                                                          \
		CAIRN__ASM goto(CAIRN_ARCH_SITE_ALIGN "1:\t" CAIRN_ARCH_SITE("%l[cairn_hit]")      \
					CAIRN__SITE_ENTRY(p, n, "1b - .",                          \
							  "%l[cairn_hit]" CAIRN_ARCH_SITE_MODE     \
							  " - .")                                  \
				:                                                                  \
				:                                                                  \
				: CAIRN_ARCH_SITE_CLOBBERS                                         \
				: cairn_hit);                                                      \
		return false;                                                                      \
cairn_hit:                                                                                         \
		return true;                                                                       \
	}
#else
CAIRN__INLINE bool cairn_branch(const struct cairn_event *event)
{
	return CAIRN__UNLIKELY(CAIRN__LOAD(event->enabled) != 0);
}

#define CAIRN__SITE(p, n)                                                                          \
	CAIRN__INLINE bool cairn_site_##p##__##n(void)                                             \
	{                                                                                          \
		CAIRN__ASM volatile(CAIRN__SITE_ENTRY(p, n, "0", "0") : : :);                      \
		return cairn_branch(&cairn_event_##p##__##n);                                      \
	}
#endif

#endif
