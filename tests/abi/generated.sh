#!/usr/bin/env bash
# generated.sh SOURCE_DIR PYTHON CC [FORTRAN]: the output of scripts/generate.py is up to date, and
# a function that is added to a header reaches every generated file.
set -eu

source=$1
python=$2
cc=$3
fortran=${4:-}

"$python" "$source/scripts/generate.py" --check || {
    echo "run scripts/generate.py"
    exit 1
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/abi/preload/common" "$work"/{docs,scripts,tests} "$work"/src/{api,core}
cp -r "$source/include" "$work"
cp -r "$source/abi/fortran" "$source/abi/exports" "$work/abi"
cp "$source"/abi/preload/common/{entries.inc,cublas_parameters.h} \
    "$work/abi/preload/common"
cp "$source"/docs/{compatibility,porting,served_calls}.md "$work/docs"
cp "$source/README.md" "$work"
cp "$source/scripts/generate.py" "$work/scripts"
cp "$source/src/api/entry_points.cpp" "$work/src/api"
cp "$source/src/core/kernel_variables.h" "$work/src/core"
cp "$source/tests/functions.h" "$work/tests"
cd "$work"

# At the end of myblas.h, inside extern "C".
cat >added.h <<'CODE'

/* Does nothing. Since 1.2. Source: cublasSnone_v2. */
MYBLAS_API myblasStatus_t
mysnone(myblasHandle_t handle, int n, const float* const x[], int* result);

/* *result = alpha * the sum of x_i^2: an example. Source: none. */
MYBLAS_API myblasStatus_t mysgbmv(myblasHandle_t handle, const float* alpha, const float* x);
CODE
line=$(grep -n '^#ifdef __cplusplus' include/myblas/myblas.h | tail -n 1 | cut -d : -f 1)
sed -i "$((line - 1))r added.h" include/myblas/myblas.h
# shellcheck disable=SC2016 # names in backquotes
sed -i 's/| `sgbmv`, [^|]*/| `sgbmv` /' docs/compatibility.md
sed -i 's/^SMALL(sgemv,/SMALL(snone, NONE, void(size, vector))\n&/' abi/preload/common/entries.inc

sed -i 's/^} myblasRoutine_t;/    , MYBLAS_ROUTINE_NONE = 99\n&/' include/myblas/myblas.h

if "$python" scripts/generate.py --check >difference; then
    echo "files that lack a function pass the check"
    exit 1
fi
"$python" scripts/generate.py >/dev/null
"$python" scripts/generate.py --check

expect() { # FILE LINES: the file has the lines, and the check showed each as missing
    while IFS= read -r line; do
        grep -qxF "$line" "$1" && grep -qxF "+$line" difference || {
            echo "$1 lacks '$line', or the check did not show it"
            exit 1
        }
    done <<<"$2"
}
expect include/myblas/myblas_64.h 'MYBLAS_API myblasStatus_t mysnone_64(
    myblasHandle_t handle, int64_t n, const float* const x[], int64_t* result);'
expect include/myblas/myblas_cublas.h '#define cublasSnone mysnone
#define cublasSnone_64 mysnone_64'
expect abi/exports/libmyblas.map 'MYBLAS_1.2 {
    mysnone;
    mysnone_64;
} MYBLAS_1;'
expect abi/exports/libmyblas.symbols 'mysnone@@MYBLAS_1.2
mysnone_64@@MYBLAS_1.2'
expect abi/fortran/myblas.f90 '        function mysnone_64(handle, n, x, result) &
            bind(c, name="mysnone_64") result(status)'
expect src/api/entry_points.cpp "$(
    cat <<'CODE'
[[gnu::flatten]] myblasStatus_t mysnone_64(myblasHandle_t handle, int64_t n, const float* const x[],
    int64_t* result) {
    return enter(calls::snone, handle, n, x, result);
CODE
)"
expect src/core/kernel_variables.h '    "MYBLAS_NONE_KERNEL",'
expect abi/preload/common/cublas_parameters.h \
    '#define PARAMETERS_mysnone (SIZE n, const float* const* x, SIZE* result)
#define ARGUMENTS_mysnone (n, x, result)'
expect tests/functions.h '    case snone: return mysnone(handle, g->n, g->x, g->result);
    case snone: return mysnone_64(handle, g->n, g->x, g->result);'
# shellcheck disable=SC2016 # names in backquotes
expect README.md '| `mysnone` | Does nothing |
| `mysgbmv` | α the sum of xᵢ² |'
# shellcheck disable=SC2016 # names in backquotes
expect docs/compatibility.md '| 2, banded | `sgbmv` | here | here | not here |'
# shellcheck disable=SC2016 # names in backquotes
grep -q '`mysgbmv`' docs/porting.md && grep -q '^| Level 1, .*`snone`' docs/served_calls.md || {
    echo "porting.md or served_calls.md lacks a routine"
    exit 1
}

# The generated files work.
cat >library.c <<'CODE'
#include "myblas/myblas_cublas.h"
cublasStatus_t cublasSnone(cublasHandle_t handle, int n, const float* const x[], int* result) {
    return cublasSnone_64(handle, n, x, (int64_t*)result);
}
myblasStatus_t mysnone_64(myblasHandle_t h, int64_t n, const float* const x[], int64_t* result) {
    return h && n && x && result ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}
CODE
"$cc" -std=c99 -pedantic -Wall -Wextra -Werror -Iinclude -fPIC -shared library.c -o library.so \
    -Wl,--version-script=abi/exports/libmyblas.map
for symbol in mysnone mysnone_64; do
    nm --dynamic --defined-only library.so | grep -q " $symbol@@MYBLAS_1.2\$"
done
[ -z "$fortran" ] || "$fortran" -c abi/fortran/myblas.f90 -o module.o
