#!/bin/sh
# SPDX-License-Identifier: MIT
# One program with all types of fields and several threads, recorded on this target, read on this machine:
# babeltrace2 shows what demonstration.txt says, whatever the byte order, word size and alignment.
# (--accept: what it shows becomes demonstration.txt; read the difference.)
# shellcheck disable=SC2086 # an emulator is several words, or none

. "$(dirname "$0")/lib.sh"

expected=tests/demonstration.txt
program=${CAIRN_BUILD_DIR:-build}/tests/program_demonstration
CAIRN_TRACE='demo:*' CAIRN_OUTPUT=$work/trace ${CAIRN_EMULATOR:-} "$program" || fail "$program ended with status $?"

# Threads run in any order: by thread, each in its own. Times, thread numbers and CPUs are the run's.
babeltrace2 --no-delta "$work/trace" >"$work/text" 2>"$work/said" || fail "babeltrace2 ended with status $?"
[ ! -s "$work/said" ] || fail "babeltrace2 complains: $(cat "$work/said")"
sed -E 's/^\[[^]]*\] [^ ]+ (demo:[a-z_]+): \{ cpu_id = [0-9]+, vtid = [0-9]+, procname = ("[a-z]+") \}/\2 \1/' \
	"$work/text" | sort -s -k 1,1 >"$work/shown"
if [ "${1:-}" = --accept ]; then
	cp "$work/shown" "$expected"
fi
diff "$expected" "$work/shown" || fail "the trace has something else than $expected"
finish
