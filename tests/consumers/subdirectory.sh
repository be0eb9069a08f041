#!/bin/sh
# SPDX-License-Identifier: MIT
# Cairn's source as a part of a CMake project: by add_subdirectory, then by FetchContent.
. "$(dirname "$0")/lib.sh"

for fetch in OFF ON; do
	# shellcheck disable=SC2086 # a list of words
	quietly cmake -S "$CAIRN_SOURCE_DIR/tests/consumers" -B "$dir/build.$fetch" $CAIRN_CMAKE_ARGS \
		-DCONSUMER_CAIRN="$CAIRN_SOURCE_DIR" -DCONSUMER_FETCH=$fetch
	quietly cmake --build "$dir/build.$fetch" -j 2
	check_program "$dir/build.$fetch/consumer"
done
