#!/bin/sh
# SPDX-License-Identifier: MIT
#
# babeltrace2 on a board, which has none: the machine that started the program reads the trace. By
# ci/board.sh, whose counterpart is `answer` there. The last argument is the trace.
ask=$CAIRN_BOARD_RUN/$$
mkdir "$ask" && mkfifo "$ask/done" || exit 1
for trace; do :; done
printf '%s\n' "$@" >"$ask/words"
ln -s "$(cd "$trace" && pwd)" "$ask/trace" || exit 1
echo "${CAIRN_BOARD_RUN##*/}/$$" >"${CAIRN_BOARD_RUN%/*}/requests"
read -r _ <"$ask/done"
cat "$ask/out"
cat "$ask/err" >&2
read -r status <"$ask/status"
rm -r "$ask"
exit "$status"
