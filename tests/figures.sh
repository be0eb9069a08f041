#!/bin/sh
# SPDX-License-Identifier: MIT
# What this configuration's library is, for the table of ci/run.sh, in $CAIRN_BUILD_DIR/figures: the clock
# that it takes here, the kind of its sites, the text bytes of libcairn.a, and the instructions that an
# enabled event of one 32-bit field runs in Cairn's functions, from the site's jump to its return: steps.c
# runs them one by one, or the emulator tells each. With CLOCK_MONOTONIC the C library's part is not counted.
# shellcheck disable=SC2086

. "$(dirname "$0")/lib.sh"

build=${CAIRN_BUILD_DIR:-build}
objdump=${CAIRN_OBJDUMP:-objdump}
figures=$build/figures
options="-O2 -no-pie ${CAIRN_CPPFLAGS:-} $includes"
library=$build/libcairn.a
if [ "${CAIRN_SHARED:-0}" = 1 ]; then
	library="-L$build -lcairn_module -lcairn -Wl,-rpath,$build"
fi
$cc_given $options tests/path/one.c $library -pthread -o "$work/one" || die "cannot build tests/path/one.c"
[ "${CAIRN_EMULATOR:-}" ] || $cc_given -O1 tests/path/steps.c -o "$work/steps" || die "cannot build tests/path/steps.c"

${CAIRN_EMULATOR:-} "$work/one" >"$work/figures" || fail "tests/path/one.c ended with status $?"

# The program's own code: START+SIZE.
text=$($objdump -h -j .text "$work/one" | awk '$2 == ".text" { print "0x" $4 "+0x" $3 }')

# What ran from the last but one call of mark() to the last: a line for each instruction, with its function.
step()
{
	$objdump -d -j .text "$work/one" >"$work/disassembly"
	if [ -z "${CAIRN_EMULATOR:-}" ]; then
		"$work/steps" ${text%+*} ${text#*+} "$work/one" >"$work/log" 2>"$work/said"
	else
		$CAIRN_EMULATOR -singlestep -d in_asm,exec,nochain -D "$work/log" -dfilter "$text" "$work/one" \
			>"$work/said"
	fi || fail "tests/path/one.c ended with status $? when it was run step by step: $(cat "$work/said")"
	awk -f tests/path/ran.awk "$work/disassembly" "$work/log" >"$work/ran"
}

# An event that is reached too late, as on a busy machine, has a long time stamp, and goes another way.
count_instructions()
{
	tries=0
	while step && grep -q '^cairn_all_' "$work/ran" && [ $tries -lt 9 ]; do
		tries=$((tries + 1))
	done
	count=$(grep -c '^cairn_' "$work/ran")
	# The least that it can be: read, compare and store what README says; and no long way.
	if [ "$count" -lt 20 ] || [ "$count" -gt 150 ]; then
		fail "an enabled event runs $count instructions"
		cat "$work/ran" >&2
	fi
	echo "instructions=$count"
}

if [ -n "${CAIRN_SANITIZE:-}" ]; then
	echo "instructions=-" # a sanitizer's
elif on_board; then
	echo "native only: figures, instructions: they are counted where the program was built" >&2
	echo "instructions=-"
else
	count_instructions
fi >>"$work/figures"
if [ -f "$build/libcairn.a" ]; then
	"${objdump%objdump}size" -t "$build/libcairn.a" | awk 'END { print "text=" $1 }'
else
	echo "text=-" # shared
fi >>"$work/figures"
for name in clock sites instructions text; do
	grep -Eq "^$name=[^ ]+$" "$work/figures" || fail "no $name: $(cat "$work/figures")"
done
cat "$work/figures"
[ "$failures" -ne 0 ] || cp "$work/figures" "$figures"
finish
