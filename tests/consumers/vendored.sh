#!/bin/sh
# SPDX-License-Identifier: MIT
# examples/vendored: a project that has Cairn in a subfolder by add_subdirectory, with this target's
# toolchain file. It is built from a copy in an empty folder that holds of Cairn only what its comment
# names, nothing is written there, and there is no network, where the system can take it away. Then it runs,
# and its trace has what it says.
. "$(dirname "$0")/lib.sh"

mkdir -p "$dir/project/third_party/cairn" "$dir/empty"
cp "$CAIRN_SOURCE_DIR"/examples/vendored/* "$dir/project"
for part in CMakeLists.txt arch core include; do
	cp -r "$CAIRN_SOURCE_DIR/$part" "$dir/project/third_party/cairn"
done
find "$dir/project" -exec touch -d yesterday {} +
touch -d '1 hour ago' "$dir/stamp"

offline=
if unshare -r -n true 2>/dev/null; then
	offline="unshare -r -n"
fi
# shellcheck disable=SC2086 # lists of words
(cd "$dir/empty" &&
	quietly $offline cmake -S "$dir/project" -B . $CAIRN_CMAKE_ARGS \
		-DVENDORED_CAIRN="$dir/project/third_party/cairn" &&
	quietly $offline cmake --build . -j 2)
changed=$(find "$dir/project" -newer "$dir/stamp")
[ -z "$changed" ] || fail "the build writes into the source: $changed"

run_traced "$dir/empty/heater"

# figure NAME: from what it printed
figure()
{
	sed -n "s/.*\<$1=\([0-9]*\).*/\1/p" "$dir/printed"
}

# count NAME EVENT: as many as it printed, and not none
count()
{
	got=$(grep -c " heater:$2: " "$dir/text") || true
	if [ "$got" != "$(figure "$1")" ] || [ "$got" = 0 ]; then
		fail "$got events heater:$2 in the trace of a program that says: $(cat "$dir/printed")"
	fi
}
count samples sample
count bad bad_sample
count switches valve
grep -q 'heater:valve: .* valve = ( "OPEN" : container = 1 )' "$dir/text" || fail "the valve never opened"
echo "$(cat "$dir/printed"), all in the trace"
