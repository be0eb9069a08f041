#!/bin/bash
# SPDX-License-Identifier: MIT
#
# ci/demo.sh: from nothing to a trace on the screen. Installs what is missing, builds Cairn in build/demo,
# records examples/sqlite-clients (processes that contend for an SQLite database) into build/demo/trace and
# shows what is in it: the events in time order, how many of each process, and one wait for a lock with
# what the process that held it was doing. Fails if there is no event, if one was lost, if babeltrace2
# warns, or if time goes back.
set -euo pipefail
cd "$(dirname "$0")/.."

dir=build/demo
trace=$dir/trace
text=$dir/trace.txt

fail()
{
	echo "ci/demo.sh: $*" >&2
	exit 1
}

title()
{
	printf '\n== %s\n' "$*"
}

# shorter: without the packet's context and the numbers behind the names of enum values.
shorter()
{
	sed -E -e 's/ \{ cpu_id = [0-9]+, [^}]*\},//' -e 's/\( ("[A-Z_]+") : container = -?[0-9]+ \)/\1/g' | cut -c 1-180
}

ci/setup.sh --demo

mkdir -p $dir
{
	cmake -S . -B $dir -G Ninja -DCMAKE_BUILD_TYPE=Release -DCAIRN_TESTS=OFF &&
		cmake --build $dir -j 2
} >$dir/build.log 2>&1 || {
	tail -n 40 $dir/build.log
	fail "the build failed; its log is $dir/build.log"
}

title "cairn record: four processes read and write one SQLite database"
rm -rf $trace
$dir/tools/cairn record -o $trace -- $dir/examples/sqlite-clients --clients 4 --transactions 200 \
	2>$dir/record.log || { cat $dir/record.log; fail "cairn record failed"; }
cat $dir/record.log

babeltrace2 --no-delta $trace >$text 2>$dir/reader.log ||
	{ cat $dir/reader.log; fail "babeltrace2 could not read $trace"; }
[ ! -s $dir/reader.log ] || { cat $dir/reader.log; fail "babeltrace2 warned"; }
events=$(wc -l <$text)
[ "$events" -gt 0 ] || fail "the trace holds no event"
grep -q "$events events recorded, 0 lost" $dir/record.log ||
	fail "babeltrace2 shows $events events, cairn record says: $(cat $dir/record.log)"
babeltrace2 --no-delta --clock-seconds $trace | sort -c -s -k 1,1 || fail "the events are not in time order"
processes=$(find $trace -name metadata | wc -l)
[ "$processes" -gt 1 ] || fail "the trace is of $processes process, expected several"

title "babeltrace2 $trace: first and last of $events events"
head -n 8 $text | shorter
echo "..."
tail -n 5 $text | shorter

title "events of each process"
find $trace -name metadata -printf '%h\n' | sort | while read -r one; do
	printf '%8d  %s\n' "$(babeltrace2 "$one" | wc -l)" "${one##*/}"
done

title "the events that were recorded"
sed -E 's/^[^{]* ([a-z_]+:[a-z_]+): \{.*/\1/' $text | sort | uniq -c | sort -rn

# Of the waits for one known client that ended as that one committed, the shortest to print: what both
# did meanwhile.
title "who waits for whom: one wait for a lock, and the client that held it"
awk '
	function number(name) {
		if (!match($0, "[{,] " name " = -?[0-9]+"))
			return ""
		return substr($0, RSTART + length(name) + 5, RLENGTH - length(name) - 5) + 0
	}
	{ client = number("client") }
	/ sqlite:lock_wait_begin: / {
		holder[client] = number("holder")
		lines[client] = committed[client] = 0
		text[client] = ""
	}
	/ sqlite:lock_wait_again: / && number("holder") != holder[client] { delete holder[client] }
	{
		for (waiter in holder)
			if (client == waiter || client == holder[waiter]) {
				text[waiter] = text[waiter] $0 "\n"
				lines[waiter]++
				if (client != waiter && / sqlite:commit: /)
					committed[waiter] = 1
			}
	}
	/ sqlite:lock_wait_end: / && client in holder {
		if (committed[client] && (!best || lines[client] < best)) {
			best = lines[client]
			shown = text[client] sprintf("\nclient %d waited %d us for client %d", client,
				number("waited_ns") / 1000, holder[client])
		}
		delete holder[client]
	}
	END {
		print shown
		exit !best
	}
' $text >$dir/wait.txt || fail "the trace shows no client that waits until another one commits"
shorter <$dir/wait.txt

title "$events events of $processes processes, none lost. Read them all: babeltrace2 $trace"
