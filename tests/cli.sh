#!/bin/sh
# SPDX-License-Identifier: MIT
# The `cairn` command as a user meets it: exit codes and messages for wrong command lines and for what
# can go wrong, and `cairn record` around tests/cli/program.c. The names of the checks are what fails.
# shellcheck disable=SC2086,SC2016,SC2154,SC1091 # several words; names in `...`; from lib.sh

. "$(dirname "$0")/lib.sh"

[ -n "${CAIRN_BUILD_DIR:-}" ] || die "CAIRN_BUILD_DIR must name a build folder"
cairn=${CAIRN_EMULATOR:+$CAIRN_EMULATOR }$CAIRN_BUILD_DIR/tools/cairn
[ -x "$CAIRN_BUILD_DIR/tools/cairn" ] || die "no $CAIRN_BUILD_DIR/tools/cairn: build it (CAIRN_TOOLS=ON)"
unset CAIRN_TRACE CAIRN_OUTPUT CAIRN_MODE CAIRN_PACKET_SIZE CAIRN_PACKETS CAIRN_CLOCK CAIRN_DEBUG

# expect STATUS PATTERN COMMAND...: its exit status, and what stderr has (grep -E). Leaves $work/out and
# $work/err.
expect()
{
	status=$1 pattern=$2
	shift 2
	"$@" >"$work/out" 2>"$work/err"
	got=$?
	[ "$got" = "$status" ] || fail "$*: status $got, expected $status: $(head -n 3 "$work/err")"
	if [ -n "$pattern" ]; then
		grep -Eq -- "$pattern" "$work/err" ||
			fail "$*: expected a message like '$pattern', got: $(head -n 3 "$work/err")"
	elif [ -s "$work/err" ]; then
		fail "$*: expected no message, got: $(head -n 3 "$work/err")"
	fi
	if grep -Eqv '^cairn: .+: .+' "$work/err"; then
		fail "$*: not 'cairn: what happened: what to do': $(head -n 3 "$work/err")"
	fi
}

# has TEXT: stdout of the last command
has()
{
	grep -Eq -- "$1" "$work/out" || fail "expected '$1' in: $(head -n 5 "$work/out")"
}

# gone DIR: the last command must not have left it
gone()
{
	[ ! -e "$1" ] || fail "$1 is left behind"
}

usage_errors()
{
	expect 2 'no command given.*record, snapshot, recover, list' $cairn
	expect 2 'no such command: frob.*record, snapshot, recover, list' $cairn frob
	expect 2 'option --frob: see .cairn --help' $cairn --frob
	expect 2 'option -x: see' $cairn -x
	expect 0 '' $cairn --help
	has 'record +run a program'
	has 'list +show the events'
	expect 0 '' $cairn --version
	has '^cairn [0-9]+\.[0-9]+\.[0-9]+$'
	expect 0 '' $cairn record --help
	has '^usage: cairn record'
	expect 0 '' $cairn list -h
	has '^usage: cairn list'

	expect 2 'nothing to list' $cairn list
	expect 2 'option --frob: see .cairn list --help' $cairn list --frob x
	expect 2 'no program to run' $cairn record
	expect 2 'no program to run' $cairn record -o "$work/never" --
	expect 2 'option -o wants a value' $cairn record -o
	expect 2 'option --mode wants a value' $cairn record --mode
	expect 2 'option --quiet=1 takes no value' $cairn record --quiet=1 true
	expect 2 'unknown mode .fast.: it is discard or block' $cairn record --mode fast true
	for size in 0 1 4095 5000 2048 64M 33554433 -4096 4Kx 4KK 0x1000 '' 99999999999999999999; do
		expect 2 'bad packet size' $cairn record --packet-size "$size" -o "$work/never" true
	done
	for number in 0 1 3 65536 2K -2 '' x; do
		expect 2 'bad number of packets' $cairn record --packets "$number" -o "$work/never" true
	done
	expect 2 'bad pattern' $cairn record -e '' true
	expect 2 'bad pattern' $cairn record -e 'a:*,,b:*' true
	expect 2 'bad pattern' $cairn record -e "a:$(printf %04094d 0)" true
	expect 2 'more than 4095' $cairn record -e "a:$(printf %02094d 0)" -e "a:$(printf %02000d 0)" true
	expect 2 "did you mean 'shop:\*'" $cairn record -e 'net:*,shop' true
	expect 2 'empty name' $cairn record -o '' true
	gone "$work/never"
}

list_errors()
{
	expect 1 'cannot open .*: No such file' $cairn list "$work/not-there"
	expect 1 'no Cairn events in it' $cairn list "$(command -v ls)"
	expect 1 'not an ELF file' $cairn list "$0"
	expect 1 'no trace in it' $cairn list "$work"
	# Of a program on a board, ssh writes the output.
	if [ -w /dev/full ] && ! on_board; then
		$cairn --help >/dev/full 2>"$work/err"
		[ $? = 1 ] || fail "a full disk behind stdout is not an error"
		grep -q 'cannot write the output: No space left' "$work/err" || fail "no word of a full disk"
	fi
}

output_errors()
{
	mkdir "$work/full" "$work/keep"
	: >"$work/full/file"
	expect 1 'full exists and is not empty: ' $cairn record -o "$work/full" -- "$program" exit 0
	[ "$(ls "$work/full")" = file ] || fail "a folder with files in it was changed"
	expect 1 'cannot make .*file: ' $cairn record -o "$work/full/file" -- "$program" exit 0
	expect 1 'cannot make .*file/x: ' $cairn record -o "$work/full/file/x" -- "$program" exit 0
	expect 127 'no such program: ' $cairn record -o "$work/keep" -- "$work/not-there"
	[ -d "$work/keep" ] || fail "an empty folder that was there before is removed"
}

no_permission()
{
	mkdir "$work/closed"
	chmod 555 "$work/closed"
	chmod 755 "$work"
	as=
	[ "$(id -u)" != 0 ] || as='setpriv --reuid=65534 --regid=65534 --clear-groups'
	if ! $as $cairn --version >/dev/null 2>&1; then
		echo "skip: no permission (the command cannot be run as another user)"
		return
	fi
	expect 1 'closed/x: Permission denied: ' $as $cairn record -o "$work/closed/x" true
	expect 1 'closed: Permission denied: ' $as $cairn record -o "$work/closed" true
}

# A file system of 256 KiB in a name space of its own.
disk_full()
{
	if ! unshare -rm true 2>/dev/null; then
		echo "skip: disk full (no name space can be made here)"
		return
	fi
	mkdir "$work/small"
	cat >"$work/small.sh" <<-EOF
		mount -t tmpfs -o size=256k none "$work/small" || exit 96
		$cairn record -o "$work/small/trace" -- "$program" events 200000
	EOF
	unshare -rm sh "$work/small.sh" >"$work/out" 2>"$work/err"
	status=$?
	case $status in
	96 | 126 | 127) echo "skip: disk full (no file system can be mounted here)" ;;
	1) grep -q 'No space left on device: free some room' "$work/err" ||
		fail "disk full: no word of it: $(cat "$work/err")" ;;
	*) fail "disk full: status $status, expected 1: $(cat "$work/err")" ;;
	esac
}

start_errors()
{
	expect 127 'no such program: not-there-at-all: .*PATH' $cairn record -o "$work/t" not-there-at-all
	expect 127 'no such program: .*not-there: ' $cairn record -o "$work/t" "$work/not-there"
	expect 126 'cannot execute .*: Permission denied' $cairn record -o "$work/t" "$work"
	: >"$work/plain"
	expect 126 'cannot execute .*: Permission denied' $cairn record -o "$work/t" "$work/plain"
	printf '#!/not/there\n' >"$work/script"
	chmod +x "$work/script"
	expect 126 'its interpreter is missing' $cairn record -o "$work/t" "$work/script"
	gone "$work/t"
}

statuses()
{
	expect 7 'no process had Cairn in it' $cairn record -o "$work/t" sh -c 'exit 7'
	gone "$work/t"
	expect 0 "no event matched 'no:such'" $cairn record -o "$work/t" -e no:such -- "$program" events 5
	gone "$work/t"
	expect 3 '^cairn: 0 events recorded|no event' $cairn record -o "$work/t3" -- "$program" exit 3
	expect 143 'signal 15' $cairn record -o "$work/t15" -- "$program" die 15
	expect 137 'signal 9' $cairn record -o "$work/t9" -- "$program" die 9
	expect 9 '' $cairn record -q -o "$work/tq" -- "$program" exit 9
	expect 0 '' $cairn record -q -o "$work/ts" -- sh -c 'echo out; cat' <"$work/plain"
	[ "$(cat "$work/out")" = out ] || fail "stdout is not the command's alone: $(cat "$work/out")"
}

records()
{
	expect 0 '^cairn: 1000 events recorded, 0 lost, [0-9]+ bytes, 1 process: .*babeltrace2' \
		$cairn record -o "$work/a b/c" -e 'x:*' -e 'cli:num*' --mode block --packet-size 4K \
		--packets 2 -- "$program" events 1000
	grep -q "babeltrace2 '.*/a b/c'" "$work/err" || fail "the folder is not quoted: $(cat "$work/err")"
	expect 0 '' $cairn list "$work/a b/c"
	has 'trace of program, process [0-9]+ on '
	has '^clock [a-z]+: [0-9]+ Hz, 0 is '
	has '^clock choice [a-z]+: '
	# A program that has the name of the others' clock, but not the clock.
	named=$work/$(sed -n 's/^clock \([a-z]*\): .*/\1/p' "$work/out")
	cp "$program" "$named"
	expect 0 '' $cairn record -q -o "$work/named" -- env CAIRN_CLOCK=monotonic "$named" events 1
	expect 0 '' $cairn list "$work/named"
	has '^clock monotonic: 1000000000 Hz'
	expect 0 '' $cairn list "$work/a b/c"
	has '^cli:number  DEBUG$'
	has '^    u32  n$'
	has '^1 stream, [0-9]+ packets?, [0-9]+ bytes, 0 events lost$'
	expect 0 '^cairn: 50 events recorded, 0 lost, [0-9]+ bytes, 6 processes' \
		$cairn record -o "$work/forks" -- "$program" fork 5
	# The clock is the program's choice, or the recorder's; the reason is of the one whose choice it is.
	expect 0 '' $cairn record -q -o "$work/theirs" -- env CAIRN_CLOCK=monotonic "$program" events 1
	expect 0 '' $cairn list "$work/theirs"
	has '^clock choice monotonic: (CAIRN_CLOCK=monotonic|this port has no counter)$'
	expect 0 '' env CAIRN_CLOCK=monotonic $cairn record -q -o "$work/ours" -- env -u CAIRN_CLOCK "$program" events 1
	expect 0 '' $cairn list "$work/ours"
	has '^clock choice monotonic: (CAIRN_CLOCK=monotonic|this port has no counter)$'
	has '^clock monotonic: 1000000000 Hz'
	# Their ends are told faster than they are read.
	expect 0 '^cairn: 1000 events recorded, 0 lost, [0-9]+ bytes, 101 processes' \
		$cairn record -o "$work/many" -- "$program" fork 100
	if grep 'recorded no further' "$work/err"; then fail "processes that ended are said to run"; fi
	expect 0 '^cairn: 1 event recorded, .*, 2 processes: ' \
		$cairn record -o "$work/orphan" -- "$program" orphan
	grep -q '^cairn: 1 process of .* still runs and is recorded no further: ' "$work/err" ||
		fail "no word of the process that still runs: $(cat "$work/err")"
	cd "$work" || die "cannot go to $work"
	expect 0 '1 event recorded.* .babeltrace2 cairn-[0-9]{8}-[0-9]{6}.' \
		$cairn record -- "$program" events 1
	cd "$src" || die "cannot go to $src"
}

# within LIMIT COMMAND...: under a limit as `ulimit` takes it, for the command alone
within()
{
	limit=$1
	shift
	sh -c 'ulimit $0 && exec "$@"' "$limit" "$@"
}

# said: numbers in the summary, as $recorded, $lost, $refused
said()
{
	recorded=$(sed -n 's/^cairn: \([0-9]*\) events* recorded, .*/\1/p' "$work/err")
	lost=$(sed -n 's/^cairn: \([0-9]*\) events* w[a-z]* lost: .*/\1/p' "$work/err")
	refused=$(sed -n 's/^cairn: \([0-9]*\) process[es]* could not be recorded: .*/\1/p' "$work/err")
}

# Too little of something: told, every event counted, and what was recorded can be read.
limits()
{
	expect 0 '' within '-S -n 64' $cairn record -q -o "$work/soft" -- "$program" limits
	has '^files 64, SIGXFSZ default$'
	# Descriptors of the recorder: four for a process.
	expect 0 '^cairn: 1000 events recorded, 0 lost, .*, 101 processes' \
		within '-S -n 64' $cairn record -o "$work/live" -- "$program" live 100
	expect 1 'could not be recorded: Too many open files: .*ulimit -n' \
		within '-n 64' $cairn record -o "$work/few" -- "$program" live 100
	said
	[ "${refused:-0}" -gt 50 ] || fail "64 descriptors were enough for 100 processes: $(cat "$work/err")"
	[ "$((recorded + lost))" = 1000 ] || fail "$recorded + $lost events of 1000: $(cat "$work/err")"
	[ "$(find "$work/few" -mindepth 1 -type d | wc -l)" -lt 40 ] || fail "folders of no process"
	[ "$(babeltrace2 "$work/few" 2>&1 | grep -c 'cli:number')" = "$recorded" ] ||
		fail "babeltrace2 does not show $recorded events"
	expect 1 '^cairn: [0-9]+ events were lost' \
		within '-n 64' $cairn record -q -o "$work/fewer" -- "$program" live 100
	# Sizes of files: rings are files to the kernel.
	expect 1 '1 process could not be recorded: File too large: .*ulimit -f' \
		within '-f 64' $cairn record -o "$work/short" -- "$program" events 10
	gone "$work/short"
	# ThreadSanitizer writes a file of its own before main.
	if [ "${CAIRN_SANITIZE:-}" = "${CAIRN_SANITIZE#*=thread}" ]; then
		within '-f 0' $cairn record -o "$work/none" -- "$program" events 10 2>&1 | cat >"$work/out"
		has 'cannot set up the session: File too large: '
		gone "$work/none"
	fi
	within '-n 5' $cairn record -o "$work/none" -- "$program" events 10 >"$work/out" 2>&1
	has '^cairn: cannot .*: Too many open files: .*ulimit'
	gone "$work/none"
}

# A ring that was full is drained at once, not at the next tick of a second: what comes later is kept.
after_a_loss()
{
	for round in 1 2 3; do
		$cairn record -o "$work/burst$round" --packet-size 4K --packets 2 -- "$program" burst 300 \
			>"$work/out" 2>"$work/err" || fail "burst: status $?"
		seen=$(babeltrace2 "$work/burst$round" 2>>"$work/err" | grep -c 'cli:other')
		[ "$seen" = 300 ] || fail "after a loss $seen events of 300: $(cat "$work/err")"
	done
}

# An event that two files declare differently is told and left out; all others are recorded.
declared_twice()
{
	cat >"$work/twice.c" <<-EOF
		#include <cairn/event.h>
		CAIRN_EVENT(cli, other, CAIRN_U32(n));
		void twice(void);
		void twice(void)
		{
			cairn_trace(cli, other, 1);
		}
	EOF
	${CAIRN_CC:-cc} -O1 ${CAIRN_CPPFLAGS:-$includes} tests/cli/program.c "$work/twice.c" $library -lpthread \
		-lutil -o "$work/twice" || die "twice.c does not compile"
	expect 0 '^cairn: not recorded: cli:other: .*two different field lists' \
		$cairn record -o "$work/two" -- "$work/twice" events 10
	grep -q '^cairn: 10 events recorded, 0 lost' "$work/err" || fail "cli:other took others along: $(cat "$work/err")"
}

# A loss has the time in which it was, also if the program ends with it.
loss_times()
{
	$cairn record -q -o "$work/end" --packet-size 4K --packets 2 -- "$program" events 300000 \
		>"$work/out" 2>"$work/err"
	babeltrace2 "$work/end" 2>&1 >"$work/out" | tr '\n' ' ' |
		sed -E 's/(discarded [0-9]+ events between)/\n\1/g' |
		sed -nE 's/.*between \[([^]]*)\] and \[([^]]*)\].*/\1 \2/p' >"$work/times"
	[ -s "$work/times" ] || fail "no loss of 300000 events in two packets"
	if awk '$1 == $2 { bad = 1 } END { exit !bad }' "$work/times"; then
		fail "a loss without duration: $(tail -n 3 "$work/times")"
	fi
}

# Each signal reaches the command once; one that the terminal sends is not doubled.
signals()
{
	for signal in HUP INT QUIT USR1 USR2 TERM WINCH; do
		: >"$work/out"
		$cairn record -q -o "$work/s$signal" -- "$program" signals 1 >"$work/out" 2>"$work/err" &
		pid=$!
		tries=0
		until grep -q ready "$work/out"; do
			tries=$((tries + 1))
			[ $tries -lt 600 ] || break
			sleep 0.1
		done
		kill -$signal $pid
		wait $pid || fail "SIG$signal: status $?"
		has "^signal $(kill -l $signal 2>/dev/null || /bin/kill -l $signal): 1\$"
		[ "$(grep -c '^signal' "$work/out")" = 1 ] || fail "SIG$signal: $(cat "$work/out")"
	done
	TERM=xterm "$program" terminal $cairn record -o "$work/tty" -- "$program" signals 1 \
		>"$work/out" 2>&1 || fail "on a terminal: status $?"
	has 'signal 2: 1'
	has 'nothing was recorded|0 events recorded'
}

progress()
{
	TERM=xterm "$program" terminal $cairn record -o "$work/p1" -- "$program" sleep 1500 >"$work/out"
	has 'cairn: 0 events, 0 lost, 0 KiB, [0-9]+ s'
	TERM=xterm "$program" terminal $cairn record -q -o "$work/p2" -- "$program" sleep 1500 >"$work/out"
	[ ! -s "$work/out" ] || fail "--quiet is not quiet: $(cat "$work/out")"
	TERM=dumb "$program" terminal $cairn record -o "$work/p3" -- "$program" sleep 1500 >"$work/out"
	if grep -q '0 KiB' "$work/out"; then fail "a progress line on a dumb terminal"; fi
}

usage_errors
list_errors
if ! executes; then
	echo "native only: cairn record: an emulated process cannot execute a program of its own CPU"
	finish
fi
program=$work/program
if [ "${CAIRN_SHARED:-0}" = 1 ]; then
	library="$CAIRN_BUILD_DIR/libcairn_module.a -L$CAIRN_BUILD_DIR -lcairn -Wl,-rpath,$CAIRN_BUILD_DIR"
else
	library=$CAIRN_BUILD_DIR/libcairn.a
fi
${CAIRN_CC:-cc} -O1 ${CAIRN_CPPFLAGS:-$includes} tests/cli/program.c $library -lpthread -lutil \
	-o "$program" || die "tests/cli/program.c does not compile"
output_errors
start_errors
statuses
records
after_a_loss
loss_times
declared_twice
if on_board; then
	echo "native only: cairn record, limits, rights, signals and terminals: on a board they are not those of the script"
	finish
fi
no_permission
disk_full
limits
signals
progress
finish
