/* expect: CAIRN__T_e_u24 */
/* SPDX-License-Identifier: MIT */
#include <cairn/event.h>

CAIRN_EVENT(api, odd, CAIRN_SEQ(u24, s, n));
