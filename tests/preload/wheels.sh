#!/usr/bin/env bash
# wheels.sh PRELOAD PYTHON ENVIRONMENT: NumPy and SciPy as pip installs them. Their BLAS has
# functions with other names and, in NumPy's, 64-bit integers. The number of calls that arrive is
# right, and the tests of both packages have the same outcomes as without the preload library. The
# virtual environment ENVIRONMENT, with the packages of wheels.txt, is made if it does not exist; if
# the packages cannot be downloaded, the test is skipped (status 77).
set -u

preload=$1
python=$3/bin/python
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

if ! cmp -s "$here/wheels.txt" "$3/wheels.txt"; then
    rm -rf "$3"
    "$2" -m venv "$3" &&
        "$python" -m pip install --quiet --disable-pip-version-check --only-binary=:all: \
            -r "$here/wheels.txt" &&
        cp "$here/wheels.txt" "$3/wheels.txt" || {
        echo "NumPy and SciPy cannot be installed"
        exit 77
    }
fi

. "$here/unfolded.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# calls COUNTS [NAME=VALUE]...: compares the report of wheels.py with COUNTS. NumPy calls sdot once
# when it starts.
calls() {
    local expected="loaded, 24 calls seen, $1\$"
    shift
    rm -f "$work/report"
    env OPENBLAS_NUM_THREADS=1 MYBLAS_REPORT="$work/report" LD_PRELOAD="$preload" "$@" "$python" \
        "$here/wheels.py" &&
        unfolded "$work/report" | grep -qE "$expected" || {
        echo "wheels.py $*: not '$expected':"
        cat "$work/report"
        exit 1
    }
}
served="sgemm 8, ssyrk 4, ssymm 1, strsm 2, sgemv 4, strmv 1, sdot 3, isamax 1"
calls "24 served \($served\), 0 forwarded" MYBLAS_OFFLOAD=always
calls "0 served, 24 forwarded" MYBLAS_OFFLOAD= # empty: as if it were not set

# Without a report, calls that cannot gain go straight to the program's BLAS.
LD_PRELOAD="$preload" "$python" "$here/wheels.py" || exit 1

modules="numpy.linalg scipy.linalg.tests.test_blas scipy.linalg.tests.test_fblas"
bash "$here/numpy.sh" "$preload" "$python" "$modules" sgemm ssyrk strmm strsm sgemv sger ssyr \
    ssyr2 strmv strsv sasum sdot \
    snrm2 isamax saxpy scopy sscal sswap
