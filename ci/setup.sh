#!/bin/sh
# SPDX-License-Identifier: MIT
#
# ci/setup.sh [--demo] [--peers] [TOOLCHAIN...]: install what is missing from Debian's packages. By
# default all that ci/lint.sh and ci/run.sh need; --demo: only what ci/demo.sh needs; --peers: the tracers
# that ci/bench.sh compares with; TOOLCHAIN: a file of toolchains/, and what its line "# packages:" says.
# Says nothing and needs no rights if nothing is missing.
set -eu

demo="gcc g++ libc6-dev cmake ninja-build pkg-config libelf-dev libsqlite3-dev babeltrace2"
default="$demo
	git binutils make check libsubunit-dev clang clang-format lld llvm libclang-rt-14-dev shellcheck
	valgrind strace dpkg-dev xz-utils openssh-client openssh-server"
peers="$demo lttng-tools liblttng-ust-dev bpftrace systemtap-sdt-dev"

want=
toolchains=
for option; do
	case $option in
	--demo) want="$want $demo" ;;
	--peers) want="$want $peers" ;;
	toolchains/*.cmake) toolchains="$toolchains $(sed -n 's/^# packages: //p' "$option")" ;;
	*)
		sed -n '4,7s/^# //p' "$0" >&2
		exit 2
		;;
	esac
done
want="${want:-$default} $toolchains"

missing=
for package in $want; do
	status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
	[ "$status" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

as_root=
if [ "$(id -u)" -ne 0 ]; then
	as_root=sudo
	if ! command -v sudo >/dev/null; then
		echo "ci/setup.sh: not root and no sudo; as root, run: apt-get install$missing" >&2
		exit 1
	fi
fi

# A package's daemon is not to be started, now or when the machine starts: nothing here needs one.
policy=/usr/sbin/policy-rc.d
made_policy=
log=$(mktemp)
tidy()
{
	rm -f "$log"
	[ -z "$made_policy" ] || $as_root rm -f $policy
}
trap tidy EXIT
if [ ! -e $policy ]; then
	made_policy=1
	printf '#!/bin/sh\nexit 101\n' | $as_root tee $policy >/dev/null
	$as_root chmod +x $policy
fi

apt()
{
	# shellcheck disable=SC2086 # empty, or a word
	$as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 "$@" >"$log" 2>&1
}
install()
{
	# shellcheck disable=SC2086 # a list of words
	apt install --no-install-recommends $missing
}
echo "ci/setup.sh: installing$missing"
if ! install; then
	apt update || { cat "$log" >&2; exit 1; }
	install || { cat "$log" >&2; exit 1; }
fi
case "$missing " in
*" openssh-server "*) $as_root update-rc.d ssh disable ;;
esac
