/* expect: CAIRN__LEVEL_LOUD */
/* SPDX-License-Identifier: MIT */
#include <cairn/event.h>

CAIRN_EVENT(api, loud, CAIRN_LOGLEVEL(LOUD));
