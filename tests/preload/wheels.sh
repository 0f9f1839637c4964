#!/usr/bin/env bash
# wheels.sh PRELOAD PYTHON ENVIRONMENT: NumPy and SciPy as pip installs them, with a BLAS under other names and, NumPy's,
# with 64-bit integers. Every call of it arrives, as many as there are, and the tests of both have the same
# outcomes as without the preload library. ENVIRONMENT is made where it is not there yet, with the packages of wheels.txt;
# where they cannot be downloaded, the test is skipped (status 77).
set -u

preload=$1
python=$3/bin/python
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

if ! cmp -s "$here/wheels.txt" "$3/wheels.txt"; then
    rm -rf "$3"
    "$2" -m venv "$3" &&
        "$python" -m pip install --quiet --disable-pip-version-check --only-binary=:all: -r "$here/wheels.txt" &&
        cp "$here/wheels.txt" "$3/wheels.txt" || {
        echo "NumPy and SciPy cannot be installed"
        exit 77
    }
fi

. "$here/unfolded.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# calls COUNTS [NAME=VALUE]...: what the report says of wheels.py. NumPy calls sdot once when it starts.
calls() {
    local expected="loaded, 24 calls seen, $1\$"
    shift
    rm -f "$work/report"
    env OPENBLAS_NUM_THREADS=1 MYBLAS_REPORT="$work/report" LD_PRELOAD="$preload" "$@" "$python" "$here/wheels.py" &&
        unfolded "$work/report" | grep -qE "$expected" || {
        echo "wheels.py $*: not '$expected':"
        cat "$work/report"
        exit 1
    }
}
calls "24 served \(sgemm 8, ssyrk 4, ssymm 1, strsm 2, sgemv 4, strmv 1, sdot 3, isamax 1\), 0 forwarded" MYBLAS_OFFLOAD=always
calls "0 served, 24 forwarded" MYBLAS_OFFLOAD= # empty: as if it were not set

# Without a report, calls that cannot gain jump.
LD_PRELOAD="$preload" "$python" "$here/wheels.py" || exit 1

modules="numpy.linalg scipy.linalg.tests.test_blas scipy.linalg.tests.test_fblas"
bash "$here/numpy.sh" "$preload" "$python" "$modules" sgemm ssyrk strmm strsm sgemv sger ssyr ssyr2 strmv strsv sasum sdot \
    snrm2 isamax saxpy scopy sscal sswap
