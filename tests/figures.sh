#!/bin/sh
# SPDX-License-Identifier: MIT
# What this configuration's library is, for the table of ci/run.sh, in $CAIRN_BUILD_DIR/figures: the clock
# that it takes here, the kind of its sites, the text bytes of libcairn.a, and the instructions that an
# enabled event of one 32-bit field runs in Cairn's functions, from the site's jump to its return: gdb steps
# through them, or the emulator tells each. With CLOCK_MONOTONIC the C library's part is not counted.
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

${CAIRN_EMULATOR:-} "$work/one" >"$work/figures" || fail "tests/path/one.c ended with status $?"

# The program's own code: START+SIZE.
text=$($objdump -h -j .text "$work/one" | awk '$2 == ".text" { print "0x" $4 "+0x" $3 }')

# What ran from the last but one call of mark() to the last: a line for each instruction, with its function. Out
# of the C library it runs on at full speed: the kernel's clock begins anew when it is read too slowly.
step_by_gdb()
{
	cat >"$work/steps" <<-'END'
		set pagination off
		set confirm off
		break mark
		run
		ignore 1 2
		continue
		delete
		set $left = 2000
		stepi
		while $left > 0 && $pc != (unsigned long)&mark
			if (unsigned long)$pc > $end
				finish
			else
				x/i $pc
				stepi
			end
			set $left = $left - 1
		end
		if $pc == (unsigned long)&mark
			printf "=> 0x0 <reached>:\n"
		end
		kill
	END
	gdb -batch -nx -ex "set \$end = $text" -x "$work/steps" "$work/one" 2>&1 | sed -n 's/^=> 0x[0-9a-f]* <\([^+>]*\)[^>]*>:/\1/p'
}

step_by_emulator()
{
	$objdump -d -j .text "$work/one" >"$work/disassembly"
	$CAIRN_EMULATOR -singlestep -d in_asm,exec,nochain -D "$work/log" -dfilter "$text" "$work/one" \
		>"$work/said" || fail "$CAIRN_EMULATOR: tests/path/one.c ended with status $?"
	awk -f tests/path/ran.awk "$work/disassembly" "$work/log"
}

step()
{
	if [ -n "${CAIRN_EMULATOR:-}" ]; then
		step_by_emulator
	else
		step_by_gdb
	fi >"$work/ran"
}

# An event that is reached too late, as on a busy machine, has a long time stamp, and goes another way.
count_instructions()
{
	tries=0
	while step && grep -q '^cairn_all_' "$work/ran" && [ $tries -lt 9 ]; do
		tries=$((tries + 1))
	done
	if [ -z "${CAIRN_EMULATOR:-}" ] && ! grep -qx reached "$work/ran"; then
		fail "gdb did not come from one event to the next"
	fi
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
