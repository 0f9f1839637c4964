#!/usr/bin/env bash
# tools.sh BIN_DIR HOST CLIENT LINKED MAN_DIR: myblas-run, myblas-doctor and the man pages. CLIENT
# uses cuBLAS, and HOST loads it; LINKED is linked to cuBLAS.
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
. "$source/unfolded.sh"

# of SUBJECT: what the expectations after it are about; messages begin with it.
of() { subject=$1; }
fail() {
    echo "$subject: $*"
    failures=$((failures + 1))
}
# exits STATUS COMMAND...: the command's output is left in the files out and err.
exits() {
    local expected=$1 status
    shift
    "$@" >out 2>err
    status=$?
    [ $status = "$expected" ] || fail "exit status $status, not $expected, of $*: $(cat out err)"
}
has() { # PATTERN FILE
    grep -qE -- "$1" "$2" || fail "no line of '$2' matches '$1': $(cat "$2")"
}
lacks() { # PATTERN FILE
    ! grep -qE -- "$1" "$2" || fail "a line of '$2' matches '$1': $(grep -E -- "$1" "$2")"
}
lines() { # COUNT PATTERN FILE: the number of lines that match
    local count
    count=$(grep -cE -- "$2" "$3")
    [ "$count" = "$1" ] || fail "$count lines of '$3', not $1, match '$2': $(cat "$3")"
}
reports() { # PATTERN FILE: as has, for a report
    unfolded "$2" >unfolded_report
    has "$1" unfolded_report
}
is() { # TEXT EXPECTED
    [ "$1" = "$2" ] || fail "'$1' in place of '$2'"
}
empty() { # FILE...
    local file
    for file in "$@"; do
        [ ! -s "$file" ] || fail "'$file' is not empty: $(cat "$file")"
    done
}

# ---- myblas-run ----------------------------------------------------------------------------------

of "a report in a file"
exits 0 "$run" --report report -- "$host" "$client" local served
has '^Sgemm +tiny +1 .*served by: ' report
empty out err
of "a report to standard error"
exits 0 "$run" --report stderr -- "$host" "$client" local served
has '^Sgemm ' err
of "no report"
exits 0 "$run" -- "$host" "$client" local served
empty err
of "a program in another directory"
exits 0 "$run" --report there -- sh -c "cd / && '$host' '$client' local served"
has '^Sgemm ' there
of "a report without calls"
exits 0 "$run" --report there -- /bin/true
has '^myblas-run: /bin/true, process [0-9]+: started with both preload libraries$' there
lines 2 ': loaded, 0 calls seen$' there
of "a report in full"
exits 0 "$run" --report there --report-detail full -- /bin/true
unfolded there >unfolded_report
lines 2 ': loaded, 0 calls seen; no file of the process refers' unfolded_report
of "an unknown detail"
exits 125 "$run" --report there --report-detail much -- /bin/true
for rank in 0 1; do
    of "rank $rank of MPI"
    exits 0 env OMPI_COMM_WORLD_LOCAL_RANK=$rank OMPI_COMM_WORLD_LOCAL_SIZE=2 \
        "$run" --report of_ranks -- "$host" "$client" local served
done
of "the report of both ranks"
lines 2 '^myblas-run: ' of_ranks
lines 2 '^Sgemm ' of_ranks
of "a shell and its children"
exits 0 "$run" --report there -- sh -c '/bin/true; /bin/true; exit 0'
# The shell starts `true` twice, which calls no BLAS and gets no line in the report.
sed -E '/^myblas-run: sh, process .*: started with both preload libraries/d; /: sh, process /d' \
    there >others
empty others
of "arguments of the program"
exits 0 "$run" -- printf '<%s>' A '[1,2]' '[]' -- --report x
has '^<A><\[1,2\]><\[\]><--><--report><x>$' out
of "a program without -- before it"
exits 3 "$run" --report there sh -c 'exit 3' --nonsense
of "no program, with a report"
exits 125 "$run" --report there
of "an unknown option"
exits 125 "$run" --nonsense -- true
lines 1 '^myblas-run: .*--nonsense' err
lines 1 '' err
of "a file for two outputs"
exits 125 "$run" --report both --call-log both -- true
of "wrong settings"
exits 125 env MYBLAS_MATH=magic MYBLAS_DEVICES=0 "$run" -- true
modes='strict, emulated, fast or reproducible'
has "MYBLAS_DEVICES=0: no number from 1 on; MYBLAS_MATH=magic: not $modes\$" err
of "settings in capitals"
exits 0 env MYBLAS_MATH=FAST "$run" --offload NEVER -- true
of "misspelt variables"
exits 125 env MYBLAS_MATHS=fast MYBLAS_OFLFOAD=never MYBLAS_FOO=1 "$run" -- true
lines 1 '' err
has '^myblas-run: MYBLAS_MATHS is not known; did you mean MYBLAS_MATH\?; ' err
has '; MYBLAS_OFLFOAD is not known; did you mean MYBLAS_OFFLOAD\?$' err
of "variables of others"
exits 0 env MYBLAS_FOO=1 MYBLAS_TEST_REDUCED=1 "$run" -- true
for option in --report --call-log; do
    of "$option in a missing directory"
    exits 125 "$run" $option /nonexistent/file -- true
    is "$(cat err)" \
        "myblas-run: $option: /nonexistent/file cannot be written: No such file or directory"
done
of "an option and a wrong setting"
exits 0 env MYBLAS_MATH=magic "$run" --math fast -- true
for variable in MYBLAS_LOG MYBLAS_REPORT; do
    of "$variable in a missing directory"
    exits 125 env $variable=/nonexistent/file "$run" -- true
    lines 1 "$variable=/nonexistent/file: cannot be written" err
done
mkdir -p "a prefix/bin" && cp "$run" "a prefix/bin" && cp -r "$(dirname "$run")/../lib" "a prefix"
of "a prefix with a space"
exits 125 "a prefix/bin/myblas-run" -- true
lines 1 'a path with a space or a colon cannot be preloaded' err
lines 1 '' err
if echo 'int main(void) { return 0; }' | cc -x c - -static -o static 2>/dev/null; then
    of "a static program"
    exits 0 "$run" --report there -- ./static
    reports '^myblas-run: ./static, .* linked statically: nothing can be preloaded' there
fi
of "--kernel"
exits 0 "$run" --kernel blocked --report report -- "$host" "$client" local served
has 'served by: blocked' report
of "--offload never"
exits 0 "$run" --offload never -- "$host" "$client" local forwarded
of "--blas"
exits 0 "$run" --blas -- "$host" "$client" local forwarded
of "--cublas"
exits 0 "$run" --cublas -- "$host" "$client" local served
of "the exit status of the program"
exits 7 "$run" -- sh -c 'exit 7'
of "an option of the program"
# shellcheck disable=SC2016 # for the inner shell
exits 0 "$run" -- sh -c 'test "$1" = --report' sh --report
if [ "$(uname -m)" = x86_64 ]; then
    of "a program that looks cuBLAS up"
    exits 0 "$doctor" "$(dirname "$client")/client_by_name13.so"
    has 'names cublasAsumEx.*cublasSgemm_v2.*: looked up by dlsym, can be interposed' out
fi
of "a missing program"
exits 127 "$run" -- ./nowhere
of "a program that is a directory"
exits 126 "$run" -- /
of "no program"
exits 125 "$run"
of "an unknown math mode"
exits 125 "$run" --math magic -- true
of "an unknown kernel"
exits 125 "$run" --kernel magic -- true
of "a part of a kernel's name"
exits 125 "$run" --kernel block -- true
if "$run" --kernel small_tile/16x16_k8 -- true 2>/dev/null; then
    of "a family"
    exits 0 "$run" --kernel small_tile -- true
    of "a family with a slash"
    exits 125 "$run" --kernel small_tile/ -- true
fi

# ---- The log of calls ----------------------------------------------------------------------------

of "a call log"
exits 0 "$run" --call-log calls -- "$host" "$client" local served
has '^\{"function": "Sgemm", "calls": 1, .*"m": [0-9]+, "n": [0-9]+, "k": [0-9]+, .*\}$' calls
empty out err
of "a call log without calls"
exits 0 "$run" --call-log calls -- /bin/true
empty calls
# A program that is linked to a BLAS. Its calls are logged, whether libmyblas or the BLAS computes.
cat >calls.c <<'END'
#include <sys/wait.h>
#include <unistd.h>
void sgemm_(const char*, const char*, const int*, const int*, const int*, const float*,
            const float*, const int*, const float*, const int*, const float*, float*, const int*,
            unsigned long, unsigned long);
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
        of "calls of a BLAS, --offload $offload"
        exits 0 "$run" --offload $offload --call-log blas.log -- ./calls
        lines 4 '' blas.log
        sizes='"m": 2, "n": 3, "k": 4, "lda": 8, "ldb": 8, "ldc": 8'
        for count in 1 3; do
            has "\"sgemm\", \"calls\": $count, .*\"transa\": \"T\", \"transb\": \"N\", .*$sizes" \
                blas.log
        done
        has '"sdot", "calls": 1, .*"n": 5, .*"incx": 2, "incy": 3' blas.log
    done
    # One small call in single precision, all others in double.
    echo 'void dgemm_(void);
        float sdot_(const int*, const float*, const int*, const float*, const int*);
        int main(int argc, char** argv) {
            const int one = 1;
            const float x = 2;
            if (argc > 1)
                dgemm_();
            return sdot_(&one, &x, &one, &x, &one) != 4 || !argv;
        }' | cc -x c - -o both -lopenblas
    of "a program in double precision"
    exits 0 "$run" --report there -- ./both
    reports ', 1 call seen, 0 served, 1 forwarded; the program refers to dgemm_ .double prec' there
    of "a served call of a program in double precision"
    exits 0 "$run" --offload always --report there -- ./both
    reports '1 call seen, 1 served .sdot 1., 0 forwarded$' there
    if [ -x "$1/myblas-bench" ]; then
        of "a replay of the log"
        exits 0 "$1/myblas-bench" replay blas.log --backend host --min-time 0 --repeats 2 --csv -
        [ "$(grep -c '^sgemm,T,N' out)" -ge 2 ] || fail "not both products: $(cat out)"
    fi
else
    echo "there is no OpenBLAS to link to: the log of a BLAS is not tried"
fi

# ---- myblas-doctor -------------------------------------------------------------------------------

of "the machine"
exits 0 "$doctor"
for what in '^myblas +[0-9.]+' '^driver ' '^backend +cuda ' '^cuBLAS ' '^BLAS +.*openblas'; do
    has "$what" out
done
of "settings"
exits 0 env MYBLAS_MATH=magic MYBLAS_OFFLOAD=never MYBLAS_BACKEND= MYBLAS_SGEMM_KERNEL= "$doctor"
has 'MYBLAS_MATH=magic: makes no sense' out
has 'MYBLAS_OFFLOAD=never$' out
lacks 'MYBLAS_(BACKEND|SGEMM_KERNEL)=' out
of "cuBLAS's own variable"
exits 0 env CUBLAS_EMULATE_SINGLE_PRECISION=1 "$doctor"
has 'CUBLAS_EMULATE_SINGLE_PRECISION=1$' out
exits 0 env CUBLAS_EMULATE_SINGLE_PRECISION=yes "$doctor"
has 'CUBLAS_EMULATE_SINGLE_PRECISION=yes: makes no sense: not 0 or 1' out
exits 0 env CUBLAS_EMULATE_SINGLE_PRECISION=yes "$run" -- true
of "a program that is linked to cuBLAS"
exits 0 "$doctor" "$linked"
has 'calls cublasGemmEx.*: can be interposed' out
of "a program that loads libraries"
exits 0 "$doctor" "$host"
has 'loads libraries while it runs' out
has 'names sasum_: looked up by dlsym' out
of "a missing program"
exits 2 "$doctor" "$0.nowhere"
has 'cannot be read: No such file' out
of "a directory"
exits 2 "$doctor" /
has 'cannot be read: it is a directory' out
of "a file of text"
exits 2 "$doctor" "$man_dir/myblas.7"
has 'no 64-bit ELF program' out
of "an unknown option"
exits 2 "$doctor" --nonsense
of "a shared library"
exits 0 "$doctor" "$client"
has 'a shared library' out
has 'client13.so calls .*cublasSgemm_v2,.*: can be interposed' out
of "libmyblas"
exits 0 "$doctor" "$(dirname "$run")/../lib/libmyblas.so"
lacks 'static' out
of "wrong settings"
wrong=(MYBLAS_LOG=/nonexistent/log MYBLAS_DEVICES=none MYBLAS_WORKSPACE=1T MYBLAS_NUM_THREADS=0
    MYBLAS_DEVICE_MEMORY=0 MYBLAS_SUM_KERNEL=magic MYBLAS_TUNING=/tmp
    MYBLAS_CUBLAS_WORKSPACE=99999999999G)
exits 0 env "${wrong[@]}" "$doctor"
for what in "${wrong[@]}"; do
    has "$what: makes no sense: " out
done
of "a misspelt variable"
exits 0 env MYBLAS_SGEM_KERNEL=reference "$doctor"
has 'MYBLAS_SGEM_KERNEL=reference: is not known; did you mean MYBLAS_SGEMM_KERNEL\?$' out
of "an unknown variable"
exits 0 env MYBLAS_NONSENSE=1 "$doctor"
has 'MYBLAS_NONSENSE=1: no variable that myblas reads' out
# A program that calls both precisions, and whose library is removed later.
echo 'void dgemm_(void) {} void sgemm_(void) {}' | cc -shared -fPIC -x c - -o libgone.so &&
    echo 'void dgemm_(void); void sgemm_(void); int main(void) { dgemm_(); sgemm_(); return 0; }' |
    cc -x c - -L. -lgone -Wl,-rpath,"$work" -o caller
of "a program that calls both precisions"
exits 0 "$doctor" ./caller
has 'caller calls dgemm_: double precision: not served' out
has 'caller calls sgemm_: can be interposed' out
rm libgone.so
of "a missing library"
exits 0 "$doctor" ./caller
has 'does not find libgone.so' out
printf '#!/bin/sh\nexec "%s/caller" "$@"\n' "$work" >shim
printf '#!/usr/bin/env -S %s/shim -x\n' "$work" >script
chmod +x shim script
of "a script of a shim"
exits 0 "$doctor" ./script
has '^program +./script, which starts .*/shim, which starts .*/caller$' out
has 'caller calls sgemm_' out
printf '#!/bin/sh\nX=1 exec env -i A=1 "%s/caller"\n' "$work" >shim
of "a shim that sets variables"
exits 0 "$doctor" ./shim
has '^program +./shim, which starts .*/caller$' out
printf '#!/bin/sh\n%s/caller\n' "$work" >shim
of "a shell script without exec"
exits 0 "$doctor" ./shim
has 'a shell script: the programs that it starts' out
of "a program that starts others"
exits 0 "$doctor" env
has 'starts other programs' out
# This loader runs if someone asks the program for its libraries.
printf '#!/bin/sh\n: >"%s/was_run"\n' "$work" >loader && chmod +x loader
echo 'void sgemm_(void); int main(void) { sgemm_(); return 0; }' >wide.c
if cc -Wl,--dynamic-linker="$work/loader",--unresolved-symbols=ignore-all wide.c -o foreign; then
    of "a program of another C library"
    exits 1 "$doctor" ./foreign
    has 'its loader is .*/loader, and' out
    [ ! -e was_run ] || fail "its loader was run"
fi
echo 'void sgemm_(void) {}' | cc -shared -fPIC -x c - -o libblas64.so &&
    cc wide.c -L. -lblas64 -Wl,-rpath,"$work" -o wide
for name in wide ./wide; do
    of "a program with 64-bit integers, $name"
    exits 1 "$doctor" "$name"
    has 'wide calls sgemm_: the integers of libblas64.so have 64 bits' out
done
echo 'void sgemm_(void) {}' | cc -x c wide.c - -o with_blas
of "a program that contains a BLAS, run"
exits 0 "$run" --report there -- ./with_blas
reports 'preload libraries, but contains a BLAS, which is out of reach$' there
of "a program that contains a BLAS"
exits 1 "$doctor" ./with_blas
has 'with_blas contains sgemm_: linked statically' out
# A shim of pyenv; a version in the folder takes precedence over the global one.
mkdir -p pyenv/bin pyenv/shims pyenv/versions/1/bin pyenv/versions/2/bin
printf '#!/usr/bin/env bash\nexec "%s/pyenv/bin/pyenv" exec "tool"\n' "$work" >pyenv/shims/tool
chmod +x pyenv/shims/tool
cp caller pyenv/versions/1/bin/tool
cp caller pyenv/versions/2/bin/tool
echo 1 >pyenv/version
for version in 1 2; do
    of "a shim of pyenv, version $version"
    exits 0 env -u PYENV_VERSION "$doctor" pyenv/shims/tool
    has "^program .*, which starts .*/versions/$version/bin/tool\$" out
    echo 2 >.python-version
done
rm .python-version
# library FILE OPTION...: compiles the C code on standard input.
library() {
    local file=$1
    shift
    mkdir -p "$(dirname "$file")" && cc -shared -fPIC -x c - -o "$file" -L. "$@" -Wl,-rpath,"$work"
}
# Alternatives choose the LAPACK: OpenBLAS's, whose LU makes no call through the loader, or one that
# makes all of its calls through the loader.
echo 'void sgemm_(void) {} void sgetrf_single(void) {}' | library libownblas.so
echo 'void sgemm_(void); void sgetrf_single(void);
    void sgetrf_(void) { sgetrf_single(); } void sgeqrf_(void) { sgemm_(); }' |
    library open/liblapack.so.3 -lownblas -Wl,-soname,liblapack.so.3
echo 'void sgemm_(void); void sgetrf_(void) { sgemm_(); } void sgeqrf_(void) { sgemm_(); }
    void dgetrf_(void) {}' |
    library reference/liblapack.so.3 -lownblas -Wl,-soname,liblapack.so.3
mkdir alternatives
ln -s ../open/liblapack.so.3 alternatives/liblapack.so.3-here
ln -s alternatives/liblapack.so.3-here liblapack.so.3
for letter in s d; do
    echo "void ${letter}getrf_(void); int main(void) { ${letter}getrf_(); return 0; }" |
        cc -x c - -x none -o ${letter}_solver reference/liblapack.so.3 -L. -lownblas \
            -Wl,-rpath,"$work"
done
of "a program with OpenBLAS's LAPACK"
exits 0 "$doctor" ./s_solver
sed '1,/^program/d' out >of_program
has 'LU and Cholesky of liblapack.so.3 compute inside OpenBLAS: out of reach' of_program
has 'reference LAPACK .*: update-alternatives --config liblapack.so.3-here$' out
of "a program in double precision with OpenBLAS's LAPACK"
exits 1 "$doctor" ./d_solver
sed '1,/^program/d' out >of_program
lacks 'LU and|liblapack.so.3 calls' of_program
ln -sf ../reference/liblapack.so.3 alternatives/liblapack.so.3-here
of "a program with the reference LAPACK"
exits 0 "$doctor" ./s_solver
has 'liblapack.so.3 calls sgemm_: can be interposed$' out
sed '1,/^program/d' out >of_program
lacks 'LU and|update-alternatives' of_program

echo 'void sgemm_(void) {} void sgetrf_(void) {} void sgeqrf_(void) { sgemm_(); }' |
    library libbothblas.so
echo 'void sgeqrf_(void); int main(void) { sgeqrf_(); return 0; }' |
    cc -x c - -o qr -L. -lbothblas -Wl,-rpath,"$work"
of "a program that calls a solver only"
exits 0 "$doctor" ./qr
has 'libbothblas.so calls sgemm_: can be interposed$' out

# A library that contains a BLAS, as PyTorch contains MKL, with calls through the loader or without.
contains='void sgemm_(void) {} void f(void) { sgemm_(); }'
echo "$contains" | library libcontains.so
of "a BLAS that the loader binds"
exits 0 "$doctor" ./libcontains.so
has 'libcontains.so calls sgemm_: can be interposed$' out
echo "$contains" | library libcontains.so -Wl,-Bsymbolic
of "a BLAS that is bound to itself"
exits 1 "$doctor" ./libcontains.so
has 'libcontains.so contains sgemm_: bound to itself .*out of reach$' out

# A launcher whose library starts programs, as Open MPI's does, and one that computes.
echo '#include <unistd.h>
    int start(char** arguments) { return execvp(arguments[0], arguments); }' | library liblaunch.so
echo 'int start(char**); int main(int argc, char** argv) { return argc > 1 && start(argv + 1); }' |
    cc -x c - -o launcher -L. -llaunch -Wl,-rpath,"$work"
of "a launcher"
exits 0 "$doctor" ./launcher -n 4 ./program
has 'starts other programs, which' out
of "options of the program"
exits 0 "$doctor" ./caller --nonsense -- more
has 'caller calls sgemm_: can be interposed' out

# A Python, as far as it can be seen from files: the program's name, and packages with modules.
packages=python/lib/python3.9/site-packages
mkdir -p python/bin $packages
cp /bin/true python/bin/python3.9 && ln -s python3.9 python/bin/python3
python() { env -u PYTHONPATH HOME= PATH="$work/python/bin:$PATH" "$doctor" "$@"; }
echo 'void scipy_cblas_sgemm64_(void) {} void scipy_sgetrf_64_(void) {}' | library libopenblas64_.so
echo 'void scipy_cblas_sgemm64_(void); void f(void) { scipy_cblas_sgemm64_(); }' |
    library $packages/numpy/core/m.so -l:libopenblas64_.so
echo 'void scipy_cblas_sgemm64_(void); void scipy_sgetrf_64_(void);
    void f(void) { scipy_cblas_sgemm64_(); scipy_sgetrf_64_(); }' |
    library $packages/scipy/m.so -l:libopenblas64_.so
of "a Python"
exits 0 python python/bin/python3
has '^package +.*/numpy: its BLAS is libopenblas64_.so$' out
has 'numpy calls scipy_cblas_sgemm64_: can be interposed$' out
has 'numpy.linalg computes in double precision' out
has '^package +.*/scipy: its BLAS is libopenblas64_.so$' out
has 'the solvers of libopenblas64_.so call its own BLAS directly: out of reach$' out
echo 'void sgemm_(void) {} void scipy_sgetrf_64_(void) { sgemm_(); }' | library libopenblas64_.so
of "a Python whose solvers use the loader"
exits 0 python python/bin/python3
lacks 'the solvers of' out

# Python scripts: what they import, directly or through packages, and nothing else.
echo "$contains" | library $packages/torch/lib/libtorch_cpu.so
mkdir -p $packages/sklearn/linear_model own
cat >$packages/sklearn/__init__.py <<'END'
"""
import torch
"""
from .base import (  # import torch
    one,
    two,
)
if 0:
    import torch
END
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
    of "$what"
    exits "$status" python "$@"
    is "$(sed -n 's,^package .*site-packages/\([a-z]*\).*,\1,p' out | xargs)" "$expected"
}
imports "a script with an interpreter" 0 torch own/torch_only.py
has '^program +own/torch_only.py, which starts .*/python3$' out
has 'torch calls sgemm_: can be interposed$' out
imports "a script without one" 0 scipy own/learn.py
imports "a Python with a script" 0 scipy python3 -W ignore -u own/learn.py --option
imports "a script's own module" 0 numpy python3 own/indirect.py
has 'imports jax, which this Python does not have$' out
imports "code" 0 torch python3 -c 'x = 1; import torch'
imports "a module" 0 scipy python3 -Bm sklearn.linear_model
mkdir $packages/relative && echo 'import .relative, ..' >$packages/relative/__init__.py
imports "names that are none of modules" 0 torch python3 -c 'import relative, torch'
imports "a script without packages" 1 "" python3 own/plain.py
has 'no package that it imports makes a call that can be interposed' out
of "a missing script"
exits 2 python python3 own/nowhere.py
has 'own/nowhere.py cannot be read: No such file' out
rm -r $packages/scipy $packages/torch $packages/sklearn
mkdir -p venv/bin && ln -s "$work/python/bin/python3.9" venv/bin/python3
echo 'include-system-site-packages = false' >venv/pyvenv.cfg
of "a virtual environment without packages"
exits 0 env -u PYTHONPATH HOME= "$doctor" venv/bin/python3
lacks 'numpy' out
echo 'include-system-site-packages = true' >venv/pyvenv.cfg
of "a virtual environment with system packages"
exits 0 env -u PYTHONPATH HOME= "$doctor" venv/bin/python3
has '^package +.*/numpy: its BLAS is libopenblas64_.so$' out
if unshare -rm mount -t tmpfs none /proc 2>/dev/null; then
    lib=$(dirname "$run")/../lib # the loader finds it by /proc
    of "the doctor without /proc"
    exits 0 unshare -rm sh -c "mount -t tmpfs none /proc && LD_LIBRARY_PATH='$lib' '$doctor'"
    lacks 'not there' out
    of "myblas-run without /proc"
    exits 0 unshare -rm sh -c "mount -t tmpfs none /proc && LD_LIBRARY_PATH='$lib' '$run' -- true"
fi
of "a program without calls"
exits 1 "$doctor" /bin/true
if echo 'int main(void) { return 0; }' | cc -x c - -static -o static 2>/dev/null; then
    of "a static program"
    exits 1 "$doctor" ./static
    has 'linked statically' out
fi
cp /bin/true raised && chmod 4755 raised
of "raised privileges"
exits 1 "$doctor" ./raised
has 'raised privileges' out

# ---- Output that cannot be written ---------------------------------------------------------------

full() { "$@" >/dev/full; }
if [ -e /dev/full ]; then
    of "the doctor, disk full"
    exits 2 full "$doctor"
    has '^myblas-doctor: standard output cannot be written$' err
    for tool in "$doctor" "$run"; do
        status=2
        [ "$tool" = "$doctor" ] || status=125
        for option in --help --version; do
            of "$option of $tool, disk full"
            exits $status full "$tool" $option
            has '^myblas-[a-z]*: standard output cannot be written$' err
        done
    done
    of "a report, disk full"
    exits 125 "$run" --report /dev/full -- true
    has '^myblas-run: cannot write /dev/full: No space' err
fi

# ---- Man pages -----------------------------------------------------------------------------------

for page in myblas-run.1 myblas-doctor.1 myblas.7 myblas.3 myblas_kernels.3; do
    of "$page"
    [ -s "$man_dir/$page" ] || fail "it is missing or empty"
    lacks '@' "$man_dir/$page"
    if command -v man >/dev/null; then
        man --warnings -l -Tutf8 -Z "$man_dir/$page" >/dev/null 2>warnings
        empty warnings
    fi
done
of "options in the man page and in the help"
for option in cublas blas math kernel offload report; do
    has "\\\\-\\\\-$option" "$man_dir/myblas-run.1"
    "$run" --help >help
    has "--$option" help
done
has '\\-\\-report\\-detail' "$man_dir/myblas-run.1"
of "functions in the man page"
has '^MYBLAS_API myblasStatus_t mysgemm\(' "$man_dir/myblas.3"

exit $((failures > 0))
