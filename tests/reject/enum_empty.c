/* expect: CAIRN__not_a_field|requires|CAIRN__ER_ */
/* SPDX-License-Identifier: MIT */
#include <cairn/event.h>

CAIRN_ENUM_TYPE(api_state, u8);
