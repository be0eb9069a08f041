#!/bin/sh
# SPDX-License-Identifier: MIT
# check.sh ELFCHECK FILE SITES EVENT...: elfcheck, and every site that it lists is an instruction by
# itself in the disassembly.
elfcheck=$1
file=$2
shift 2
if ! "$elfcheck" "$file" "$@" >"$file.sites"; then
	cat "$file.sites"
	exit 1
fi
[ -s "$file.sites" ] || exit 0
${CAIRN_OBJDUMP:-objdump} -dz "$file" | grep '^ *[0-9a-f]*:	' | awk -v file="$file" '
	NR == FNR { want[$2] = 1; n++; next }
	{ sub(":", "", $1); if ($1 in want) delete want[$1] }
	END { for (at in want) { print file ": no instruction begins at " at; wrong = 1 } exit wrong }' \
	"$file.sites" -
