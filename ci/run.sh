#!/bin/bash
# SPDX-License-Identifier: MIT
#
# ci/run.sh [TARGET...]: build each target, by default all of ci/matrix, in build/TARGET and run its whole
# test suite. Installs what is missing. Ends with a table and the line "N passed, N failed"; the exit status
# is 0 only if every target was built and ran tests, and every test passed. What a target printed is in
# build/TARGET/ci.log.
#
# ci/run.sh TARGET... --board USER@HOST: the same in build/TARGET-board, but what was built is run on that
# board, by ssh. ci/board.sh says what it needs and reads from the environment, tests/README.md what is left out.
#
# The table's columns: tests; tests or parts of tests that an emulator cannot run (tests/README.md);
# seconds, without those of its build that passed in the tests of the target before; the clock that the
# library took; patch/N: tracepoints are instructions of N bytes, or branch; the instructions that an enabled
# event of one 32-bit field runs (without the C library's, where the clock is CLOCK_MONOTONIC); and the text
# bytes of libcairn.a.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
ulimit -c 0

target_time=1200 # seconds that the tests of one target may take
test_time=600    # and each test

# --board, wherever it stands; the other words are targets.
board=
suffix= # of folders in build
targets=()
while [ $# -gt 0 ]; do
	if [ "$1" = --board ]; then
		board=${2:-}
		suffix=-board
		shift
	else
		targets+=("$1")
	fi
	shift $(($# > 0))
done
if [ -n "$suffix" ] && { [ -z "$board" ] || [ ${#targets[@]} -eq 0 ]; }; then
	echo "usage: ci/run.sh TARGET... --board USER@HOST" >&2
	exit 2
fi

lines=$(grep -v -e '^#' -e '^[[:space:]]*$' ci/matrix)
if [ ${#targets[@]} -eq 0 ]; then
	mapfile -t targets < <(awk '{ print $1 }' <<<"$lines")
fi
for target in "${targets[@]}"; do
	if ! awk '{ print $1 }' <<<"$lines" | grep -Fqx -e "$target"; then
		echo "ci/run.sh: ci/matrix has no target '$target'" >&2
		exit 2
	fi
done
mapfile -t toolchains < <(for target in "${targets[@]}"; do
	awk -v name="$target" '$1 == name && $2 != "-" { print $2 }' <<<"$lines"
done | sort -u)
ci/setup.sh "${toolchains[@]}"
# What follows runs in the board's session.
if [ -n "$board" ] && [ -z "${CAIRN_BOARD_ROOT:-}" ]; then
	exec ci/board.sh session "$board" ci/run.sh "${targets[@]}" --board "$board"
fi

# build TARGET TOOLCHAIN ARGUMENT...: configure and build in build/TARGET.
build()
{
	local target=$1 toolchain=$2 triple
	local dir=build/$target$suffix arguments=()
	shift 2
	for argument; do
		[ "$argument" = - ] || arguments+=("$argument")
	done

	if [ "$toolchain" != - ]; then
		triple=$(sed -n 's/^set(cairn_triple \(.*\))$/\1/p' "$toolchain")
		ci/check.sh "$triple" "build/cache/check-$triple" || return
		# Without -g, as nobody debugs it: it is a sixth of the compiler's time.
		arguments+=("-DCMAKE_TOOLCHAIN_FILE=$root/$toolchain"
			"-DCMAKE_C_FLAGS_RELWITHDEBINFO=-O2 -DNDEBUG" "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O2 -DNDEBUG"
			"-Dcheck_DIR=$root/build/cache/check-$triple/lib/cmake/check")
		if [[ " $* " != *" -DCAIRN_TOOLS=OFF "* ]]; then
			ci/libs.sh "$triple" "build/cache/libs-$triple" || return
			arguments+=(-C "$root/build/cache/libs-$triple/libs.cmake")
		fi
	fi

	[ -z "$board" ] ||
		arguments+=("-DCMAKE_PROJECT_INCLUDE=$root/ci/board.cmake")

	# What another set of arguments left in the cache must not have a say.
	if [ "$(cat "$dir/arguments" 2>/dev/null)" != "${arguments[*]}" ]; then
		find "$dir" -mindepth 1 -maxdepth 1 ! -name ci.log -exec rm -rf {} + || return
		echo "${arguments[*]}" >"$dir/arguments"
	fi
	cmake -S . -B "$dir" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo \
		-DCMAKE_COMPILE_WARNING_AS_ERROR=ON "${arguments[@]}" || return
	cmake --build "$dir" -j 2 -- -k 0 || return
	[ -z "$board" ] || ci/board.sh copy "$dir"
}

# begin TARGET: build it in the background, as process $builder. A target's tests wait a good part of their
# time, so the next target is built meanwhile, with what they leave of the CPUs.
begin()
{
	local fields
	read -r -a fields < <(awk -v name="$1" '$1 == name' <<<"$lines")
	mkdir -p "build/$1$suffix"
	rm -f "build/$1$suffix/figures"
	{ renice -n 10 "$BASHPID" && build "${fields[@]}"; } >"build/$1$suffix/ci.log" 2>&1 &
	builder=$!
}

# run_tests TARGET. ThreadSanitizer knows few address space layouts; where the kernel spreads mappings
# wider, its programs run without.
run_tests()
{
	local before=()
	if grep -q '^CAIRN_SANITIZE:STRING=thread' "build/$1$suffix/CMakeCache.txt" &&
		[ "$(cat /proc/sys/vm/mmap_rnd_bits 2>/dev/null || echo 0)" -gt 28 ]; then
		before=(setarch -R)
	fi
	"${before[@]}" ctest --test-dir "build/$1$suffix" -j 2 --output-on-failure --no-tests=error \
		--timeout $test_time --stop-time "$(date -d "+$target_time seconds" +%H:%M:%S)" || return
	# Nothing counts as native only because the board went away.
	[ -z "$board" ] || ci/board.sh run "$root/build/$1$suffix/tests/program_board" exit 0
}

# figure TARGET NAME: what tests/figures.sh wrote of this target; -: it did not, or there is none.
figure()
{
	sed -n "s/^$2=//p" "build/$1$suffix/figures" 2>/dev/null | grep . || echo -
}

layout='%-15s %6s %6s %11s %7s  %-10s %-8s %12s %6s'
# shellcheck disable=SC2059
table=$(printf "$layout" target passed failed native-only seconds clock sites instructions text)
findings= # what failed, again at the end, where a short log still has it
passed=0
failed=0
begin "${targets[0]}"
for ((i = 0; i < ${#targets[@]}; i++)); do
	target=${targets[i]}
	log=build/$target$suffix/ci.log
	SECONDS=0
	ok=0
	bad=0
	note=
	echo "== $target${board:+ on $board}"
	built=0
	wait "$builder" || built=1
	next=${targets[i + 1]:-}
	[ -z "$next" ] || [ -n "$board" ] || begin "$next"
	if [ $built -ne 0 ]; then
		bad=1
		note="  did not build"
		tail -n 40 "$log"
	else
		status=0
		run_tests "$target" >>"$log" 2>&1 || status=$?
		# "87% tests passed, 2 tests failed out of 16"
		summary=$(grep -a -E '^[0-9]+% tests passed, ' "$log" | tail -n 1 || true)
		if [[ $summary =~ ^[0-9]+%\ tests\ passed,\ ([0-9]+)\ tests?\ failed\ out\ of\ ([0-9]+)$ ]]; then
			bad=${BASH_REMATCH[1]}
			ok=$((BASH_REMATCH[2] - bad))
		fi
		if [ $((ok + bad)) -eq 0 ]; then
			bad=1
			note="  no test ran"
		elif [ $status -ne 0 ] && [ "$bad" -eq 0 ]; then
			bad=1
			note="  ctest ended with status $status"
		fi
		if [ "$bad" -ne 0 ]; then
			tail -n 80 "$log"
			findings+=$(grep -a -E -e '^FAIL' -e ':[EF]:' -e 'Sanitizer: ' -e 'runtime error: ' \
				-e '\*\*\*[A-Z]' "$log" | head -n 20 | sed "s/^/$target: /" || true)$'\n'
		fi
	fi
	passed=$((passed + ok))
	failed=$((failed + bad))
	# Tests that an emulator cannot run say so, one line each: tests/README.md has the list.
	native=$(grep -a -c '^native only: ' "build/$target$suffix/Testing/Temporary/LastTest.log" 2>/dev/null || true)
	# shellcheck disable=SC2059
	row=$(printf "$layout" "$target" "$ok" "$bad" "${native:-0}" "$SECONDS" "$(figure "$target" clock)" \
		"$(figure "$target" sites)" "$(figure "$target" instructions)" "$(figure "$target" text)")
	table+=$'\n'$row$note
	[ -z "$next" ] || [ -z "$board" ] || begin "$next"
done

echo
printf '%s' "$findings"
echo "$table"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
