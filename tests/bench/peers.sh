# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154
#
# The peers' part of ci/bench.sh, which sources this file: LTTng-UST through a session daemon of our own,
# which runs only while it is measured, and a USDT probe that bpftrace counts.

sessiond=

# Start the daemon; false if it does not come up.
lttng_up()
{
	LTTNG_HOME=$build/run/lttng
	export LTTNG_HOME
	mkdir -p "$LTTNG_HOME"
	rm -f "$build/run/sessiond.pid"
	if ! lttng-sessiond --daemonize --no-kernel --pidfile="$build/run/sessiond.pid" >"$log" 2>&1
	then
		missing "$1" "lttng-sessiond: $(grep -v '^$' "$log" | tail -n1)"
		return 1
	fi
	sessiond=$(cat "$build/run/sessiond.pid")
}

# Stop the daemon that we started, and wait until it is gone, so that the next can start.
peers_stop()
{
	[ -n "$sessiond" ] || return 0
	kill "$sessiond" 2>/dev/null || true
	tries=0
	while kill -0 "$sessiond" 2>/dev/null && [ $tries -lt 100 ]; do
		sleep 0.1
		tries=$((tries + 1))
	done
	sessiond=
}

lttng_client()
{
	lttng --no-sessiond "$@" >>"$log" 2>&1
}

# lttng_session DIR EVENT CHANNEL-OPTION...: make and start a session that records EVENT.
lttng_session()
{
	directory=$1 event=$2
	shift 2
	: >"$log"
	lttng_client create cairn-bench --output="$directory" &&
		lttng_client enable-channel --userspace --session=cairn-bench "$@" c &&
		lttng_client enable-event --userspace --session=cairn-bench --channel=c "$event" &&
		lttng_client start cairn-bench
}

# The consumer daemon is the child of the session daemon that does the work.
lttng_consumer()
{
	cat /proc/[0-9]*/stat 2>/dev/null | # processes end meanwhile
		awk -v parent="$sessiond" '$2 == "(lttng-consumerd)" && $4 == parent { print $1 }'
}

lttng_lost()
{
	lttng --no-sessiond list cairn-bench |
		sed -n 's/.*Discarded events: *\([0-9][0-9]*\).*/\1/p' | head -n1
}

# Bytes in the stream files of a trace, their indexes left out.
lttng_bytes()
{
	find "$1" -type f -name 'c_*' ! -path '*/index/*' -size +0 -exec wc -c {} + |
		awk '$2 != "total" { n += $1 } END { print n + 0 }'
}

# lttng_record NAME EVENTS CHANNEL-OPTION...: samples NAME_ns_t1 (application and consumer daemon),
# NAME_wall_ns_t1, NAME_lost_pct, NAME_bytes_per_event. EVENTS is a number.
lttng_record()
{
	name=$1 count=$2
	shift 2
	rm -rf "$out/lttng"
	if ! lttng_session "$out/lttng" cairn_bench:event "$@" || ! consumer=$(lttng_consumer) ||
		[ -z "$consumer" ] || ! before=$("$build/cpu_of" "$consumer")
	then
		missing lttng "lttng: $(grep -v '^$' "$log" | tail -n1)"
		return 0
	fi
	LTTNG_UST_ALLOW_BLOCKING=1 "$build/lttng_hot" "$count" "$name" >"$build/run/lttng_app"
	lttng_client stop cairn-bench || die "lttng stop failed: $log"
	after=$("$build/cpu_of" "$consumer")
	cat "$build/run/lttng_app" >>"$samples"
	awk -v name="$name" -v n="$count" -v consumer=$((after - before)) -v lost="$(lttng_lost)" \
		-v bytes="$(lttng_bytes "$out/lttng")" '
		$1 == name "_app_ns" {
			printf "%s_ns_t1\t%.6f\n", name, $2 + consumer / n
			printf "%s_lost_pct\t%.6f\n", name, 100 * lost / n
			printf "%s_bytes_per_event\t%.6f\n", name, bytes / (n - lost)
		}' "$build/run/lttng_app" >>"$samples"
	lttng_client destroy cairn-bench || die "lttng destroy failed: $log"
	rm -rf "$out/lttng"
}

# lttng_flight THREADS: sample lttng_flight_ns_tTHREADS, the program's CPU time in overwrite mode.
lttng_flight()
{
	: >"$log"
	if ! lttng_client create cairn-bench --snapshot --output="$out/lttng" ||
		! lttng_client enable-channel --userspace --session=cairn-bench --overwrite \
			--subbuf-size=64k --num-subbuf=16 c ||
		! lttng_client enable-event --userspace --session=cairn-bench --channel=c cairn_bench:event ||
		! lttng_client start cairn-bench
	then
		missing lttng "lttng: $(grep -v '^$' "$log" | tail -n1)"
		return 0
	fi
	"$build/lttng_hot" "$events" lttng_flight "$1" |
		sed -n "s/^lttng_flight_app_ns/lttng_flight_ns_t$1/p" >>"$samples"
	lttng_client destroy cairn-bench || die "lttng destroy failed: $log"
	rm -rf "$out/lttng"
}

# Default-like small buffers, which lose; Cairn's size; and small ones that make the program wait for
# the consumer, which is slow: a twentieth of the events.
run_lttng()
{
	lttng_up lttng || return 0
	lttng_record lttng_record "$events" --subbuf-size=64k --num-subbuf=16
	needs lttng && lttng_record lttng_record_4k "$events" --subbuf-size=4k --num-subbuf=16
	needs lttng && lttng_record lttng_block $((events / 20)) --subbuf-size=4k --num-subbuf=16 \
		--blocking-timeout=inf
	needs lttng && lttng_flight 1
	needs lttng && lttng_flight 8
	peers_stop
}

# bpftrace starts the program once its probe is set, and says how often it was hit.
run_usdt()
{
	n=$((events / 20))
	rm -f "$build/run/usdt"
	bpftrace -e "usdt:$build/usdt_hot:bench:event { @hits = count(); }" \
		-c "$build/usdt_hot $n $build/run/usdt" >"$log" 2>&1 || true
	if grep -qx "@hits: $n" "$log" && [ -s "$build/run/usdt" ]; then
		cat "$build/run/usdt" >>"$samples"
	else
		missing usdt "bpftrace: $(grep -v '^$' "$log" | grep -m1 -iE 'error|open|fail' ||
			echo "it did not count all $n hits")"
	fi
}

run_peers()
{
	if needs lttng; then
		run_lttng
	fi
	if needs usdt; then
		run_usdt
	fi
}
