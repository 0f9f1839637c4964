#!/usr/bin/env bash
# scripts/package.sh BUILD_DIR [CMAKE_OPTION...]: builds the Debian packages libmyblas1,
# libmyblas-blas, libmyblas-dev and libmyblas-tools in BUILD_DIR, with a bill of materials and
# checksums.
set -eu

usage() {
    echo "usage: scripts/package.sh BUILD_DIR [CMAKE_OPTION...]"
    echo "Builds the Debian packages libmyblas1, libmyblas-blas, libmyblas-dev and libmyblas-tools"
    echo "in BUILD_DIR, with a bill of materials (myblas.spdx.json) and checksums (SHA256SUMS)."
}

case ${1:-} in
'')
    usage >&2
    exit 2
    ;;
-h | --help)
    usage
    exit
    ;;
esac

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$1
shift
cmake -S "$root" -B "$build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=/usr \
    -DCMAKE_INSTALL_LIBDIR="lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)" \
    -DCMAKE_SKIP_INSTALL_RPATH=ON \
    -DMYBLAS_BUILD_TESTS=OFF -DMYBLAS_DEBIAN=ON "$@"
cmake --build "$build" --parallel "$(nproc)"
cd "$build"
rm -f ./*.deb myblas.spdx.json SHA256SUMS
cpack -G DEB
python3 "$root/scripts/sbom.py" linked.json myblas.spdx.json ./*.deb
sha256sum -- *.deb myblas.spdx.json >SHA256SUMS
