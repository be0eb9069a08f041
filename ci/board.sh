#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Run tests on a board, by ssh:
#   ci/board.sh session BOARD COMMAND...   run the command here, with a connection and a folder on the board; remove both
#   ci/board.sh copy BUILD                 in it: the programs of a build folder in this source tree, and what they read
#   ci/board.sh run PROGRAM ARGUMENT...    in it: a program, as if it ran here; CMAKE_CROSSCOMPILING_EMULATOR of the tests
#
# BOARD is what ssh takes: USER@HOST, ssh://USER@HOST:PORT, a name in ~/.ssh/config; no password is asked for. The
# board needs sshd, a POSIX shell with its usual commands that says nothing at a login, tar, and the libraries
# that the programs were linked to. From the environment:
#   CAIRN_BOARD_DIR   where on the board the folder is made; default /tmp
#   CAIRN_BOARD_SSH   more options for ssh, as in "-i key -F config"
# If the board itself has CAIRN_EMULATOR in its environment, programs run by that.
#
# Each file has its path of here, below the folder on the board: the source tree with the build folder is copied
# once. For each run, what its arguments name in the temporary folder is sent, and what it made or changed
# there comes back; arguments and variables that name files are changed. Standard input is empty.
# Programs that call babeltrace2 get ci/board_reader.sh, and the trace is read here.
set -euo pipefail

source=$(cd "${0%/*}/.." && pwd)
temporary=${TMPDIR:-/tmp}
temporary=${temporary%/}
root=${CAIRN_BOARD_ROOT:-} # the folder on the board
export LC_ALL=C

die()
{
	echo "ci/board.sh: $*" >&2
	exit 255
}

# quote TEXT: a word of the board's shell
quote()
{
	printf "'%s'" "${1//\'/"'\\''"}"
}

# there TEXT: the same, with the names that files have on the board
there()
{
	local text=${1//"$source"/$'\1'}

	text=${text//"$temporary/"/"$run$temporary/"}
	quote "${text//$'\1'/"$root$source"}"
}

# on_board SCRIPT: by the board's shell. Without the session's connection it fails, and makes none.
on_board()
{
	ssh -T -S "$CAIRN_BOARD_SOCKET" -o ProxyCommand=false "$CAIRN_BOARD" "$1"
}

# keeper: what the board does through a session. It prints its folder, then the requests of ci/board_reader.sh;
# when the connection ends, however it does, so do all programs, and the folder. A program that was killed leaves its
# rings in memory: out with those whose trace is gone, and that no process has.
keeper()
{
	echo "in=$(quote "${CAIRN_BOARD_DIR:-/tmp}")"
	cat <<-'END'
		for tool in cat find grep head id mkfifo mktemp rm tar tr; do
			command -v $tool >/dev/null || { echo "there is no $tool" >&2; exit 1; }
		done
		root=$(mktemp -d "$in/cairn-board.XXXXXX") || exit
		mkfifo "$root/requests" || { rm -rf "$root"; exit 1; }
		: >"$root/began"
		exec 3<>"$root/requests"
		trap "" PIPE
		echo "$root"
		while read -r id && [ "$id" != end ]; do echo "$id"; done <&3 &
		cat >/dev/null
		exec 2>/dev/null
		echo end >&3
		rings=$(find "/dev/shm/cairn-$(id -u)" -type f -newer "$root/began")
		for tries in 1 2 3 4 5; do
			for pid in "$root"/*/pid; do
				kill -9 "$(cat "$pid")"
			done
			rm -rf "$root" && break
			sleep 1
		done
		for ring in $rings; do
			trace=$(head -c 65536 "$ring" | tr -c "[:print:]" "\n" | grep "^/..." | head -n 1)
			[ -e "$trace" ] || grep -qs "$ring" /proc/[0-9]*/maps || rm -f "$ring"
		done
	END
}

session()
{
	local options id status=0

	export CAIRN_BOARD=$1
	shift
	command -v ssh >/dev/null || die "ssh is missing. On Debian: apt-get install openssh-client"
	here=$(mktemp -d /tmp/cairn-board.XXXXXX) # short, for a socket
	trap 'rm -rf "$here"' EXIT
	export CAIRN_BOARD_SOCKET=$here/ssh
	mkfifo "$here/hold"
	read -r -a options <<<"${CAIRN_BOARD_SSH:-}"
	exec 4< <(exec ssh -T -M -S "$CAIRN_BOARD_SOCKET" -o BatchMode=yes -o ConnectTimeout=15 \
		-o ServerAliveInterval=15 -o ControlPersist=no "${options[@]}" "$CAIRN_BOARD" "$(keeper)" <"$here/hold" 2>"$here/said")
	exec 3>"$here/hold"
	read -r root <&4 || die "cannot use the board $CAIRN_BOARD: $(tr -d '\r' <"$here/said" | tail -n 1)" \
		"(try: ssh ${CAIRN_BOARD_SSH:-} $CAIRN_BOARD true; CAIRN_BOARD_DIR=FOLDER names a folder there)"
	[[ $root = /*/cairn-board.* ]] || die "the shell of the board $CAIRN_BOARD is to say nothing at a login: $root"
	export CAIRN_BOARD_ROOT=$root
	while read -r id; do answer "$id" & done <&4 3>&- &
	"$@" 3>&- 4<&- || status=$?
	exec 3>&-
	wait
	return $status
}

# answer FOLDER: babeltrace2, on the trace that the board's one was called for. Metadata is copied last: it is to
# know all events of streams that still grow.
answer()
{
	local asked status=0 words folder

	folder=$(quote "$root/$1")
	asked=$(mktemp -d "$here/XXXXXX")
	on_board "cd $folder && IFS='
'; tar chf - words \$(find -L trace -type f ! -name metadata; find -L trace -name metadata)" \
		</dev/null 2>/dev/null | tar xf - -C "$asked" || true
	mapfile -t words <"$asked/words"
	unset "words[-1]"
	babeltrace2 "${words[@]}" "$asked/trace" >"$asked/out" 2>"$asked/err" </dev/null || status=$?
	echo $status >"$asked/status"
	tar cf - -C "$asked" out err status | on_board "cd $folder && tar xf - && echo >done"
	rm -rf "$asked"
}

# copy BUILD: only what is run and read. Scripts stay here, but programs are told their names. Then a program
# is run, which tells a board of another CPU, or without the libraries.
copy()
{
	local build tree said status=0

	build=$(cd "$1" && pwd)
	case $build in
	"$source"/*) build=${build#"$source"/} ;;
	*) die "$build is not in the source tree $source: the board has only what is in there" ;;
	esac
	cd "$source"
	tree=$(quote "$root$source")
	{
		find tests -type f
		find "$build" \( -name CMakeFiles -o -name Testing \) -prune -o \
			\( -type f -perm -100 -o -name '*.so*' \) -print
	} | tar cf - --verbatim-files-from -T - --transform 's,^ci/board_reader.sh$,bin/babeltrace2,' ci/board_reader.sh |
		on_board "rm -rf $tree && mkdir -p $tree && cd $tree && tar xf -" ||
		die "cannot copy $build to the board $CAIRN_BOARD:" \
			"make room, or name a folder there that has it: CAIRN_BOARD_DIR=FOLDER"
	said=$("$source/ci/board.sh" run "$source/$build/tests/program_board" exit 42 2>&1) || status=$?
	# A shell there may have taken the file for a script, and told each of its words.
	said=$(printf '%s' "$said" | LC_ALL=C tr -c '[:print:]' ' ' | cut -c1-200)
	[ $status = 42 ] ||
		die "the board $CAIRN_BOARD ($(on_board 'uname -m' </dev/null || true)) cannot run programs of $build:" \
			"${said:-status $status}. It must be of their CPU, have their libraries (C library not older than" \
			"here), and allow programs in $root (CAIRN_BOARD_DIR=FOLDER names another place)"
}

# sent WORD...: those that name something in the temporary folder, without a leading '/'. And the libraries there
# that the variables name.
sent()
{
	local word words=("$@")

	IFS=: read -r -a paths <<<"${LD_LIBRARY_PATH:-}:${LD_PRELOAD:-}"
	for word in "${paths[@]}"; do
		[ -z "$word" ] || words+=("$word" "$word"/*.so*)
	done
	for word in "${words[@]}"; do
		[ "${word#/}" != "$word" ] || word=$PWD/$word
		case $word in
		"$source"/*) ;;
		"$temporary"/?*)
			[ -e "$word" ] || [ ! -f "${word%/*}" ] || word=${word%/*} # a file that is no folder
			[ ! -e "$word" ] || echo "${word#/}"
			;;
		esac
	done | sort -u
}

# variables: those that tests use, as commands for the board's shell
variables()
{
	local name

	for name in $(compgen -e); do
		case $name in
		CAIRN_EMULATOR | CAIRN_BOARD*) ;;
		CAIRN_* | CK_* | *SAN_OPTIONS | LD_LIBRARY_PATH | LD_PRELOAD | TZ)
			printf 'export %s=' "$name"
			there "${!name}"
			echo
			;;
		esac
	done
}

# launch FOLDER LINE: what the board does with the program. Of a death by signal its shell need not tell.
launch()
{
	cat <<-END
		cd $1 || exit
		export CAIRN_BOARD_RUN=$(quote "$run") TMPDIR=$(quote "$run$temporary") PATH=$(quote "$root$source/bin"):"\$PATH"
		exec 4>&2 </dev/null 2>/dev/null
		$(variables)
		sh -c 'echo \$\$ >"\$CAIRN_BOARD_RUN/pid"; exec "\$@" 2>&4 4>&-' sh \${CAIRN_EMULATOR:-} $2
		status=\$?
		rm "\$CAIRN_BOARD_RUN/pid"
		exit \$status
	END
}

# run PROGRAM ARGUMENT...: exit status 128 + N for signal N. Files are sent as old ones, so that the board can tell
# which the program changed.
run()
{
	local line word folder=$PWD status=0 back

	here=$(mktemp -d)
	trap 'rm -rf "$here"' EXIT
	run=$root/${here##*/}
	case $folder/ in
	"$source"/* | "$temporary"/?*) ;;
	*) folder=$temporary/ ;;
	esac
	folder=$(there "$folder")
	[[ $1 != */* || $1 = /* ]] || set -- "$PWD/${1#./}" "${@:2}"
	line=$(for word; do
		there "$word"
		printf ' '
	done)
	sent "$@" >"$here/sent"
	tar cf - --mtime=@0 --warning=no-file-changed -C "$here" sent -C / --verbatim-files-from -T "$here/sent" |
		on_board "mkdir -p $(quote "$run$temporary") $folder && cd $(quote "$run") && tar xf - || {
			echo 'ci/board.sh: cannot send to the board: make room, or set CAIRN_BOARD_DIR' >&2
			exit 255
		}
		$(launch "$folder" "$line")" || status=${PIPESTATUS[1]}
	back=$(quote ".$temporary")
	on_board "cd $(quote "$run") && {
		find $back -type f ! -newer sent -exec rm -f {} +
		tar cf - $back
		cd / && rm -rf $(quote "$run")
	} 2>/dev/null; echo" </dev/null 2>/dev/null |
		tar xf - -C / --no-same-owner --no-overwrite-dir ".$temporary" 2>/dev/null ||
		die "lost the board $CAIRN_BOARD while it ran $1"
	return "$status"
}

case ${1:-} in
session) [ $# -ge 3 ] ;;
copy | run) [ $# -ge 2 ] && [ -n "$root" ] ;;
*) false ;;
esac || {
	sed -n '4,7s/^# \{0,1\}//p' "$0" >&2
	exit 2
}
"$@"
