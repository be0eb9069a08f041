#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The benchmark: what Cairn costs, beside LTTng-UST and a USDT probe under bpftrace where those are
# installed (ci/setup.sh --peers). Usage:
#
#   ci/bench.sh [--quick] [METRIC...]   all metrics, or those named and what they rest on
#   ci/bench.sh [--quick] sqlite        a real program: tests/bench/sqlite.sh
#   ci/bench.sh --list                  names and units
#
# Prints one line a metric, `name <tab> value <tab> unit`; value n/a and a reason where a peer is missing.
# All programs run in turns for several rounds; each prints samples, and the column "rule" of the table
# below says what is made of a metric's samples. Progress goes to stderr.
#
# Environment: CAIRN_BENCH_DIR (build folder, default build/bench), CAIRN_BENCH_OUT (where traces are
# written, default in the build folder: its file system matters), CAIRN_BENCH_EVENTS and CAIRN_BENCH_ROUNDS.
set -eu
LC_ALL=C
export LC_ALL

root=$(cd "$(dirname "$0")/.." && pwd)
here=$root/tests/bench

# name, unit, rule, parts to run. Rules: min, median, max, sum of the samples (of this or of another name),
# spread (distance of their quartiles), ratio or diff of two other metrics; only: printed as it came.
table='
floor_ns ns min floor
off_delta_ns ns median off
off_delta_spread_ns ns spread:off_delta_ns off
branch_off_delta_ns ns median off
reserve_ns_t1 ns min reserve
reserve_ratio ratio ratio:reserve_ns_t1:floor_ns reserve,floor
reserve_lost events sum reserve
noclock_ns ns diff:noclock_loop_ns:empty_call_ns noclock
record_ns_t1 ns min record1
record_ns_t2 ns min record2
record_ns_t4 ns min record4
record_ns_t8 ns min record8
record_ratio ratio ratio:record_ns_t1:floor_ns record1,floor
record_wall_ns_t1 ns min record1
record_wall_ratio ratio ratio:record_wall_ns_t1:floor_ns record1,floor
record_t8_ratio ratio ratio:record_ns_t8:record_ns_t1 record1,record8
record_lost events sum record1,record2,record4,record8
record_fs name only record1
flight_ns_t1 ns min flight1
flight_ns_t2 ns min flight2
flight_ns_t4 ns min flight4
flight_ns_t8 ns min flight8
flight_ratio ratio ratio:flight_ns_t1:floor_ns flight1,floor
flight_t8_ratio ratio ratio:flight_ns_t8:flight_ns_t1 flight1,flight8
snapshot_ms ms median:snapshot_ms_t8 flight8
bytes_per_event bytes max record1
event_p50_ns ns median latency
event_p99_ns ns median latency
event_p999_ns ns median latency
event_p9999_ns ns median latency
event_max_ns ns max latency
event_hist histogram only latency
startup_syscalls_delta calls only syscalls
startup_us_delta us diff:startup_cairn_us:startup_plain_us startup
startup_plain_us us median startup
startup_plain_spread_us us median startup
startup_20k_us_delta us diff:startup_20k_us:startup_20k_none_us sites
enable_20k_ms ms min sites
enable_20k_first_ms ms min sites
header_only_bytes bytes only header
lttng_record_ns_t1 ns min lttng
lttng_record_lost_pct percent median lttng
lttng_record_4k_ns_t1 ns min lttng
lttng_lost_pct percent median:lttng_record_4k_lost_pct lttng
lttng_block_ns_t1 ns min lttng
lttng_block_wall_ns_t1 ns min lttng
lttng_flight_ns_t1 ns min lttng
lttng_flight_ns_t8 ns min lttng
lttng_bytes_per_event bytes max:lttng_record_bytes_per_event lttng
lttng_off_delta_ns ns median lttng_off
lttng_startup_us_delta us diff:startup_lttng_us:startup_dynamic_us lttng_startup
lttng_startup_syscalls_delta calls only lttng_syscalls
usdt_ns ns min usdt
usdt_off_delta_ns ns median usdt_off
'

say()
{
	echo "bench: $*" >&2
}

die()
{
	say "$*"
	exit 1
}

usage()
{
	sed -n '3,16s/^# \{0,1\}//p' "$0"
}

quick=0
wanted=
for argument in "$@"; do
	case $argument in
	--quick) quick=1 ;;
	--list) echo "$table" | awk 'NF { print $1 "\t" $2 }'; exit 0 ;;
	-h | --help) usage; exit 0 ;;
	-*) say "$argument: no such option"; usage >&2; exit 2 ;;
	sqlite) wanted="$wanted sqlite" ;;
	*)
		echo "$table" | grep -q "^$argument " ||
			{ say "$argument: no such metric; ci/bench.sh --list names them"; exit 2; }
		wanted="$wanted $argument"
		;;
	esac
done

if [ $quick = 1 ]; then
	events=1000000 rounds=3 loops=1000000 pairs=11 starts=100
else
	events=10000000 rounds=5 loops=2000000 pairs=31 starts=400
fi
events=${CAIRN_BENCH_EVENTS:-$events}
rounds=${CAIRN_BENCH_ROUNDS:-$rounds}

build=${CAIRN_BENCH_DIR:-$root/build/bench}
mkdir -p "$build/run" "${CAIRN_BENCH_OUT:-$build/out}"
build=$(cd "$build" && pwd)
out=$(cd "${CAIRN_BENCH_OUT:-$build/out}" && pwd)
samples=$build/run/samples
reasons=$build/run/reasons
log=$build/run/log
rm -rf "$build/run"
mkdir "$build/run"
: >"$samples"
: >"$reasons"

# The part could not be measured; the reason is printed in place of its metrics.
missing()
{
	printf '%s\t%s\n' "$1" "$2" >>"$reasons"
	say "$1: n/a: $2"
}

sample()
{
	printf '%s\t%s\n' "$1" "$2" >>"$samples"
}

# The parts of the wanted metrics, each once, in the order of the table.
parts=$(echo "$table" | awk -v wanted="$wanted" '
	BEGIN { n = split(wanted, name); for (i = 1; i <= n; i++) want[name[i]] = 1 }
	NF && (!n || $1 in want) {
		k = split($4, part, ",")
		for (i = 1; i <= k; i++)
			if (!seen[part[i]]++)
				print part[i]
	}')

# True if one of the parts named is to run and nothing is known to prevent it.
needs()
{
	for part in "$@"; do
		if echo "$parts" | grep -qx "$part" && ! grep -q "^$part	" "$reasons"; then
			return 0
		fi
	done
	return 1
}

drop()
{
	for part in $2; do
		if needs "$part"; then
			missing "$part" "$1"
		fi
	done
}

configure()
{
	cmake -S "$here" -B "$build" >"$log" 2>&1 ||
		{ cat "$log" >&2; die "cmake failed"; }
}

make_targets()
{
	cmake --build "$build" -j2 --target "$@" >"$log" 2>&1 ||
		{ grep -m5 -iE 'error|undefined' "$log" >&2; die "the build failed: $log"; }
}

has_target()
{
	grep -q "^$1:INTERNAL=1" "$build/CMakeCache.txt"
}

# Which parts can run at all, and the programs that they need.
prepare()
{
	targets=
	configure
	has_target BENCH_LTTNG ||
		drop "lttng/tracepoint.h is missing: ci/setup.sh --peers" \
			"lttng lttng_off lttng_startup lttng_syscalls"
	has_target BENCH_SDT || drop "sys/sdt.h is missing: ci/setup.sh --peers" "usdt usdt_off"
	command -v strace >/dev/null || drop "strace is not installed" "syscalls lttng_syscalls"
	command -v bpftrace >/dev/null ||
		drop "bpftrace is not installed: ci/setup.sh --peers" usdt
	[ "$(id -u)" = 0 ] || drop "bpftrace needs root" usdt
	command -v lttng-sessiond >/dev/null ||
		drop "lttng-tools is not installed: ci/setup.sh --peers" lttng

	needs floor reserve noclock record1 record2 record4 record8 flight1 flight2 flight4 flight8 latency && targets="$targets hot"
	needs off usdt_off && targets="$targets off"
	needs startup lttng_startup && targets="$targets startup"
	needs startup syscalls && targets="$targets start_plain start_cairn"
	needs sites && targets="$targets startup sites sites_none"
	needs header && targets="$targets header_none header_event"
	needs lttng && targets="$targets lttng_hot cpu_of"
	needs lttng_off && targets="$targets off_peer"
	needs lttng_startup lttng_syscalls && targets="$targets start_dynamic start_lttng"
	needs usdt && targets="$targets usdt_hot"
	if [ -n "$targets" ]; then
		say "building:$targets"
		# shellcheck disable=SC2086
		make_targets $targets
	fi
}

run_hot()
{
	hot=
	for part in floor reserve noclock record1 record2 record4 record8 flight1 flight2 flight4 flight8 latency; do
		needs $part && hot="$hot $part"
	done
	# shellcheck disable=SC2086
	if [ -n "$hot" ]; then
		"$build/hot" "$events" "$out" $hot >>"$samples"
	fi
}

run_off()
{
	if needs off usdt_off; then
		"$build/off" $loops $pairs >>"$samples"
	fi
	if needs lttng_off; then
		"$build/off_peer" $loops $pairs >>"$samples"
	fi
}

run_startup()
{
	if needs startup; then
		"$build/startup" $starts "startup_plain=$build/start_plain" \
			"startup_cairn=$build/start_cairn" >>"$samples"
	fi
	if needs lttng_startup; then
		"$build/startup" $starts "startup_dynamic=$build/start_dynamic" \
			"startup_lttng=$build/start_lttng" >>"$samples"
	fi
	if needs sites; then
		"$build/startup" $starts "startup_20k_none=$build/sites_none" \
			"startup_20k=$build/sites" >>"$samples"
		"$build/sites" enable >>"$samples"
	fi
}

# System calls of a program from exec to exit.
syscalls_of()
{
	strace -f -qq -o "$build/run/strace" "$1" && grep -c '(' "$build/run/strace"
}

syscalls_delta()
{
	if plain=$(syscalls_of "$2" 2>"$log") && linked=$(syscalls_of "$3" 2>>"$log"); then
		sample "$1" $((linked - plain))
	else
		missing "$4" "strace: $(tail -n1 "$log")"
	fi
}

bytes_of()
{
	size "$1" | awk 'NR == 2 { print $4 }'
}

# What one run decides.
run_once()
{
	if needs record1; then
		sample record_fs "$(df --output=fstype "$out" | tail -n1)"
	fi
	if needs syscalls; then
		syscalls_delta startup_syscalls_delta "$build/start_plain" "$build/start_cairn" syscalls
	fi
	if needs lttng_syscalls; then
		syscalls_delta lttng_startup_syscalls_delta "$build/start_dynamic" \
			"$build/start_lttng" lttng_syscalls
	fi
	if needs header; then
		sample header_only_bytes $(($(bytes_of "$build/libheader_event.a") -
			$(bytes_of "$build/libheader_none.a")))
	fi
}

# The table, line by line, from the samples.
report()
{
	sort -k1,1 -k2,2g "$samples" >"$build/run/sorted"
	echo "$table" | awk -F'[ \t]' -v wanted="$wanted" -v sorted="$build/run/sorted" \
		-v reasons="$reasons" -f "$here/report.awk"
}

measure()
{
	prepare
	run_once
	round=1
	while [ "$round" -le "$rounds" ]; do
		say "round $round of $rounds"
		run_hot
		run_off
		run_startup
		run_peers
		round=$((round + 1))
	done
	report
}

# shellcheck source=../tests/bench/peers.sh
. "$here/peers.sh"
# shellcheck source=../tests/bench/sqlite.sh
. "$here/sqlite.sh"

trap peers_stop EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
case "$wanted " in
" sqlite ") sqlite ;;
*" sqlite "*) say "sqlite stands alone"; exit 2 ;;
*) measure ;;
esac
