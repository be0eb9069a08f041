# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# For the scripts beside it, which source it: a scratch folder $dir, an installed Cairn, and the check of
# what a consumer recorded.
set -eu

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

fail()
{
	echo "FAILED: $*"
	exit 1
}

# quietly COMMAND...: shows what it said only if it fails.
quietly()
{
	if ! "$@" >"$dir/said" 2>&1; then
		cat "$dir/said"
		fail "$*"
	fi
}

# The library in $dir/prefix, moved after its installation: nothing may depend on where it was put.
install_cairn()
{
	quietly cmake --install "$CAIRN_BUILD_DIR" --prefix "$dir/first"
	mv "$dir/first" "$dir/prefix"
}

# find_folder NAME: sets $folder to where the file of that name was installed.
find_folder()
{
	found=$(find "$dir/prefix" -name "$1")
	[ -n "$found" ] || fail "no $1 was installed"
	# shellcheck disable=SC2034 # for the caller
	folder=$(dirname "$found")
}

# run_traced PROGRAM: what it prints, untraced, in $dir/printed, and, traced, the same; its trace, which must
# read without complaint, as text in $dir/text.
run_traced()
{
	rm -rf "$dir/trace"
	# shellcheck disable=SC2086 # an emulator is a list of words, or nothing
	$CAIRN_EMULATOR "$1" >"$dir/printed" 2>&1 || { cat "$dir/printed"; fail "$1 ended with an error"; }
	# shellcheck disable=SC2086
	CAIRN_TRACE='*' CAIRN_OUTPUT=$dir/trace $CAIRN_EMULATOR "$1" >"$dir/said" 2>&1 ||
		{ cat "$dir/said"; fail "$1, traced, ended with an error"; }
	diff "$dir/printed" "$dir/said" || fail "$1, traced (right), printed something else"
	babeltrace2 "$dir/trace" >"$dir/text" 2>"$dir/said" || { cat "$dir/said"; fail "babeltrace2"; }
	[ ! -s "$dir/said" ] || { cat "$dir/said"; fail "babeltrace2 warned"; }
}

# check_program PROGRAM: runs it traced; the trace must hold its event.
check_program()
{
	run_traced "$1"
	grep -q 'shop:checkout:.* order = 42, customer = "Ada"' "$dir/text" ||
		{ cat "$dir/text"; fail "the trace does not hold shop:checkout with its fields"; }
	[ "$(wc -l <"$dir/text")" -eq 1 ] || { cat "$dir/text"; fail "expected one event"; }
}
