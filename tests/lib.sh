# SPDX-License-Identifier: MIT
# Common to the tests that drive compilers and linkers: api.sh, reject/reject.sh, size.sh, link.sh.
# Sourced. Sets $src and goes there, makes $work (removed at exit), $includes, and $compilers: words
# "CC|CXX" with ',' for spaces, which cc_of and cxx_of turn into commands.
#
# The build's compiler is tested (CAIRN_CC, CAIRN_CXX, CAIRN_PORT; see tests/CMakeLists.txt). If it
# is this machine's gcc without options, or if a person starts the script, clang is tested too.
# shellcheck shell=sh disable=SC2034,SC2086

src=${CAIRN_SOURCE_DIR:-$(cd "$(dirname "$0")" && pwd)}
while [ ! -d "$src/include/cairn" ]; do
	[ "$src" != / ] || exit 2
	src=$(dirname "$src")
done
cd "$src" || exit 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
failures=0

die()
{
	echo "$(basename "$0"): $*" >&2
	exit 2
}

# on_board: do programs of the build run by ci/board.sh?
on_board()
{
	case ${CAIRN_EMULATOR:-} in
	*/ci/board.sh*) true ;;
	*) false ;;
	esac
}

# executes: can a program of the build execute others? Here and on a board, yes; an emulator runs no program of
# this machine, as `true` is one.
executes()
{
	${CAIRN_EMULATOR:-} true >/dev/null 2>&1
}

fail()
{
	echo "FAIL: $*"
	failures=$((failures + 1))
}

cc_of()
{
	echo "${1%%|*}" | tr ',' ' '
}

cxx_of()
{
	echo "${1#*|}" | tr ',' ' '
}

is_clang()
{
	$1 --version 2>/dev/null | grep -q clang
}

# CMake leaves spaces around the words.
words_of()
{
	set -- $1
	echo "$*"
}
cc_given=$(words_of "${CAIRN_CC:-gcc}")
cxx_given=$(words_of "${CAIRN_CXX:-g++}")
compilers="$(echo "$cc_given" | tr ' ' ',')|$(echo "$cxx_given" | tr ' ' ',')"
case $cc_given in
*' '*) ;;
*)
	cpu=$("$cc_given" -dumpmachine | cut -d- -f1)
	if ! is_clang "$cc_given" && [ "$cpu" = "$(uname -m)" ] && command -v clang++ >/dev/null; then
		compilers="$compilers clang|clang++"
	fi
	;;
esac

# As CMakeLists.txt does: the port whose site_arch.h the compiler accepts.
port=${CAIRN_PORT:-}
if [ -z "$port" ]; then
	port=generic
	for dir in arch/*/; do
		name=$(basename "$dir")
		[ "$name" = generic ] && continue
		$cc_given -E -x c "$dir/site_arch.h" >/dev/null 2>&1 && port=$name
	done
fi
includes="-Iinclude -Iarch/$port -Iarch/generic"

# site_macro NAME: what the port's site_arch.h makes of it for the files' CPU
site_macro()
{
	echo '#include <site_arch.h>' | $cc_given $includes -E -dM - |
		sed -n "s/^#define CAIRN_ARCH_SITE_$1 //p"
}

# knows COMPILER OPTION...: does it take these options, silently?
knows()
{
	cc_known=$1
	shift
	echo 'int main(void) { return 0; }' >"$work/known.c"
	said=$(cd "$work" && $cc_known "$@" known.c -o known 2>&1) && [ -z "$said" ]
}

# add COMMAND...: to the list that run_all runs, three at once: some wait. Paths are relative to $src.
add()
{
	echo "$*" >>"$work/cases"
}

# run_all LABEL: every command added must succeed and be silent.
run_all()
{
	mkdir -p "$work/failed"
	: >>"$work/cases"
	# shellcheck disable=SC2016 # the inner shell expands them
	xargs -r -P 3 -d '\n' -n 1 sh -c '
		log=$0/log.$$
		eval "$1" >"$log" 2>&1 && [ ! -s "$log" ] && exit 0
		{ echo "FAIL: $1"; head -n 8 "$log"; } >"$0/failed/$$"
		exit 0' "$work" <"$work/cases"
	cat "$work"/failed/* 2>/dev/null
	failed=$(find "$work/failed" -type f | wc -l)
	echo "$1: $(wc -l <"$work/cases") cases, $failed failed"
	failures=$((failures + failed))
	rm -rf "$work/cases" "$work/failed"
}

finish()
{
	[ "$failures" = 0 ] || { echo "$failures failed"; exit 1; }
	exit 0
}
