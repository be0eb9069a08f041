#!/bin/sh
# SPDX-License-Identifier: MIT
#
# encode.sh [--write]: tests/golden/x86_sites.txt is what GNU as makes of x86_sites.s, for 32 and for 64
# bits. test_patch compares the encoders of arch/x86 with it. --write: make it anew. Where there is no
# GNU as for x86, nothing is compared, and it says so.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

golden=tests/golden/x86_sites
for tool in as objcopy; do
	command -v $tool >/dev/null || { echo "no $tool here: nothing is compared"; exit 0; }
done
if ! as --64 -o "$work/64.o" $golden.s 2>"$work/err" || ! as --32 -o "$work/32.o" $golden.s; then
	as --version | head -1
	echo "this assembler is for another CPU: nothing is compared"
	exit 0
fi

# bytes_of BITS: a line for each pair: displacement, test, jump.
bytes_of()
{
	objcopy -O binary -j .text "$work/$1.o" "$work/$1.bin"
	sed -n 's/^	site //p' $golden.s >"$work/disp"
	od -An -v -tx1 -w10 "$work/$1.bin" | sed 's/^ //' |
		sed 's/^\(.\{14\}\) \(.\{14\}\)$/\1  \2/' | paste -d ' ' "$work/disp" -
}

{
	echo "# displacement, test \$disp, %eax, jmp disp: from x86_sites.s by tests/encode.sh --write"
	bytes_of 64
} >"$work/sites"
if [ "${1:-}" = --write ]; then
	cp "$work/sites" $golden.txt
	exit 0
fi
diff -u $golden.txt "$work/sites" || fail "$golden.txt is not what as makes of $golden.s"
bytes_of 32 >"$work/32"
bytes_of 64 | diff - "$work/32" || fail "32 and 64 bits differ"
finish
