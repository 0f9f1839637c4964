# Debian packages, with -DMYBLAS_DEBIAN=ON and cpack -G DEB (scripts/package.sh does both):
# libmyblas1, libmyblas-blas, libmyblas-dev and libmyblas-tools.
if(NOT MYBLAS_DEBIAN)
    return()
endif()
if(NOT TARGET myblas-blas)
    message(FATAL_ERROR "The package libmyblas-blas needs OpenBLAS: install libopenblas0")
endif()

# A version is released when the newest section of the changelog is its own, as "## 1.0.0-rc1" or
# "## 1.0.0". Debian sorts 1.0.0~dev and 1.0.0~rc1 before 1.0.0.
file(STRINGS CHANGELOG.md section REGEX "^## " LIMIT_COUNT 1)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(distribution unstable)
if(section STREQUAL "## Unreleased")
    string(APPEND CPACK_PACKAGE_VERSION "~dev")
    set(distribution UNRELEASED)
elseif(section MATCHES "^## ([0-9.]+)(-([a-z0-9]+))?( |$)"
       AND CMAKE_MATCH_1 STREQUAL PROJECT_VERSION
)
    if(CMAKE_MATCH_3)
        string(APPEND CPACK_PACKAGE_VERSION "~${CMAKE_MATCH_3}")
    endif()
else()
    message(
        FATAL_ERROR "The changelog's newest section is \"${section}\", but the version in "
                    "myblas.h is ${PROJECT_VERSION}"
    )
endif()
set(placeholder "The myblas authors <maintainers@myblas.example.org>")
set(MYBLAS_MAINTAINER "${placeholder}" CACHE STRING
    "The maintainer of the Debian packages: Name <address>; to be set for a release")
if(MYBLAS_MAINTAINER STREQUAL placeholder AND NOT distribution STREQUAL "UNRELEASED")
    message(FATAL_ERROR "${PROJECT_VERSION} is released: set MYBLAS_MAINTAINER, who answers mail")
endif()

set(CPACK_PACKAGE_NAME myblas)
set(CPACK_PACKAGE_CONTACT "${MYBLAS_MAINTAINER}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "single-precision BLAS for NVIDIA GPUs")
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL library blas development tools)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

string(TIMESTAMP changelog_date "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(CONFIGURE OUTPUT changelog CONTENT
"myblas (${CPACK_PACKAGE_VERSION}-1) ${distribution}; urgency=medium

  * Version ${CPACK_PACKAGE_VERSION}. See /usr/share/doc/myblas/CHANGELOG.md.

 -- ${CPACK_PACKAGE_CONTACT}  ${changelog_date}
")
execute_process(
    COMMAND gzip --best --no-name --force --keep changelog
    WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR} COMMAND_ERROR_IS_FATAL ANY
)

# myblas_add_package(<component> <package> <section> <summary> <description>)
# A macro: CPack reads the variables of the top level.
macro(myblas_add_package component package section summary description)
    string(TOUPPER ${component} key)
    set(CPACK_DEBIAN_${key}_PACKAGE_NAME ${package})
    set(CPACK_DEBIAN_${key}_PACKAGE_SECTION ${section})
    set(CPACK_COMPONENT_${key}_DESCRIPTION
        "${CPACK_PACKAGE_DESCRIPTION_SUMMARY} (${summary})\n${description}"
    )
    install(
        FILES LICENSE
        DESTINATION share/doc/${package}
        RENAME copyright
        COMPONENT ${component}
    )
    install(
        FILES ${CMAKE_CURRENT_BINARY_DIR}/changelog.gz
        DESTINATION share/doc/${package}
        RENAME changelog.Debian.gz
        COMPONENT ${component}
    )
endmacro()

set(same_version "libmyblas1 (= ${CPACK_PACKAGE_VERSION}-1)")
myblas_add_package(
    library libmyblas1 libs "library"
    "Matrix products, transposes, sums and vector operations on GPUs, with a C
interface that follows the conventions of cuBLAS; on the host where there is
no GPU."
)
# The host backend computes through OpenBLAS if it is installed.
set(CPACK_DEBIAN_LIBRARY_PACKAGE_RECOMMENDS libopenblas0)
# What packages of programs linked to the library depend on; and a trigger that renews the loader's
# cache.
set(control ${CMAKE_CURRENT_BINARY_DIR}/control)
file(
    WRITE ${control}/shlibs
    "libmyblas ${PROJECT_VERSION_MAJOR} libmyblas1 (>= ${CPACK_PACKAGE_VERSION})\n"
)
file(WRITE ${control}/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${control}/shlibs ${control}/triggers)
myblas_add_package(
    development libmyblas-dev libdevel "development files"
    "Headers, the Fortran module, files for pkg-config and CMake, the manual of
the functions, and examples."
)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS ${same_version})
myblas_add_package(
    tools libmyblas-tools math "tools"
    "Runs unmodified programs with their cuBLAS and BLAS calls computed by
myblas, reports which calls were, and measures the library."
)
set(CPACK_DEBIAN_TOOLS_PACKAGE_DEPENDS ${same_version})
myblas_add_package(
    blas libmyblas-blas libs "BLAS of the system"
    "An alternative for libblas.so.3, which programs such as NumPy, SciPy, Octave
and R then use: calls in single precision may be computed on GPUs, and
OpenBLAS computes all others."
)
set(CPACK_DEBIAN_BLAS_PACKAGE_DEPENDS ${same_version})
set(CPACK_DEBIAN_BLAS_PACKAGE_PROVIDES libblas.so.3)
# OpenBLAS's priority is 90 to 100, and the reference BLAS's is 10: the package does not take over
# unasked.
string(
    CONCAT
    alternative
    "libblas.so.3-${CMAKE_LIBRARY_ARCHITECTURE} "
    "${CMAKE_INSTALL_FULL_LIBDIR}/myblas/libblas.so.3"
)
file(
    WRITE ${control}/blas/postinst
    "#!/bin/sh
set -e
if [ \"$1\" = configure ]; then
    update-alternatives --install ${CMAKE_INSTALL_FULL_LIBDIR}/libblas.so.3 \\
        ${alternative} 50
fi
"
)
file(
    WRITE ${control}/blas/prerm
    "#!/bin/sh
set -e
if [ \"$1\" != upgrade ]; then
    update-alternatives --remove ${alternative}
fi
"
)
set(CPACK_DEBIAN_BLAS_PACKAGE_CONTROL_EXTRA ${control}/blas/postinst ${control}/blas/prerm)

# What is compiled or linked into the packages' files, for scripts/sbom.py.
set(linked)
# myblas_add_linked(<name> <version> <SPDX licence> <package>...)
function(myblas_add_linked name version licence)
    list(JOIN ARGN "\", \"" packages)
    string(
        CONCAT
        entry
        "{\"name\": \"${name}\", \"version\": \"${version}\", \"licence\": \"${licence}\", "
        "\"packages\": [\"${packages}\"]}"
    )
    set(linked ${linked} ${entry} PARENT_SCOPE)
endfunction()
set(binary_packages libmyblas1 libmyblas-blas libmyblas-tools)
foreach(library libstdc++ libgcc)
    myblas_add_linked(
        ${library} ${CMAKE_CXX_COMPILER_VERSION} "GPL-3.0-or-later WITH GCC-exception-3.1"
        ${binary_packages}
    )
endforeach()
if(MYBLAS_CUDA)
    myblas_add_linked(
        cudart_static ${CUDAToolkit_VERSION} LicenseRef-NVIDIA-CUDA-EULA ${binary_packages}
    )
endif()
if(MYBLAS_BUILD_TOOLS OR MYBLAS_BUILD_BENCH)
    find_package(CLI11 REQUIRED)
    find_package(fmt REQUIRED)
    myblas_add_linked(CLI11 ${CLI11_VERSION} BSD-3-Clause libmyblas-tools)
    myblas_add_linked(fmt ${fmt_VERSION} MIT libmyblas-tools)
endif()
if(MYBLAS_BUILD_BENCH)
    find_package(nlohmann_json REQUIRED)
    myblas_add_linked(nlohmann-json ${nlohmann_json_VERSION} MIT libmyblas-tools)
endif()
list(JOIN linked ",\n    " linked)
file(
    WRITE ${CMAKE_CURRENT_BINARY_DIR}/linked.json
    "{\"version\": \"${CPACK_PACKAGE_VERSION}\", \"linked\": [\n    ${linked}\n]}\n"
)

include(CPack)
