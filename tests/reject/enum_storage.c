/* expect: CAIRN__STORE_e_double */
/* SPDX-License-Identifier: MIT */
#include <cairn/event.h>

CAIRN_ENUM_TYPE(api_state, double, CAIRN_VALUE(A, 0));
