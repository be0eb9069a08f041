# SPDX-License-Identifier: MIT
#
# 32-bit PowerPC, big-endian, by Debian's cross compiler; programs run under QEMU's
# user-mode emulator.
# packages: qemu-user gcc-powerpc-linux-gnu g++-powerpc-linux-gnu libc6-dev-powerpc-cross
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ppc)
set(cairn_triple powerpc-linux-gnu)

set(CMAKE_C_COMPILER ${cairn_triple}-gcc)
set(CMAKE_CXX_COMPILER ${cairn_triple}-g++)
set(CMAKE_AR ${cairn_triple}-gcc-ar CACHE FILEPATH "" FORCE)
set(CMAKE_RANLIB ${cairn_triple}-gcc-ranlib CACHE FILEPATH "" FORCE)
set(CMAKE_CROSSCOMPILING_EMULATOR /usr/bin/qemu-ppc;-L;/usr/${cairn_triple})
set(cairn_old_cpu g4) # tests run on this model of the emulator, too

set(CMAKE_FIND_ROOT_PATH /usr/${cairn_triple})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
