/* expect: cairn_enum_nobody */
/* SPDX-License-Identifier: MIT */
#include <cairn/event.h>

CAIRN_EVENT(api, one, CAIRN_ENUM(state, nobody));
