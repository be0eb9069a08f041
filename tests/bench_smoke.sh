#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The benchmark runs and prints what it should: one line for each metric asked for, in the order of the
# list, a number or a name in the second column. What the numbers are is not judged here: a machine that
# runs other tests meanwhile tells nothing about speed.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
if [ -n "${CAIRN_EMULATOR:-}" ]; then
	echo "native only: bench_smoke: it measures this machine, without an emulator"
	exit 0
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
metrics='floor_ns off_delta_ns branch_off_delta_ns reserve_ns_t1 reserve_ratio noclock_ns
	record_ns_t1 record_ratio record_wall_ratio record_lost record_fs bytes_per_event event_p999_ns
	event_max_ns startup_us_delta header_only_bytes'

fail()
{
	echo "bench_smoke: $*" >&2
	exit 1
}

# shellcheck disable=SC2086
CAIRN_BENCH_DIR="$work" CAIRN_BENCH_EVENTS=50000 CAIRN_BENCH_ROUNDS=1 \
	"$root/ci/bench.sh" --quick $metrics >"$work/report" 2>"$work/err" ||
	{ cat "$work/err" >&2; fail "ci/bench.sh failed"; }

# shellcheck disable=SC2086
printf '%s\n' $metrics >"$work/expected"
cut -f1 "$work/report" | diff "$work/expected" - >&2 ||
	fail "expected exactly the metrics asked for, in order"
awk -F'\t' '
	NF != 3 || $3 == "" { print "three columns expected: " $0; bad = 1 }
	$1 == "record_fs" { if ($2 !~ /^[a-z0-9.]+$/) { print "a file system expected: " $0; bad = 1 }; next }
	$2 !~ /^-?[0-9]+(\.[0-9]+)?$/ { print "a number expected: " $0; bad = 1 }
	END { exit bad }' "$work/report" >&2 || fail "the lines are not of the form name, value, unit"
awk -F'\t' '
	($1 == "floor_ns" || $1 == "record_ns_t1" || $1 == "bytes_per_event") && $2 <= 0 {
		print "more than 0 expected: " $0
		bad = 1
	}
	END { exit bad }' "$work/report" >&2 || fail "a measurement was not taken"

# A wrong name is refused, not ignored.
if CAIRN_BENCH_DIR="$work" "$root/ci/bench.sh" no_such_metric >"$work/none" 2>"$work/err"; then
	fail "no_such_metric: an error was expected"
fi
grep -q 'no_such_metric: no such metric' "$work/err" || fail "the message does not name the metric"
[ ! -s "$work/none" ] || fail "something was printed for an unknown metric"
