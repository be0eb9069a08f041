#!/bin/sh
# SPDX-License-Identifier: MIT
# Whole programs from their first constructor to their last destructor, traced by the environment and by
# `cairn record`: short ones, all ways to end, link orders, archives, stripped and static programs, an
# interposed malloc, wrong values in the environment, systems that refuse. Labels name rows of the
# project's lists of lessons and pitfalls.
# shellcheck disable=SC2086,SC2016,SC2154,SC1091 # several words; names in `...`; from lib.sh

. "$(dirname "$0")/lib.sh"

[ -n "${CAIRN_BUILD_DIR:-}" ] || die "CAIRN_BUILD_DIR must name a build folder"
unset CAIRN_TRACE CAIRN_OUTPUT CAIRN_MODE CAIRN_PACKET_SIZE CAIRN_PACKETS CAIRN_CLOCK CAIRN_DEBUG
run=${CAIRN_EMULATOR:-}
strip=${CAIRN_STRIP:-strip}
cc="${CAIRN_CC:-cc} -O1 ${CAIRN_SANITIZE:-} ${CAIRN_CPPFLAGS:-$includes}"
cxx="${CAIRN_CXX:-c++} -O1 ${CAIRN_SANITIZE:-} ${CAIRN_CPPFLAGS:-$includes}"
if [ "${CAIRN_SHARED:-0}" = 1 ]; then
	library="$CAIRN_BUILD_DIR/libcairn_module.a -L$CAIRN_BUILD_DIR -lcairn -Wl,-rpath,$CAIRN_BUILD_DIR -lpthread"
else
	library="$CAIRN_BUILD_DIR/libcairn.a -lpthread"
fi
# 32-bit programs of the cross compiler find no shared compiler libraries on this machine.
case ${CAIRN_CMAKE_ARGS:-} in
*toolchain*) cxx="$cxx -static-libgcc -static-libstdc++" ;;
esac

# make NAME ARGUMENT...: compile and link $work/NAME
make()
{
	name=$1
	shift
	"$@" -o "$work/$name" 2>"$work/err" || die "$name does not build: $(head -n 5 "$work/err")"
}

# traced LABEL STATUS COMMAND...: all events of a program, by the environment; its status, and nothing on
# stderr. Leaves $work/text, the trace.
traced()
{
	label=$1 status=$2
	shift 2
	rm -rf "$work/trace"
	CAIRN_TRACE='*' CAIRN_OUTPUT=$work/trace $run "$@" >"$work/out" 2>"$work/err"
	got=$?
	[ "$got" = "$status" ] || fail "$label: $*: status $got, expected $status: $(head -n 3 "$work/err")"
	[ ! -s "$work/err" ] || fail "$label: $*: $(head -n 3 "$work/err")"
	show "$label"
}

# show LABEL: read $work/trace into $work/text, without a warning
show()
{
	babeltrace2 "$work/trace" >"$work/text" 2>"$work/err" || fail "$1: babeltrace2: $(cat "$work/err")"
	[ ! -s "$work/err" ] || fail "$1: babeltrace2: $(head -n 3 "$work/err")"
}

# has LABEL COUNT EVENT N: so many records of the event with this n
has()
{
	count=$(grep -c "$3: .*n = $4[ ,]" "$work/text")
	[ "$count" = "$2" ] || fail "$1: $count records $3 with n = $4, expected $2"
}

# total LABEL COUNT
total()
{
	count=$(wc -l <"$work/text")
	[ "$count" = "$2" ] || fail "$1: $count records, expected $2: $(head -n 3 "$work/text")"
}

# What a program records that traces from its constructors to its destructors. The ones that run before
# Cairn's (priority 101 and earlier) pass by; those that run after its destructor too.
whole_life()
{
	has "$1" 0 prog:begin 1
	has "$1" 1 prog:begin 150
	has "$1" 1 prog:begin 65535
	has "$1" 1 prog:end 1
	has "$1" 1 prog:end 65535
	has "$1" 1 prog:end 102
}

# ---- ends ----

lesson_8()
{
	traced lesson_8 0 "$work/program" return
	has lesson_8 1 prog:ev 0
	whole_life lesson_8
	traced lesson_8_thread 0 "$work/program" thread
	has lesson_8_thread 1 prog:ev 1
	whole_life lesson_8_thread
	if ! executes; then
		echo "native only: lesson_8, by cairn record: an emulated process cannot execute a program of its own CPU"
		return
	fi
	# Drained from outside, a program's end does not matter.
	for end in return:0 thread:0 _exit:0 kill:137; do
		rm -rf "$work/trace"
		$run "$CAIRN_BUILD_DIR/tools/cairn" record -o "$work/trace" -- "$work/program" ${end%:*} \
			>"$work/out" 2>"$work/err"
		got=$?
		[ $got = ${end#*:} ] || fail "lesson_8: record ${end%:*}: status $got: $(cat "$work/err")"
		show "lesson_8: record ${end%:*}"
		n=0
		[ ${end%:*} = thread ] && n=1
		has "lesson_8: record ${end%:*}" 1 prog:ev $n
		has "lesson_8: record ${end%:*}" 1 prog:begin 150
	done
}

# Threads that trace while the program ends; objects that end after main.
lesson_9()
{
	i=0
	while [ $i -lt 5 ]; do
		rm -rf "$work/trace"
		CAIRN_TRACE='*' CAIRN_OUTPUT=$work/trace CAIRN_PACKET_SIZE=4096 $run "$work/program" \
			running >"$work/out" 2>"$work/err"
		got=$?
		[ $got = 0 ] || fail "lesson_9: threads at the end: status $got: $(head -n 5 "$work/err")"
		babeltrace2 "$work/trace" >"$work/text" 2>"$work/err" || fail "lesson_9: $(cat "$work/err")"
		has lesson_9 1 prog:begin 65535
		i=$((i + 1))
	done
	traced lesson_9_cpp 0 "$work/ends"
	for n in 1 2 4; do
		has lesson_9_cpp $((n == 2 ? 2 : 1)) cpp:made $n
	done
	has lesson_9_cpp 2 cpp:gone 3
	has lesson_9_cpp 1 cpp:gone 4
	has lesson_9_cpp 1 cpp:gone 1
	total lesson_9_cpp 8
}

# ---- linking ----

# The library before, after and on both sides of the object: the constructors' priorities decide.
lesson_12()
{
	for order in "$work/program.o $library" "$library $work/program.o $library" \
		"-Wl,--whole-archive $library -Wl,--no-whole-archive $work/program.o"; do
		case $order in
		*whole-archive*) [ "${CAIRN_SHARED:-0}" = 0 ] || continue ;;
		esac
		make order $cc $order
		traced lesson_12 0 "$work/order" return
		whole_life lesson_12
		has lesson_12 1 prog:ev 0
	done
}

# The hit itself pulls the module's registration out of the archive; without the library nothing links.
lesson_16()
{
	make probes.o $cc -c tests/life/probes.c
	ar rcs "$work/libprobes.a" "$work/probes.o" || die "no ar"
	make user $cc tests/life/user.c "$work/libprobes.a" $library
	traced lesson_16 0 "$work/user"
	has lesson_16 1 archive:used 7
	total lesson_16 1
	if $cc tests/life/user.c "$work/libprobes.a" -lpthread -o "$work/none" 2>"$work/err"; then
		fail "lesson_16: a program without libcairn links"
	fi
	grep -q 'cairn_' "$work/err" || fail "lesson_16: the linker names no symbol of Cairn"
}

lesson_40()
{
	cp "$work/program" "$work/stripped"
	$strip -s "$work/stripped" || die "no strip"
	traced lesson_40_stripped 0 "$work/stripped" return
	whole_life lesson_40_stripped
	for kind in "-no-pie" "-pie -fPIE" "-static" "-static-pie -fPIE"; do
		case $kind in
		-static*)
			# Sanitizers' run-time libraries, and libcairn.so, want a dynamic program.
			[ "${CAIRN_SANITIZE:-}${CAIRN_SHARED:-0}" = 0 ] || continue
			;;
		esac
		case $kind in
		*fPIE) ;;
		*) kind="$kind -fno-pie" ;;
		esac
		if ! echo 'int main(void) { return 0; }' | $cc $kind -x c - -o "$work/known" 2>/dev/null; then
			echo "skip: lesson_40 $kind (the compiler cannot link so here)"
			continue
		fi
		make kind $cc $kind tests/life/program.c $library
		traced "lesson_40 $kind" 0 "$work/kind" return
		whole_life "lesson_40 $kind"
		has "lesson_40 $kind" 1 prog:ev 0
		$strip -s "$work/kind"
		traced "lesson_40 $kind stripped" 0 "$work/kind" return
		has "lesson_40 $kind stripped" 1 prog:ev 0
	done
}

# ---- malloc ----

# A sanitizer's run time has a malloc of its own, which cannot be replaced by one that traces.
lesson_23()
{
	[ -z "${CAIRN_SANITIZE:-}" ] || return
	make heap $cc -fno-builtin tests/life/malloc.c $library
	rm -rf "$work/trace"
	CAIRN_TRACE='heap:*' CAIRN_OUTPUT=$work/trace CAIRN_MODE=block timeout 60 $run "$work/heap" \
		>"$work/out" 2>"$work/err" || fail "lesson_23: status $?: $(head -n 3 "$work/err")"
	show lesson_23
	count=$(grep -c heap:hot "$work/text")
	[ "$count" = 10000 ] || fail "lesson_23: $count events heap:hot, expected 10000"
	count=$(grep -c 'heap:taken.*size = 999 ' "$work/text")
	[ "$count" = 1 ] || fail "lesson_23: $count events of malloc(999), expected 1"
}

# ---- the environment ----

# wrong NAME=VALUE... : one line on stderr, and the program runs on untraced
wrong()
{
	rm -rf "$work/trace"
	env CAIRN_OUTPUT="$work/trace" "$@" $run "$work/program" secure >"$work/out" 2>"$work/err"
	got=$?
	[ $got = 0 ] || fail "$*: status $got, expected 0"
	[ "$(cat "$work/out")" = trusting ] || fail "$*: the program did not run on"
	[ "$(wc -l <"$work/err")" = 1 ] || fail "$*: expected one line, got: $(cat "$work/err")"
	grep -q '^cairn: not traced: .' "$work/err" || fail "$*: not a clear line: $(cat "$work/err")"
	[ ! -e "$work/trace" ] || [ -z "$(ls "$work/trace")" ] || fail "$*: there is a trace"
}

environment()
{
	wrong CAIRN_TRACE=
	wrong CAIRN_TRACE=a:*,,b:*
	wrong "CAIRN_TRACE=a:*, b:*"
	wrong CAIRN_TRACE=a:*,life
	wrong CAIRN_TRACE="$(printf %05000d 0)"
	wrong CAIRN_TRACE=* CAIRN_MODE=fast
	wrong CAIRN_TRACE=* CAIRN_CLOCK=sundial
	wrong CAIRN_TRACE=* CAIRN_PACKETS=3
	wrong CAIRN_TRACE=* CAIRN_PACKETS=x
	wrong CAIRN_TRACE=* CAIRN_PACKET_SIZE=5000
	wrong CAIRN_TRACE=* CAIRN_PACKET_SIZE=0
	wrong CAIRN_TRACE=* CAIRN_PACKET_SIZE=-4096
	wrong CAIRN_TRACE=* CAIRN_OUTPUT=
	wrong CAIRN_TRACE=* CAIRN_OUTPUT="$work/program/x"
	wrong CAIRN_TRACE=* CAIRN_OUTPUT=/proc/not-there
	wrong CAIRN_TRACE=* CAIRN_OUTPUT="$(printf %0500d 0)"
	# A pattern that matches nothing is no error: modules may come.
	rm -rf "$work/trace"
	CAIRN_TRACE='no:such' CAIRN_OUTPUT=$work/trace $run "$work/program" return >"$work/out" 2>"$work/err" ||
		fail "CAIRN_TRACE=no:such: status $?"
	[ ! -s "$work/err" ] || fail "CAIRN_TRACE=no:such: $(cat "$work/err")"
	CAIRN_DEBUG=1 CAIRN_TRACE='no:such' CAIRN_OUTPUT=$work/trace $run "$work/program" return \
		>"$work/out" 2>"$work/err"
	grep -q '^cairn: CAIRN_TRACE matches no event so far' "$work/err" ||
		fail "CAIRN_DEBUG=1: no word that CAIRN_TRACE=no:such matches nothing"
}

# A program with another user's rights must not write where its caller says.
set_uid()
{
	if [ -n "$run" ]; then
		echo "native only: set-uid: it is the emulator that would have the rights, or a board's copy has none"
		return
	fi
	if [ "$(id -u)" != 0 ]; then
		echo "skip: set-uid (needs root)"
		return
	fi
	cp "$work/program" "$work/owned"
	chown 65534 "$work/owned" || die "chown"
	chmod 4755 "$work/owned"
	chmod 777 "$work"
	rm -rf "$work/trace"
	CAIRN_TRACE='*' CAIRN_OUTPUT=$work/trace "$work/owned" secure >"$work/out" 2>"$work/err"
	chmod 700 "$work"
	case $(cat "$work/out") in
	secure)
		[ ! -e "$work/trace" ] || fail "a set-uid program obeys CAIRN_TRACE"
		[ ! -s "$work/err" ] || fail "a set-uid program complains: $(cat "$work/err")"
		;;
	*) echo "skip: set-uid (this file system ignores it)" ;;
	esac
}

# ---- systems that refuse ----

# tolerant COMMAND...: as untraced; one line at most
tolerant()
{
	rm -rf "$work/trace"
	CAIRN_TRACE='*' CAIRN_OUTPUT=$work/trace "$@" >"$work/out" 2>"$work/err"
	got=$?
	[ $got = 0 ] || fail "lesson_19: $*: status $got: $(head -n 3 "$work/err")"
	[ "$(cat "$work/out")" = trusting ] || fail "lesson_19: $*: the program did not run on"
	[ "$(wc -l <"$work/err")" -le 1 ] || fail "lesson_19: $*: $(cat "$work/err")"
}

lesson_19()
{
	if [ -n "$run" ]; then
		echo "native only: lesson_19: limits and rights would be those of the emulator, or of ssh"
		return
	fi
	# One descriptor: the loader wants it for libc.so, and then it is free again.
	tolerant sh -c "exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-; exec prlimit --nofile=4 '$work/program' secure"
	# The shadow memory of sanitizers does not fit in little address space.
	[ -n "${CAIRN_SANITIZE:-}" ] || tolerant prlimit --as=100000000 "$work/program" secure
	mkdir -p "$work/closed"
	chmod 555 "$work/closed"
	chmod 755 "$work"
	as=
	[ "$(id -u)" != 0 ] || as='setpriv --reuid=65534 --regid=65534 --clear-groups'
	tolerant sh -c "cd '$work/closed' && CAIRN_OUTPUT=here exec $as '$work/program' secure"
}

make program.o $cc -c tests/life/program.c
make program $cc tests/life/program.c $library
make ends $cxx -std=c++11 tests/life/ends.cc $library
lesson_8
lesson_9
lesson_12
lesson_16
lesson_40
lesson_23
environment
set_uid
lesson_19
finish
