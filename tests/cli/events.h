/* SPDX-License-Identifier: MIT */
/* Events of every kind of field, for tests/list.sh. */
#ifndef CAIRN_TEST_CLI_EVENTS_H
#define CAIRN_TEST_CLI_EVENTS_H

#include <cairn/event.h>

CAIRN_ENUM_TYPE(lane, i16, CAIRN_VALUE(LEFT, -5), CAIRN_RANGE(RIGHT, 1, 300));
CAIRN_EVENT(road, car, CAIRN_U8(a), CAIRN_I64(b), CAIRN_X32(c), CAIRN_NET16(port), CAIRN_PTR(p),
	    CAIRN_BOOL(bo), CAIRN_CHAR(ch), CAIRN_FLOAT(f), CAIRN_DOUBLE(d), CAIRN_ENUM(e, lane),
	    CAIRN_STR(s), CAIRN_TEXT(t, 12), CAIRN_ARRAY(u16, arr, 4),
	    CAIRN_ARRAY(ENUM(lane), es, 2), CAIRN_SEQ(str, words, n), CAIRN_SEQ(x8, blob, m),
	    CAIRN_LOGLEVEL(ERR));
CAIRN_EVENT(road, empty);
CAIRN_EVENT(road, asked, CAIRN_U8(x));
CAIRN_EVENT(road, unused, CAIRN_U8(x));
#ifdef OTHER_FIELDS
CAIRN_EVENT(road, twice, CAIRN_U8(x), CAIRN_LOGLEVEL(INFO));
#else
CAIRN_EVENT(road, twice, CAIRN_STR(x), CAIRN_LOGLEVEL(INFO));
#endif

#endif
