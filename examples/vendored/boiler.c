/* SPDX-License-Identifier: MIT */
#include "boiler.h"
#include "events.h"

#define SENSOR_SILENT 0xffffu

static int temperature = 2000;
static int valve;

/* The sensor's register. Each 50th answer is lost, as happens on a long cable. */
static uint16_t sensor_register(uint32_t tick)
{
	return tick % 50 == 49 ? SENSOR_SILENT : (uint16_t)temperature;
}

int boiler_read(uint32_t tick)
{
	uint16_t raw;

	temperature += valve ? 35 : -15;
	raw = sensor_register(tick);
	if (raw == SENSOR_SILENT) {
		cairn_trace(heater, bad_sample, tick, raw);
		return -1;
	}
	cairn_trace(heater, sample, tick, (int16_t)raw);
	return raw;
}

void boiler_set_valve(uint32_t tick, int open)
{
	valve = open;
	cairn_trace(heater, valve, tick, (uint8_t)open);
}
