# The vcpkg port, built from the clone in which this file is, with dynamic libraries:
#   vcpkg install myblas --overlay-ports=recipe/vcpkg --triplet=x64-linux-dynamic
# The library and its headers alone; the tools come from the other packages.
get_filename_component(source "${CURRENT_PORT_DIR}/../../.." ABSOLUTE)

vcpkg_check_features(OUT_FEATURE_OPTIONS features FEATURES cuda MYBLAS_CUDA)
vcpkg_cmake_configure(
    SOURCE_PATH "${source}"
    OPTIONS ${features} -DMYBLAS_BUILD_TESTS=OFF -DMYBLAS_BUILD_BENCH=OFF -DMYBLAS_BUILD_TOOLS=OFF
            -DMYBLAS_BUILD_FORTRAN=OFF -DMYBLAS_LINKED_BLAS=OFF
)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/myblas)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${source}/LICENSE")
