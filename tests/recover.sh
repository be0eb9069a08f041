#!/bin/sh
# SPDX-License-Identifier: MIT
# `cairn recover`: what a killed program, or one whose recorder was killed, left in memory comes into the trace,
# without a gap; what is damaged or of living programs is left alone, with a message. On a target of another
# CPU the program runs in the emulator, and this machine's cairn, if it was built, reads its rings.
# shellcheck disable=SC2086,SC2016 # an emulator is several words, or none; for another shell

. "$(dirname "$0")/lib.sh"

build=${CAIRN_BUILD_DIR:-build}
run=${CAIRN_EMULATOR:-}
dying=$build/tests/program_dying
cairn="$run $build/tools/cairn"
host=$src/build/x86_64/tools/cairn
if [ -n "$run" ] && ! on_board && [ -x "$host" ] && "$host" --version >/dev/null 2>&1; then
	cairn=$host
fi
[ -n "$run" ] && [ "$cairn" != "$host" ] && [ ! -x "$build/tools/cairn" ] && {
	echo "native only: recover: no cairn is built for this CPU, nor, to read its rings, for this machine (target x86_64)"
	finish
}
echo "rings are read by $cairn"
trace=$work/trace

# traced ARGUMENT...: run the dying program, which drains itself.
traced()
{
	rm -rf "$trace"
	CAIRN_TRACE='dying:*' CAIRN_MODE=block CAIRN_OUTPUT=$trace CAIRN_PACKET_SIZE=4096 \
		$run "$dying" "$@" >/dev/null 2>&1
}

# begun: the program in the background has made its folder.
begun()
{
	tries=0
	while [ ! -d "$trace" ] && [ $tries -lt 500 ]; do
		sleep 0.02
		tries=$((tries + 1))
	done
}

# recover WORDS: `cairn recover` of the trace must succeed and say WORDS.
recover()
{
	$cairn recover "$trace" >"$work/said" 2>&1 || fail "recover: status $?: $(cat "$work/said")"
	grep -q "$1" "$work/said" || fail "recover did not say '$1': $(cat "$work/said")"
}

# whole EVENTS: babeltrace2 reads the trace without complaint, and each thread has its numbers from 0 on;
# EVENTS of them, if given.
whole()
{
	babeltrace2 "$trace" >"$work/text" 2>"$work/complaints" || fail "babeltrace2: status $?"
	[ ! -s "$work/complaints" ] || fail "babeltrace2 complains: $(head -n 3 "$work/complaints")"
	awk -v events="$1" '
		/ dying:number: / {
			match($0, /thread = [0-9]+, n = [0-9]+/)
			split(substr($0, RSTART, RLENGTH), word, /[ ,=]+/)
			if (word[4] != next_number[word[2]] + 0)
				bad = bad " thread " word[2] " has " word[4] " for " next_number[word[2]] + 0
			next_number[word[2]] = word[4] + 1
		}
		END {
			if (events != "" && (next_number[0] != events || next_number[1] != events))
				bad = bad " " next_number[0] + 0 " and " next_number[1] + 0 " of " events
			print substr(bad, 1, 200)
			exit bad != ""
		}' "$work/text" >"$work/bad" || fail "events are missing:$(cat "$work/bad")"
}

# ---- on a board, where both must be one run, with the same names of folders ----

# both WORDS ARGUMENT...: the program, and what `cairn recover` says then
both()
{
	words=$1
	shift
	rm -rf "$trace"
	CAIRN_TRACE='dying:*' CAIRN_MODE=block CAIRN_OUTPUT=$trace CAIRN_PACKET_SIZE=4096 $run sh -c \
		'trace=$1 cairn=$2; shift 2; "$@" >/dev/null 2>&1; exec "$cairn" recover "$trace"' \
		sh "$trace" "$build/tools/cairn" "$dying" "$@" >"$work/said" 2>&1 || fail "recover: $(cat "$work/said")"
	grep -q "$words" "$work/said" || fail "recover did not say '$words': $(cat "$work/said")"
}
if on_board; then
	if executes; then
		both '^cairn: 160 events of process [0-9]* recovered, 0 lost: ' 40 9
		whole 40
		both ' recovered, 0 lost: ' 30000 9 15000 1200
		whole 30000
		both 'nothing to recover' 40 0
		whole 40
	fi
	echo "native only: recover, what lives, is killed from outside or damaged: a script does not see it on a board"
	finish
fi

# ---- a program that drains itself ----

traced 40 9 # before its consumer wrote anything
recover '^cairn: 160 events of process [0-9]* recovered, 0 lost: '
whole 40
recover 'nothing to recover'

traced 30000 9 15000 1200 # part of it is in the files already
recover ' recovered, 0 lost: '
whole 30000

traced 40 0
recover 'nothing to recover' # it ended as it should
whole 40

i=0
while [ $i -lt 5 ]; do
	rm -rf "$trace"
	CAIRN_TRACE='dying:*' CAIRN_MODE=block CAIRN_OUTPUT=$trace CAIRN_PACKET_SIZE=4096 \
		$run "$dying" 100000000 0 >/dev/null 2>&1 &
	pid=$!
	begun
	sleep 0.0$((3 + i))
	kill -9 $pid
	wait $pid 2>/dev/null
	recover ' recovered, 0 lost: '
	whole ""
	i=$((i + 1))
done

# ---- a living one ----

rm -rf "$trace"
CAIRN_TRACE='dying:*' CAIRN_OUTPUT=$trace $run "$dying" 10 0 5 2000 >/dev/null 2>&1 &
pid=$!
begun
recover '1 process still runs'
wait $pid || fail "the living program ended with status $?"
whole 10

# ---- files that are none, or damaged ----

# refused FILE WORDS
refused()
{
	$cairn recover -o "$work/other" "$1" >"$work/said" 2>&1
	[ $? = 1 ] || fail "$1: not refused: $(cat "$work/said")"
	grep -q "$2" "$work/said" || fail "$1: expected '$2': $(cat "$work/said")"
}
: >"$work/empty"
refused "$work/empty" 'no file of rings'
refused "$src/README.md" 'no file of rings'
refused "$work/none" 'check the name'
# Files without a head: of programs that make them just now, and of one that died at it.
folder=/dev/shm/cairn-$(id -u)
[ -d "$folder" ] || mkdir -m 700 "$folder"
born=$folder/$(printf %032x $$)
dead=$folder/$(printf d%031x $$)
: >"$born"
head -c 100000 /dev/zero >"$dead"
touch -d '2 minutes ago' "$dead"
recover 'nothing to recover'
[ -e "$born" ] || fail "recover removed a file that its program is about to write"
[ ! -e "$dead" ] || fail "recover left a file whose program died before it had a head"
refused "$born" 'nothing in it'
rm -f "$born" "$dead"
traced 40 9
# The file's name begins as the trace's ends; other tests' programs have files there, too.
id=$(find "$trace" -mindepth 1 -maxdepth 1 -type d | sed 's/.*-//')
ring=$(find "$folder" -type f -name "$id*")
if [ -n "$ring" ]; then
	head -c 100000 "$ring" >"$work/cut"
	refused "$work/cut" 'cut off'
	cp --sparse=always "$ring" "$work/ring"
	$cairn recover -o "$work/other" "$work/ring" 2>"$work/said" || fail "a copied ring: $(cat "$work/said")"
	grep -q '^cairn: 160 events' "$work/said" || fail "a copied ring: $(cat "$work/said")"
else
	fail "a killed program left no rings in /dev/shm"
fi
recover ' recovered, 0 lost: '
whole 40

# ---- a recorder that was killed ----

if [ -n "$run" ]; then
	echo "native only: recover after a killed recorder: an emulated process cannot execute a program of its own CPU"
	finish
fi
rm -rf "$trace"
$cairn record -q -o "$trace" -- "$dying" 3000 0 1500 1500 &
pid=$!
sleep 0.7
kill -9 $pid
wait $pid 2>/dev/null
sleep 1.6
recover ' recovered, 0 lost: '
whole 3000
finish
