/* expect: expected .*.;|expected (initializer|unqualified-id) before */
/* SPDX-License-Identifier: MIT */
#include <cairn/event.h>

CAIRN_ENUM_TYPE(api_state, u8, CAIRN_VALUE(A, 0))
int after;
