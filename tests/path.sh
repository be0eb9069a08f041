#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What may happen on the path of an event: no allocation, no lock, no system call, but for a thread's first
# event, a packet switch that wakes the consumer, and block mode's wait.
#   static:  what the generated code calls in core/ reaches only functions of core/os.h that are marked
#            [s], and of the C library only what is async-signal-safe in fact. (On x86_64, from objdump.)
#   counted: path/loop.c, which also counts its allocations and locks, under strace: twice the events
#            make no call more, futex apart, and that at most once a packet.
# shellcheck disable=SC2086,SC2154,SC1091 # several words; from lib.sh
. "$(dirname "$0")/lib.sh"

if [ -n "${CAIRN_EMULATOR:-}" ]; then
	echo "native only: path: an emulator has calls of its own, and strace is not on a board"
	finish
fi
if [ -n "${CAIRN_SANITIZE:-}" ]; then
	echo "sanitizers have calls of their own: nothing is counted"
	finish
fi
cc=$cc_given
options="-std=gnu11 -O2 -g -ffunction-sections ${CAIRN_CPPFLAGS:-} $includes -Icore"
options=$(echo "$options" | sed 's/-DCAIRN_SHARED//')
for source in core/*.c; do
	$cc $options -fno-optimize-sibling-calls -fno-reorder-blocks-and-partition -c "$source" \
		-o "$work/$(basename "$source" .c).o" || die "cannot compile $source"
done
$cc $options tests/path/loop.c "$work"/*.o -lpthread -ldl -o "$work/loop" || die "cannot link loop.c"

# ---- static ----

# What the generated code calls (record.h, fields.h).
roots="cairn_slot_claim cairn_event_dropped cairn_reserve_slow cairn_str_bytes cairn_put_str cairn_put_text
	cairn_seq_bytes_str cairn_put_seq_str"
# Functions of the C library that are system calls, or touch nothing but their arguments.
safe="memcpy memset memchr memcmp memmove strlen strnlen strncpy strcpy __errno_location __tls_get_addr
	__stack_chk_fail syscall madvise mmap munmap mprotect close open fstat getrlimit ftruncate fcntl
	memfd_create prctl getpid sched_getcpu clock_gettime socket connect sendmsg recv setsockopt
	sysconf pthread_setspecific getrandom fstatfs geteuid mkdir openat read stat strchr strcspn strrchr
	unlink"
# One line, one space between words.
safe=$(printf '%s ' $safe)

# functions_marked: names in os.h with [s] in their comment.
functions_marked()
{
	awk '/\/\*/ { if (!open) text = "" ; open = 1 }
		{ text = text $0 }
		/\*\// { open = 0 }
		/cairn_os_[a-z_]*\(/ && !/^ \*/ {
			match($0, /cairn_os_[a-z_]*\(/)
			if (text ~ /\[s\]/)
				print substr($0, RSTART, RLENGTH - 1)
			text = ""
		}' core/os.h
}

check_static()
{
	for object in "$work"/*.o; do
		objdump -dr "$object" | awk -f tests/path/calls.awk
	done | sort -u >"$work/calls"
	functions_marked | sort -u >"$work/marked"
	[ "$(wc -l <"$work/calls")" -gt 100 ] || fail "only $(wc -l <"$work/calls") calls found in core/"
	echo $roots | tr ' ' '\n' >"$work/reached"
	while :; do
		awk 'NR == FNR { reached[$1]; next } $1 in reached { print $2 }' \
			"$work/reached" "$work/calls" | sort -u - "$work/reached" >"$work/more"
		cmp -s "$work/more" "$work/reached" && break
		cp "$work/more" "$work/reached"
	done
	for root in cairn_slot_claim cairn_reserve_slow; do
		grep -q "^$root " "$work/calls" || fail "$root calls nothing: is it still there?"
	done
	grep '^cairn_os_' "$work/reached" | while read -r name; do
		grep -q "^$name\$" "$work/marked" || echo "$name"
	done >"$work/unmarked"
	[ -s "$work/unmarked" ] &&
		fail "not marked [s] in os.h, but reached by an event: $(tr '\n' ' ' <"$work/unmarked")"
	grep -v '^cairn_' "$work/reached" | sed 's/64$//' | while read -r name; do # open64 and such
		case " $safe " in *" $name "*) ;; *) echo "$name" ;; esac
	done >"$work/unsafe"
	[ -s "$work/unsafe" ] &&
		fail "reached by an event, and not known as safe: $(tr '\n' ' ' <"$work/unsafe")"
	echo "static: $(wc -l <"$work/reached") functions are reached by an event," \
		"$(grep -c '^cairn_os_' "$work/reached") of core/os.h"
}

if [ "$(uname -m)" = x86_64 ] && command -v objdump >/dev/null &&
	objdump -f "$work/ring.o" | grep -q 'elf64-x86-64'; then
	check_static
else
	echo "no objdump for x86_64 code here: what an event calls is not checked"
fi

# ---- counted ----

# count MODE N: system calls of the first thread to $work/counted ("COUNT NAME"), without futex, and the
# number of futex calls to $futex.
count()
{
	strace -qq -f -o "$work/strace" "$work/loop" "$1" "$2" >"$work/said" 2>&1 ||
		fail "loop $1 $2: $(tail -n 2 "$work/said")"
	first=$(head -n 1 "$work/strace" | cut -d' ' -f1)
	grep "^$first " "$work/strace" | grep -v resumed | sed 's/^[0-9]* *//; s/(.*//' |
		grep -v -e '^+++' -e '^---' | sort | uniq -c | awk '{ print $1, $2 }' >"$work/all"
	grep -v ' futex$' "$work/all" >"$work/counted"
	futex=$(awk '$2 == "futex" { print $1 }' "$work/all")
	futex=${futex:-0}
}

check_counted()
{
	for mode in discard block; do
		count $mode 50000
		cp "$work/counted" "$work/once"
		once=$futex
		count $mode 100000
		diff "$work/once" "$work/counted" >"$work/diff" ||
			fail "$mode: system calls of 50,000 and of 100,000 events differ: $(cat "$work/diff")"
		# 50,000 events more are at least 1.4 MB, so at most 400 packets of 4 KiB, and a little.
		[ $((futex - once)) -le 1000 ] ||
			fail "$mode: $((futex - once)) futex calls for 50,000 events"
		echo "$mode: $futex futex calls for 100,000 events, no other"
	done
}

# A thread's first event, by what N threads of one event have more than N of none.
check_first()
{
	strace -qq -f -c -o "$work/bare" "$work/loop" bare 200 >/dev/null 2>&1 || fail "loop bare"
	strace -qq -f -c -o "$work/thread" "$work/loop" thread 200 >/dev/null 2>&1 || fail "loop thread"
	awk 'NR == FNR { bare[$NF] = $4; next } $4 ~ /^[0-9]+$/ && $4 - bare[$NF] >= 100 {
		print $NF, int(($4 - bare[$NF]) / 200 + 0.5) }' "$work/bare" "$work/thread" |
		grep -v '^total' >"$work/first"
	while read -r name each; do
		case $name in
		gettid | prctl | madvise | futex | getpid | membarrier) ;;
		*) fail "a thread's first event calls $name $each times" ;;
		esac
	done <"$work/first"
	echo "a thread's first event: $(tr '\n' ' ' <"$work/first")"
}

if command -v strace >/dev/null && strace -qq -o /dev/null true 2>/dev/null; then
	check_counted
	check_first
else
	echo "no strace here (on Debian: apt-get install strace): system calls are not counted"
	for mode in discard block thread; do
		"$work/loop" $mode 10000 || fail "loop $mode"
	done
fi
finish
