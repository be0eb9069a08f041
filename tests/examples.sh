#!/bin/sh
# SPDX-License-Identifier: MIT
# The examples do what their comments say: traced by environment, their traces have what they did, all
# of it; untraced they run the same; sqlite-clients refuses what it cannot do and cleans up.
# shellcheck disable=SC2086

. "$(dirname "$0")/lib.sh"

bin=${CAIRN_BUILD_DIR:-build}/examples
for name in hello hello_cc sqlite-clients; do
	[ -x "$bin/$name" ] || { echo "skip: $bin/$name is not built"; exit 0; }
done
command -v babeltrace2 >/dev/null || die "babeltrace2 is missing. On Debian: apt-get install babeltrace2"
run=${CAIRN_EMULATOR:-}
TMPDIR=$work
export TMPDIR

# read_trace: $work/trace as text in $work/text; babeltrace2 has nothing to complain about
read_trace()
{
	if ! babeltrace2 "$work/trace" >"$work/text" 2>"$work/complaints" || [ -s "$work/complaints" ]; then
		fail "babeltrace2 complains"
		head -n 5 "$work/complaints"
	fi
}

# count EVENT EXPECTED: lines of this event in the text
count()
{
	got=$(grep -c " $1: " "$work/text")
	[ "$got" = "$2" ] || fail "$got events $1 in the trace, expected $2"
}

hello()
{
	rm -rf "$work/trace"
	$run "$bin/$1" >"$work/plain" || fail "$1 untraced: exit status $?"
	CAIRN_TRACE='hello:*' CAIRN_OUTPUT=$work/trace $run "$bin/$1" >"$work/traced" ||
		fail "$1 traced: exit status $?"
	cmp -s "$work/plain" "$work/traced" || fail "$1 prints something else when traced"
	read_trace
	count hello:start 1
	count hello:greeting 3
	grep -q 'hello:greeting: .*name = "moon"' "$work/text" || fail "$1: no moon in the trace"
}

# figure NAME: from the program's last line
figure()
{
	sed -n "s/.*\<$1=\([0-9.]*\).*/\1/p" "$work/line"
}

clients()
{
	rm -rf "$work/trace"
	CAIRN_TRACE='sqlite:*' CAIRN_OUTPUT=$work/trace $run "$bin/sqlite-clients" --quiet --clients 3 \
		--transactions 60 --readers 40 --seed 7 >"$work/line" || fail "sqlite-clients: exit status $?"
	grep -Eq '^transactions=180 seconds=[0-9.]+ tps=[0-9.]+ cpu_seconds=[0-9.]+ retries=[0-9]+ waits=[0-9]+$' \
		"$work/line" || fail "sqlite-clients prints: $(cat "$work/line")"
	read_trace
	count sqlite:client_spawned 3
	count sqlite:client_exited 3
	count sqlite:process_begin 3
	count sqlite:commit "$(figure transactions)"
	count sqlite:retry "$(figure retries)"
	count sqlite:rollback "$(figure retries)"
	count sqlite:lock_wait_begin "$(figure waits)"
	count sqlite:lock_wait_end "$(figure waits)"
	count sqlite:statement_end "$(grep -c ' sqlite:statement_begin: ' "$work/text")"
}

# Each client's transactions are the same in each run with the same seed; what it waits for is not.
same_seed()
{
	for i in 1 2; do
		rm -rf "$work/trace"
		CAIRN_TRACE='sqlite:transaction_begin' CAIRN_OUTPUT=$work/trace $run "$bin/sqlite-clients" \
			--quiet --clients 2 --transactions 40 --seed "$1" >"$work/line"
		read_trace
		sed -n 's/.*{ \(client.*\), attempt = 1 }.*/\1/p' "$work/text" | sort >"$work/seed$1.$i"
	done
	[ "$(wc -l <"$work/seed$1.1")" = 80 ] || fail "seed $1: not 80 transactions"
	cmp -s "$work/seed$1.1" "$work/seed$1.2" || fail "seed $1: two runs do different transactions"
}

# refused STATUS TEXT OPTION...: sqlite-clients exits with the status and says the text
refused()
{
	status=$1 text=$2
	shift 2
	$run "$bin/sqlite-clients" "$@" >"$work/out" 2>"$work/said"
	got=$?
	if [ $got != "$status" ] || ! grep -q -e "$text" "$work/said"; then
		fail "sqlite-clients $*: exit status $got, expected $status; expected to say '$text', said:"
		cat "$work/said"
	fi
}

refusals()
{
	refused 2 '--clients 0: a number from 1 to 64' --clients 0
	refused 2 '--readers 1x: a number from 0 to 100' --readers 1x
	refused 2 'see sqlite-clients --help' --nothing
	refused 2 'there are only options' word
	echo >"$work/there.db"
	refused 1 'there.db: the file exists' --db "$work/there.db"
	refused 1 'cannot be created' --db "$work/no/folder.db"
	$run "$bin/sqlite-clients" --quiet --clients 1 --transactions 5 --db "$work/kept.db" >/dev/null
	[ -s "$work/kept.db" ] || fail "--db does not keep the database"
	left=$(find "$work" -name 'sqlite-clients-*' | grep -v trace)
	[ -z "$left" ] || fail "sqlite-clients leaves $left"
}

# Without Cairn: the benchmark's base line.
plain()
{
	if ! echo '#include <sqlite3.h>' | $cc_given -E - >/dev/null 2>&1; then
		echo "skip: $cc_given finds no sqlite3.h"
		return
	fi
	$cc_given -std=gnu11 -Wall -Wextra -Werror -O1 -DSQLITE_CLIENTS_PLAIN -c \
		examples/sqlite-clients/client.c -o "$work/client.o" || fail "client.c, plain: does not compile"
	nm "$work/client.o" | grep cairn && fail "client.c, plain: still has something of Cairn"
}

hello hello
hello hello_cc
if ! executes; then
	echo "native only: sqlite-clients: an emulated process cannot execute a program of its own CPU"
else
	clients
	same_seed 3
	refusals
fi
plain
finish
