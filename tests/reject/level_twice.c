/* expect: CAIRN_EVENT_takes_one_log_level */
/* SPDX-License-Identifier: MIT */
#include <cairn/event.h>

CAIRN_EVENT(api, twice, CAIRN_LOGLEVEL(INFO), CAIRN_LOGLEVEL(ERR));
