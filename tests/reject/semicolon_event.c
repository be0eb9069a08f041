/* expect: expected .*.;|expected (initializer|unqualified-id) before */
/* SPDX-License-Identifier: MIT */
#include <cairn/event.h>

CAIRN_EVENT(api, one)
int after;
