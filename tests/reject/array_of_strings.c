/* expect: CAIRN__ARRAY_of_k_strings */
/* SPDX-License-Identifier: MIT */
#include <cairn/event.h>

CAIRN_EVENT(api, odd, CAIRN_ARRAY(str, names, 3));
