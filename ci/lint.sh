#!/bin/bash
# SPDX-License-Identifier: MIT
#
# ci/lint.sh [--fix]: what style a machine can check, over all files of the project. Prints one line for
# each finding and fails if there is one. --fix: first lay out all C and C++ by .clang-format.
# Needs clang-format 14 and shellcheck (ci/setup.sh installs both).
set -euo pipefail
cd "$(dirname "$0")/.."

for tool in clang-format shellcheck; do
	if ! command -v $tool >/dev/null; then
		echo "ci/lint.sh: $tool is not installed: run ci/setup.sh" >&2
		exit 1
	fi
done

if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
	mapfile -t all < <(git ls-files --cached --others --exclude-standard)
else
	mapfile -t all < <(find . -path ./build -prune -o -path ./.git -prune -o -type f -printf '%P\n')
fi

text=()    # every file that is text
code=()    # C and C++
scripts=() # shell
sources=() # all that must name its licence
for file in "${all[@]}"; do
	[ -f "$file" ] || continue
	case $file in tests/golden/*) continue ;; esac
	grep -Iq . "$file" || continue
	text+=("$file")
	case $file in
	*.c | *.h | *.cc)
		code+=("$file")
		sources+=("$file")
		;;
	*.sh | .ci/run)
		scripts+=("$file")
		sources+=("$file")
		;;
	*.cmake | */CMakeLists.txt | CMakeLists.txt | *.awk | *.py)
		sources+=("$file")
		;;
	esac
done

if [ "${1:-}" = --fix ]; then
	clang-format -i "${code[@]}"
fi

findings=0
# report WHAT: the findings of one check, on standard input, one a line.
report()
{
	while read -r line; do
		echo "$line: $1"
		findings=$((findings + 1))
	done
}

# find_in PATTERN FILE...: lines that match, as FILE:LINE:TEXT.
find_in()
{
	local pattern=$1
	shift
	[ $# -eq 0 ] || grep -nHE -e "$pattern" "$@" | cut -c 1-140 || true
}

# not_in PREFIX... -- FILE...: the files under none of the prefixes, one a line.
not_in()
{
	local prefixes=() file prefix
	while [ "$1" != -- ]; do
		prefixes+=("$1")
		shift
	done
	shift
	for file; do
		for prefix in "${prefixes[@]}"; do
			[[ $file != "$prefix"* ]] || continue 2
		done
		echo "$file"
	done
}

report "not as .clang-format lays it out (ci/lint.sh --fix)" < <(
	printf '%s\0' "${code[@]}" | xargs -0 -n 8 -P 2 clang-format --dry-run 2>&1 |
		sed -n 's/^\([^ :]*:[0-9]*\):.*-Wclang-format-violations.*/\1/p' | sort -u -t : -k 1,1)

report "shellcheck" < <(shellcheck -x -P SCRIPTDIR -f gcc "${scripts[@]}" || true)

report "no SPDX-License-Identifier: MIT in the first three lines" < <(
	for file in "${sources[@]}"; do
		head -n 3 "$file" | grep -q 'SPDX-License-Identifier: MIT' || echo "$file"
	done)

mapfile -t portable < <(not_in arch/ -- "${code[@]}")
report "an architecture is tested outside arch/" < <(find_in \
	'\b(__?(x86_64|amd64|i[3-6]86|arm|ARM|thumb|aarch64|mips|powerpc|PPC|ppc|riscv|s390|sparc|loongarch)|_M_(IX86|X64|AMD64|ARM))' \
	"${portable[@]}")
mapfile -t no_names < <(not_in arch/ core/os_ tests/ examples/ -- "${code[@]}")
report "an architecture is named outside arch/" < <(find_in \
	'\b(x86|amd64|i[3-6]86|armv[0-9]|armhf|armel|aarch64|mips|powerpc|ppc|riscv|s390|sparc|loongarch)' \
	"${no_names[@]}")
mapfile -t cmake < <(not_in arch/ toolchains/ ci/ -- "${sources[@]}")
report "CMake tests the processor outside toolchains/" < <(find_in 'CMAKE_(HOST_)?SYSTEM_PROCESSOR' "${cmake[@]}")
mapfile -t systemless < <(not_in core/os_ -- "${code[@]}")
report "an operating system is tested outside core/os_*.c" < <(find_in \
	'\b(__linux__|__linux|__gnu_linux__|__unix__|__unix|__APPLE__|__MACH__|_WIN32|_WIN64|__CYGWIN__|__(Free|Net|Open)BSD__|__ANDROID__|__sun)\b' \
	"${systemless[@]}")
report "no HAVE_ macros: a file is there, or generic's is" < <(find_in '^[[:space:]]*#.*\bHAVE_' "${code[@]}")

report "a port has at most 200 lines, blank ones not counted" < <(
	for folder in arch/*/; do
		lines=$(cat "$folder"*.h | grep -c .)
		[ "$lines" -le 200 ] || echo "$folder: $lines lines"
	done)

report "trailing white space" < <(find_in '[[:blank:]]+$' "${text[@]}")
report "a path of somebody's machine" < <(find_in '(^|[^[:alnum:]_./}])/(work|home|root|Users|mnt|farm)/' "${text[@]}")
report "a registry's host name" < <(find_in \
	'(deb|security|snapshot|ftp)[.]debian[.]org|docker[.]io|ghcr[.]io|quay[.]io|gcr[.]io|pypi[.]org|npmjs[.]|crates[.]io|rubygems[.]org|repo[.]maven|conan[.]io|proxy[.]golang' \
	"${text[@]}")

if [ $findings -ne 0 ]; then
	echo "ci/lint.sh: $findings findings"
	exit 1
fi
echo "ci/lint.sh: ${#text[@]} files, no findings"
