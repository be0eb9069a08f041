# SPDX-License-Identifier: MIT
#
# 32-bit ARM, ARMv5TE, by Debian's cross compiler, which makes ARM code; programs run under QEMU's
# user-mode emulator, as an ARM926.
# packages: qemu-user gcc-arm-linux-gnueabi g++-arm-linux-gnueabi libc6-dev-armel-cross
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR arm)
set(cairn_triple arm-linux-gnueabi)

set(CMAKE_C_COMPILER ${cairn_triple}-gcc)
set(CMAKE_CXX_COMPILER ${cairn_triple}-g++)
set(CMAKE_AR ${cairn_triple}-gcc-ar CACHE FILEPATH "" FORCE)
set(CMAKE_RANLIB ${cairn_triple}-gcc-ranlib CACHE FILEPATH "" FORCE)
set(CMAKE_CROSSCOMPILING_EMULATOR /usr/bin/qemu-arm;-cpu;arm926;-L;/usr/${cairn_triple})

set(CMAKE_FIND_ROOT_PATH /usr/${cairn_triple})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
