#!/usr/bin/env bash
# packages.sh SOURCE_DIR BUILD_DIR [CMAKE_OPTION...]: builds the Debian packages, checks them with
# lintian, unpacks them into an empty root, and uses the files there.
set -u

source=$1
build=$2
shift 2
die() {
    echo "$*"
    exit 1
}
. "$source/tests/preload/unfolded.sh"

"$source/scripts/package.sh" 2>&1 | grep -q '^usage: ' ||
    die "package.sh without arguments prints no usage"
"$source/scripts/package.sh" "$build" "$@" >"$build.log" 2>&1 || {
    tail -n 30 "$build.log"
    die "package.sh does not build the packages"
}
packages=("$build"/libmyblas1_*.deb "$build"/libmyblas-blas_*.deb "$build"/libmyblas-dev_*.deb
    "$build"/libmyblas-tools_*.deb)
for package in "${packages[@]}"; do
    [ -e "$package" ] || die "not built: $package"
done
built=("$build"/*.deb)
[ ${#built[@]} = 4 ] || die "too many packages: ${built[*]}"

dpkg-deb --field "$build"/libmyblas1_*.deb Recommends | grep -q libopenblas0 ||
    die "libmyblas1 does not recommend OpenBLAS"
lintian --allow-root --fail-on error "${packages[@]}" || die "lintian finds errors"

# dpkg unpacks the packages, because it fails if two of them have the same file.
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir -p "$root"/var/lib/dpkg/updates "$root"/var/lib/dpkg/info
: >"$root"/var/lib/dpkg/status
dpkg --root="$root" --force-not-root --force-depends --log=/dev/null --unpack \
    "${packages[@]}" >"$build.log" 2>&1 || {
    cat "$build.log"
    die "the packages cannot be unpacked"
}
find "$root" -path "$root/usr" -prune -o -path "$root/var/lib/dpkg" -prune -o -type f -print |
    grep . &&
    die "files outside /usr"
for file in usr/bin/myblas-run usr/bin/myblas-doctor usr/share/man/man1/myblas-run.1.gz \
    usr/share/man/man3/myblas.3.gz usr/share/man/man3/mysgemm.3.gz \
    usr/share/man/man7/myblas.7.gz usr/share/doc/libmyblas1/copyright; do
    [ -e "$root/$file" ] || die "not there: $file"
done

libdir=usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)
bash "$source/tests/elf/hardening_installed.sh" c++ "$root/usr" "$root/$libdir" ||
    die "the files in the packages are not hardened"
version=$(dpkg-deb --field "$build"/libmyblas1_*.deb Version)
version=${version%-1}
header=$(PKG_CONFIG_LIBDIR=$root/$libdir/pkgconfig pkg-config --modversion myblas)
[ "${version%~*}" = "$header" ] || die "the packages have version $version, not that of myblas.h"
# 1.0.0~dev comes before 1.0.0.
if grep -q '^## Unreleased' "$source/CHANGELOG.md"; then
    dpkg --compare-versions "$version" lt "${version%~*}" ||
        die "version $version is unreleased, but dpkg does not sort it before ${version%~*}"
fi
python3 "$source/tests/packages/bill.py" "$build" "$root/usr" "$version" ||
    die "the checksums or the bill of materials are wrong"

if command -v doxygen >/dev/null && command -v python3 >/dev/null; then
    [ -e "$root/usr/share/doc/myblas/html/index.html" ] || die "the site is not there"
    python3 "$source/tests/pages/links.py" "$root/usr/share/doc/myblas" ||
        die "links of the documentation are broken"
fi

# libmyblas-blas becomes the libblas.so.3 of a copy of this system.
bash "$source/tests/packages/alternative.sh" "$build"/libmyblas1_*.deb \
    "$build"/libmyblas-blas_*.deb || die "the alternative for libblas.so.3 is wrong"

# A program is compiled and run with the unpacked files.
export PKG_CONFIG_LIBDIR=$root/$libdir/pkgconfig LD_LIBRARY_PATH=$root/$libdir MYBLAS_BACKEND=host
# shellcheck disable=SC2046 # a list of flags
cc -Wall -Werror "$source/tests/consumer/consumer.c" -o "$root/consumer" \
    $(pkg-config --cflags --libs myblas) -lm ||
    die "a program does not compile"
"$root/consumer" || die "a program does not run"

# A C program is linked with the static library, by pkg-config and by CMake.
# shellcheck disable=SC2046 # a list of flags
cc -Wall -Werror "$source/tests/consumer/consumer.c" -o "$root/static" \
    $(pkg-config --cflags --libs myblas-static) -lm ||
    die "a program does not compile with the static library"
cmake -S "$source/tests/consumer/find_package" -B "$root/find_package" \
    -DCMAKE_PREFIX_PATH="$root/usr" \
    -DWITH_STATIC=ON \
    -DEXPECTED_VERSION="$(pkg-config --modversion myblas)" >"$build.log" 2>&1 &&
    cmake --build "$root/find_package" >>"$build.log" 2>&1 || {
    tail -n 30 "$build.log"
    die "find_package does not find the static library, or does not link it"
}
for program in "$root/static" "$root/find_package/consumer_static"; do
    ! readelf -d "$program" | grep libmyblas || die "$program needs the shared library"
    LD_LIBRARY_PATH='' "$program" || die "$program does not run"
done

# A program without a dynamic loader, which cannot use OpenBLAS.
echo '#include <myblas/myblas.h>
    int main(void) {
        static float x[300 * 300], y[300 * 300];
        const float one = 1;
        myblasHandle_t handle;
        x[0] = 2;
        return myblasCreate(&handle) ||
               mysgemm(handle, MYBLAS_OP_N, MYBLAS_OP_N, 300, 300, 300, &one, x, 300, x, 300, &one,
                       y, 300) ||
               y[0] != 4;
    }' >"$root/static.c"
# shellcheck disable=SC2046 # a list of flags
cc -static "$root/static.c" -o "$root/without_loader" $(pkg-config --cflags --libs myblas-static) \
    -lm 2>"$build.log" || {
    cat "$build.log"
    die "a program does not compile with -static"
}
MYBLAS_LOG=stderr "$root/without_loader" 2>"$root/log" ||
    die "a program that is linked with -static does not run"
grep -q 'OpenBLAS is not used, since the program is linked statically' "$root/log" &&
    ! grep -q 'mysgemm: openblas' "$root/log" ||
        die "the log does not say that OpenBLAS is not used: $(cat "$root/log")"

# The tools find the preload libraries, which find libmyblas.
"$root/usr/bin/myblas-doctor" >"$root/doctor" || die "myblas-doctor fails"
! grep 'not there' "$root/doctor" || die "myblas-doctor misses something"
tester=/usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)/blas/xblat1s
if [ -e "$tester" ]; then
    "$root/usr/bin/myblas-run" --blas --offload always --report "$root/report" -- \
        "$tester" >/dev/null ||
        die "myblas-run fails"
    unfolded "$root/report" | grep -q '^sdot .*served by: ' ||
        die "the preload library does not find libmyblas"
fi
