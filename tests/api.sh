#!/bin/sh
# SPDX-License-Identifier: MIT
# The public headers in every dialect that they promise, with every warning an error. A covering set,
# not the full product: each value meets both compilers and both kinds of site.
# shellcheck disable=SC2086

. "$(dirname "$0")/lib.sh"

# Other targets have the same compiler without sanitizers; some are among the options below.
case ${CAIRN_CC:-} in
*-fsanitize*)
	echo "skip: a sanitizer makes no difference to what compiles"
	exit 0
	;;
esac

warnings="-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wundef -Werror"
cxx_warnings="$warnings -Wold-style-cast"

# For other CPUs it is the same compiler's front end: there, the ends of the range of dialects.
all=
case $("${cc_given%% *}" -dumpmachine) in "$(uname -m)"-*) all=1 ;; esac

made=0
# compile COMPILER FILE OPTION...
compile()
{
	tool=$1 file=$2
	shift 2
	made=$((made + 1))
	add $tool "$@" $includes -c tests/api/$file -o "$work/$made.o"
}

# Where a dialect differs is the compiler's front end; code is generated for the ends of the range.
c_dialects()
{
	compile "$1" use.c -std=c99 $warnings -O0
	compile "$1" use.c -std=c99 $warnings -O2 -DCAIRN_SITES=branch
	compile "$1" use.c -std=gnu11 $warnings -O2
	for std in ${all:+c11 c17 c2x c23}; do
		knows "$1" -std=$std || continue
		compile "$1" use.c -std=$std $warnings -fsyntax-only
		compile "$1" use.c -std=$std $warnings -fsyntax-only -DCAIRN_SITES=branch
	done
	for std in c99 gnu11; do
		compile "$1" macros.c -std=$std $warnings -O2
		compile "$1" macros.c -std=$std $warnings -O0 -DCAIRN_SITES=branch
	done
}

cxx_dialects()
{
	for std in ${all:+c++14 c++17 c++2b}; do
		knows "$1" -std=$std -x c++ || continue
		compile "$1" use.cc -std=$std $cxx_warnings -fsyntax-only
		compile "$1" use.cc -std=$std $cxx_warnings -fsyntax-only -DCAIRN_SITES=branch
	done
	compile "$1" use.cc -std=c++11 $cxx_warnings -O2
	compile "$1" use.cc -std=c++11 $cxx_warnings -O0 -DCAIRN_SITES=branch
	compile "$1" use.cc -std=c++20 $cxx_warnings -O2 -DCAIRN_SITES=branch
	[ "$all" ] || return 0
	compile "$1" use.cc -std=c++20 $cxx_warnings -O0
	compile "$1" use.c -x c++ -std=c++11 $cxx_warnings -O0
	compile "$1" use.c -x c++ -std=c++20 $cxx_warnings -fsyntax-only
	compile "$1" macros.c -x c++ -std=c++17 $cxx_warnings -O2
}

# The asm of a site has no operand that only the optimiser could make constant.
levels()
{
	for options in "-O0 -fPIC" "-O0 -fno-pic" "-O1 -fPIE" "-O1 -fno-pic" "-Os -fPIC" "-Os -fno-pic" \
		"-O2 -fPIE" "-O3 -fno-pic"; do
		compile "$1" macros.c -std=c11 $warnings $options
	done
	[ "$all" ] || return 0
	compile "$1" use.c -std=c11 $warnings -Og -fPIC
	compile "$1" use.c -std=c11 $warnings -O3 -fPIC
	compile "$2" use.cc -std=c++17 $cxx_warnings -O0 -fPIC
	compile "$2" use.cc -std=c++17 $cxx_warnings -O1 -fPIE
}

# Options that instrument functions or move symbols, and the port that does not patch.
options()
{
	for option in ${all:+-fsanitize=thread} -fsanitize=address -fsanitize=undefined -finstrument-functions \
		-fno-common -fvisibility=hidden -fcf-protection=full -pg --coverage -g3 -fno-inline \
		-fstack-protector-all "-ffunction-sections -fdata-sections"; do
		knows "$1" $option || continue
		compile "$1" macros.c -std=c11 $warnings -O1 $option
	done
	[ "$all" ] || return 0
	given=$includes
	includes="-Iinclude -Iarch/generic"
	compile "$1" use.c -std=c99 $warnings -O2
	compile "$2" use.cc -std=c++11 $cxx_warnings -O2
	knows "$1" -fsanitize=thread && compile "$1" macros.c -std=c11 $warnings -O1 -fsanitize=thread
	includes=$given
}

for cc in $compilers; do
	c_dialects "$(cc_of $cc)"
	cxx_dialects "$(cxx_of $cc)"
done
run_all lesson_75_dialects
for cc in $compilers; do
	levels "$(cc_of $cc)" "$(cxx_of $cc)"
done
run_all lesson_71_optimisation_levels
for cc in $compilers; do
	options "$(cc_of $cc)" "$(cxx_of $cc)"
done
run_all options_and_generic_port
finish
