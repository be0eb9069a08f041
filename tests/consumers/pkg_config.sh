#!/bin/sh
# SPDX-License-Identifier: MIT
# An installed Cairn, used from a makefile by pkg-config.
. "$(dirname "$0")/lib.sh"

install_cairn
find_folder cairn.pc
PKG_CONFIG_PATH=$folder
export PKG_CONFIG_PATH
version=$(pkg-config --modversion cairn)
grep -q "^#define CAIRN_VERSION \"$version\"" "$CAIRN_SOURCE_DIR/include/cairn/cairn.h" ||
	fail "cairn.pc says version $version, cairn.h does not"
# shellcheck disable=SC2046,SC2086 # lists of words
quietly $CAIRN_CC $CAIRN_SANITIZE -o "$dir/consumer" "$CAIRN_SOURCE_DIR/tests/consumers/consumer.c" \
	$(pkg-config --cflags --libs cairn)
if [ "$CAIRN_SHARED" = 1 ]; then
	LD_LIBRARY_PATH=$(pkg-config --variable=libdir cairn)
	export LD_LIBRARY_PATH
fi
check_program "$dir/consumer"
