/* SPDX-License-Identifier: MIT */
/* The boiler and its sensor: here a model of them, in a device the drivers. */
#ifndef BOILER_H
#define BOILER_H

#include <stdint.h>

/* The water's temperature in hundredths of a degree, or -1: the sensor did not answer in this tick. */
int boiler_read(uint32_t tick);
void boiler_set_valve(uint32_t tick, int open);

#endif
