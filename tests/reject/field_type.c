/* expect: CAIRN__not_a_field */
/* SPDX-License-Identifier: MIT */
#include <cairn/event.h>

CAIRN_EVENT(api, odd, CAIRN_U24(n));
