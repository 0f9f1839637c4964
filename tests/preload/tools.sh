#!/usr/bin/env bash
# tools.sh BIN_DIR HOST CLIENT LINKED MAN_DIR: myblas-run and myblas-doctor, and that the man pages are in
# order. CLIENT uses cuBLAS, and HOST loads it; LINKED is linked to cuBLAS.
set -u

run=$1/myblas-run
doctor=$1/myblas-doctor
host=$2
client=$3
linked=$4
man_dir=$5
source=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0
# expect WHAT CONDITION...: a command that has to succeed
expect() {
    local what=$1
    shift
    "$@" || {
        echo "not so: $what"
        failures=$((failures + 1))
    }
}
has() { grep -qE -- "$1" "$2"; }
. "$source/unfolded.sh"
reports() { unfolded "$2" | grep -qE -- "$1"; }
status_is() {
    local status=$1
    shift
    "$@" >out 2>err
    [ $? = "$status" ]
}

# ---- myblas-run --------------------------------------------------------------------------------------------

expect "it succeeds" status_is 0 "$run" --report report -- "$host" "$client" local served
expect "the report is written" has '^Sgemm +tiny +1 .*served by: ' report
expect "nothing is printed" test ! -s out -a ! -s err
expect "the report goes to standard error" status_is 0 "$run" --report stderr -- "$host" "$client" local served
expect "and nowhere else" has '^Sgemm ' err
expect "no report unless asked for" status_is 0 "$run" -- "$host" "$client" local served
expect "nothing on standard error then" test ! -s err
expect "the report's place is that of the start" status_is 0 "$run" --report there -- sh -c "cd / && '$host' '$client' local served"
expect "it is there" has '^Sgemm ' there
expect "a report starts empty" status_is 0 "$run" --report there -- /bin/true
expect "and begins with who started what" has '^myblas-run: /bin/true, process [0-9]+: started with both preload libraries$' there
expect "and a line of each library" test "$(grep -c ': loaded, 0 calls seen$' there)" = 2
expect "and in detail" status_is 0 "$run" --report there --report-detail full -- /bin/true
expect "what the process refers to" test "$(unfolded there | grep -c ': loaded, 0 calls seen; no file of the process refers')" = 2
expect "no other detail" status_is 125 "$run" --report there --report-detail much -- /bin/true
for rank in 0 1; do
    expect "a rank of MPI" status_is 0 env OMPI_COMM_WORLD_LOCAL_RANK=$rank OMPI_COMM_WORLD_LOCAL_SIZE=2 \
        "$run" --report of_ranks -- "$host" "$client" local served
done
expect "ranks write one report" test "$(grep -c '^myblas-run: ' of_ranks)" = 2 -a "$(grep -c '^Sgemm ' of_ranks)" = 2
expect "bystanders are left out of it" status_is 0 "$run" --report there -- sh -c '/bin/true; /bin/true; exit 0'
expect "who write nothing" bash -c "! grep -v '^myblas-run: sh, process .*: started with both preload libraries' there | grep -v ': sh, process '"
expect "arguments are passed on" status_is 0 "$run" -- printf '<%s>' A '[1,2]' '[]' -- --report x
expect "as they are" has '^<A><\[1,2\]><\[\]><--><--report><x>$' out
expect "a program without -- before it" status_is 3 "$run" --report there sh -c 'exit 3' --nonsense
expect "no program" status_is 125 "$run" --report there
expect "an option that there is none of" status_is 125 "$run" --nonsense -- true
expect "is named in one line" test "$(grep -c '^myblas-run: .*--nonsense' err)" = 1 -a "$(wc -l <err)" = 1
expect "a file for two things" status_is 125 "$run" --report both --call-log both -- true
expect "a setting that makes no sense" status_is 125 env MYBLAS_MATH=magic MYBLAS_DEVICES=0 "$run" -- true
expect "is named, with all others" has 'MYBLAS_DEVICES=0: no number from 1 on; MYBLAS_MATH=magic: not strict, emulated or fast$' err
expect "a setting in capitals" status_is 0 env MYBLAS_MATH=FAST "$run" --offload NEVER -- true
expect "a name that is misspelt" status_is 125 env MYBLAS_MATHS=fast MYBLAS_OFLFOAD=never MYBLAS_FOO=1 "$run" -- true
expect "is named with what was meant" test "$(cat err)" = \
    "myblas-run: MYBLAS_MATHS is not known; did you mean MYBLAS_MATH?; MYBLAS_OFLFOAD is not known; did you mean MYBLAS_OFFLOAD?"
expect "a name like none" status_is 0 env MYBLAS_FOO=1 MYBLAS_TEST_REDUCED=1 "$run" -- true
for option in --report --call-log; do
    expect "a file that cannot be written" status_is 125 "$run" $option /nonexistent/file -- true
    expect "is blamed on its option" test "$(cat err)" = \
        "myblas-run: $option: /nonexistent/file cannot be written: No such file or directory"
done
expect "an option goes before it" status_is 0 env MYBLAS_MATH=magic "$run" --math fast -- true
for variable in MYBLAS_LOG MYBLAS_REPORT; do
    expect "$variable cannot be opened" status_is 125 env $variable=/nonexistent/file "$run" -- true
    expect "that is said once" test "$(grep -c "$variable=/nonexistent/file: cannot be written" err)" = 1
done
mkdir -p "a prefix/bin" && cp "$run" "a prefix/bin" && cp -r "$(dirname "$run")/../lib" "a prefix"
expect "a prefix with a space" status_is 125 "a prefix/bin/myblas-run" -- true
expect "is refused in one line" test "$(grep -c 'a path with a space or a colon cannot be preloaded' err)" = "$(wc -l <err)"
if echo 'int main(void) { return 0; }' | cc -x c - -static -o static 2>/dev/null; then
    expect "a static program's report" status_is 0 "$run" --report there -- ./static
    expect "says so" reports '^myblas-run: ./static, .* linked statically: nothing can be preloaded' there
fi
expect "a kernel" status_is 0 "$run" --kernel blocked --report report -- "$host" "$client" local served
expect "is taken" has 'served by: blocked' report
expect "nothing is offloaded" status_is 0 "$run" --offload never -- "$host" "$client" local forwarded
expect "BLAS alone" status_is 0 "$run" --blas -- "$host" "$client" local forwarded
expect "cuBLAS alone" status_is 0 "$run" --cublas -- "$host" "$client" local served
expect "the program's status" status_is 7 "$run" -- sh -c 'exit 7'
# shellcheck disable=SC2016 # for the inner shell
expect "the program's options are its own" status_is 0 "$run" -- sh -c 'test "$1" = --report' sh --report
if [ "$(uname -m)" = x86_64 ]; then
    expect "cuBLAS that is looked up" status_is 0 "$doctor" "$(dirname "$client")/client_by_name13.so"
    expect "that is said" has 'names cublasAsumEx.*cublasSgemm_v2.*: looked up by dlsym, can be interposed' out
fi
expect "a program that is not there" status_is 127 "$run" -- ./nowhere
expect "a program that is none" status_is 126 "$run" -- /
expect "no program" status_is 125 "$run"
expect "a math mode that there is none of" status_is 125 "$run" --math magic -- true
expect "a kernel that there is none of" status_is 125 "$run" --kernel magic -- true
expect "a part of a name" status_is 125 "$run" --kernel block -- true
if "$run" --kernel small_tile/16x16_k8 -- true 2>/dev/null; then
    expect "a family" status_is 0 "$run" --kernel small_tile -- true
    expect "no family" status_is 125 "$run" --kernel small_tile/ -- true
fi
expect "a report that cannot be written" status_is 125 "$run" --report /nonexistent/report -- true

# ---- The log of calls -------------------------------------------------------------------------------------

expect "a call log" status_is 0 "$run" --call-log calls -- "$host" "$client" local served
expect "has the call" has '^\{"function": "Sgemm", "calls": 1, .*"m": [0-9]+, "n": [0-9]+, "k": [0-9]+, .*\}$' calls
expect "and is all" test ! -s out -a ! -s err
expect "a log starts empty" status_is 0 "$run" --call-log calls -- /bin/true
expect "and stays so without calls" test ! -s calls
expect "a log that cannot be written" status_is 125 "$run" --call-log /nonexistent/log -- true
expect "is named" has '--call-log: /nonexistent/log cannot be written' err
# A program with a BLAS that is not called: the calls go to libmyblas, or to the program's BLAS, and are logged.
cat >calls.c <<'END'
#include <sys/wait.h>
#include <unistd.h>
void sgemm_(const char*, const char*, const int*, const int*, const int*, const float*, const float*, const int*,
            const float*, const int*, const float*, float*, const int*, unsigned long, unsigned long);
float sdot_(const int*, const float*, const int*, const float*, const int*);
static void multiply(int m, int n) {
    static float a[64], b[64], c[64];
    const int k = 4, ld = 8;
    const float one = 1, zero = 0;
    sgemm_("T", "N", &m, &n, &k, &one, a, &ld, b, &ld, &zero, c, &ld, 1, 1);
}
int main(void) {
    const int n = 5, wrong = -1, two = 2, three = 3;
    static float x[16];
    for (int i = 0; i < 3; ++i)
        multiply(2, 3);
    multiply(3, 2);
    multiply(0, 3);
    sdot_(&n, x, &two, x, &three);
    sdot_(&wrong, x, &two, x, &three);
    if (fork() == 0) {
        multiply(2, 3);
        return 0;
    }
    wait(0);
    return 0;
}
END
if cc calls.c -o calls -lopenblas 2>/dev/null; then
    for offload in auto always never; do
        expect "calls of BLAS ($offload)" status_is 0 "$run" --offload $offload --call-log blas.log -- ./calls
        expect "each once, and the child's" test "$(wc -l <blas.log)" = 4
        sizes='"m": 2, "n": 3, "k": 4, "lda": 8, "ldb": 8, "ldc": 8'
        for count in 1 3; do
            expect "$count times" has "\"sgemm\", \"calls\": $count, .*\"transa\": \"T\", \"transb\": \"N\", .*$sizes" blas.log
        done
        expect "a vector's" has '"sdot", "calls": 1, .*"n": 5, .*"incx": 2, "incy": 3' blas.log
    done
    # One small call in single precision, all others in double.
    echo 'void dgemm_(void); float sdot_(const int*, const float*, const int*, const float*, const int*);
        int main(int argc, char** argv) {
            const int one = 1;
            const float x = 2;
            if (argc > 1)
                dgemm_();
            return sdot_(&one, &x, &one, &x, &one) != 4 || !argv;
        }' | cc -x c - -o both -lopenblas
    expect "a program in double precision" status_is 0 "$run" --report there -- ./both
    expect "is known by its report" reports ': loaded, 1 call seen, 0 served, 1 forwarded; the program refers to dgemm_ .double prec' there
    expect "but if a call is served" status_is 0 "$run" --offload always --report there -- ./both
    expect "that is all" reports '1 call seen, 1 served .sdot 1., 0 forwarded$' there
    if [ -x "$1/myblas-bench" ]; then
        expect "a replay" status_is 0 "$1/myblas-bench" replay blas.log --backend host --min-time 0 --repeats 2 --csv -
        expect "of both products" test "$(grep -c '^sgemm,T,N' out)" -ge 2
    fi
else
    echo "there is no OpenBLAS to link to: the log of a BLAS is not tried"
fi

# ---- myblas-doctor -----------------------------------------------------------------------------------------

expect "the machine" status_is 0 "$doctor"
for what in '^myblas +[0-9.]+' '^driver ' '^backend +cuda ' '^cuBLAS ' '^BLAS +.*openblas'; do
    expect "the doctor says '$what'" has "$what" out
done
expect "settings" status_is 0 env MYBLAS_MATH=magic MYBLAS_OFFLOAD=never MYBLAS_BACKEND= MYBLAS_SGEMM_KERNEL= "$doctor"
expect "a setting that makes no sense" has 'MYBLAS_MATH=magic: makes no sense' out
expect "a setting that does" has 'MYBLAS_OFFLOAD=never$' out
expect "empty settings are none" bash -c "! grep -qE 'MYBLAS_(BACKEND|SGEMM_KERNEL)=' out"
expect "a program that calls cuBLAS" status_is 0 "$doctor" "$linked"
expect "its calls" has 'calls cublasGemmEx.*: can be interposed' out
expect "a program that loads libraries" status_is 0 "$doctor" "$host"
expect "that is said" has 'loads libraries while it runs' out
expect "a function that is looked up" has 'names sasum_: looked up by dlsym' out
expect "a program that is not there" status_is 2 "$doctor" "$0.nowhere"
expect "that is said" has 'cannot be read: No such file' out
expect "a directory" status_is 2 "$doctor" /
expect "that is said" has 'cannot be read: it is a directory' out
expect "no ELF file" status_is 2 "$doctor" "$man_dir/myblas.7"
expect "that is said" has 'no 64-bit ELF program' out
expect "an option that there is none of" status_is 2 "$doctor" --nonsense
expect "a shared library" status_is 0 "$doctor" "$client"
expect "is called one" has 'a shared library' out
expect "and its calls are shown" has 'client13.so calls .*cublasSgemm_v2,.*: can be interposed' out
expect "a C library" status_is 0 "$doctor" "$(dirname "$run")/../lib/libmyblas.so"
expect "is not called static" bash -c "! grep -q static out"
expect "all settings that make no sense" status_is 0 env MYBLAS_LOG=/nonexistent/log MYBLAS_DEVICES=none MYBLAS_WORKSPACE=1T \
    MYBLAS_NUM_THREADS=0 \
    MYBLAS_DEVICE_MEMORY=0 MYBLAS_SUM_KERNEL=magic MYBLAS_TUNING=/tmp MYBLAS_CUBLAS_WORKSPACE=99999999999G MYBLAS_NONSENSE=1 "$doctor"
for what in LOG=/nonexistent/log DEVICES=none WORKSPACE=1T NUM_THREADS=0 DEVICE_MEMORY=0 SUM_KERNEL=magic TUNING=/tmp CUBLAS_WORKSPACE=99999999999G; do
    expect "$what is marked" has "MYBLAS_$what: makes no sense: " out
done
expect "a name that is misspelt" status_is 0 env MYBLAS_SGEM_KERNEL=reference "$doctor"
expect "is marked" has 'MYBLAS_SGEM_KERNEL=reference: is not known; did you mean MYBLAS_SGEMM_KERNEL\?$' out
expect "a variable like none" status_is 0 env MYBLAS_NONSENSE=1 "$doctor"
expect "a variable that nobody reads" has 'MYBLAS_NONSENSE=1: no variable that myblas reads' out
# A program of a library that goes missing, and calls a function of double precision.
echo 'void dgemm_(void) {} void sgemm_(void) {}' | cc -shared -fPIC -x c - -o libgone.so &&
    echo 'void dgemm_(void); void sgemm_(void); int main(void) { dgemm_(); sgemm_(); return 0; }' |
    cc -x c - -L. -lgone -Wl,-rpath,"$work" -o caller
expect "a program that calls both precisions" status_is 0 "$doctor" ./caller
expect "one is not served" has 'caller calls dgemm_: double precision: not served' out
expect "the other is" has 'caller calls sgemm_: can be interposed' out
rm libgone.so
expect "a library that is missing" status_is 0 "$doctor" ./caller
expect "is named" has 'does not find libgone.so' out
printf '#!/bin/sh\nexec "%s/caller" "$@"\n' "$work" >shim
printf '#!/usr/bin/env -S %s/shim -x\n' "$work" >script
chmod +x shim script
expect "a script of a shim" status_is 0 "$doctor" ./script
expect "is seen through" has '^program +./script, which starts .*/shim, which starts .*/caller$' out
expect "to the program's calls" has 'caller calls sgemm_' out
printf '#!/bin/sh\nX=1 exec env -i A=1 "%s/caller"\n' "$work" >shim
expect "a shim that sets variables" status_is 0 "$doctor" ./shim
expect "is seen through" has '^program +./shim, which starts .*/caller$' out
printf '#!/bin/sh\n%s/caller\n' "$work" >shim
expect "a shell script without exec" status_is 0 "$doctor" ./shim
expect "is said to be one" has 'a shell script: the programs that it starts' out
expect "a program that starts others" status_is 0 "$doctor" env
expect "is said to be one" has 'starts other programs' out
# What would be run if it were asked for libraries.
printf '#!/bin/sh\n: >"%s/was_run"\n' "$work" >loader && chmod +x loader
echo 'void sgemm_(void); int main(void) { sgemm_(); return 0; }' >wide.c
if cc -Wl,--dynamic-linker="$work/loader",--unresolved-symbols=ignore-all wide.c -o foreign; then
    expect "a program of another C library" status_is 1 "$doctor" ./foreign
    expect "is out of reach" has 'its loader is .*/loader, and' out
    expect "and is not run" test ! -e was_run
fi
echo 'void sgemm_(void) {}' | cc -shared -fPIC -x c - -o libblas64.so && cc wide.c -L. -lblas64 -Wl,-rpath,"$work" -o wide
for name in wide ./wide; do
    expect "a program with 64-bit integers" status_is 1 "$doctor" "$name"
    expect "is left alone" has 'wide calls sgemm_: the integers of libblas64.so have 64 bits' out
done
echo 'void sgemm_(void) {}' | cc -x c wide.c - -o with_blas
expect "its report" status_is 0 "$run" --report there -- ./with_blas
expect "says so" reports 'preload libraries, but contains a BLAS, which is out of reach$' there
expect "a program that contains a BLAS" status_is 1 "$doctor" ./with_blas
expect "has it named" has 'with_blas contains sgemm_: linked statically' out
# A shim of pyenv; the folder's version goes before the global one.
mkdir -p pyenv/bin pyenv/shims pyenv/versions/1/bin pyenv/versions/2/bin
printf '#!/usr/bin/env bash\nexec "%s/pyenv/bin/pyenv" exec "tool"\n' "$work" >pyenv/shims/tool
chmod +x pyenv/shims/tool && cp caller pyenv/versions/1/bin/tool && cp caller pyenv/versions/2/bin/tool
echo 1 >pyenv/version
for version in 1 2; do
    expect "a shim of pyenv" status_is 0 env -u PYENV_VERSION "$doctor" pyenv/shims/tool
    expect "is seen through" has "^program .*, which starts .*/versions/$version/bin/tool\$" out
    echo 2 >.python-version
done
rm .python-version
# library FILE OPTION...: of the C code on standard input
library() {
    local file=$1
    shift
    mkdir -p "$(dirname "$file")" && cc -shared -fPIC -x c - -o "$file" -L. "$@" -Wl,-rpath,"$work"
}
# A LAPACK that is chosen by alternatives: OpenBLAS's, whose LU never asks the loader, or one that asks for all of its calls.
echo 'void sgemm_(void) {} void sgetrf_single(void) {}' | library libownblas.so
echo 'void sgemm_(void); void sgetrf_single(void); void sgetrf_(void) { sgetrf_single(); } void sgeqrf_(void) { sgemm_(); }' |
    library open/liblapack.so.3 -lownblas -Wl,-soname,liblapack.so.3
echo 'void sgemm_(void); void sgetrf_(void) { sgemm_(); } void sgeqrf_(void) { sgemm_(); } void dgetrf_(void) {}' |
    library reference/liblapack.so.3 -lownblas -Wl,-soname,liblapack.so.3
mkdir alternatives && ln -s ../open/liblapack.so.3 alternatives/liblapack.so.3-here && ln -s alternatives/liblapack.so.3-here liblapack.so.3
for letter in s d; do
    echo "void ${letter}getrf_(void); int main(void) { ${letter}getrf_(); return 0; }" |
        cc -x c - -x none -o ${letter}_solver reference/liblapack.so.3 -L. -lownblas -Wl,-rpath,"$work"
done
expect "a program with OpenBLAS's LAPACK" status_is 0 "$doctor" ./s_solver
expect "is told which solvers are out of reach" has 'LU and Cholesky of liblapack.so.3 compute inside OpenBLAS: out of reach' <(sed '1,/^program/d' out)
expect "and how to change that" has 'reference LAPACK .*: update-alternatives --config liblapack.so.3-here$' out
expect "but not if it computes in double precision" status_is 1 "$doctor" ./d_solver
expect "nothing of it" bash -c "! grep -qE 'LU and|liblapack.so.3 calls' <(sed '1,/^program/d' out)"
ln -sf ../reference/liblapack.so.3 alternatives/liblapack.so.3-here
expect "a program with the reference LAPACK" status_is 0 "$doctor" ./s_solver
expect "has its calls interposed" has 'liblapack.so.3 calls sgemm_: can be interposed$' out
expect "and nothing to change" bash -c "! grep -qE 'LU and|update-alternatives' <(sed '1,/^program/d' out)"

echo 'void sgemm_(void) {} void sgetrf_(void) {} void sgeqrf_(void) { sgemm_(); }' | library libbothblas.so
echo 'void sgeqrf_(void); int main(void) { sgeqrf_(); return 0; }' | cc -x c - -o qr -L. -lbothblas -Wl,-rpath,"$work"
expect "a program that calls nothing but a solver" status_is 0 "$doctor" ./qr
expect "has the solver's calls interposed" has 'libbothblas.so calls sgemm_: can be interposed$' out

# A library that contains a BLAS, as PyTorch does MKL, and asks the loader for it, or not.
contains='void sgemm_(void) {} void f(void) { sgemm_(); }'
echo "$contains" | library libcontains.so
expect "a BLAS that is asked for by the loader" status_is 0 "$doctor" ./libcontains.so
expect "can be interposed" has 'libcontains.so calls sgemm_: can be interposed$' out
echo "$contains" | library libcontains.so -Wl,-Bsymbolic
expect "a BLAS that is not" status_is 1 "$doctor" ./libcontains.so
expect "cannot" has 'libcontains.so contains sgemm_: bound to itself .*out of reach$' out

# A launcher whose library starts programs, as Open MPI's does; and one that computes.
echo '#include <unistd.h>
    int start(char** arguments) { return execvp(arguments[0], arguments); }' | library liblaunch.so
echo 'int start(char**); int main(int argc, char** argv) { return argc > 1 && start(argv + 1); }' |
    cc -x c - -o launcher -L. -llaunch -Wl,-rpath,"$work"
expect "a launcher" status_is 0 "$doctor" ./launcher -n 4 ./program
expect "is said to be one" has 'starts other programs, which' out
expect "a program's own options" status_is 0 "$doctor" ./caller --nonsense -- more
expect "are left alone" has 'caller calls sgemm_: can be interposed' out

# A Python, as far as files show: the program's name, and packages with modules.
packages=python/lib/python3.9/site-packages
mkdir -p python/bin $packages
cp /bin/true python/bin/python3.9 && ln -s python3.9 python/bin/python3
python() { env -u PYTHONPATH HOME= PATH="$work/python/bin:$PATH" "$doctor" "$@"; }
echo 'void scipy_cblas_sgemm64_(void) {} void scipy_sgetrf_64_(void) {}' | library libopenblas64_.so
echo 'void scipy_cblas_sgemm64_(void); void f(void) { scipy_cblas_sgemm64_(); }' |
    library $packages/numpy/core/m.so -l:libopenblas64_.so
echo 'void scipy_cblas_sgemm64_(void); void scipy_sgetrf_64_(void); void f(void) { scipy_cblas_sgemm64_(); scipy_sgetrf_64_(); }' |
    library $packages/scipy/m.so -l:libopenblas64_.so
expect "a Python" status_is 0 python python/bin/python3
expect "with a NumPy" has '^package +.*/numpy: its BLAS is libopenblas64_.so$' out
expect "whose calls are shown" has 'numpy calls scipy_cblas_sgemm64_: can be interposed$' out
expect "whose solvers compute in double precision" has 'numpy.linalg computes in double precision' out
expect "with a SciPy" has '^package +.*/scipy: its BLAS is libopenblas64_.so$' out
expect "whose solvers are out of reach" has 'the solvers of libopenblas64_.so call its own BLAS directly: out of reach$' out
echo 'void sgemm_(void) {} void scipy_sgetrf_64_(void) { sgemm_(); }' | library libopenblas64_.so
expect "a Python" status_is 0 python python/bin/python3
expect "whose solvers ask the loader" bash -c "! grep -q 'the solvers of' out"

# Its scripts: what they import, directly or by packages, and nothing else.
echo "$contains" | library $packages/torch/lib/libtorch_cpu.so
mkdir -p $packages/sklearn/linear_model own
printf '"""\nimport torch\n"""\nfrom .base import (  # import torch\n    one,\n    two,\n)\nif 0:\n    import torch\n' >$packages/sklearn/__init__.py
echo 'one = two = 0' >$packages/sklearn/base.py
echo 'from ..base import one; from scipy import m' >$packages/sklearn/linear_model/__init__.py
echo 'import sys, os.path' >own/plain.py
printf '#!%s/python/bin/python3\ndef f():\n    import torch as t\n' "$work" >own/torch_only.py
echo 'from sklearn.linear_model import Ridge' >own/learn.py
echo 'import sys, helper' >own/indirect.py
echo 'import numpy.linalg as la, \
    jax' >own/helper.py
# imports WHAT STATUS PACKAGES COMMAND...
imports() {
    local what=$1 status=$2 expected=$3
    shift 3
    expect "$what" status_is "$status" python "$@"
    expect "$what imports '$expected'" test "$(sed -n 's,^package .*site-packages/\([a-z]*\).*,\1,p' out | xargs)" = "$expected"
}
imports "a script with an interpreter" 0 torch own/torch_only.py
expect "its interpreter is named" has '^program +own/torch_only.py, which starts .*/python3$' out
expect "and its calls" has 'torch calls sgemm_: can be interposed$' out
imports "a script without one" 0 scipy own/learn.py
imports "a Python with a script" 0 scipy python3 -W ignore -u own/learn.py --option
imports "a script's own module" 0 numpy python3 own/indirect.py
expect "a package that is missing is named" has 'imports jax, which this Python does not have$' out
imports "code" 0 torch python3 -c 'x = 1; import torch'
imports "a module" 0 scipy python3 -Bm sklearn.linear_model
imports "a script without packages" 1 "" python3 own/plain.py
expect "that is said" has 'no package that it imports makes a call that can be interposed' out
expect "a script that is not there" status_is 2 python python3 own/nowhere.py
expect "that is said" has 'own/nowhere.py cannot be read: No such file' out
rm -r $packages/scipy $packages/torch $packages/sklearn
mkdir -p venv/bin && ln -s "$work/python/bin/python3.9" venv/bin/python3
echo 'include-system-site-packages = false' >venv/pyvenv.cfg
expect "a virtual environment of its own" status_is 0 env -u PYTHONPATH HOME= "$doctor" venv/bin/python3
expect "does not see its Python's packages" bash -c "! grep -q numpy out"
echo 'include-system-site-packages = true' >venv/pyvenv.cfg
expect "one that says so" status_is 0 env -u PYTHONPATH HOME= "$doctor" venv/bin/python3
expect "sees them" has '^package +.*/numpy: its BLAS is libopenblas64_.so$' out
if unshare -rm mount -t tmpfs none /proc 2>/dev/null; then
    lib=$(dirname "$run")/../lib # the loader finds it by /proc
    expect "no /proc" status_is 0 unshare -rm sh -c "mount -t tmpfs none /proc && LD_LIBRARY_PATH='$lib' '$doctor'"
    expect "the preload libraries are found" bash -c "! grep -q 'not there' out"
    expect "and are preloaded" status_is 0 unshare -rm sh -c "mount -t tmpfs none /proc && LD_LIBRARY_PATH='$lib' '$run' -- true"
fi
expect "a program without calls" status_is 1 "$doctor" /bin/true
if echo 'int main(void) { return 0; }' | cc -x c - -static -o static 2>/dev/null; then
    expect "a static program" status_is 1 "$doctor" ./static
    expect "that is said" has 'linked statically' out
fi
cp /bin/true raised && chmod 4755 raised
expect "raised privileges" status_is 1 "$doctor" ./raised
expect "that is said" has 'raised privileges' out

# ---- Output that cannot be written ---------------------------------------------------------------------------

full() { "$@" >/dev/full; }
if [ -e /dev/full ]; then
    expect "the doctor" status_is 2 full "$doctor"
    expect "says so" has '^myblas-doctor: standard output cannot be written$' err
    for tool in "$doctor" "$run"; do
        status=2
        [ "$tool" = "$doctor" ] || status=125
        for option in --help --version; do
            expect "$option of $tool" status_is $status full "$tool" $option
            expect "says so" has '^myblas-[a-z]*: standard output cannot be written$' err
        done
    done
    expect "a report that cannot be written" status_is 125 "$run" --report /dev/full -- true
    expect "is named" has '^myblas-run: cannot write /dev/full: No space' err
fi

# ---- Man pages -----------------------------------------------------------------------------------------------

for page in myblas-run.1 myblas-doctor.1 myblas.7 myblas.3 myblas_kernels.3; do
    expect "$page is there" test -s "$man_dir/$page"
    expect "$page has no placeholders" bash -c "! grep -q '@' '$man_dir/$page'"
    if command -v man >/dev/null; then
        man --warnings -l -Tutf8 -Z "$man_dir/$page" >/dev/null 2>warnings
        expect "$page is well-formed: $(head -n 2 warnings)" test ! -s warnings
    fi
done
for option in cublas blas math kernel offload report; do
    expect "the man page has --$option" has "\\\\-\\\\-$option" "$man_dir/myblas-run.1"
    "$run" --help >help
    expect "so has the help" has "--$option" help
done
expect "the man page has --report-detail" has '\\-\\-report\\-detail' "$man_dir/myblas-run.1"
expect "the page has all functions" has '^MYBLAS_API myblasStatus_t mysgemm\(' "$man_dir/myblas.3"

exit $((failures > 0))
