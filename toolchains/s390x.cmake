# SPDX-License-Identifier: MIT
#
# 64-bit z/Architecture, big-endian, by Debian's cross compiler; programs run under QEMU's user-mode emulator.
# packages: qemu-user gcc-s390x-linux-gnu g++-s390x-linux-gnu libc6-dev-s390x-cross
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR s390x)
set(cairn_triple s390x-linux-gnu)

set(CMAKE_C_COMPILER ${cairn_triple}-gcc)
set(CMAKE_CXX_COMPILER ${cairn_triple}-g++)
set(CMAKE_AR ${cairn_triple}-gcc-ar CACHE FILEPATH "" FORCE)
set(CMAKE_RANLIB ${cairn_triple}-gcc-ranlib CACHE FILEPATH "" FORCE)
set(CMAKE_CROSSCOMPILING_EMULATOR /usr/bin/qemu-s390x;-L;/usr/${cairn_triple})

set(CMAKE_FIND_ROOT_PATH /usr/${cairn_triple})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
