#!/bin/sh
# SPDX-License-Identifier: MIT
# check.sh ELFCHECK FILE SITES EVENT...: elfcheck passes; each site that it lists is an instruction by itself
# in the disassembly; the sites are those that have a mark behind them, all of these and no other
# (LINK_MARK: a regular expression for what objdump prints of it); and nothing in the text is relocated.
elfcheck=$1
file=$2
shift 2
if ! "$elfcheck" "$file" "$@" >"$file.sites"; then
	cat "$file.sites"
	exit 1
fi
if readelf -dW "$file" | grep TEXTREL; then
	echo "$file: text relocations"
	exit 1
fi
${CAIRN_OBJDUMP:-objdump} -dz "$file" | awk -v file="$file" -v mark="$LINK_MARK" '
	NR == FNR { if ($1 == "site") { begin[$2] = 1; behind[$3] = 1 } next }
	!/^ *[0-9a-f]+:\t/ { next }
	{ at = $1; sub(":", "", at); delete begin[at] }
	$0 ~ mark && !(at in behind) { print file ": a site before " at " is not registered"; wrong = 1 }
	$0 ~ mark { delete behind[at] }
	END {
		for (at in begin) { print file ": no instruction begins at " at; wrong = 1 }
		for (at in behind) { print file ": registered, but no site: before " at; wrong = 1 }
		exit wrong
	}' "$file.sites" -
