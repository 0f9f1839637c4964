#!/usr/bin/env bash
# surroundings.sh LIBRARY INCLUDE_DIR C_COMPILER: the library takes no code and no settings from the
# current folder, and none from the environment of a program that runs with another user's or
# group's rights.
set -u

library=$1
include=$2
cc=$3
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
cat >"$folder/planted.c" <<'CODE'
#include <stdio.h>
__attribute__((constructor)) static void announce(void) { puts("planted code runs"); }
CODE

# A folder that everybody can read, for a program with own rights or with another group's.
chmod 755 "$folder"
mkdir "$folder/here" "$folder/lib" && chmod 777 "$folder/here"
cp "$library" "$folder/lib/$(basename "$library")"
ln -s "$(basename "$library")" "$folder/lib/libmyblas.so"
soname=$(readelf --dynamic --wide "$library" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
[ -e "$folder/lib/$soname" ] || ln -s "$(basename "$library")" "$folder/lib/$soname"
"$cc" -I"$include" "$folder/program.c" -o "$folder/program" -L"$folder/lib" -lmyblas \
    -Wl,-rpath,"$folder/lib" || exit 1
for name in libopenblas.so libopenblas.so.0 libcuda.so.1 "$soname"; do
    "$cc" -shared -fPIC "$folder/planted.c" -o "$folder/here/$name" || exit 1
done
echo 'NVBLAS_CPU_BLAS_LIB libopenblas.so' >"$folder/here/nvblas.conf"
cd "$folder/here" || exit 1

output=$(../program) || fail "the program fails beside planted files"
[ "$output" = "own rights, status 0" ] || fail "beside planted files: $output"

export MYBLAS_BACKEND=nonsense MYBLAS_MATH=nonsense MYBLAS_LOG=$folder/here/log
output=$(../program)
[[ $output == "own rights, status "[1-9]* && -s log ]] ||
    fail "the environment is not read: $output"
rm -f log

# A group that the program can take on. The file system or the container may forbid it.
for group in $(id -G) 65534; do
    [ "$group" != "$(id -g)" ] && chgrp "$group" ../program 2>"$folder/errors" &&
        chmod 2755 ../program && break
done
output=$(../program)
case $output in
"own rights"*) echo "programs cannot be given another group's rights here: not tested" ;;
"other rights, status 0")
    [ ! -e log ] || fail "a program with other rights writes the log that the environment names"
    ;;
*) fail "in a program with other rights: $output" ;;
esac

exit $((failures > 0))
