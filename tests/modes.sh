#!/bin/sh
# SPDX-License-Identifier: MIT
# Library and events compile for each age of the CPU, old ones too on which Debian's C library does not run,
# and call no library for atomics there. Where a CPU has several instruction sets, for each of them; and a
# program whose files are of different ones enables and records all its events.
# shellcheck disable=SC2086

. "$(dirname "$0")/lib.sh"

sets=
case $port in
arm)
	ages="-march=armv5te -march=armv6 -march=armv6+fp -march=armv6k -march=armv6k+fp -march=armv6kz \
		-march=armv7-a -march=armv7-a+fp -march=armv8-a -march=armv8-a+fp"
	sets="-marm -mthumb"
	;;
mips) ages="-march=mips32 -march=mips32r5 -march=mips64r5" ;;
powerpc) ages="-mcpu=603 -mcpu=440 -mcpu=970 -mcpu=power9" ;;
s390x) ages="-march=z900 -march=z15" ;;
x86) ages="-march=i486 -march=pentium -march=pentium4" ;;
*)
	echo "skip: one instruction set, of one age"
	exit 0
	;;
esac

# Those that the compiler's calling convention allows; compiled only.
for age in $ages; do
	for set in ${sets:--O2}; do
		knows "$cc_given" $age $set || continue
		echo "compiled for $age $set"
		for file in core/clock.c core/patch.c core/ring.c core/slot.c tests/link/a.c; do
			object=$work/$(echo "$age$set$file" | tr / _).o
			add $cc_given $age $set -std=gnu11 -O2 -Wall -Wextra -fPIC $includes -c $file -o $object "&&" \
				"! nm -u $object | grep __atomic_"
		done
		add $cxx_given $age $set -std=c++11 -O0 -Wall -Wextra $includes \
			-c tests/link/one.cc -o /dev/null
	done
done
run_all compiled
[ "$sets" ] || finish

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
