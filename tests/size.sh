#!/bin/sh
# SPDX-License-Identifier: MIT
# A file that includes an event header and hits nothing grows by 0 bytes: with a header of 100 events
# its object file is the same, byte for byte. A hit event's price is printed and must stay bounded.
# shellcheck disable=SC2046,SC2086

. "$(dirname "$0")/lib.sh"

{
	echo '#include <cairn/event.h>'
	echo 'CAIRN_ENUM_TYPE(size_state, u8, CAIRN_VALUE(OPEN, 0), CAIRN_RANGE(LATE, 10, 99));'
	i=0
	while [ $i -lt 100 ]; do
		i=$((i + 1))
		echo "CAIRN_EVENT(size, e$i, CAIRN_U32(order), CAIRN_STR(customer),"
		echo "	CAIRN_ENUM(state, size_state), CAIRN_SEQ(u8, blob, blob_len));"
	done
} >"$work/events.h"
echo 'int unit(int n); int unit(int n) { return n + 1; }' >"$work/unit.c"
echo 'void hit(void); void hit(void) { cairn_trace(size, e1, 1, "x", 0, NULL, 0); }' >"$work/hit.c"

# object_bytes FILE: allocated bytes
object_bytes()
{
	size -A "$1" | awk '/^\.(text|data|bss|rodata|eh_frame)|^cairn_/ { n += $2 } END { print n + 0 }'
}

# check COMMAND...: with and without the header
check()
{
	"$@" -o "$work/plain.o" -c "$work/unit.c" || die "$*: does not compile"
	"$@" $includes -include "$work/events.h" -o "$work/events.o" -c "$work/unit.c" ||
		die "$*: does not compile with the events"
	cmp -s "$work/plain.o" "$work/events.o" ||
		fail "$*: an event header adds bytes: $(object_bytes "$work/plain.o") without," \
			"$(object_bytes "$work/events.o") with it"
	"$@" $includes -include "$work/events.h" -o "$work/hit.o" -c "$work/hit.c" ||
		die "$*: does not compile with a hit"
	hit=$(object_bytes "$work/hit.o")
	echo "$*: 100 events unused: 0 bytes; one event, one site: $hit bytes"
	case $* in
	*sanitize*) ;;
	*-O2*) [ "$hit" -lt 3000 ] || fail "$*: one event costs $hit bytes, 3000 are too many" ;;
	*) [ "$hit" -lt 8000 ] || fail "$*: one event costs $hit bytes, 8000 are too many" ;;
	esac
}

for cc in $compilers; do
	for options in -O0 -O2 "-O2 -fPIC -ffunction-sections" "-O0 -DCAIRN_SITES=branch"; do
		check $(cc_of $cc) -std=c99 $options
		check $(cxx_of $cc) -x c++ -std=c++11 $options
	done
done
finish
