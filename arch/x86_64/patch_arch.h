/* SPDX-License-Identifier: MIT */
/* x86_64: the site's encodings are x86's. */
#include "../x86/patch_arch.h"
