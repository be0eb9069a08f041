#!/bin/sh
# SPDX-License-Identifier: MIT
# What compilers and linkers do to a program with events: compilers x linkers x ways to build. In each file
# made, elfcheck finds at least as many sites as the source has, all events described, and nothing left to
# do at load time; check.sh finds in the disassembly that every copy of a site is registered, and no
# other; then the file runs, enables its events and counts what was recorded.
#
# What the toolchain of the target has is found by trying. The script prints what it ran and what is not
# there, with the reason; natively on x86_64 it fails if it ran less than tests/link/x86_64.txt says.
# Labels name the rows of the project's list of lessons from other tracers.
# shellcheck disable=SC2016,SC2046,SC2086,SC2317

. "$(dirname "$0")/lib.sh"

# Other targets have the same compiler without this.
case "${CAIRN_CC:-} ${CAIRN_SHARED:-0}" in
*-fsanitize* | *' 1')
	echo "skip: sanitizers and a shared Cairn make no difference to what is linked here"
	exit 0
	;;
esac

run=${CAIRN_EMULATOR:-}
events="link:one link:two link:dead link:copied"
sites=17 # 8 of them in the C files

# An instruction that does nothing and that nobody else writes: for the assembler, and what objdump makes
# of it. The files here have one behind each site, so that it is copied and dropped with the site.
case $port in
x86) mark='nopl 0x63616972(%%eax)' shown='nopl +0x63616972\\(' ;;
x86_64) mark='nopl 0x63616972(%%rax)' shown='nopl +0x63616972\\(' ;;
aarch64) mark='hint 111' shown='hint\t#0x6f$' ;;
arm) mark='mov r9, r9' shown='mov\tr9, r9$' ;;
mips) mark='.set push\n\t.set noreorder\n\taddiu $0, $0, 25441\n\t.set pop' shown='li\t[$a-z0]+,25441$' ;;
powerpc) mark='xori 7, 7, 0' shown='xori +r7,r7,0$' ;;
riscv) mark='addi zero, zero, 355' shown='li\tzero,355$' ;;
s390x) mark='lr %%r9,%%r9' shown='lr\t%r9,%r9$' ;;
generic) mark='' shown='^$' ;;
*) die "no mark for the port $port: add one that objdump shows as nothing else" ;;
esac
mkdir -p "$work/marked" "$work/can" "$work/cannot" "$work/bin"
if [ "$port" != generic ]; then
	sed 's/define CAIRN_ARCH_SITE(to)/define LINK_SITE(to)/' arch/$port/site_arch.h >"$work/marked/site_arch.h"
	cat >>"$work/marked/site_arch.h" <<END
#define CAIRN_ARCH_SITE(to) LINK_SITE(to) "$mark\\n\\t"
END
fi
marked="-I$work/marked $includes"
LINK_MARK=$shown # for check.sh
TMPDIR=$work     # linkers that crash leave files
export LINK_MARK TMPDIR
check="tests/link/check.sh $work/elfcheck"
patch=arch/$port/patch_arch.h
[ -e "$patch" ] || patch=arch/generic/patch_arch.h
size=$(site_macro SIZE)
big=$(site_macro BIG)
gcc -std=c11 -Iinclude -Iarch/generic "-DPATCH_ARCH=\"../../$patch\"" "-DSITE_SIZE=$size" "-DSITE_BIG=${big:-0}" \
	tests/link/elfcheck.c -lelf -o "$work/elfcheck" ||
	die "elfcheck does not compile. On Debian: apt-get install gcc libelf-dev"

# clang for another CPU takes headers and libraries of that CPU's gcc, once it is told where (for 32-bit
# PowerPC it has to be told the calls between modules, too, without which text is writable).
tools="-B$work/bin/"
full=1 # all combinations with this machine's own compilers; for other CPUs fewer, for the time they take
case $compilers in
*clang*) ;;
*)
	full=
	triple=$("${cc_given%% *}" -dumpmachine)
	options=$(echo "$cc_given" | sed 's/^[^ ]*//; s/  */,/g')
	case $triple in powerpc-*) options="$options,-msecure-plt" ;; esac
	compilers="$compilers clang,--target=$triple$options|clang++,--target=$triple$options"
	tools="$tools -L$(dirname "$("${cc_given%% *}" -print-file-name=libgcc_s.so.1)")"
	;;
esac
# gcc looks for a linker of its CPU, and lld is one program for all.
! command -v ld.lld >/dev/null || ln -s "$(command -v ld.lld)" "$work/bin/ld.lld"

# name_of COMPILERS: gcc or clang; the second ones are clang
given=gcc
! is_clang "$cc_given" || given=clang
name_of()
{
	if [ $1 = ${compilers%% *} ]; then echo $given; else echo clang; fi
}

# options_of WAY: for the linker. Where the program stands in memory must not matter to a site.
options_of()
{
	case $1 in
	pie | static-pie) echo "-$1 -Wl,-z,text" ;;
	no-pie | static) echo "-$1" ;;
	lto) echo "-pie -flto" ;;
	thin) echo "-pie -flto=thin" ;;
	start-stop-gc | nostart-stop-gc) echo "-pie -Wl,--gc-sections,-z,$1" ;;
	icf-*) echo "-pie -Wl,--icf=${1#icf-}" ;;
	esac
}

# attempt TASK COMMAND...: TASK is something that can be done if the command succeeds without a word.
attempt()
{
	task=$1
	shift
	if (eval "$*") >"$work/can/$task" 2>&1 && [ ! -s "$work/can/$task" ]; then
		return 0
	fi
	mv "$work/can/$task" "$work/cannot/$task"
	return 1
}

# can COMPILERS LINKER WAY
can()
{
	[ -e "$work/can/$(name_of $1).$2.$3" ]
}

greets='[ "$(timeout 20 '$run' $out | tr -d "\n")" = helloworld ]'

# probe COMPILERS: its linkers and ways to link, by a program that does in small what Cairn has to do, and
# that not every toolchain gets right: position-independent code of the first compiler called from code of
# any kind, thread-local data, words that are read as a whole, pthread_atfork
probe()
{
	cc=$1 name=$(name_of $1)
	hello=$work/hello.$name
	cat >"$hello.cc" <<'END'
#include <cstdio>
__attribute__((visibility("hidden"), tls_model("initial-exec"))) __thread int calls;
int hello(const int *word);
static int get(const int *word) { return __atomic_load_n(word, __ATOMIC_RELAXED); }
int main() { return get(&calls) + hello(&calls) + std::puts("world") < 0; }
END
	cat >"$hello.part.cc" <<'END'
#include <cstdio>
#include <pthread.h>
extern __attribute__((visibility("hidden"), tls_model("initial-exec"))) __thread int calls;
int hello(const int *word);
int hello(const int *word) { return pthread_atfork(NULL, NULL, NULL) + (word != &calls) + std::puts("hello"); }
END
	attempt $name "$(cxx_of $1) -fPIE -c $hello.cc -o $hello.o" || return 0
	attempt $name.no-pic "$(cxx_of $1) -fno-pic -c $hello.cc -o $hello.no-pic.o"
	$(cxx_of ${compilers%% *}) -O1 -fPIC -c "$hello.part.cc" -o "$hello.part.o" || return 0
	flavours=lto
	[ $name = gcc ] || [ ! "$full" ] || flavours="lto thin"
	for way in $flavours; do
		flags=$(options_of $way)
		attempt $name.$way "$(cxx_of $1) -fPIE ${flags#-pie} -c $hello.cc -o $hello.$way.o"
	done
	for ld in bfd gold lld; do
		probe_linker $1 $ld &
	done
	wait
}

# probe_linker COMPILERS LINKER
probe_linker()
{
	link="$(cxx_of $1) -fuse-ld=$2 $tools"
	for way in static no-pie pie static-pie $flavours; do
		if [ "$full$name.$2.$way" = clang.bfd.lto ]; then
			echo "LLVM's plugin crashes in ld.bfd for other CPUs, though not in every run" >"$work/cannot/clang.bfd.lto"
			continue
		fi
		out=$work/hello.$name.$2.$way
		case $way in
		lto | thin) object=$hello.$way.o ;;
		static | no-pie) object=$hello.no-pic.o ;;
		*) object=$hello.o ;;
		esac
		[ -e "$object" ] || object=$hello.o
		attempt $name.$2.$way "$link $(options_of $way) $object $hello.part.o -o $out && $greets"
		[ -e "$work/can/$name.$2.static" ] || return 0
	done
	[ "$full$name" != clang ] || return 0
	for way in start-stop-gc nostart-stop-gc icf-none icf-safe icf-all; do
		attempt $name.$2.$way "$link $(options_of $way) $hello.o $hello.part.o -o $out"
	done
	attempt $name.$2.relink relinks c "'$(cc_of $1) -fuse-ld=$2 $tools'" $hello.$2 "&&" \
		relinks cc "'$link'" $hello.$2
}

# relinks SUFFIX COMPILER NAME: is it silent about -r of two files with one function, and does the result
# run, without Cairn? gold is not silent where functions have descriptors (ELFv1), as it leaves a hole for
# the one that it drops; on 32-bit MIPS it mixes up addresses of what is static. lld for 32-bit PowerPC
# lets functions of the second file call others some bytes behind their beginning.
relinks()
{
	cat >"$3.same.$1" <<'END'
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
	compile=${2%% -fuse-ld=*}
	$compile -fPIC -DNAME=main -DNEXT=other -c "$3.same.$1" -o "$3.same1.o" &&
		$compile -fPIC -DNAME=other -DNEXT=main -c "$3.same.$1" -o "$3.same2.o" &&
		$2 -nostdlib -r "$3.same1.o" "$3.same2.o" -o "$3.same.o" && $2 "$3.same.o" -o "$3.same" &&
		timeout 20 $run "$3.same"
}

# objects COMPILERS NAME OPTION...: the test programs' objects in $work/COMPILERS/NAME
objects()
{
	cc=$1
	dir=$work/$(name_of $1)/$2
	shift 2
	mkdir -p "$dir"
	for file in a b run; do
		add $(cc_of $cc) -std=c11 -Wall -Wextra "$@" $marked -c tests/link/$file.c -o "$dir/$file.o"
	done
	for file in one two; do
		add $(cxx_of $cc) -std=c++11 -Wall -Wextra "$@" $marked -c tests/link/$file.cc -o "$dir/$file.o"
	done
}

# core COMPILERS FOLDER OPTION...: Cairn itself
core()
{
	cc=$1 dir=$work/$2
	shift 2
	mkdir -p "$dir"
	for file in core/*.c; do
		add $(cc_of $cc) -std=gnu11 "$@" -fPIC -fvisibility=hidden -pthread $includes \
			-c $file -o "$dir/$(basename $file).o"
	done
}

# sets COMPILERS: the ways to compile the programs' objects, KIND-LEVEL
sets()
{
	case $full$(name_of $1) in
	1gcc)
		echo nopic-O0 nopic-O1 nopic-O2 nopic-O3 nopic-Os pie-O0 pie-O1 pie-O2 pie-O3 pie-Os
		echo pic-O0 pic-O1 pic-O2 pic-O3 pic-Os sections-O0 sections-O2 lto-O0 lto-O2 fat-O2 whole-O2
		echo branch-O2 old-O2 strict-O2
		;;
	1clang)
		echo nopic-O0 nopic-O2 pie-O0 pie-O2 pic-O0 pic-O2 sections-O0 sections-O2 lto-O0 lto-O2 thin-O2
		echo branch-O2 old-O2 strict-O2
		;;
	gcc)
		echo nopic-O2 pie-O0 pie-O1 pie-O2 pie-O3 pie-Os pic-O2 sections-O2 lto-O2
		echo branch-O2 old-O2 strict-O2
		;;
	clang) echo pie-O2 pic-O2 sections-O2 lto-O2 ;;
	esac
}

# set_options COMPILERS KIND: fails if the compiler has no such kind
set_options()
{
	case $2 in
	nopic) [ -e "$work/can/$(name_of $1).no-pic" ] && echo -fno-pic ;;
	pie) echo -fPIE ;;
	pic) echo -fPIC ;;
	sections) echo -fPIE -ffunction-sections -fdata-sections ;;
	lto | whole) echo -fPIE -flto ;;
	thin) echo -fPIE -flto=thin ;;
	fat) echo -fPIE -flto -ffat-lto-objects ;;
	branch) echo -fPIE -DCAIRN_SITES=branch ;;
	old) echo -fPIE -ffunction-sections -fdata-sections "'-DCAIRN_SITE_FLAGS=\"a?\"'" ;;
	strict) strict_option $1 ;;
	esac
}

# strict_option COMPILERS: forbids loads and stores that are not aligned; fails if there is none
strict_option()
{
	for strict in -mno-unaligned-access -mstrict-align; do
		attempt $(name_of $1)$strict "$(cc_of $1) $strict -Werror -c -x c /dev/null -o $work/strict.o" || continue
		echo -fPIE $strict
		return
	done
	return 1
}

build()
{
	# The target's own library, if it was built: it is position independent.
	library=${CAIRN_BUILD_DIR:-}/libcairn.a
	if [ "$full" ] || ! [ -f "$library" ]; then
		core ${compilers%% *} core -O1
	fi
	for cc in $compilers; do
		name=$(name_of $cc)
		[ -e "$work/can/$name" ] || continue
		for set in $(sets $cc); do
			options=$(set_options $cc ${set%-*}) || continue
			objects $cc $set -${set#*-} $options
		done
		[ ! -d "$work/$name/whole-O2" ] || core $cc $name/whole-O2 -O1 -flto
		for file in main none icf; do
			add $(cc_of $cc) -std=c11 -Wall -Wextra -O2 -fPIE -ffunction-sections $marked \
				-c tests/link/$file.c -o "$work/$name/$file.o"
		done
	done
	run_all objects
	[ "$failures" = 0 ] || finish
	if [ -d "$work/core" ]; then
		ar rcs "$work/cairn.a" "$work/core"/*.o
	else
		cp "$library" "$work/cairn.a"
	fi
}

# output: the name of a new file
output()
{
	outputs=$((${outputs:-0} + 1))
	out=$work/linked$outputs
}

# program COMPILERS LINKER WAY SET OPTION...: the C and C++ objects of SET linked to one program, checked
# and run, if the toolchain can do that
program()
{
	cc=$1 ld=$2 way=$3 set=$4 dir=$work/$(name_of $1)
	[ -d "$dir/$set" ] && can $1 $2 $3 || return 0
	shift 4
	output
	add $(cxx_of $cc) -fuse-ld=$ld $tools -${set##*-} $(options_of $way) "$@" "$dir/main.o" "$dir/$set/*.o" \
		"$work/cairn.a" -pthread -o $out "&&" $check $out $sites $events "&&" $run $out
	ran $cc $ld $set/$way"$(printf '/%s' "$@" | sed 's,^/$,,; s/-Wl,-*//g')"
}

# ran COMPILERS LINKER WHAT
ran()
{
	echo "$(name_of $1) $2 $3" >>"$work/ran"
}

# each_linker FUNCTION: FUNCTION COMPILERS LINKER
each_linker()
{
	for each_cc in $compilers; do
		for each_ld in bfd gold lld; do
			can $each_cc $each_ld static && $1 $each_cc $each_ld
		done
	done
}

# All levels and places with the first linker; with the others what is likely to differ.
# Pitfall T1: functions that several files contain and the linker keeps once, with their sites.
places()
{
	levels="-O0 -O1 -O2 -O3 -Os"
	[ $2 = bfd ] || levels=-O2
	for level in $levels; do
		program $1 $2 pie pie$level
		program $1 $2 static-pie pie$level
		program $1 $2 static nopic$level
		shared_object $1 $2 pic$level
	done
	program $1 $2 no-pie nopic-O2
	program $1 $2 pie branch-O2
	program $1 $2 pie strict-O2
}

# A library with its own copy of Cairn shows no symbol of it.
shared_object()
{
	dir=$work/$(name_of $1)
	[ -d "$dir/$3" ] && can $1 $2 pie || return 0
	output
	add $(cxx_of $1) -fuse-ld=$2 $tools -shared -Wl,-z,defs,-z,text "$dir/$3/*.o" "$work/cairn.a" \
		-pthread -o $out.so "&&" $check $out.so $sites $events "&&" \
		"{ ! nm -D $out.so | grep ' [A-Z] cairn_'; }" "&&" $(cc_of $1) -fuse-ld=$2 $tools "$dir/main.o" $out.so \
		-o $out "&&" LD_LIBRARY_PATH= $run $out
	ran $1 $2 $3/shared
}

# The two compilers' objects, and patched and branch sites, in one program.
mixed()
{
	mine=$work/$(name_of $1)
	[ -d "$mine/branch-O2" ] && can $1 bfd pie || return 0
	for other in $compilers; do
		can $other bfd pie || continue
		output
		add $(cxx_of $1) -fuse-ld=bfd $tools -pie "$mine/branch-O2/a.o" "$work/$(name_of $other)/pie-O2/b.o" \
			"$mine/pie-O0/run.o" "$mine/main.o" "$mine/pie-O0/one.o" "$work/$(name_of $other)/pic-O2/two.o" \
			"$work/cairn.a" -pthread -o $out "&&" $check $out $sites $events "&&" $run $out
		ran $1 bfd mixed/$(name_of $other)
	done
}

# --gc-sections removes what nothing refers to in the linker's eyes: what befell .stapsdt.base. Ours
# stay, and there is no .stapsdt in what we make.
gc()
{
	program $1 $2 pie sections-O2 -Wl,--gc-sections
	program $1 $2 pie sections-O0 -Wl,--gc-sections
	add "!" readelf -SW "$work/$(name_of $1)/sections-O2/a.o" "|" grep stapsdt
}

# The linker's two minds on __start_ and __stop_ symbols; a program without events has neither section.
start_stop()
{
	[ -d "$work/$(name_of $1)/old-O2" ] || return 0
	program $1 $2 start-stop-gc sections-O2
	program $1 $2 nostart-stop-gc sections-O2
	if can $1 $2 nostart-stop-gc; then
		program $1 $2 nostart-stop-gc old-O2
	else
		program $1 $2 pie old-O2 -Wl,--gc-sections
	fi
	for options in "-pie" "-pie -Wl,--gc-sections" -static; do
		way=${options%% *}
		can $1 $2 ${way#-} || continue
		output
		add $(cc_of $1) -fuse-ld=$2 $tools $options "$work/$(name_of $1)/none.o" "$work/cairn.a" -pthread -o $out \
			"&&" $check $out 0 "&&" $run $out
	done
	can $1 $2 static && ran $1 $2 none
}

# Link time optimisation sees no asm; whole: Cairn's own files are optimised together with the program's.
lto()
{
	program $1 $2 lto lto-O0
	program $1 $2 lto lto-O2
	[ ! "$full" ] || program $1 $2 lto lto-O2 -Wl,--gc-sections
	program $1 $2 thin thin-O2
	program $1 $2 thin thin-O2 -Wl,--gc-sections
	program $1 $2 pie fat-O2 -fno-lto
	[ $2 != bfd ] || program $1 $2 lto whole-O2 -flto=2
}

# ld -r merges sections before the last link. gold -r takes the R flag from cairn_sites, but not in COMDAT
# groups, and gold then makes two sections of it: the start and stop symbols are those of the first one.
# C++ for gold -r therefore wants CAIRN_SITE_FLAGS.
partial()
{
	can $1 $2 relink && can $1 $2 pie || return 0
	dir=$work/$(name_of $1)
	set=sections-O2
	[ $2 != gold ] || set=old-O2
	relink $1 $2 "$(cc_of $1)" 8 "$dir/sections-O2/[abr]*.o"
	relink $1 $2 "$(cxx_of $1)" $sites "$dir/$set/*.o"
}

# relink COMPILERS LINKER COMPILER SITES OBJECTS
relink()
{
	output
	link="$3 -fuse-ld=$2 $tools"
	add $link -nostdlib -r "$work/$(name_of $1)/main.o" "$5" -o $out.o "&&" \
		$link -Wl,--gc-sections $out.o "$work/cairn.a" -pthread -o $out "&&" $check $out $4 $events "&&" $run $out
	ran $1 $2 relink/$4
}

# Pitfall T7: identical code folding gives two events one address.
icf()
{
	for fold in none safe all; do
		can $1 $2 icf-$fold || continue
		output
		add $(cc_of $1) -fuse-ld=$2 $tools $(options_of icf-$fold) "$work/$(name_of $1)/icf.o" "$work/cairn.a" \
			-pthread -o $out "&&" \
			"if $check $out 4 icf:apple icf:pear >$out.log; then $run $out apart;" \
			"elif [ $fold != none ] && grep -q 'two entries have one address' $out.log; then" \
			"$run $out folded; else cat $out.log; fi"
		ran $1 $2 icf-$fold
	done
}

# Does a linker of this machine fold at all? Else the test above shows nothing.
icf_folds()
{
	grep -q 'one address' "$work"/linked*.log 2>/dev/null ||
		! grep -q ' lld icf-all' "$work/ran" ||
		fail "pitfall_T7: no linker folded the two functions"
}

# Did a compiler copy a site at all? Else the comparison with the disassembly shows little.
sites_copied()
{
	copies=$(cat "$work"/linked*.sites | awk '$1 == "copies" { n += $2 } END { print n + 0 }')
	echo "copies of sites that compilers made: $copies"
	[ "$copies" -gt 0 ] || fail "no compiler copied a site"
}

# A line for each compiler and linker.
report()
{
	sort "$work/ran" | awk '
		$1 " " $2 != last { if (last != "") print line; line = last = $1 " " $2 }
		{ line = line " " $3 }
		END { print line }' >"$work/report"
	sed 's/^/ran: /' "$work/report"
	(cd "$work/cannot" && for reason in *; do
		[ -e "$reason" ] || continue
		echo "not here: $(echo "$reason" | tr . ' '): $(grep -m 1 . "$reason" || echo "does not work")"
	done)
}

# words FILE: of a report, a line for each thing that was run
words()
{
	awk '{ for (i = 3; i <= NF; i++) print $1, $2, $i }' "$1" | sort
}

# What x86_64 had must not get lost unseen.
nothing_lost()
{
	case "$port $(uname -m) $cc_given" in
	"x86_64 x86_64 "*" "*) return ;; # its own CPU, but other options
	"x86_64 x86_64 "*) ;;
	*) return ;;
	esac
	grep -v '^#' tests/link/x86_64.txt >"$work/expected"
	words "$work/expected" >"$work/expected.words"
	words "$work/report" >"$work/report.words"
	comm -23 "$work/expected.words" "$work/report.words" >"$work/lost"
	[ ! -s "$work/lost" ] || fail "not run: $(paste -sd , "$work/lost" | sed 's/,/, /g')." \
		"ci/setup.sh installs the tools; a change to the list belongs into tests/link/x86_64.txt"
}

for cc in $compilers; do
	probe $cc &
done
wait
build
each_linker places
for cc in $compilers; do
	[ "$port" = generic ] || mixed $cc
done
run_all lesson_71_and_pitfall_T1
each_linker gc
run_all lesson_68
each_linker start_stop
run_all lesson_69
each_linker lto
each_linker partial
run_all lesson_70
if [ "$port" != generic ]; then
	each_linker icf
	run_all pitfall_T7
	icf_folds
	sites_copied
fi
report
nothing_lost
finish
