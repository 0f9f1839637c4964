#!/usr/bin/env bash
# install_and_move.sh CMAKE BUILD_DIR FIRST_PREFIX PREFIX: installs into the first prefix and moves
# that to the second. No installed file may contain the path of the first prefix, of the build or of
# the sources, except with counters, which name their files. A copy in the first prefix is
# uninstalled, and must leave another package's file.
set -u

cmake=$1
build=$2
first=$3
prefix=$4

rm -rf "$first" "$prefix"
"$cmake" --install "$build" --prefix "$first" >/dev/null && mv "$first" "$prefix" || exit 1

source=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$build/CMakeCache.txt")
find "$prefix" -type f \
    -exec "$source/tests/machine_paths.sh" "$first" "$build" "$source" -- {} + || {
    echo "the files above hold a path of the machine that built them"
    exit 1
}

for file in include/myblas/myblas.h include/myblas/myblas_64.h include/myblas/myblas_kernels.h \
    lib/libmyblas.so lib/libmyblas.so.1 \
    lib/myblas/libmyblas-blas-preload.so lib/myblas/libmyblas-cublas-preload.so \
    bin/myblas-run bin/myblas-doctor share/man/man1/myblas-run.1 share/man/man3/myblas.3 \
    lib/pkgconfig/myblas.pc lib/cmake/myblas/myblas-config.cmake lib/fortran/myblas/myblas.f90 \
    share/doc/myblas/README.md share/doc/myblas/LICENSE; do
    [ -e "$prefix/$file" ] || {
        echo "not installed: $file"
        exit 1
    }
done

cp -a "$prefix" "$first" && touch "$first/lib/pkgconfig/other.pc" || exit 1
"$cmake" -DBUILD_DIR="$build" -P "$source/cmake/uninstall.cmake" >/dev/null || exit 1
left=$(cd "$first" && find . \( ! -type d -o -name myblas \))
rm -rf "$first"
[ "$left" = ./lib/pkgconfig/other.pc ] || {
    echo "after uninstalling there is:"
    echo "$left"
    exit 1
}
