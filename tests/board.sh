#!/bin/sh
# SPDX-License-Identifier: MIT
# ci/board.sh, and ci/run.sh --board, against a board that is this machine: an sshd of its own on loopback,
# with nothing in its PATH but what a small board has, and a shell that gives programs to an emulator: that
# of the target, or for this machine's CPU, env. This script runs itself, by `ci/board.sh session`, once for each board.
# shellcheck disable=SC2086,SC2154,SC1091,SC2016 # several words; from lib.sh; names for the board

. "$(dirname "$0")/lib.sh"

if on_board; then
	echo "native only: board: the board of this test is this machine"
	finish
fi
build=${CAIRN_BUILD_DIR:?must name a build folder}
sshd=$(PATH=$PATH:/usr/sbin:/sbin command -v sshd) ||
	die "sshd is missing. On Debian: apt-get install openssh-server openssh-client (no service need run)"
unset CAIRN_TRACE CAIRN_OUTPUT CAIRN_MODE CAIRN_PACKET_SIZE CAIRN_PACKETS CAIRN_CLOCK CAIRN_DEBUG
emulator=${CAIRN_EMULATOR:-env MARK=x}

# start_sshd: on a free port, for the user that runs this, by keys that are made here. It runs commands by the user's
# shell, which must not find a .bashrc, or the like: what that says would be the program's.
start_sshd()
{
	mkdir -p "$loop/bin" "$loop/a folder"
	: >"$loop/log"
	echo "$emulator" >"$loop/emulator"
	for tool in sh cat env find grep head id ln mkdir mkfifo mktemp rm sleep tail tar tr uname; do
		ln -s "$(command -v $tool)" "$loop/bin/$tool"
	done
	cat >"$loop/shell" <<-END
		#!/bin/sh
		PATH=$loop/bin
		CAIRN_EMULATOR=\$(cat $loop/emulator)
		export PATH CAIRN_EMULATOR
		[ ! -e $loop/greeting ] || cat $loop/greeting
		exec sh -c "\$SSH_ORIGINAL_COMMAND"
	END
	chmod +x "$loop/shell"
	for key in host user; do
		ssh-keygen -q -t ed25519 -N '' -f "$loop/$key" || die "no ssh-keygen"
	done
	# For root, sshd asks for this folder, which is otherwise its service's business.
	[ "$(id -u)" != 0 ] || mkdir -p /run/sshd
	for try in 1 2 3 4 5 6 7 8 9; do
		port=$(awk -v seed="$$$try" 'BEGIN { srand(seed); print 20000 + int(rand() * 12000) }')
		cat >"$loop/config" <<-END
			Port $port
			ListenAddress 127.0.0.1
			HostKey $loop/host
			PidFile none
			AuthorizedKeysFile $loop/user.pub
			StrictModes no
			UsePAM no
			PermitUserRC no
			SetEnv HOME=$loop
			ForceCommand $loop/shell
		END
		"$sshd" -D -f "$loop/config" -E "$loop/log" &
		server=$!
		until grep -q "listening on 127.0.0.1 port $port" "$loop/log"; do
			kill -0 $server 2>/dev/null || continue 2
			sleep 0.1
		done
		echo "[127.0.0.1]:$port $(cat "$loop/host.pub")" >"$loop/known"
		return
	done
	die "sshd does not start: $(tail -n 3 "$loop/log")"
}

# told LABEL STATUS PATTERN COMMAND...: its exit status, and what stderr has. Leaves $work/out and $work/err.
told()
{
	label=$1 status=$2 pattern=$3
	shift 3
	"$@" >"$work/out" 2>"$work/err"
	got=$?
	[ $got = $status ] || fail "$label: status $got, expected $status: $(head -n 3 "$work/err")"
	if [ -n "$pattern" ]; then
		grep -Eq -- "$pattern" "$work/err" || fail "$label: expected '$pattern' on stderr, got: $(head -n 3 "$work/err")"
	elif [ -s "$work/err" ]; then
		fail "$label: expected nothing on stderr, got: $(head -n 3 "$work/err")"
	fi
}

# by_board LABEL STATUS PATTERN WORD...: as told, run by the board
by_board()
{
	label=$1 status=$2 pattern=$3
	shift 3
	told "$label" $status "$pattern" ci/board.sh run "$@"
}

# What a program sees of how it was called, and what comes back of it.
programs()
{
	CAIRN_TEXT='it is "so" $HOME
	and `more`' by_board say 0 '^to stderr$' "$program" say "two  words" "it's" '' '"$HOME"' '*' "$folder/x"
	there=$(sed -n 's/^\[\(.*\)\/x]$/\1/p' "$work/out")
	case $there in
	"$CAIRN_BOARD_ROOT/"*"$folder") ;;
	*) fail "the temporary folder of the board is '$there'" ;;
	esac
	printf '[%s]\n' "two  words" "it's" '' '"$HOME"' '*' "$there/x" >"$work/expected"
	printf 'text [%s\n\tand `more`]\nemulator [%s]\nfolder %s\n' 'it is "so" $HOME' "$emulator" \
		"$CAIRN_BOARD_ROOT$src" >>"$work/expected"
	diff "$work/expected" "$work/out" || fail "expected on the left, what the program saw on the right"

	by_board "exit 255" 255 '' "$program" exit 255
	for signal in 6 9; do
		# QEMU has a word about it.
		ci/board.sh run "$program" die $signal 2>/dev/null
		got=$?
		[ $got = $((128 + signal)) ] || fail "signal $signal: status $got"
	done

	echo "from here" >"$folder/file"
	by_board fill 0 '' "$program" fill "$folder/file"
	[ "$(cat "$work/out")" = "from here" ] || fail "the file that an argument names did not come along"
	[ "$(cat "$folder/file.new" 2>&1)" = "made there" ] || fail "a file that the program made did not come back"
	echo "from here, too" >"$folder/file.new"
	by_board "fill again" 0 '' "$program" fill "$folder/file" "$folder/file.new"
	[ "$(cat "$folder/file.new" 2>&1)" = "made there" ] || fail "a file that was sent and changed did not come back"
	CAIRN_TRACE='*' CAIRN_OUTPUT="$folder/trace" by_board trace 0 '^to stderr$' "$program" say "an event"
	babeltrace2 "$folder/trace" >"$work/text" 2>&1
	grep -q 'board:ran: .*text = "an event"' "$work/text" || fail "no trace came back: $(cat "$work/text")"
	# The other way: the program calls babeltrace2, which only this side has.
	by_board read 0 '' "$program" read "$folder/trace"
	grep -q 'board:ran: .*text = "an event"' "$work/out" || fail "babeltrace2 for the board: $(cat "$work/out")"
	by_board "read what is no trace" 1 . "$program" read "$folder/file"
}

# Test programs of this build, as ctest runs them.
suite()
{
	: >"$loop/emulator"
	[ -z "${CAIRN_EMULATOR:-}" ] || echo "$emulator" >"$loop/emulator"
	for case in test_ctf:golden test_loading:conflicting_library; do
		name=${case%:*}
		CK_RUN_CASE=${case#*:} by_board $name 0 '' "$build/tests/$name"
		grep -Eq '^100%: Checks: [1-9][0-9]*, Failures: 0' "$work/out" || fail "$name ran no test: $(cat "$work/out")"
	done
	# A program that starts another one, which was sent too.
	if [ -z "${CAIRN_EMULATOR:-}" ] && [ -x "$build/tools/cairn" ]; then
		by_board record 0 '^cairn: 1 events? recorded' "$build/tools/cairn" record -o "$work/record" -- "$program" exit 0
		babeltrace2 "$work/record" 2>&1 | grep -q 'text = "0"' || fail "cairn record left no trace"
	fi
	# What is wrong there is wrong here: without its golden files a test fails, and so does ctest.
	find "$CAIRN_BOARD_ROOT$src/tests/golden" -name '*_sites.txt' -delete
	mkdir "$work/ctest"
	for name in test_patch test_pattern; do
		echo "add_test($name \"$src/ci/board.sh\" run \"$build/tests/$name\")"
	done >"$work/ctest/CTestTestfile.cmake"
	told "ctest of a test that fails" 8 . ctest --test-dir "$work/ctest"
	grep -q 'test_patch (Failed)' "$work/err" "$work/out" || fail "ctest: expected test_patch: $(tail -n 5 "$work/out")"
	grep -q '1 tests failed out of 2' "$work/out" || fail "ctest: expected one failure: $(tail -n 5 "$work/out")"
	left=$(cd "$CAIRN_BOARD_ROOT" && echo tmp.*)
	[ "$left" = 'tmp.*' ] || fail "left on the board by runs: $left"
}

# The board goes away while a program runs: its sshd for this connection is killed.
lost()
{
	CAIRN_TRACE='*' CAIRN_OUTPUT="$folder/trace" ci/board.sh run "$program" wait 2>"$work/err" &
	launcher=$!
	tries=0
	until pid=$(cat "$CAIRN_BOARD_ROOT"/tmp.*/pid 2>/dev/null) && [ -n "$pid" ] && rings; do
		tries=$((tries + 1))
		[ $tries -lt 300 ] || die "lost: the program does not start, or has no rings"
		sleep 0.1
	done
	kill -9 $(pgrep -P "$server")
	wait $launcher
	got=$?
	[ $got = 255 ] || fail "lost: status $got, expected 255"
	grep -q "^ci/board.sh: lost the board $CAIRN_BOARD while it ran $program" "$work/err" || fail "lost: $(cat "$work/err")"
	gone "$pid"
	told "run without a connection" 255 'lost the board' ci/board.sh run "$program" exit 0
	told "copy without a connection" 255 'cannot copy' ci/board.sh copy "$build"
}

# rings: are there any of a program on the board?
rings()
{
	find "/dev/shm/cairn-$(id -u)" -type f -newer "$loop/known" -exec head -c 65536 {} \; 2>/dev/null | grep -aq "$loop/a folder"
}

# gone [PID]: when a session ends, so do its programs, and the board has nothing of it.
gone()
{
	tries=0
	while [ -n "$(ls "$loop/a folder")" ] || rings || { [ $# = 1 ] && kill -0 "$1" 2>/dev/null; }; do
		tries=$((tries + 1))
		[ $tries -lt 300 ] || { fail "left on the board${1+, or process $1}, or rings: $(ls "$loop/a folder")"; return; }
		sleep 0.1
	done
}

# In a session, whose folder is in $loop: this script's own words.
if [ $# -gt 0 ]; then
	loop=$2
	server=$3
	folder="$work/a folder"
	mkdir "$folder"
	program="$folder/program"
	cp "$build/tests/program_board" "$program" || die "no tests/program_board"
	case $1 in
	all)
		ci/board.sh copy "$build" || die "copy: status $?"
		programs
		suite
		;;
	lost) lost ;;
	esac
	finish
fi

# session COMMAND...
session()
{
	ci/board.sh session "$board" "$@"
}

# What is wrong with a board is told before anything runs.
refused()
{
	told "no ssh" 255 'ssh is missing' env PATH="$loop/bin" "$(command -v bash)" ci/board.sh session "$board" echo ran
	echo hello >"$loop/greeting"
	told "a shell that greets" 255 'is to say nothing at a login: hello$' session echo ran
	rm "$loop/greeting"
	mv "$loop/bin/mkfifo" "$loop/mkfifo"
	told "no mkfifo" 255 'cannot use the board .*there is no mkfifo' session echo ran
	mv "$loop/mkfifo" "$loop/bin/mkfifo"
	CAIRN_BOARD_DIR=$loop/none told "no folder" 255 'cannot use the board .*/none/.*CAIRN_BOARD_DIR' session echo ran
	rm "$loop/bin/tar"
	printf '#!/bin/sh\necho "tar: No space left on device" >&2\nexit 2\n' >"$loop/bin/tar"
	chmod +x "$loop/bin/tar"
	told "no room" 255 'cannot copy .*make room, or .*CAIRN_BOARD_DIR' session ci/board.sh copy "$build"
	rm "$loop/bin/tar"
	ln -s "$(command -v tar)" "$loop/bin/tar"
	# The same program, but for a CPU that is none.
	mkdir -p "$build/other/tests"
	cp "$build/tests/program_board" "$build/other/tests"
	printf '\377\377' | dd of="$build/other/tests/program_board" bs=1 seek=18 conv=notrunc 2>/dev/null
	told "another CPU" 255 'cannot run programs of .*It must be of their CPU' session ci/board.sh copy "$build/other"
	rm -rf "$build/other"
	grep -qx ran "$work/out" && fail "a command ran without its board"
}

loop=$work/loopback
server=
trap '[ -z "$server" ] || kill $server; rm -rf "$work"' EXIT
start_sshd
board=ssh://$(id -un)@127.0.0.1:$port
CAIRN_BOARD_SSH="-F none -i $loop/user -o IdentitiesOnly=yes -o UserKnownHostsFile=$loop/known"
CAIRN_BOARD_DIR="$loop/a folder"
export CAIRN_BOARD_SSH CAIRN_BOARD_DIR
unset CAIRN_BOARD CAIRN_BOARD_ROOT CAIRN_BOARD_SOCKET

refused
gone
session "$0" all "$loop" $server || fail "in a session: status $?"
session "$0" lost "$loop" $server || fail "with a board that goes away: status $?"
gone
kill $server
wait $server
server=
told "no board" 255 "cannot use the board $board: .*refused" ci/run.sh x86_64 --board "$board"
told "no target" 2 '^usage: ' ci/run.sh --board "$board"
finish
