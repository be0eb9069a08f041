# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154
#
# `ci/bench.sh sqlite`: what tracing costs a real program, examples/sqlite-clients. Four variants, in
# turns, so that each traced run has a plain one beside it; the order is turned round in every second
# round. sqlite.awk makes medians, and the differences to the plain run of the same round.
#
#   plain     compiled without a tracer
#   untraced  with Cairn in it, not traced
#   cairn     the same program under `cairn record`, whose own CPU time counts
#   lttng     with LTTng-UST's tracepoints at the same places, recording; the CPU time that its daemons
#             use meanwhile counts

# One line of the samples: workload, variant, round, metric, value.
sqlite_sample()
{
	printf '%s\t%s\t%s\t%s\t%s\n' "$workload" "$variant" "$round" "$1" "$2" >>"$samples"
}

# sqlite_cost COMMAND...: run it; wall and CPU time are left in $wall and $cpu (ms), its line in a file.
sqlite_cost()
{
	"$build/cost" "$build/run/line" "$@" >"$build/run/cost" 2>"$log" ||
		{ cat "$log" >&2; die "$workload, $variant: the program failed"; }
	wall=$(awk '$1 == "wall_ms" { print $2 }' "$build/run/cost")
	cpu=$(awk '$1 == "cpu_ms" { print $2 }' "$build/run/cost")
}

# CPU time of both daemons so far, ns.
sqlite_daemons()
{
	echo $(($("$build/cpu_of" "$sessiond") + $("$build/cpu_of" "$1")))
}

sqlite_lttng()
{
	lttng_up sqlite_lttng || return 1
	if ! lttng_session "$out/sqlite" 'sqlite:*' --subbuf-size=64k --num-subbuf=16 ||
		! consumer=$(lttng_consumer) || [ -z "$consumer" ]
	then
		missing sqlite_lttng "lttng: $(grep -v '^$' "$log" | tail -n1)"
		peers_stop
		return 1
	fi
	before=$(sqlite_daemons "$consumer")
	# shellcheck disable=SC2086
	sqlite_cost "$build/sqlite_lttng" $options
	lttng_client stop cairn-bench || die "lttng stop failed: $log"
	after=$(sqlite_daemons "$consumer")
	cpu=$(awk -v app="$cpu" -v daemons=$((after - before)) 'BEGIN { print app + daemons / 1e6 }')
	sqlite_sample lost "$(lttng_lost)"
	lttng_client destroy cairn-bench || die "lttng destroy failed: $log"
	peers_stop
}

sqlite_cairn()
{
	# shellcheck disable=SC2086
	sqlite_cost "$build/cairn/tools/cairn" record -o "$out/sqlite" -- "$build/sqlite_cairn" $options
	sqlite_sample lost "$(sed -n 's/.* recorded, \([0-9][0-9]*\) lost.*/\1/p' "$log")"
	sqlite_sample events "$(sed -n 's/.* \([0-9][0-9]*\) events recorded.*/\1/p' "$log")"
}

# sqlite_run: $variant of $workload once, with $options.
sqlite_run()
{
	rm -rf "$out/sqlite"
	# shellcheck disable=SC2086
	case $variant in
	plain) sqlite_cost "$build/sqlite_none" $options ;;
	untraced) sqlite_cost "$build/sqlite_cairn" $options ;;
	cairn) sqlite_cairn ;;
	lttng) sqlite_lttng || return 0 ;;
	esac
	rm -rf "$out/sqlite"
	sqlite_sample wall_ms "$wall"
	sqlite_sample cpu_ms "$cpu"
	sqlite_sample tps "$(sed -n 's/.* tps=\([0-9.]*\).*/\1/p' "$build/run/line")"
}

sqlite_prepare()
{
	configure
	has_target BENCH_SQLITE || die "sqlite3.h is missing: apt-get install libsqlite3-dev"
	has_target BENCH_LIBELF || die "libelf.h is missing: apt-get install libelf-dev"
	variants='plain untraced cairn'
	targets='cost sqlite_none sqlite_cairn cairn_tool'
	if ! has_target BENCH_LTTNG || ! command -v lttng-sessiond >/dev/null; then
		missing sqlite_lttng "lttng-tools or liblttng-ust-dev is missing: ci/setup.sh --peers"
	else
		variants="$variants lttng"
		targets="$targets cpu_of sqlite_lttng"
	fi
	say "building: $targets"
	# shellcheck disable=SC2086
	make_targets $targets
	turned=
	for variant in $variants; do
		turned="$variant $turned"
	done
}

sqlite_round()
{
	order=$variants
	[ $((round % 2)) = 1 ] || order=$turned
	for workload in contended single; do
		if [ $workload = contended ]; then
			options="--quiet --clients 4 --transactions $((transactions / 4))"
		else
			options="--quiet --clients 1 --transactions $transactions"
		fi
		for variant in $order; do
			grep -q "^sqlite_$variant	" "$reasons" || sqlite_run
		done
	done
}

sqlite()
{
	# The database is where the traces are: both use the same file system.
	TMPDIR=$out
	export TMPDIR
	if [ "$quick" = 1 ]; then
		transactions=4000 rounds=${CAIRN_BENCH_ROUNDS:-5}
	else
		transactions=6000 rounds=${CAIRN_BENCH_ROUNDS:-25}
	fi
	sqlite_prepare
	round=1
	while [ "$round" -le "$rounds" ]; do
		say "round $round of $rounds"
		sqlite_round
		round=$((round + 1))
	done
	awk -F'\t' -v reasons="$reasons" -f "$here/sqlite.awk" "$samples"
}
