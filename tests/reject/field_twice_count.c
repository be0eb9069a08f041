/* expect: redefinition of .*cairn_f_count */
/* SPDX-License-Identifier: MIT */
#include <cairn/event.h>

CAIRN_EVENT(api, twice, CAIRN_SEQ(u8, a, count), CAIRN_SEQ(u8, b, count));
