#!/bin/sh
# SPDX-License-Identifier: MIT
# A CPU with several instruction sets: library and events compile for each of them and for each age of
# the CPU, and a program whose files are of different ones enables and records all its events. There is
# nothing to do for ports with one instruction set.
# shellcheck disable=SC2086

. "$(dirname "$0")/lib.sh"

case $port in
arm)
	ages="armv5te armv6 armv6+fp armv6k armv6k+fp armv6kz armv7-a armv7-a+fp armv8-a armv8-a+fp"
	sets="-marm -mthumb"
	;;
*)
	echo "skip: one instruction set"
	exit 0
	;;
esac

# Those that the compiler's calling convention allows; compiled only.
for age in $ages; do
	for set in $sets; do
		knows "$cc_given" -march=$age $set || continue
		for file in core/clock.c core/patch.c core/ring.c core/slot.c tests/link/a.c; do
			add $cc_given -march=$age $set -std=gnu11 -O2 -Wall -Wextra -fPIC $includes \
				-c $file -o /dev/null
		done
		add $cxx_given -march=$age $set -std=c++11 -O0 -Wall -Wextra $includes \
			-c tests/link/one.cc -o /dev/null
	done
done
run_all compiled

# The library is of the build's set, and so are files that have no events.
for file in core/*.c tests/link/main.c tests/link/run.c; do
	add $cc_given -std=gnu11 -O1 -fvisibility=hidden -pthread $includes \
		-c $file -o "$work/lib-$(basename $file).o"
done
for set in $sets; do
	for level in -O0 -O2; do
		for file in a b; do
			add $cc_given $set -std=c11 $level -Wall -Wextra $includes \
				-c tests/link/$file.c -o "$work/$file$set$level.o"
		done
		for file in one two; do
			add $cxx_given $set -std=c++11 $level -Wall -Wextra $includes \
				-c tests/link/$file.cc -o "$work/$file$set$level.o"
		done
	done
done
run_all built

for set_a in $sets; do
	for set_b in $sets; do
		for level in -O0 -O2; do
			out=$work/mixed$set_a$set_b$level
			add $cxx_given "$work/a$set_a$level.o" "$work/b$set_b$level.o" \
				"$work/one$set_a$level.o" "$work/two$set_b$level.o" "$work/lib-*.o" \
				-pthread -o "$out" "&&" ${CAIRN_EMULATOR:-} "$out"
		done
	done
done
run_all mixed
finish
