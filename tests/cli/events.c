/* SPDX-License-Identifier: MIT */
/* A file that hits the events of events.h; tests/list.sh compiles it in several ways. */
#include "events.h"

__attribute__((noinline)) int FUNCTION(int argc, char **argv);
int FUNCTION(int argc, char **argv)
{
	static const uint16_t numbers[4];
	static const cairn_enum_lane lanes[2];
	const char *const *words = (const char *const *)argv;

	cairn_trace(road, car, 1, 2, 3, 4, numbers, 1, 'c', 1.0f, 2.0, -5, argv[0], argv[0],
		    numbers, lanes, words, (size_t)argc, (const uint8_t *)argv[0], 1);
	if (argc > 1)
		cairn_trace(road, empty);
	if (argc > 2)
		cairn_trace(road, empty);
#ifdef OTHER_FIELDS
	cairn_trace(road, twice, 1);
#elif defined(SAME_FIELDS)
	cairn_trace(road, twice, argv[0]);
#endif
	return cairn_enabled(road, asked);
}
#ifdef MAIN
int other(int argc, char **argv);
int main(int argc, char **argv)
{
	return FUNCTION(argc, argv) + other(argc, argv);
}
#endif
