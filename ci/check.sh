#!/bin/sh
# SPDX-License-Identifier: MIT
#
# ci/check.sh TRIPLE PREFIX: build the test framework Check for another CPU from Debian's source package
# and install it to PREFIX, once. Uses the file of toolchains/ that sets cairn_triple to TRIPLE. CMake then
# finds it by -Dcheck_DIR=PREFIX/lib/cmake/check.
set -eu

if [ $# -ne 2 ]; then
	echo "usage: ci/check.sh TRIPLE PREFIX" >&2
	exit 2
fi
cd "$(dirname "$0")/.."
. ci/private-apt.sh

triple=$1
mkdir -p "$2"
prefix=$(cd "$2" && pwd)
[ ! -e "$prefix/lib/cmake/check/check-config.cmake" ] || exit 0

toolchain=$(grep -lx "set(cairn_triple $triple)" toolchains/*.cmake | head -n 1)
if [ -z "$toolchain" ]; then
	echo "ci/check.sh: no file of toolchains/ has the line set(cairn_triple $triple)" >&2
	exit 1
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
private_apt_begin "$work/apt" "$(dpkg --print-architecture)"

# apt has compared the files with its signed index, so dpkg-source need not know who packed them.
build()
{
	(cd "$work" && private_apt source --download-only check && dpkg-source -x check_*.dsc source) &&
		cmake -S "$work/source" -B "$work/build" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$PWD/$toolchain" \
			-DCMAKE_BUILD_TYPE=Release -DCHECK_ENABLE_TESTS=OFF -DCMAKE_INSTALL_LIBDIR=lib \
			-DCMAKE_INSTALL_PREFIX="$prefix" &&
		cmake --build "$work/build" -j 2 &&
		cmake --install "$work/build"
}
build >"$work/log" 2>&1 || { tail -n 40 "$work/log" >&2; exit 1; }
