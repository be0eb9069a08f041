/* expect: redefinition of .*cairn_ */
/* SPDX-License-Identifier: MIT */
#include <cairn/event.h>

CAIRN_EVENT(api, one);
CAIRN_EVENT(api, one);
