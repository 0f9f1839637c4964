#!/usr/bin/env bash
# numpy.sh PRELOAD PYTHON MODULES ROUTINE...: the float32 tests of NumPy's and SciPy's modules have
# the same outcomes with and without the BLAS preload library. It serves all calls that have
# something to compute, among them calls of each ROUTINE.
set -u

preload=$1
python=$2
modules=$3
shift 3

. "$(dirname "${BASH_SOURCE[0]}")/unfolded.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# outcomes [NAME=VALUE]...: a line for each test
outcomes() {
    # shellcheck disable=SC2086 # a list
    env OPENBLAS_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=1 "$@" "$python" -m pytest -q -rA \
        -p no:cacheprovider --pyargs $modules -k "float32 or single or FBLAS or fblas" 2>&1 |
        grep -E '^(PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)' | sort
}

outcomes >plain
outcomes MYBLAS_OFFLOAD=always MYBLAS_REPORT="$work/folded" LD_PRELOAD="$preload" >preloaded
unfolded folded >report
diff plain preloaded || exit 1
if [ "$(grep -c '^PASSED' plain)" -lt 100 ]; then
    echo "too few tests: $(wc -l <plain)"
    exit 1
fi
if grep "forwarded: " report |
    grep -qvE 'forwarded: nothing to multiply or to move \([0-9]+\)$'; then
    echo "not all calls were served:"
    cat report
    exit 1
fi
for routine in "$@"; do
    grep -qE "^$routine .*served by: " report || {
        echo "$routine was not served:"
        cat report
        exit 1
    }
done
