#!/bin/sh
# SPDX-License-Identifier: MIT
#
# ci/libs.sh TRIPLE PREFIX: put the libraries that the cairn command and the examples need into PREFIX for
# another CPU, from Debian's packages of that CPU, unpacked and not installed. Writes PREFIX/libs.cmake,
# which tells CMake where they are (cmake -C). For CPUs that Debian has no packages for, give the target
# -DCAIRN_TOOLS=OFF -DCAIRN_EXAMPLES=OFF in ci/matrix.
set -eu

if [ $# -ne 2 ]; then
	echo "usage: ci/libs.sh TRIPLE PREFIX" >&2
	exit 2
fi
cd "$(dirname "$0")/.."
. ci/private-apt.sh

triple=$1
mkdir -p "$2"
prefix=$(cd "$2" && pwd)
[ ! -e "$prefix/libs.cmake" ] || exit 0

arch=$(dpkg-architecture -t "$triple" -q DEB_TARGET_ARCH 2>/dev/null)
folder=$(dpkg-architecture -t "$triple" -q DEB_TARGET_MULTIARCH 2>/dev/null)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
private_apt_begin "$work/apt" "$arch"
(cd "$work" && private_apt download libelf-dev zlib1g-dev libsqlite3-dev >/dev/null)
for package in "$work"/*.deb; do
	dpkg-deb -x "$package" "$prefix"
done

cat >"$prefix/libs.cmake" <<END
set(LIBELF_INCLUDE_DIR "$prefix/usr/include" CACHE PATH "")
set(LIBELF_LIBRARY "$prefix/usr/lib/$folder/libelf.a" CACHE FILEPATH "")
set(LIBELF_ZLIB "$prefix/usr/lib/$folder/libz.a" CACHE FILEPATH "")
set(SQLite3_INCLUDE_DIR "$prefix/usr/include" CACHE PATH "")
set(SQLite3_LIBRARY "$prefix/usr/lib/$folder/libsqlite3.a" CACHE FILEPATH "")
END
