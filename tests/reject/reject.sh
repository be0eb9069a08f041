#!/bin/sh
# SPDX-License-Identifier: MIT
# reject.sh FILE...: passes if no FILE compiles and each time the compiler's message matches the
# extended regular expression in the file's first line, /* expect: REGEX */. Warnings count as errors.
# shellcheck disable=SC1091,SC2046,SC2086,SC2154 # lists of words

. "$(dirname "$0")/../lib.sh"

# reject FILE COMPILER OPTION...
reject()
{
	file=$1
	shift
	expect=$(sed -n '1s,^/\* expect: \(.*\) \*/$,\1,p' "$file")
	[ -n "$expect" ] || die "$file: the first line must be /* expect: REGEX */"
	if said=$("$@" -O1 -Wall -Wextra -Wpedantic -Werror $includes -c -o "$work/x.o" "$file" 2>&1); then
		fail "$file compiles with $1; expected an error that matches: $expect"
	elif ! printf '%s\n' "$said" | grep -Eq -e "$expect"; then
		fail "$file: no line that $1 prints matches: $expect"
		printf '%s\n' "$said" | head -n 20
	fi
}

[ $# -gt 0 ] || set -- tests/reject/*.c tests/reject/*.cc
for name in "$@"; do
	for cc in $compilers; do
		case $name in
		*.cc) reject "$name" $(cxx_of $cc) -std=c++11 ;;
		*) reject "$name" $(cc_of $cc) -std=c99 ;;
		esac
	done
done
finish
