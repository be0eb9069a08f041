/* SPDX-License-Identifier: MIT */
/*
 * A heater's controller: opens the valve below 40 degrees, closes it above 45. Prints what it did in 1000
 * ticks; CAIRN_TRACE='heater:*' CAIRN_OUTPUT=trace ./heater records each of them.
 */
#include "boiler.h"
#include <stdio.h>

#define TICKS 1000u

int main(void)
{
	unsigned samples = 0, switches = 0;
	int open = 0;
	uint32_t tick;

	for (tick = 0; tick < TICKS; tick++) {
		int now = boiler_read(tick);

		if (now < 0)
			continue; /* the valve stays as it is */
		samples++;
		if (open ? now > 4500 : now < 4000) {
			open = !open;
			switches++;
			boiler_set_valve(tick, open);
		}
	}
	printf("samples=%u bad=%u switches=%u\n", samples, TICKS - samples, switches);
	return 0;
}
