/* expect: "?CAIRN_SEQ"? requires 3 arguments|too few arguments provided to function-like macro */
/* SPDX-License-Identifier: MIT */
#include <cairn/event.h>

CAIRN_EVENT(api, odd, CAIRN_SEQ(u8, s));
