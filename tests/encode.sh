#!/bin/sh
# SPDX-License-Identifier: MIT
#
# encode.sh [--write]: tests/golden/NAME_sites.txt is what GNU as makes of PORT_sites.s: for each distance
# the disabled and the enabled site. test_patch compares the encoders of arch/PORT with it. --write: make
# them anew. Comments at the head of PORT_sites.s, of which several may stand there, say how:
#
#   encoder NAME: PORT FACT=VALUE...  an encoder of arch/PORT, and CAIRN_ARCH_SITE_FACT for it (encoder.c)
#   as NAME: COMMAND                  the assembler whose bytes are compared; COMMAND ends in as and options
#   refused: DISTANCE...              what is out of reach, or between two instructions; not assembled
#   refused at AT: DISTANCE...        the same for a site AT bytes further, which may be badly aligned
#
# An encoder for which there is no GNU as here is not compared, and it says so.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# assemble SOURCE NAME AS OPTION...: $work/NAME.txt: a line for each pair: distance, no-op, jump; then
# the refused.
assemble()
{
	source=$1 name=$2 as=$3
	shift 3
	size=$(sed -n "s/^[^ ]* encoder $name: .* *SIZE=\([0-9]*\).*/\1/p" "$source")
	[ "$size" ] || die "$source has no line \"encoder $name: PORT SIZE=...\""
	command -v "$as" >/dev/null && command -v "${as%as}objcopy" >/dev/null || return 1
	"$as" "$@" -o "$work/$name.o" "$source" 2>"$work/err" || return 1
	"${as%as}objcopy" -O binary -j .text "$work/$name.o" "$work/$name.bin"
	sed -n 's/^	site //p' "$source" >"$work/distances"
	{
		echo "# distance, no-op, jump: from ${source##*/} by tests/encode.sh --write"
		od -An -v -tx1 -w$((2 * size)) "$work/$name.bin" |
			sed -E "s/^((  *[0-9a-f]{2}){$size})/\\1 /; s/^ //" | paste -d ' ' "$work/distances" -
		sed -nE 's/^[^ ]* refused( at ([0-9]+))?: /\2 /p' "$source" |
			awk '{ at = /^ / ? 0 : $1; for (i = /^ / ? 1 : 2; i <= NF; i++) print "refused", at, $i }'
	} >"$work/$name.txt"
}

# compare SOURCE NAME AS OPTION...
compare()
{
	if ! assemble "$@"; then
		echo "no assembler for $name here: nothing is compared"
	elif [ "$write" ]; then
		cp "$work/$name.txt" "tests/golden/${name}_sites.txt"
	else
		diff -u "tests/golden/${name}_sites.txt" "$work/$name.txt" ||
			fail "tests/golden/${name}_sites.txt is not what as makes of ${source##*/}"
	fi
}

write=
[ "${1:-}" != --write ] || write=1
for golden in tests/golden/*_sites.s; do
	sed -n 's/^[^ ]* as \([^ ]*\): /\1 /p' "$golden" >"$work/assemblers"
	while read -r words; do
		# shellcheck disable=SC2086 # name, command, options
		compare "$golden" $words
	done <"$work/assemblers"
done

# A port that patches has its encoders in the test, and each of them an assembler.
grep -l '^static inline int cairn_arch_jump' arch/*/patch_arch.h | cut -d / -f 2 | grep -vx generic >"$work/ports"
while read -r port; do
	grep -q "^[^ ]* encoder [^ ]*: $port " tests/golden/*_sites.s ||
		fail "no tests/golden/*_sites.s has a line \"encoder NAME: $port FACT=VALUE...\""
done <"$work/ports"
sed -n 's/^[^ ]* encoder \([^ ]*\): .*/\1/p' tests/golden/*_sites.s >"$work/encoders"
while read -r name; do
	grep -q "^[^ ]* as $name: " tests/golden/*_sites.s || fail "no line \"as $name: COMMAND\""
done <"$work/encoders"
finish
