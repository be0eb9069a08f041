/* SPDX-License-Identifier: MIT */
/* x86_64: the time stamp counter, as on x86. */
#include "../x86/clock_arch.h"
