#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The table in tests/README.md says which file tests which lesson and pitfall. This compares it with the
# names in the files, lesson_NN and pitfall_TNN, in both directions; it prints what has to change. Run by
# ctest, or by hand from any folder.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# What the table says, one line "58 test_ctf.c" for each file of a row "| 58 | ... | `test_ctf.c` |".
awk -F'|' '/^\| *T?[0-9]+ *\|/ {
	number = $2
	gsub(/ /, "", number)
	if (seen[number]++)
		print number, "(a second row)"
	n = split($(NF - 1), part, "`")
	if (n < 3)
		print number, "(a row without a file)"
	for (i = 2; i < n; i += 2)
		print number, part[i]
}' README.md | LC_ALL=C sort -u >"$work/table"

# What the files say.
grep -rIoE --exclude=README.md --exclude=map.sh '(lesson_|pitfall_T)[0-9]+' . |
	sed -E 's,^\./(.*):(lesson_|pitfall_)(T?[0-9]+)$,\3 \1,' | LC_ALL=C sort -u >"$work/files"

[ -s "$work/table" ] || { echo "tests/README.md has no row of the form | 58 | ... | \`file\` |"; exit 1; }
[ -s "$work/files" ] || { echo "no file of tests/ has a name lesson_NN"; exit 1; }

status=0
LC_ALL=C comm -13 "$work/table" "$work/files" >"$work/missing"
LC_ALL=C comm -23 "$work/table" "$work/files" >"$work/stale"
while read -r number file; do
	echo "tests/README.md: the row of $number lacks \`$file\`"
	status=1
done <"$work/missing"
while read -r number file; do
	echo "tests/README.md: the row of $number names $file, where no such name stands"
	status=1
done <"$work/stale"
[ $status -ne 0 ] || echo "$(cut -d' ' -f1 "$work/table" | sort -u | wc -l) lessons and pitfalls"
exit $status
