#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The whole library with a counter of 32 bits (narrow/clock_arch.h in place of the port's) on a machine that
# seems to have one CPU: behind idle rounds of the counter events come out at their time of day (T44).
# With two CPUs the counter is not taken.
# shellcheck disable=SC2086,SC2154,SC1091 # several words; from lib.sh
. "$(dirname "$0")/lib.sh"

kept=/sys/devices/system/clocksource/clocksource0/current_clocksource
if [ -n "${CAIRN_EMULATOR:-}" ]; then
	echo "native only: narrow: it takes this machine's counter, and an emulated process has no vDSO for it"
	exit 0
fi
if [ ! -r $kept ]; then
	echo "skip: narrow (the kernel does not say what it keeps time by)"
	exit 0
fi
case ${CAIRN_SANITIZE:-} in
*thread*)
	echo "skip: narrow (ThreadSanitizer gives up when a forked child starts a thread again)"
	exit 0
	;;
esac
options="-std=gnu11 -O1 -pthread -Wl,--wrap=sysconf"
if ! $cc_given $options ${CAIRN_SANITIZE:-} -Itests/narrow -DNARROW_SOURCE="\"$(cat $kept)\"" $includes -Icore \
	core/*.c tests/narrow/main.c -o "$work/narrow" 2>"$work/log"; then
	head -20 "$work/log"
	fail "the library does not compile with a counter of 32 bits"
	finish
fi

# run CPUS CHOICE: the program on a machine of so many CPUs; its traces say that this clock was chosen.
run()
{
	"$work/narrow" "$work/$1" "$1" >"$work/out" || fail "$1 CPUs: status $?"
	[ "$(cat "$work/out")" = "$2" ] || fail "$1 CPUs: cairn_clock_info says: $(cat "$work/out")"
	for metadata in "$work/$1"/*/metadata; do
		grep -qF "clock_choice = \"$2\";" "$metadata" ||
			fail "$1 CPUs: in the trace: $(grep clock_choice "$metadata")"
	done
	babeltrace2 --no-delta --clock-seconds "$work/$1" >"$work/events" || fail "$1 CPUs: babeltrace2"
	# [SECONDS.NS] ... { before = NS }
	sed -nE 's/^\[([0-9]+)\.([0-9]+)\].* narrow:at: .* before = ([0-9]+) \}$/\1\2 \3/p' \
		"$work/events" >"$work/times"
	[ "$(wc -l <"$work/times")" = 6 ] || fail "$1 CPUs: $(wc -l <"$work/times") events of 6"
	# Wrong by the fit of the frequency, it is less than 1 ms; late by the machine's load; a round is 1.07 s.
	while read -r time before; do
		off=$((time - before))
		if [ $off -lt -1000000 ] || [ $off -gt 500000000 ]; then
			fail "$1 CPUs: an event comes out $off ns behind its time"
		fi
	done <"$work/times"
}

run 1 "narrow: invariant, advances, 32 bits, wraps seen by a coarse clock"
run 2 "monotonic: the counter has 32 bits, and there is more than one CPU"
finish
