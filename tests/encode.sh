#!/bin/sh
# SPDX-License-Identifier: MIT
#
# encode.sh [--write]: tests/golden/PORT_sites.txt is what GNU as makes of PORT_sites.s: for each distance
# the disabled and the enabled site. test_patch compares the encoders of arch/PORT with it. PORTle is the
# same source in little-endian code. --write: make them anew. A port for which there is no GNU as here is
# not compared, and it says so.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# assemble PORT SIZE PREFIX OPTION...: a line for each pair: distance, no-op, jump, as $work/PORT.txt
assemble()
{
	port=$1 size=$2 prefix=$3
	shift 3
	command -v "${prefix}as" >/dev/null && command -v "${prefix}objcopy" >/dev/null || return 1
	source=tests/golden/${port%le}_sites.s
	"${prefix}as" "$@" -o "$work/$port.o" "$source" 2>"$work/err" || return 1
	"${prefix}objcopy" -O binary -j .text "$work/$port.o" "$work/$port.bin"
	sed -n 's/^	site //p' "$source" >"$work/distances"
	{
		echo "# distance, no-op, jump: from ${source##*/} by tests/encode.sh --write"
		od -An -v -tx1 -w$((2 * size)) "$work/$port.bin" |
			sed -E "s/^((  *[0-9a-f]{2}){$size})/\\1 /; s/^ //" | paste -d ' ' "$work/distances" -
	} >"$work/$port.txt"
}

# compare PORT SIZE PREFIX OPTION...
compare()
{
	if ! assemble "$@"; then
		echo "no assembler for $1 here: nothing is compared"
	elif [ "$write" ]; then
		cp "$work/$1.txt" "tests/golden/$1_sites.txt"
	else
		diff -u "tests/golden/$1_sites.txt" "$work/$1.txt" ||
			fail "tests/golden/$1_sites.txt is not what as makes of ${source##*/}"
	fi
}

write=
[ "${1:-}" != --write ] || write=1
compare x86 5 "" --64
compare x86 5 "" --32
compare aarch64 4 aarch64-linux-gnu-
compare arm 4 arm-linux-gnueabihf- -march=armv7-a
compare armv5 4 arm-linux-gnueabi- -march=armv5te
compare thumb 4 arm-linux-gnueabihf- -march=armv7-a -mthumb
compare powerpc 4 powerpc-linux-gnu-
compare powerpc 4 powerpc64-linux-gnu-
compare powerpcle 4 powerpc64le-linux-gnu-
compare mips 8 mips-linux-gnu- -mips32r2
compare mips 8 mips64el-linux-gnuabi64- -mabi=32 -mips32r2 -EB
compare mipsle 8 mipsel-linux-gnu- -mips32r2
compare mipsle 8 mips64el-linux-gnuabi64-
compare mipsr6 4 mips-linux-gnu- -mips32r6
compare mipsr6le 4 mipsel-linux-gnu- -mips32r6
compare micromips 8 mips-linux-gnu- -mips32r2
compare micromipsle 8 mipsel-linux-gnu- -mips32r2
compare riscv 4 riscv64-linux-gnu-
finish
