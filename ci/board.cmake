# SPDX-License-Identifier: MIT
#
# For ci/run.sh --board, by CMAKE_PROJECT_INCLUDE: programs run on the board, whatever the toolchain file says.
set(CMAKE_CROSSCOMPILING_EMULATOR "${CMAKE_CURRENT_LIST_DIR}/board.sh;run")
# The board has the build folder elsewhere.
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)
