# SPDX-License-Identifier: MIT
#
# 32-bit ARM, ARMv7 with floating point registers, by Debian's cross compiler, which makes Thumb-2 code;
# programs run under QEMU's user-mode emulator.
# packages: qemu-user gcc-arm-linux-gnueabihf g++-arm-linux-gnueabihf libc6-dev-armhf-cross
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR arm)
set(cairn_triple arm-linux-gnueabihf)

set(CMAKE_C_COMPILER ${cairn_triple}-gcc)
set(CMAKE_CXX_COMPILER ${cairn_triple}-g++)
set(CMAKE_AR ${cairn_triple}-gcc-ar CACHE FILEPATH "" FORCE)
set(CMAKE_RANLIB ${cairn_triple}-gcc-ranlib CACHE FILEPATH "" FORCE)
set(CMAKE_CROSSCOMPILING_EMULATOR /usr/bin/qemu-arm;-L;/usr/${cairn_triple})
set(cairn_old_cpu cortex-a8) # tests run on this model of the emulator, too

set(CMAKE_FIND_ROOT_PATH /usr/${cairn_triple})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
