# SPDX-License-Identifier: MIT
#
# Install rules, included by the top CMakeLists.txt: headers, library, find_package(Cairn) from
# cairn-config.cmake.in, pkg-config from cairn.pc.in. A port's headers keep their folder, since ports
# include one another; the port and generic are on the include path.
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/cairn" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
	FILES_MATCHING PATTERN "*.h")
foreach(folder IN LISTS cairn_folders)
	install(DIRECTORY "${PROJECT_SOURCE_DIR}/arch/${folder}"
		DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/cairn/arch" FILES_MATCHING PATTERN "*.h")
endforeach()
install(TARGETS ${cairn_installed} EXPORT cairn-targets
	ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
	LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")

set(cairn_package "${CMAKE_INSTALL_LIBDIR}/cmake/Cairn")
install(EXPORT cairn-targets NAMESPACE Cairn:: DESTINATION "${cairn_package}")
configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/cairn-config.cmake.in"
	"${PROJECT_BINARY_DIR}/cairn-config.cmake" INSTALL_DESTINATION "${cairn_package}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/cairn-config-version.cmake"
	COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/cairn-config.cmake"
	"${PROJECT_BINARY_DIR}/cairn-config-version.cmake" DESTINATION "${cairn_package}")

# The prefix is found from where cairn.pc lies, so that the installed tree can be moved.
file(RELATIVE_PATH cairn_pc_prefix "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
file(RELATIVE_PATH cairn_pc_lib "${CMAKE_INSTALL_PREFIX}" "${CMAKE_INSTALL_FULL_LIBDIR}")
file(RELATIVE_PATH cairn_pc_include "${CMAKE_INSTALL_PREFIX}" "${CMAKE_INSTALL_FULL_INCLUDEDIR}")
string(REGEX REPLACE "/$" "" cairn_pc_prefix "${cairn_pc_prefix}")
set(cairn_pc_cflags)
foreach(folder IN LISTS cairn_include_folders)
	string(APPEND cairn_pc_cflags " -I\${includedir}/cairn/arch/${folder}")
endforeach()
foreach(definition IN LISTS cairn_definitions)
	string(APPEND cairn_pc_cflags " -D${definition}")
endforeach()
if(BUILD_SHARED_LIBS)
	string(APPEND cairn_pc_cflags " -DCAIRN_SHARED")
endif()
foreach(option IN LISTS cairn_sanitize)
	string(APPEND cairn_pc_cflags " ${option}")
	string(APPEND cairn_pc_libs " ${option}")
endforeach()
configure_file("${CMAKE_CURRENT_LIST_DIR}/cairn.pc.in" "${PROJECT_BINARY_DIR}/cairn.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/cairn.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
