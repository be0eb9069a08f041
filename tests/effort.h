/* SPDX-License-Identifier: MIT */
/* How much of a test there is to do where each step takes longer: under a sanitizer, in an emulator. */
#ifndef CAIRN_TESTS_EFFORT_H
#define CAIRN_TESTS_EFFORT_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static inline bool emulated(void)
{
	const char *emulator = getenv("CAIRN_EMULATOR");

	return emulator && *emulator;
}

/* Says that a test is not run, and why, if this is an emulator; ci/run.sh counts the line. */
static inline bool native_only(const char *test, const char *why)
{
	if (emulated())
		printf("native only: %s: %s\n", test, why);
	return emulated();
}

/* The same for a board, whose traces babeltrace2 reads on another machine, when they have been copied. */
static inline bool not_on_board(const char *test, const char *why)
{
	const bool board = getenv("CAIRN_BOARD_RUN") != NULL;

	if (board)
		printf("native only: %s: %s\n", test, why);
	return board;
}

/* Fewer rounds; and sizes in memory are not ours. */
static inline bool slow_run(void)
{
	const char *sanitize = getenv("CAIRN_SANITIZE");

	return (sanitize && *sanitize) || emulated();
}

/* Rounds of a test that takes `rounds` on the bare machine: an emulated step costs 5 to 100 times as much. */
static inline unsigned effort(unsigned rounds)
{
	return emulated() ? (rounds + 9) / 10 : slow_run() ? (rounds + 1) / 2 : rounds;
}

#endif
