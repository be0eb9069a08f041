#!/bin/sh
# SPDX-License-Identifier: MIT
# Cairn's three folders copied into a project without a build system: one line compiles it all.
. "$(dirname "$0")/lib.sh"

mkdir "$dir/project"
cd "$dir/project"
cp -r "$CAIRN_SOURCE_DIR/core" "$CAIRN_SOURCE_DIR/include" "$CAIRN_SOURCE_DIR/arch" .
cp "$CAIRN_SOURCE_DIR/tests/consumers/consumer.c" .
# shellcheck disable=SC2086 # a list of words
quietly $CAIRN_CC $CAIRN_SANITIZE -O2 -Iinclude -Iarch/$CAIRN_PORT -Iarch/generic consumer.c core/*.c -o consumer -pthread
check_program ./consumer
