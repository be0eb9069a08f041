#!/bin/sh
# SPDX-License-Identifier: MIT
# What linkers do to a program with events: compilers x linkers x ways to link. In each file made,
# elfcheck finds as many sites as the source has, all events described, and nothing left to do at load
# time; then the file runs, enables its events and counts what was recorded. Labels name the rows of
# the project's list of lessons from other tracers.
# shellcheck disable=SC2046,SC2086,SC2317

. "$(dirname "$0")/lib.sh"

# Other targets have the same compiler without this.
case "${CAIRN_CC:-} ${CAIRN_SHARED:-0}" in
*-fsanitize* | *' 1')
	echo "skip: sanitizers and a shared Cairn make no difference to what is linked here"
	exit 0
	;;
esac

c_events="link:one link:two link:dead"
run=${CAIRN_EMULATOR:-}
old_flags="'-DCAIRN_SITE_FLAGS=\"a?\"'" # for assemblers that know no R, and for gold -r (see partial)
check="tests/link/check.sh $work/elfcheck"
patch=arch/$port/patch_arch.h
[ -e "$patch" ] || patch=arch/generic/patch_arch.h
size=$(site_macro SIZE)
big=$(site_macro BIG)
copied=1 # gcc and clang copy a site when they peel a loop; for x86 they are known not to
case $port in x86*) copied=0 ;; esac
gcc -std=c11 -Iinclude -Iarch/generic -DSITES_COPIED=$copied "-DPATCH_ARCH=\"../../$patch\"" "-DSITE_SIZE=$size" \
	"-DSITE_BIG=${big:-0}" \
	tests/link/elfcheck.c -lelf -o "$work/elfcheck" ||
	die "elfcheck does not compile. On Debian: apt-get install gcc libelf-dev"

# Cairn itself, one archive a compiler: $work/CC.a
library()
{
	cc=$1
	mkdir -p "$work/$cc"
	for file in core/*.c; do
		add $(cc_of $cc) -std=gnu11 -O1 -fPIC -fvisibility=hidden -pthread $includes \
			-c $file -o "$work/$cc/$(basename $file).o"
	done
}

# objects COMPILERS NAME OPTION...: the test programs' objects in $work/COMPILERS/NAME
objects()
{
	cc=$1
	dir=$work/$1/$2
	shift 2
	mkdir -p "$dir"
	for file in a b run main none icf; do
		add $(cc_of $cc) -std=c11 -Wall -Wextra "$@" $includes -c tests/link/$file.c -o "$dir/$file.o"
	done
	for file in one two; do
		add $(cxx_of $cc) -std=c++11 -Wall -Wextra "$@" $includes -c tests/link/$file.cc -o "$dir/$file.o"
	done
}

# name of a new file
output()
{
	outputs=$((${outputs:-0} + 1))
	out=$work/linked$outputs
}

# both COMPILERS NAME OPTION...: link NAME's objects to the C and the C++ program; check; run.
both()
{
	cc=$1
	dir=$work/$1/$2
	shift 2
	output
	add $(cc_of $cc) "$@" "$dir/a.o" "$dir/b.o" "$dir/run.o" "$dir/main.o" "$work/$cc.a" -pthread \
		-o $out "&&" $check $out 6 $c_events "&&" $run $out
	output
	add $(cxx_of $cc) "$@" "$dir/one.o" "$dir/two.o" "$work/$cc.a" -pthread \
		-o $out "&&" $check $out 5 $c_events "&&" $run $out
}

# linkers COMPILERS: those that it has
linkers()
{
	for ld in bfd gold lld; do
		knows "$(cc_of $1)" -fuse-ld=$ld && echo $ld
	done
}

# The programs' objects, all ways of compiling them.
build()
{
	for cc in $compilers; do
		library $cc
		for level in -O0 -O2; do
			objects $cc pic$level $level -fPIC
			objects $cc sections$level $level -fPIE -ffunction-sections -fdata-sections
		done
		objects $cc nopic-O2 -O2 -fno-pic
		objects $cc branch-O2 -O2 -fPIE -DCAIRN_SITES=branch
		objects $cc old-O2 -O2 -fPIE -ffunction-sections -fdata-sections "$old_flags"
		objects $cc lto-O0 -O0 -fPIE -flto
		objects $cc lto-O2 -O2 -fPIE -flto
		if is_clang "$(cc_of $cc)"; then
			objects $cc thin-O2 -O2 -fPIE -flto=thin
		else
			objects $cc fat-O2 -O2 -fPIE -flto -ffat-lto-objects
		fi
	done
	run_all objects
	[ "$failures" = 0 ] || finish
	for cc in $compilers; do
		ar rcs "$work/$cc.a" "$work/$cc"/*.o
	done
}

# each_linker FUNCTION: FUNCTION COMPILERS LINKER
each_linker()
{
	for cc in $compilers; do
		for ld in $(linkers $cc); do
			$1 $cc $ld
		done
	done
}

# Pitfall T1: functions that several files contain and the linker keeps once, with their sites.
plain()
{
	both $1 pic-O0 -fuse-ld=$2
	both $1 pic-O2 -fuse-ld=$2
	both $1 branch-O2 -fuse-ld=$2
}

# The two compilers' objects, and patched and branch sites, in one program.
mixed()
{
	out_ab="$work/$1/branch-O2/a.o $work/$1/pic-O2/b.o"
	output
	add $(cc_of $1) $out_ab "$work/$1/pic-O0/run.o" "$work/$1/pic-O2/main.o" "$work/$1.a" \
		-pthread -o $out "&&" $check $out 6 $c_events "&&" $run $out
	for other in $compilers; do
		output
		add $(cxx_of $1) "$work/$1/pic-O0/one.o" "$work/$other/pic-O2/two.o" "$work/$1.a" \
			-pthread -o $out "&&" $check $out 5 $c_events "&&" $run $out
	done
}

# --gc-sections removes what nothing refers to in the linker's eyes: what befell .stapsdt.base. Ours
# stay, and there is no .stapsdt in what we make.
gc()
{
	for level in -O0 -O2; do
		both $1 sections$level -fuse-ld=$2 -Wl,--gc-sections
	done
	add "!" readelf -SW "$work/$1/sections-O2/a.o" "|" grep stapsdt
}

# The linker's two minds on __start_ and __stop_ symbols; a program without events has neither section.
start_stop()
{
	for option in start-stop-gc nostart-stop-gc; do
		if knows "$(cc_of $1)" -fuse-ld=$2 -Wl,--gc-sections,-z,$option; then
			both $1 sections-O2 -fuse-ld=$2 -Wl,--gc-sections,-z,$option
		fi
	done
	if knows "$(cc_of $1)" -fuse-ld=$2 -Wl,-z,nostart-stop-gc; then
		both $1 old-O2 -fuse-ld=$2 -Wl,--gc-sections,-z,nostart-stop-gc
	else
		both $1 old-O2 -fuse-ld=$2 -Wl,--gc-sections
	fi
	for options in "" -Wl,--gc-sections -static; do
		output
		add $(cc_of $1) -fuse-ld=$2 $options "$work/$1/pic-O2/none.o" "$work/$1.a" -pthread -o $out \
			"&&" $check $out 0 "&&" $run $out
	done
}

# Link time optimisation sees no asm; ld -r merges sections before the last link.
lto()
{
	cc=$1
	if knows "$(cc_of $cc)" -fuse-ld=$2 -flto; then
		both $cc lto-O0 -fuse-ld=$2 -flto -O0
		both $cc lto-O2 -fuse-ld=$2 -flto -O2
		both $cc lto-O2 -fuse-ld=$2 -flto -O2 -Wl,--gc-sections
	fi
	if [ -d "$work/$cc/thin-O2" ] && knows "$(cc_of $cc)" -fuse-ld=$2 -flto=thin; then
		both $cc thin-O2 -fuse-ld=$2 -flto=thin -O2
		both $cc thin-O2 -fuse-ld=$2 -flto=thin -O2 -Wl,--gc-sections
	fi
	if [ -d "$work/$cc/fat-O2" ]; then
		both $cc fat-O2 -fuse-ld=$2 -fno-lto
	fi
	partial $cc $2
}

# gold -r takes the R flag from cairn_sites, but not in COMDAT groups, and gold then makes two sections
# of it: the start and stop symbols are those of the first one. C++ for gold -r therefore wants
# CAIRN_SITE_FLAGS.
partial()
{
	dir=$work/$1/sections-O2
	partial_works c "$(cc_of $1)" -fuse-ld=$2 || return 0
	output
	whole=$out.o
	add $(cc_of $1) -fuse-ld=$2 -nostdlib -r "$dir/a.o" "$dir/b.o" "$dir/run.o" "$dir/main.o" \
		-o $whole "&&" $(cc_of $1) -fuse-ld=$2 -Wl,--gc-sections $whole "$work/$1.a" -pthread \
		-o $out "&&" $check $out 6 $c_events "&&" $run $out
	[ $2 = gold ] && dir=$work/$1/old-O2
	partial_works cc "$(cxx_of $1)" -fuse-ld=$2 || return 0
	output
	whole=$out.o
	add $(cc_of $1) -fuse-ld=$2 -nostdlib -r "$dir/one.o" "$dir/two.o" \
		-o $whole "&&" $(cxx_of $1) -fuse-ld=$2 $whole "$work/$1.a" -pthread \
		-o $out "&&" $check $out 5 $c_events "&&" $run $out
}

# partial_works SUFFIX COMPILER OPTION: is it silent about -r of two files with one function, and does the
# result run, without Cairn? gold is not silent where functions have descriptors (ELFv1), as it leaves a
# hole for the one that it drops; on 32-bit MIPS it mixes up addresses of what is static.
partial_works()
{
	cat >"$work/same.$1" <<'END'
#ifdef __cplusplus
inline
#else
static
#endif
int f(int *n) { return n[1]; }
static int table[] = { 1, 0 };
int NEXT(int n, char **v);
int NAME(int n, char **v) { return n < 2 ? NEXT(n + 1, v) : f(table); }
END
	if (cd "$work" && $2 -fPIC -DNAME=main -DNEXT=other -c same.$1 -o same1.o &&
		$2 -fPIC -DNAME=other -DNEXT=main -c same.$1 -o same2.o &&
		$2 $3 -nostdlib -r same1.o same2.o -o same.o && $2 $3 same.o -o same && $run ./same || exit) >"$work/same.log" 2>&1 &&
		[ ! -s "$work/same.log" ]; then
		return 0
	fi
	echo "skip: $2 $3 -r: $(head -n 1 "$work/same.log")"
	return 1
}

# Where the program stands in memory must not matter to a site: no operand, no relocation at load time.
places()
{
	both $1 pic-O2 -fuse-ld=$2 -pie -Wl,-z,text
	both $1 nopic-O2 -fuse-ld=$2 -no-pie
	both $1 nopic-O2 -fuse-ld=$2 -static
	if knows "$(cc_of $1)" -fuse-ld=$2 -static-pie; then
		both $1 pic-O2 -fuse-ld=$2 -static-pie
	fi
	for level in -O0 -O2; do
		shared_object $1 $2 $level
	done
}

# A library with its own copy of Cairn shows no symbol of it.
shared_object()
{
	dir=$work/$1/pic$3
	output
	add $(cc_of $1) -fuse-ld=$2 -shared -Wl,-z,defs,-z,text "$dir/a.o" "$dir/b.o" "$dir/run.o" \
		"$work/$1.a" -pthread -o $out.so "&&" $check $out.so 6 $c_events "&&" \
		"{ ! nm -D $out.so | grep ' [A-Z] cairn_'; }" "&&" $(cc_of $1) -fuse-ld=$2 "$dir/main.o" $out.so -o $out \
		"&&" LD_LIBRARY_PATH= $run $out
}

# Pitfall T7: identical code folding gives two events one address.
icf()
{
	object=$work/$1/sections-O2/icf.o
	for fold in none safe all; do
		knows "$(cc_of $1)" -fuse-ld=$2 -Wl,--icf=$fold || continue
		output
		add $(cc_of $1) -fuse-ld=$2 -Wl,--icf=$fold $object "$work/$1.a" -pthread -o $out "&&" \
			"if $check $out 4 icf:apple icf:pear >$out.log; then $run $out apart;" \
			"elif [ $fold != none ] && grep -q 'two entries have one address' $out.log; then" \
			"$run $out folded; else cat $out.log; fi"
	done
}

# Does a linker of this machine fold at all? Else the test above shows nothing.
icf_folds()
{
	grep -q 'one address' "$work"/linked*.log 2>/dev/null || [ "$(linkers "$1" | grep -c lld)" = 0 ] ||
		fail "pitfall_T7: no linker folded the two functions"
}

build
each_linker plain
for cc in $compilers; do
	[ "$port" = generic ] || mixed $cc
done
run_all pitfall_T1_and_mixtures
each_linker gc
run_all lesson_68
each_linker start_stop
run_all lesson_69
each_linker lto
run_all lesson_70
each_linker places
run_all lesson_71
if [ "$port" != generic ]; then
	each_linker icf
	run_all pitfall_T7
	icf_folds ${compilers##* }
fi
finish
