#!/usr/bin/env bash
# ported_program.sh PREFIX WORK CC [CUDA_INCLUDE]: cuBLAS programs with one line changed compile
# against myblas_cublas.h, and run on the host backend. With CUDA's headers, the unchanged programs
# compile against cuBLAS, too. The compiler names a function that myblas lacks.
set -eu

prefix=$1
work=$2
cc=$3
cuda=${4:-}
source=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

mkdir -p "$work"
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
read -ra flags < <(pkg-config --cflags --libs myblas)
for program in emulated cublas; do
    original=$source/${program}_program.c
    if [ -n "$cuda" ]; then
        "$cc" -std=c11 -Wall -fsyntax-only -isystem "$cuda" "$original"
        echo "$program: compiles with cuBLAS's header"
    fi
    sed 's|#include <cublas_v2.h>|#include <myblas/myblas_cublas.h>|' "$original" >"$work/ported.c"
    [ "$(diff "$original" "$work/ported.c" | grep -c '^>')" = 1 ]
    "$cc" -std=c11 -Wall -Werror -I "$source/no_cuda" "$work/ported.c" -o "$work/ported" \
        "${flags[@]}" -lm
    MYBLAS_BACKEND=host LD_LIBRARY_PATH=$prefix/lib "$work/ported"
done

sed 's/cublasSdot(/cublasSgbmv(/' "$work/ported.c" >"$work/lacking.c"
if "$cc" -std=c11 -Werror=implicit-function-declaration -I "$source/no_cuda" -fsyntax-only \
    "$work/lacking.c" \
    "${flags[@]}" 2>"$work/lacking.log"; then
    echo "a function that is not there compiles"
    exit 1
fi
grep -q cublasSgbmv "$work/lacking.log"
