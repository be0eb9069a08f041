/* SPDX-License-Identifier: MIT */
/*
 * The encoders of the ports, for every CPU that tests run on: they are pure C. encoder.h includes a
 * port's patch_arch.h, with the size of its sites in place of its site_arch.h, which is for that port's
 * compilers only.
 */
#define CAIRN_SITE_ARCH_H

/* Their compilers define these as 1. */
#undef powerpc
#undef mips

#include "encoders.h"

#define ENCODER x86
#define ENCODER_FILE "../arch/x86/patch_arch.h"
#define CAIRN_ARCH_SITE_SIZE 5
#include "encoder.h"

#define ENCODER aarch64
#define ENCODER_FILE "../arch/aarch64/patch_arch.h"
#define CAIRN_ARCH_SITE_SIZE 4
#include "encoder.h"

/* The instruction set is in the low bits of the cold branch's address: arch/arm/site_arch.h. */
#define ENCODER arm
#define ENCODER_FILE "../arch/arm/patch_arch.h"
#define CAIRN_ARCH_SITE_SIZE 4
#include "encoder.h"

#define ENCODER armv5
#define ENCODER_FILE "../arch/arm/patch_arch.h"
#define ENCODER_TAG 2
#define CAIRN_ARCH_SITE_SIZE 4
#include "encoder.h"

#define ENCODER thumb
#define ENCODER_FILE "../arch/arm/patch_arch.h"
#define ENCODER_TAG 1
#define CAIRN_ARCH_SITE_SIZE 4
#include "encoder.h"

/* Both byte orders, by the one macro of its site_arch.h that the encoders use. */
#define ENCODER powerpc
#define ENCODER_FILE "../arch/powerpc/patch_arch.h"
#define CAIRN_ARCH_SITE_SIZE 4
#define CAIRN_ARCH_SITE_BIG 1
#include "encoder.h"

#define ENCODER powerpcle
#define ENCODER_FILE "../arch/powerpc/patch_arch.h"
#define CAIRN_ARCH_SITE_SIZE 4
#define CAIRN_ARCH_SITE_BIG 0
#include "encoder.h"

/* By size, byte order and tag: MIPS32 and MIPS64, Release 6, microMIPS. */
#define ENCODER mips
#define ENCODER_FILE "../arch/mips/patch_arch.h"
#define CAIRN_ARCH_SITE_SIZE 8
#define CAIRN_ARCH_SITE_BIG 1
#define CAIRN_ARCH_SITE_TAG 0
#include "encoder.h"

#define ENCODER mipsle
#define ENCODER_FILE "../arch/mips/patch_arch.h"
#define CAIRN_ARCH_SITE_SIZE 8
#define CAIRN_ARCH_SITE_BIG 0
#define CAIRN_ARCH_SITE_TAG 0
#include "encoder.h"

#define ENCODER mipsr6
#define ENCODER_FILE "../arch/mips/patch_arch.h"
#define CAIRN_ARCH_SITE_SIZE 4
#define CAIRN_ARCH_SITE_BIG 1
#define CAIRN_ARCH_SITE_TAG 0
#include "encoder.h"

#define ENCODER mipsr6le
#define ENCODER_FILE "../arch/mips/patch_arch.h"
#define CAIRN_ARCH_SITE_SIZE 4
#define CAIRN_ARCH_SITE_BIG 0
#define CAIRN_ARCH_SITE_TAG 0
#include "encoder.h"

#define ENCODER micromips
#define ENCODER_FILE "../arch/mips/patch_arch.h"
#define CAIRN_ARCH_SITE_SIZE 8
#define CAIRN_ARCH_SITE_BIG 1
#define CAIRN_ARCH_SITE_TAG 1
#include "encoder.h"

#define ENCODER micromipsle
#define ENCODER_FILE "../arch/mips/patch_arch.h"
#define CAIRN_ARCH_SITE_SIZE 8
#define CAIRN_ARCH_SITE_BIG 0
#define CAIRN_ARCH_SITE_TAG 1
#include "encoder.h"

#define ENCODER riscv
#define ENCODER_FILE "../arch/riscv/patch_arch.h"
#define CAIRN_ARCH_SITE_SIZE 4
#include "encoder.h"
