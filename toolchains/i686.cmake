# SPDX-License-Identifier: MIT
#
# 32-bit x86 by Debian's cross compiler, run without emulator: an x86_64 kernel does so. Programs find
# their loader and C library in Debian's libc6-i386; the compiler's own libraries are linked statically.
# packages: gcc-i686-linux-gnu g++-i686-linux-gnu libc6-dev-i386-cross libc6-i386 lib32gcc-s1 lib32stdc++6
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR i686)
set(cairn_triple i686-linux-gnu)

set(CMAKE_C_COMPILER ${cairn_triple}-gcc)
set(CMAKE_CXX_COMPILER ${cairn_triple}-g++)
set(CMAKE_AR ${cairn_triple}-gcc-ar CACHE FILEPATH "" FORCE)
set(CMAKE_RANLIB ${cairn_triple}-gcc-ranlib CACHE FILEPATH "" FORCE)
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static-libgcc -static-libstdc++")
set(CMAKE_SHARED_LINKER_FLAGS_INIT "-static-libgcc -static-libstdc++")
set(CMAKE_MODULE_LINKER_FLAGS_INIT "-static-libgcc -static-libstdc++")

set(CMAKE_FIND_ROOT_PATH /usr/${cairn_triple})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
