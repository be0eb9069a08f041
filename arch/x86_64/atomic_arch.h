/* SPDX-License-Identifier: MIT */
/* x86_64: x86's atomics, on a 64-bit word. */
#include "../x86/atomic_arch.h"
