# SPDX-License-Identifier: MIT
#
# As armhf.cmake, in ARM code.
# packages: qemu-user gcc-arm-linux-gnueabihf g++-arm-linux-gnueabihf libc6-dev-armhf-cross
set(cairn_triple arm-linux-gnueabihf)
set(CMAKE_C_FLAGS_INIT -marm)
set(CMAKE_CXX_FLAGS_INIT -marm)
include("${CMAKE_CURRENT_LIST_DIR}/armhf.cmake")
