#!/bin/sh
# SPDX-License-Identifier: MIT
#
# core/ without an operating system: all of it but os_posix.c, linked with os_none.c in place of that,
# without thread-local storage and with branch sites; then os_none/record.c must record and decode events.
# shellcheck disable=SC2086,SC2154,SC1091 # several words; from lib.sh
. "$(dirname "$0")/lib.sh"

cc=$cc_given
options="-std=gnu11 -O2 -Wall -Wextra -Wno-unused-parameter -DCAIRN_NO_TLS -DCAIRN_SITES=branch"
sources=$(find core/ -name "*.c" ! -name os_posix.c | sort)
if ! $cc $options ${CAIRN_SANITIZE:-} $includes -Icore $sources tests/os_none.c tests/os_none/record.c \
	-o "$work/record" 2>"$work/log"; then
	head -20 "$work/log"
	fail "core does not link to os_none.c"
	finish
fi
[ -s "$work/log" ] && { head -20 "$work/log"; fail "warnings"; }
${CAIRN_EMULATOR:-} "$work/record" || fail "events were not recorded as expected"
finish
