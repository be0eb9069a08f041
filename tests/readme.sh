#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What the documents promise: README.md's first program is examples/hello/hello.c; its programs build by
# its own one-line command and record what they should, in each of the ways that it describes; links
# lead to files; the instructions listed in core/README.md are those that the compiler named there makes.
# shellcheck disable=SC2086 # lists of words
set -eu

src=${CAIRN_SOURCE_DIR:-$(cd "$(dirname "$0")/.." && pwd)}
cc=${CAIRN_CC:-cc}
port=${CAIRN_PORT:-x86_64}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

fail()
{
	echo "readme: $*"
	exit 1
}

# program N: the Nth block of C in README.md.
program()
{
	awk -v n="$1" '/^```c$/ { inside = ++block == n; next } /^```/ { inside = 0 } inside' "$src/README.md"
}

# build NAME: NAME.c to NAME, by the command in README.md, with this build's compiler and port.
build()
{
	line=$(sed -n 's/^ *\(cc .* app[.]c core.*\)$/\1/p' "$src/README.md")
	[ -n "$line" ] || fail "no command 'cc ... app.c core/*.c ...' found in README.md"
	line=$(echo "$line" | sed -e "s,^cc,$cc ${CAIRN_SANITIZE:-}," -e "s,arch/x86_64,arch/$port," \
		-e "s,app[.]c,$1.c," -e "s,-o app,-o $1,")
	eval "$line" >said 2>&1 || { cat said; fail "does not build: $line"; }
}

# events TRACE EXPECTED...: babeltrace2 shows these, in this order, and has nothing to complain about.
events()
{
	trace=$1
	shift
	babeltrace2 "$trace" >text 2>said || { cat said; fail "babeltrace2 $trace"; }
	[ ! -s said ] || { cat said; fail "babeltrace2 warned of $trace"; }
	sed 's/^.* \([a-z]*:[a-z]*\): {[^}]*}, { *\(.*\)}$/\1 \2/; s/ *$//' text >shown
	printf '%s\n' "$@" | diff - shown || fail "$trace: expected on the left, recorded on the right"
}

cp -r "$src/core" "$src/include" "$src/arch" .
program 1 >hello.c
awk 'heading { print; next } /^ \*\/$/ { heading = 1 }' "$src/examples/hello/hello.c" | diff - hello.c ||
	fail "README.md's first program is not examples/hello/hello.c (right: README.md)"
program 2 >inside.c
grep -q cairn_session_start inside.c || fail "no second program found in README.md"
build hello
build inside

CAIRN_TRACE='hello:*' CAIRN_OUTPUT=by_environment ${CAIRN_EMULATOR:-} ./hello >said
printf 'Hello, %s!\n' world moon stars | diff - said || fail "hello does not print its greetings"
set -- 'hello:start' 'hello:greeting name = "world", number = 0' \
	'hello:greeting name = "moon", number = 1' 'hello:greeting name = "stars", number = 2'
events by_environment "$@"

tool=${CAIRN_BUILD_DIR:-}/tools/cairn
if [ ! -x "$tool" ]; then
	echo "skip: cairn record (it is not built)"
elif ! ${CAIRN_EMULATOR:-} true >/dev/null 2>&1; then
	echo "native only: readme, cairn record: an emulated process cannot execute a program of its own CPU"
else
	${CAIRN_EMULATOR:-} "$tool" record -o outside -e 'hello:*' -- ./hello >said 2>&1 || { cat said; fail "cairn record"; }
	grep -q '^cairn: 4 events recorded, 0 lost, ' said || { cat said; fail "cairn record's last words"; }
	events outside "$@"
fi

${CAIRN_EMULATOR:-} ./inside >said 2>&1 || { cat said; fail "the program of the C API failed"; }
[ "$(cat said)" = "1 recorded, 0 lost" ] || { cat said; fail "expected: 1 recorded, 0 lost"; }
events trace 'shop:checkout order = 42, customer = "Ada"'

cd "$src"
for page in README.md CONTRIBUTING.md CHANGELOG.md arch/README.md core/README.md tests/README.md; do
	grep -oE '\]\([^)#:]+' "$page" | cut -c 3- >"$dir/links" || true
	while read -r link; do
		[ -e "$(dirname "$page")/$link" ] || fail "$page: a link leads to $link, which is not there"
	done <"$dir/links"
	grep -oE '\b(ci|core|tests|tools|examples|include/cairn|toolchains)/[a-z0-9_-]+([.][a-z0-9]+)+' "$page" |
		sort -u >"$dir/names" || true
	while read -r name; do
		[ -e "$name" ] || fail "$page names $name, which is not there"
	done <"$dir/names"
done

# The list in core/README.md, mnemonics only: addresses and comments are for people.
named=$(grep -oE 'gcc [0-9]+[.][0-9.]+ -O2' core/README.md | cut -d' ' -f2 | head -n 1)
[ -n "$named" ] || fail "core/README.md does not say which gcc made its list of instructions"
if [ "$(uname -m)" = x86_64 ] && [ "$(gcc -dumpfullversion 2>/dev/null)" = "$named" ]; then
	awk '/^## The instructions/ { inside = 1 } /^To repeat/ { exit } inside && /^    [a-z]/ { print $1 }' \
		core/README.md >"$dir/listed"
	printf '#include <cairn/event.h>\nCAIRN_EVENT(a, b, CAIRN_U32(n));\n%s\n' \
		'void f(uint32_t n); void f(uint32_t n) { cairn_trace(a, b, n); }' >"$dir/one.c"
	gcc -O2 -Iinclude -Iarch/x86_64 -Iarch/generic -c "$dir/one.c" -o "$dir/one.o"
	objdump -d --no-show-raw-insn "$dir/one.o" |
		awk '/<cairn_hit_a__b.*>:/ { inside = 1; next } inside { print $2 } inside && $2 == "ret" { exit }' \
			>"$dir/made"
	diff "$dir/listed" "$dir/made" ||
		fail "core/README.md's list of instructions (left) is not what gcc $named makes (right)"
	count=$(wc -l <"$dir/made")
	for page in README.md core/README.md; do
		tr -s '\n ' ' ' <"$page" | grep -q "\b$count instructions" || fail "$page: the way has $count instructions"
	done
fi
echo "programs, links and instructions are as the documents say"
