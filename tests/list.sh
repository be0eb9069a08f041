#!/bin/sh
# SPDX-License-Identifier: MIT
# `cairn list` on programs of this build's compiler and port, with the public headers: two files with the
# same events, patched and branch sites mixed, stripped, with unused sections collected, as a program
# and as a shared library. tests/test_list.c has what a compiler does not make.
# shellcheck disable=SC2086,SC2154,SC1091 # several words; from lib.sh

. "$(dirname "$0")/lib.sh"

[ -n "${CAIRN_BUILD_DIR:-}" ] || die "CAIRN_BUILD_DIR must name a build folder"
cairn=${CAIRN_EMULATOR:+$CAIRN_EMULATOR }$CAIRN_BUILD_DIR/tools/cairn
[ -x "$CAIRN_BUILD_DIR/tools/cairn" ] || die "no $CAIRN_BUILD_DIR/tools/cairn: build it (CAIRN_TOOLS=ON)"
if [ "${CAIRN_SHARED:-0}" = 1 ]; then
	library="$CAIRN_BUILD_DIR/libcairn_module.a -L$CAIRN_BUILD_DIR -lcairn -Wl,-rpath,$CAIRN_BUILD_DIR"
else
	library=$CAIRN_BUILD_DIR/libcairn.a
fi
cc="${CAIRN_CC:-cc} -fPIC ${CAIRN_CPPFLAGS:-$includes}"

# object NAME OPTION...
object()
{
	name=$1
	shift
	$cc -c "$@" tests/cli/events.c -o "$work/$name.o" || die "tests/cli/events.c does not compile"
}

# program NAME OBJECT-or-OPTION...
program()
{
	name=$1
	shift
	(cd "$work" && $cc "$@" $library -lpthread -o "$name") || die "$name does not link"
}

# lists FILE [PATCHED BRANCH]: the listing is what it should be, but for the number of sites.
lists()
{
	if ! $cairn list "$work/$1" >"$work/out" 2>"$work/err" || [ -s "$work/err" ]; then
		fail "cairn list $1: $(cat "$work/err")"
	fi
	sed -e 's/^.*\/\([^/]*: \)/\1/' -e '1s/, [0-9].*$//' "$work/out" >"$work/got"
	sed "s/^FILE/$1/" "$work/expected" | diff - "$work/got" || fail "the listing of $1 is another one"
	if [ $# = 3 ]; then
		head -n 1 "$work/out" | grep -q " ($2 patched, $3 branch)\$" ||
			fail "$1: expected $2 patched and $3 branch sites: $(head -n 1 "$work/out")"
	fi
}

cat >"$work/expected" <<'EOF'
FILE: 4 events

road:asked  2 sites
    (fields unknown: the file asks whether it is enabled, and never hits it)

road:car  ERR  2 sites
    u8            a
    i64           b
    x32           c
    net16         port
    ptr           p
    bool          bo
    char          ch
    float         f
    double        d
    enum lane     e
    str           s
    text[12]      t
    u16[4]        arr
    enum lane[2]  es
    str[]         words
    x8[]          blob

road:empty  DEBUG  4 sites
    (no fields)

road:twice  INFO  1 site
    str  x

enum lane: i16
    LEFT = -5
    RIGHT = 1 ... 300
EOF

object main -O1 -DFUNCTION=some -DMAIN -DSAME_FIELDS
object other -O0 -DFUNCTION=other
object branch -O1 -DFUNCTION=other -DCAIRN_SITES=branch
object clash -O1 -DFUNCTION=other -DOTHER_FIELDS
object collect -O1 -DFUNCTION=other -ffunction-sections -fdata-sections
program plain main.o other.o
lists plain
program library.so -shared main.o other.o
lists library.so
program collected -Wl,--gc-sections main.o collect.o
lists collected
program stripped -s main.o other.o
lists stripped
program mixed main.o branch.o
case "$(site_macro SIZE) ${CAIRN_CPPFLAGS:-}" in
'0 '* | *CAIRN_SITES=branch*) lists mixed 0 9 ;;
*) lists mixed 5 4 ;;
esac
program clashing main.o clash.o
$cairn list "$work/clashing" >"$work/out" || fail "cairn list clashing"
[ "$(grep -c 'road:twice  INFO  2 sites' "$work/out")" = 1 ] || fail "clashing: $(cat "$work/out")"
grep -q 'declared a second time, differently (INFO): it cannot be enabled' "$work/out" ||
	fail "two field lists of one event are not told: $(grep -A 5 twice "$work/out")"
if $cairn list "$work/main.o" 2>"$work/err" || ! grep -q 'an object file' "$work/err"; then
	fail "an object file is not refused: $(cat "$work/err")"
fi
finish
