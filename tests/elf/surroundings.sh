#!/usr/bin/env bash
# surroundings.sh LIBRARY PRELOAD_LIBRARY INCLUDE_DIR C_COMPILER FILE...: the library, and the
# preload library for a CPU's BLAS, take no code and no settings from the current folder. In a
# program that runs with another user's or group's rights, they read no variables of the
# environment, and write no files that variables name. Neither they nor the further files call
# getenv.
set -u

library=$1
preload=$2
include=$3
cc=$4
shift 4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0
fail() {
    echo "$*"
    failures=$((failures + 1))
}

# Prints whether the program runs with other rights, and the status of myblasCreate. Then it makes
# the library look for OpenBLAS.
cat >"$folder/program.c" <<'CODE'
#include <stdio.h>
#include <sys/auxv.h>
#include "myblas/myblas.h"

int main(void) {
    static float x[64 * 64];
    const float one = 1, zero = 0;
    myblasHandle_t handle = NULL;
    printf("%s, status %d\n", getauxval(AT_SECURE) ? "other rights" : "own rights",
           (int)myblasCreate(&handle));
    if (handle)
        myblasDestroy(handle);
    return myblasCreateOn(&handle, MYBLAS_BACKEND_HOST) ||
           mysgemm(handle, MYBLAS_OP_N, MYBLAS_OP_N, 64, 64, 64, &one, x, 64, x, 64, &zero, x,
                   64) ||
           myblasDestroy(handle);
}
CODE
# The same for a program that calls a BLAS, with the preload library linked to it.
cat >"$folder/product.c" <<'CODE'
#include <stdio.h>
#include <sys/auxv.h>

void sgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k,
            const float* alpha, const float* a, const int* lda, const float* b, const int* ldb,
            const float* beta, float* c, const int* ldc);

int main(void) {
    static float x[64 * 64], y[64 * 64];
    const int n = 64;
    const float one = 1, zero = 0;
    x[0] = 2;
    sgemm_("N", "N", &n, &n, &n, &one, x, &n, x, &n, &zero, y, &n);
    printf("%s, product %g\n", getauxval(AT_SECURE) ? "other rights" : "own rights", y[0]);
    return 0;
}
CODE
# What secure_getenv does in a program with other rights.
echo 'char* secure_getenv(const char* name) { return (void)name, (char*)0; }' >"$folder/none.c"
cat >"$folder/planted.c" <<'CODE'
#include <stdio.h>
__attribute__((constructor)) static void announce(void) { puts("planted code runs"); }
CODE

# A folder that everybody can read, for a program with own rights or with another group's.
chmod 755 "$folder"
mkdir -p "$folder/here" "$folder/lib/myblas" && chmod 777 "$folder/here"
cp "$library" "$folder/lib/$(basename "$library")"
cp "$preload" "$folder/lib/myblas"
ln -s "$(basename "$library")" "$folder/lib/libmyblas.so"
soname=$(readelf --dynamic --wide "$library" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
[ -e "$folder/lib/$soname" ] || ln -s "$(basename "$library")" "$folder/lib/$soname"
"$cc" -I"$include" "$folder/program.c" -o "$folder/program" -L"$folder/lib" -lmyblas \
    -Wl,-rpath,"$folder/lib" || exit 1
"$cc" "$folder/product.c" "$folder/lib/myblas/$(basename "$preload")" -o "$folder/product" \
    -Wl,-rpath,"$folder/lib/myblas" || exit 1
"$cc" -shared -fPIC "$folder/none.c" -o "$folder/none.so" || exit 1
for name in libopenblas.so libopenblas.so.0 libcuda.so.1 "$soname"; do
    "$cc" -shared -fPIC "$folder/planted.c" -o "$folder/here/$name" || exit 1
done
echo 'NVBLAS_CPU_BLAS_LIB libopenblas.so' >"$folder/here/nvblas.conf"
cd "$folder/here" || exit 1

output=$(../program) || fail "the program fails beside planted files"
[ "$output" = "own rights, status 0" ] || fail "beside planted files: $output"
output=$(../product) || fail "the product fails beside planted files"
[ "$output" = "own rights, product 4" ] || fail "beside planted files: $output"

# Settings of both programs. A wrong value of the first two makes myblasCreate fail.
export MYBLAS_LOG=$folder/here/log MYBLAS_REPORT=$folder/here/report \
    MYBLAS_CALL_LOG=$folder/here/calls MYBLAS_OFFLOAD=always TMPDIR=$folder/here
export MYBLAS_BACKEND=nonsense MYBLAS_MATH=nonsense
planted=$(ls)

# Programs with own rights read the variables.
output=$(../program)
[[ $output == "own rights, status "[1-9]* && -s log ]] ||
    fail "the environment is not read: $output"
output=$(MYBLAS_BACKEND=host MYBLAS_MATH=strict ../product)
[ "$output" = "own rights, product 4" ] && grep -q '^sgemm' report && [ -s calls ] ||
    fail "the environment is not read by the preload library: $output"
rm -f log report calls

# expect_ignored PROGRAM OUTPUT: what it prints, and that it writes no file.
expect_ignored() {
    local output
    output=$("${@:3}" "../$1")
    [ "$output" = "$2" ] || fail "with variables that must be ignored, $1 prints: $output"
    [ "$(ls)" = "$planted" ] || fail "with variables that must be ignored, $1 writes: $(ls)"
    rm -f log report calls
}
expect_ignored program "own rights, status 0" env LD_PRELOAD="$folder/none.so"
expect_ignored product "own rights, product 4" env LD_PRELOAD="$folder/none.so"

# A group that the programs can take on. The file system or the container may forbid it.
for group in $(id -G) 65534; do
    [ "$group" != "$(id -g)" ] && chgrp "$group" ../program ../product 2>"$folder/errors" &&
        chmod 2755 ../program ../product && break
done
if [[ $(../product) == "other rights"* ]]; then
    expect_ignored program "other rights, status 0"
    expect_ignored product "other rights, product 4"
else
    echo "programs cannot be given another group's rights here: not tested"
fi

# The CUDA runtime and gcc's counters, which are linked into the library, read variables of their
# own by getenv.
for file in "$library" "$preload" "$@"; do
    symbols=$(readelf --wide --dyn-syms "$file") || exit 1
    grep -q ' secure_getenv@' <<<"$symbols" || fail "$file does not call secure_getenv"
    nm --defined-only "$file" 2>"$folder/errors" | grep -q ' cudart\| __cuda\| __gcov' ||
        ! grep -E ' UND (getenv|environ|__environ)@' <<<"$symbols" ||
        fail "$file reads the environment in another way than by secure_getenv"
done

exit $((failures > 0))
