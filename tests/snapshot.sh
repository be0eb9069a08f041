#!/bin/sh
# SPDX-License-Identifier: MIT
# `cairn snapshot`: what flight recorders hold, from outside, while their programs run; and `cairn recover`, when
# they have died. On a target of another CPU only the latter, as an emulated program's rings cannot be
# read while it writes them.
# shellcheck disable=SC2086 # an emulator is several words, or none

. "$(dirname "$0")/lib.sh"

build=${CAIRN_BUILD_DIR:-build}
run=${CAIRN_EMULATOR:-}
dying=$build/tests/program_dying
cairn="$run $build/tools/cairn"
trace=$work/trace

# flying ARGUMENT...: the program in the background, with rings of 4 packets of 4 KiB
flying()
{
	rm -rf "$trace" "$work/out"
	CAIRN_TRACE='dying:*' CAIRN_MODE=flight CAIRN_OUTPUT=$trace CAIRN_PACKET_SIZE=4096 CAIRN_PACKETS=4 \
		$run "$dying" "$@" >/dev/null 2>&1 &
	pid=$!
}

# said WORDS
said()
{
	grep -q "$1" "$work/said" || fail "expected '$1': $(cat "$work/said")"
}

# newest FOLDER LAST: babeltrace2 reads the one trace in it without complaint; both threads' numbers go up by one,
# to LAST
newest()
{
	babeltrace2 "$1" >"$work/text" 2>"$work/complaints" || fail "babeltrace2: status $?"
	[ ! -s "$work/complaints" ] || fail "babeltrace2 complains: $(head -n 3 "$work/complaints")"
	awk -v last="$2" '
		/ dying:number: / {
			match($0, /thread = [0-9]+, n = [0-9]+/)
			split(substr($0, RSTART, RLENGTH), word, /[ ,=]+/)
			if (word[2] in at && word[4] != at[word[2]] + 1)
				bad = bad " thread " word[2] " has " word[4] " behind " at[word[2]]
			at[word[2]] = word[4]
		}
		END {
			if (at[0] != last || at[1] != last)
				bad = bad " the last are " at[0] " and " at[1] ", not " last
			print substr(bad, 1, 200)
			exit bad != ""
		}' "$work/text" >"$work/bad" || fail "$1:$(cat "$work/bad")"
}

# paused LAST: wait until both threads have hit number LAST, and then wait themselves
paused()
{
	tries=0
	while [ $tries -lt 100 ]; do
		rm -rf "$work/poll"
		$cairn snapshot -p $pid -o "$work/poll" >"$work/said" 2>&1 &&
			babeltrace2 "$work/poll" >"$work/text" 2>&1 &&
			[ "$(grep -c "dying:number: .* n = $1," "$work/text")" = 2 ] && return 0
		sleep 0.2
		tries=$((tries + 1))
	done
	fail "the program did not come to its pause: $(cat "$work/said")"
}

if [ -z "$run" ]; then
	# Three snapshots of a program that has paused; then it is killed.
	flying 4000 0 2000 600000
	paused 1999
	[ ! -e "$trace" ] || fail "a flight recorder made a folder unasked"
	$cairn snapshot -p $pid -o "$work/out/1" >"$work/said" 2>&1 || fail "snapshot: status $?: $(cat "$work/said")"
	said "^cairn: [0-9]* events of process $pid, 0 lost: $work/out/1/program_dying-$pid-"
	newest "$work/out/1" 1999
	$cairn snapshot "$trace" >"$work/said" 2>&1 && fail "a folder that is not there was found"
	mkdir "$trace"
	$cairn snapshot "$trace" >"$work/said" 2>&1 || fail "snapshot: status $?: $(cat "$work/said")"
	newest "$trace" 1999
	[ "$(find "$trace" -mindepth 1 -maxdepth 1 -name "*-1" | wc -l)" = 1 ] || fail "$trace has no snapshot 1"
	$cairn snapshot "$trace" >"$work/said" 2>&1 || fail "snapshot: status $?: $(cat "$work/said")"
	[ "$(find "$trace" -mindepth 1 -maxdepth 1 -name "*-2" | wc -l)" = 1 ] || fail "$trace has no snapshot 2"
	babeltrace2 "$trace" >/dev/null 2>"$work/complaints" || fail "babeltrace2 of both: status $?"
	# It is alive: nothing to recover.
	$cairn recover "$trace" >"$work/said" 2>&1
	said '1 process still runs'
	kill -9 $pid
	wait $pid 2>/dev/null
	$cairn snapshot -p $pid >"$work/said" 2>&1 && fail "a dead process was found"
	said "no flight recorder of yours runs in process $pid: start"
else
	echo "native only: snapshot of a running program: an emulated program's rings are read when it has ended"
	# The pause: a thread that ended before the other began would leave it its stream.
	flying 2000 9 1000 2000
	wait $pid 2>/dev/null
	mkdir -p "$trace"
fi

# What it held when it was killed.
$cairn recover -o "$work/out/2" "$trace" >"$work/said" 2>&1 || fail "recover: status $?: $(cat "$work/said")"
said ' events of process [0-9]* recovered, 0 lost: '
newest "$work/out/2" 1999

# ---- what is asked for wrongly ----

# wrong WORDS ARGUMENT...
wrong()
{
	words=$1
	shift
	$cairn snapshot "$@" >"$work/said" 2>&1
	[ $? = 2 ] || fail "snapshot $*: not refused"
	said "$words"
}
wrong 'no process number: x' -p x
wrong 'no process number: 0' -p 0
wrong 'empty name' -o ''
wrong 'option --wrong' --wrong
$cairn snapshot --help | grep -q 'flight recorders' || fail "no help"
finish
