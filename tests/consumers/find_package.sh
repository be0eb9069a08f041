#!/bin/sh
# SPDX-License-Identifier: MIT
# An installed Cairn, used from CMake by find_package.
. "$(dirname "$0")/lib.sh"

install_cairn
find_folder cairn-config.cmake
# shellcheck disable=SC2086 # a list of words
quietly cmake -S "$CAIRN_SOURCE_DIR/tests/consumers" -B "$dir/build" $CAIRN_CMAKE_ARGS \
	-DCairn_DIR="$folder"
quietly cmake --build "$dir/build"
check_program "$dir/build/consumer"
