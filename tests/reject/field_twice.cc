/* expect: (redefinition of|conflicting).*cairn_f_n */
/* SPDX-License-Identifier: MIT */
#include <cairn/event.h>

CAIRN_EVENT(api, twice, CAIRN_U32(n), CAIRN_STR(s), CAIRN_U8(n));
