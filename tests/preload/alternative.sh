#!/usr/bin/env bash
# alternative.sh LIBRARY BLAS_PRELOAD OPENBLAS_DIR TESTERS: libmyblas-blas.so as the libblas.so.3 of
# a system. update-alternatives chooses among it and OpenBLAS, in folders of the test's own.
# Programs find the link by LD_LIBRARY_PATH. OPENBLAS_DIR has Debian's libblas.so.3 of OpenBLAS.
# TESTERS has Debian's BLAS testers, or does not exist.
set -u

library=$1
blas_preload=$2
openblas=$3/libblas.so.3
testers=$4

. "$(dirname "${BASH_SOURCE[0]}")/unfolded.sh"
command -v update-alternatives >/dev/null || {
    echo "skipped: no update-alternatives"
    exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0
fail() {
    echo "$*"
    failures=$((failures + 1))
}

# ---- The alternative -----------------------------------------------------------------------------

mkdir alternatives admin lib
link=$work/lib/libblas.so.3
alternatives() {
    update-alternatives --altdir "$work/alternatives" --admindir "$work/admin" --log "$work/log" \
        --quiet "$@" || fail "update-alternatives $*"
}
# expect_chosen FILE
expect_chosen() { [ "$(readlink -f "$link")" = "$(readlink -f "$1")" ] || fail "$1 is not chosen"; }

alternatives --install "$link" libblas.so.3 "$openblas" 100
alternatives --install "$link" libblas.so.3 "$library" 50
expect_chosen "$openblas" # no package takes over unasked
alternatives --set libblas.so.3 "$library"
expect_chosen "$library"

# ---- Programs ------------------------------------------------------------------------------------

export MYBLAS_BACKEND=host OPENBLAS_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=1
unset LD_PRELOAD

# with LIBRARY [NAME=VALUE]... COMMAND...: the output is in out, the report in report.
with() {
    local chosen=$1
    shift
    rm -f folded report
    alternatives --set libblas.so.3 "$chosen"
    env LD_LIBRARY_PATH="$work/lib" MYBLAS_REPORT="$work/folded" MYBLAS_OFFLOAD=always "$@" \
        >out 2>err || {
        fail "$*: status $?"
        cat out err
    }
    ! [ -e folded ] || unfolded folded >report
}

# expect_served WHAT ROUTINE...: each routine was served in a process, and no other call forwarded.
expect_served() {
    local what=$1 routine
    shift
    for routine in "$@"; do
        grep -qE "^$routine .*served by: " report || {
            fail "$what: $routine was not served"
            cat report
        }
    done
    grep -qE '^myblas-blas: .* [1-9][0-9]* served .* 0 forwarded' report ||
        fail "$what: not all was served: $(cat report)"
}

# compare WHAT COMMAND...: with both libraries. What the program prints, which it computes in double
# precision, is the same.
compare() {
    local what=$1
    shift
    with "$openblas" "$@"
    [ ! -e report ] || fail "$what: a report without the library"
    mv out before
    with "$library" "$@"
    cmp before out || fail "$what: double precision has changed"
}

cat >program.c <<'END'
#include <stdio.h>
#include <stdlib.h>
enum { n = 90 };
void sgemm_(const char*, const char*, const int*, const int*, const int*, const float*,
            const float*, const int*, const float*, const int*, const float*, float*, const int*,
            size_t, size_t);
void cblas_dgemm(int, int, int, int, int, int, double, const double*, int, const double*, int,
                 double, double*, int);
int main(void) {
    static float a[n * n], c[n * n];
    static double d[n * n], e[n * n];
    const int size = n;
    const float one = 1, zero = 0;
    for (int i = 0; i < n * n; ++i) {
        a[i] = (float)(i % 5);
        d[i] = (double)rand() / RAND_MAX;
    }
    sgemm_("N", "N", &size, &size, &size, &one, a, &size, a, &size, &zero, c, &size, 1, 1);
    cblas_dgemm(102, 111, 112, n, n, n, 1, d, n, d, n, 0, e, n);
    for (int i = 0; i < n * n; ++i)
        printf("%a\n", e[i]);
    float sum = 0;
    for (int l = 0; l < n; ++l)
        sum += a[3 + l * n] * a[l + 7 * n];
    return c[3 + 7 * n] != sum;
}
END
# A program that is linked to a libblas.so.3, and one that is linked to this library.
"${CC:-cc}" program.c -o program "$openblas" || exit 1
compare "a C program" ./program
expect_served "a C program" sgemm
"${CC:-cc}" program.c -o linked "$library" || fail "a program cannot be linked to $library alone"
with "$library" ./linked
expect_served "a program that is linked to it" sgemm

# Behind the BLAS preload library, it leaves the calls to that library.
with "$library" LD_PRELOAD="$blas_preload" ./program
grep -qE '^myblas-blas-preload: .* 1 served \(sgemm 1\), 0 forwarded' report &&
    ! grep '^myblas-blas:' report || fail "a call under both libraries: $(cat report)"
with "$library" LD_PRELOAD="$blas_preload" MYBLAS_OFFLOAD=never ./program
grep -qE '^myblas-blas-preload: .* 0 served, 1 forwarded' report &&
    ! grep '^myblas-blas:' report || fail "a forwarded call under both libraries: $(cat report)"

# A function that a program looks up in it, as FlexiBLAS does, is not the preload library's.
cat >looked_up.py <<'END'
import ctypes
import shutil
import sys

n = 90
size, one, zero = ctypes.c_int(n), ctypes.c_float(1), ctypes.c_float(0)
a = (ctypes.c_float * (n * n))(*(i % 5 for i in range(n * n)))
c = (ctypes.c_float * (n * n))()
at = ctypes.byref
ctypes.CDLL(sys.argv[1]).sgemm_(
    b"N", b"N", at(size), at(size), at(size), at(one), a, at(size), a, at(size), at(zero), c,
    at(size), ctypes.c_size_t(1), ctypes.c_size_t(1),
)
if len(sys.argv) > 2:
    ctypes.CDLL(None).myblas_preload_report()
    shutil.copy("folded", sys.argv[2])
sys.exit(c[3 + 7 * n] != sum(a[3 + k * n] * a[k + 7 * n] for k in range(n)))
END
for preloaded in "" "$blas_preload"; do
    with "$library" LD_PRELOAD="$preloaded" /usr/bin/python3 looked_up.py "$library"
    grep -qE '^myblas-blas: .* 1 served \(sgemm 1\), 0 forwarded' report ||
        fail "a function that is looked up, LD_PRELOAD='$preloaded': $(cat report)"
done

# A report on demand has its calls, too, although ctypes opens it with RTLD_LOCAL.
with "$library" LD_PRELOAD="$blas_preload" /usr/bin/python3 looked_up.py "$library" on_demand
unfolded on_demand | grep -qE '^myblas-blas: .* 1 served \(sgemm 1\), 0 forwarded' ||
    fail "a report on demand lacks a library that is opened with RTLD_LOCAL: $(cat on_demand)"
[ "$(grep -c '^myblas-blas: ' report)" = 1 ] || fail "it reports twice: $(cat report)"

# A BLAS that hands each call to a library that it opens, as FlexiBLAS does: a call that the preload
# library has seen is counted there alone, served or not.
cat >flexible.c <<'END'
#include <dlfcn.h>
#include <stdlib.h>
typedef void gemm(const char*, const char*, const int*, const int*, const int*, const float*,
                  const float*, const int*, const float*, const int*, const float*, float*,
                  const int*, size_t, size_t);
void sgemm_(const char* ta, const char* tb, const int* m, const int* n, const int* k,
            const float* alpha, const float* a, const int* lda, const float* b, const int* ldb,
            const float* beta, float* c, const int* ldc, size_t la, size_t lb) {
    void* const library = dlopen(getenv("FLEXIBLAS"), RTLD_NOW | RTLD_LOCAL);
    ((gemm*)dlsym(library, "sgemm_"))(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, la, lb);
}
END
"${CC:-cc}" -shared -fPIC flexible.c -o libflexible.so &&
    "${CC:-cc}" program.c -o flexible ./libflexible.so "$openblas" || exit 1
# count_flexibly EXPECTED [NAME=VALUE]...
count_flexibly() {
    with "$library" FLEXIBLAS="$library" "${@:2}" ./flexible
    [ "$(grep -c '^myblas-' report)" = 1 ] && grep -qE "$1" report ||
        fail "a call by way of another library, ${*:2}: $(cat report)"
}
count_flexibly '^myblas-blas: .* 1 served'
count_flexibly '^myblas-blas: .* 0 served, 1 forwarded' MYBLAS_OFFLOAD=never
count_flexibly '^myblas-blas-preload: .* 1 served' LD_PRELOAD="$blas_preload"
for offload in never auto; do
    count_flexibly '^myblas-blas-preload: .* 0 served, 1 forwarded' LD_PRELOAD="$blas_preload" \
        MYBLAS_OFFLOAD=$offload
done

# A call with a wrong argument, too, whether its xerbla_ returns or leaves it by longjmp.
cat >wrong.c <<'END'
#include <setjmp.h>
#include <stdlib.h>
void sgemm_(const char*, const char*, const int*, const int*, const int*, const float*,
            const float*, const int*, const float*, const int*, const float*, float*, const int*,
            size_t, size_t);
static jmp_buf way_out;
static int jumps, times;
void xerbla_(const char* name, const int* argument, size_t length) {
    (void)name, (void)argument, (void)length;
    ++times;
    if (jumps)
        longjmp(way_out, 1);
}
int main(int count, char** words) {
    float x[1] = {0};
    const float one = 1;
    const int size = 1, wrong = -1;
    (void)words;
    for (jumps = 0; jumps < 2; ++jumps)
        if (!setjmp(way_out))
            sgemm_("N", "N", &size, &size, &wrong, &one, x, &size, x, &size, &one, x, &size, 1, 1);
    x[0] = (float)count;
    sgemm_("N", "N", &size, &size, &size, &one, x, &size, x, &size, &one, x, &size, 1, 1);
    return times != 2;
}
END
"${CC:-cc}" wrong.c -rdynamic -o wrong_directly "$openblas" &&
    "${CC:-cc}" wrong.c -rdynamic -o wrong ./libflexible.so "$openblas" || exit 1
for program in wrong_directly wrong; do
    for preloaded in "" "$blas_preload"; do
        with "$library" FLEXIBLAS="$library" LD_PRELOAD="$preloaded" ./$program
        [ "$(grep -c '^myblas-' report)" = 1 ] && grep -qE ' 1 served .* 2 forwarded' report ||
            fail "$program, LD_PRELOAD='$preloaded': $(cat report)"
    done
done

# Without settings, calls go to OpenBLAS, and nothing is written.
with "$library" MYBLAS_REPORT= MYBLAS_OFFLOAD= ./program
cmp before out || fail "without settings: double precision has changed"
[ ! -s err ] || fail "without settings: $(cat err)"

if /usr/bin/python3 -c 'import numpy' 2>/dev/null; then
    cat >product.py <<'END'
import numpy
draw = numpy.random.RandomState(1).rand
a = draw(70, 70).astype(numpy.float32)
d = draw(70, 70)
assert abs((a @ a) - (a.astype(float) @ a.astype(float))).max() < 1e-4
assert (a @ a.T).shape == (70, 70) and (a @ a[0]).shape == (70,)
for x in (d @ d, d @ d.T, d @ d[0], numpy.linalg.solve(d, d[0]), numpy.linalg.eigvalsh(d + d.T)):
    print(x.tobytes().hex())
END
    compare "Debian's NumPy" /usr/bin/python3 product.py
    expect_served "Debian's NumPy" sgemm ssyrk sgemv
else
    echo "left out: /usr/bin/python3 has no NumPy"
fi

if command -v octave-cli >/dev/null; then
    cat >product.m <<'END'
rand("twister", 1);
a = rand(70, 70);
s = single(a);
assert(max(max(abs(double(s * s) - double(s) * double(s)))) < 1e-4);
disp(num2hex([(a * a)(:); a \ a(:, 1)]));
END
    compare "Octave" octave-cli --norc --no-history product.m
    expect_served "Octave" sgemm
else
    echo "left out: no Octave"
fi

if [ -e "$testers/xblat3d" ]; then
    for kind in d c z; do
        compare "xblat1$kind" "$testers/xblat1$kind"
        for level in 2 3; do
            # The results come in a file that the first line names.
            sed "1s/'[^']*'/'summary'/" "$testers/${kind}blat$level.in" >input
            # shellcheck disable=SC2016 # the inner shell's variables
            compare "xblat$level$kind" bash -c '"$1" <input && cat summary' tester \
                "$testers/xblat$level$kind"
            grep -q 'PASSED' out || fail "xblat$level$kind does not pass"
        done
    done
else
    echo "left out: no libblas-test"
fi
exit $((failures > 0))
