#!/bin/sh
# SPDX-License-Identifier: MIT
# Cairn's source as a part of a CMake project by FetchContent, from a folder.
. "$(dirname "$0")/lib.sh"

# shellcheck disable=SC2086 # a list of words
quietly cmake -S "$CAIRN_SOURCE_DIR/tests/consumers" -B "$dir/build" $CAIRN_CMAKE_ARGS \
	-DCONSUMER_CAIRN="$CAIRN_SOURCE_DIR"
quietly cmake --build "$dir/build" -j 2
check_program "$dir/build/consumer"
