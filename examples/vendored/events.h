/* SPDX-License-Identifier: MIT */
/* The events of the heater: what the sensor says, what the valve does, and what went wrong. */
#ifndef EVENTS_H
#define EVENTS_H

#include <cairn/event.h>

CAIRN_ENUM_TYPE(heater_valve, u8, CAIRN_VALUE(CLOSED, 0), CAIRN_VALUE(OPEN, 1));

CAIRN_EVENT(heater, sample, CAIRN_U32(tick), CAIRN_I16(centidegrees));
CAIRN_EVENT(heater, valve, CAIRN_LOGLEVEL(INFO), CAIRN_U32(tick), CAIRN_ENUM(valve, heater_valve));
CAIRN_EVENT(heater, bad_sample, CAIRN_LOGLEVEL(WARNING), CAIRN_U32(tick), CAIRN_X16(raw));

#endif
