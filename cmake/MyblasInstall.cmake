# The installed tree. No file in it contains the prefix, so it can be moved as a whole.
include(CMakePackageConfigHelpers)

install(DIRECTORY include/myblas DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(
    TARGETS myblas
    EXPORT myblas-targets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
            COMPONENT library
            NAMELINK_COMPONENT development
)

if(MYBLAS_STATIC)
    install(
        TARGETS myblas_static
        EXPORT myblas-targets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
    )
endif()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/myblas)
install(
    EXPORT myblas-targets
    NAMESPACE myblas::
    DESTINATION ${package_dir}
    COMPONENT development
)
set(myblas_fortran_dir ${CMAKE_INSTALL_LIBDIR}/fortran/myblas)
configure_package_config_file(
    cmake/myblas-config.cmake.in ${PROJECT_BINARY_DIR}/myblas-config.cmake
    INSTALL_DESTINATION ${package_dir}
    PATH_VARS myblas_fortran_dir
)
write_basic_package_version_file(
    ${PROJECT_BINARY_DIR}/myblas-config-version.cmake COMPATIBILITY SameMajorVersion
)
install(FILES ${PROJECT_BINARY_DIR}/myblas-config.cmake
              ${PROJECT_BINARY_DIR}/myblas-config-version.cmake DESTINATION ${package_dir}
        COMPONENT development)

# pkg-config finds the prefix relative to the .pc file.
file(RELATIVE_PATH pc_to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" pc_to_prefix "${pc_to_prefix}")
file(RELATIVE_PATH pc_libdir ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_LIBDIR})
file(RELATIVE_PATH pc_includedir ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
configure_file(pkgconfig/myblas.pc.in ${PROJECT_BINARY_DIR}/myblas.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/myblas.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
        COMPONENT development)
if(MYBLAS_STATIC)
    set(static_libraries "-lstdc++ -lm -lpthread -ldl")
    if(MYBLAS_CUDA)
        # The user tells the linker where CUDA is.
        string(PREPEND static_libraries "-lcudart_static -lrt ")
    endif()
    configure_file(
        pkgconfig/myblas-static.pc.in ${PROJECT_BINARY_DIR}/myblas-static.pc @ONLY
    )
    install(FILES ${PROJECT_BINARY_DIR}/myblas-static.pc
            DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
endif()

install(FILES README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT development)
# In a package, the licence is the copyright file.
if(NOT MYBLAS_DEBIAN)
    install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT development)
endif()
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT development)

if(PROJECT_IS_TOP_LEVEL)
    add_custom_target(
        uninstall
        COMMAND ${CMAKE_COMMAND} -DBUILD_DIR=${PROJECT_BINARY_DIR} -P
                ${CMAKE_CURRENT_LIST_DIR}/uninstall.cmake
        COMMENT "Removing what was installed last"
        VERBATIM
    )
endif()
