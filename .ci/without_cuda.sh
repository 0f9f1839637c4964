#!/usr/bin/env bash
# .ci/without_cuda.sh COMMAND...: runs the command where no CUDA toolkit can be seen: neither nvcc
# nor a header or a library, in any place where this machine's compilers look for one. Everything in
# /usr/local and in private folders on PATH is hidden, too: the build must take what it needs from
# the distribution.
set -eu

die() {
    echo "without_cuda: $*" >&2
    exit 1
}

if [ "${1:-}" != --inside ]; then
    as_root=()
    [ "$(id -u)" = 0 ] || as_root=(--map-root-user)
    exec unshare --mount "${as_root[@]}" "$0" --inside "$@"
fi
shift

hide() { mount -t tmpfs -o ro tmpfs "$1" || die "cannot hide $1"; }

# An empty folder hides each folder that may have a toolkit.
for variable in "${!CUDA@}"; do
    unset "$variable"
done
unset CPATH C_INCLUDE_PATH CPLUS_INCLUDE_PATH LIBRARY_PATH LD_LIBRARY_PATH PYTHONPATH \
    PKG_CONFIG_PATH CMAKE_PREFIX_PATH
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
hide /usr/local
for folder in /opt/cuda* /opt/nvidia /usr/lib/cuda; do
    [ ! -d "$folder" ] || hide "$folder"
done

# Fails if a toolkit can be seen after all.
! command -v nvcc || die "nvcc can be seen"
! echo '#include <cuda_runtime.h>' | c++ -x c++ -E -M - 2>/dev/null ||
    die "cuda_runtime.h can be seen"
! cc -x c -shared -o /dev/null /dev/null -lcudart 2>/dev/null || die "libcudart can be seen"
exec "$@"
