#!/usr/bin/env bash
# run_gpu.sh [build-dir]: runs every test that has GPU cases from a finished build tree, wherever that
# is copied, without CMake. The build tree has a copy of this script in its tests/. Ends with a line
# that counts the cases; TEST_PREFIX="compute-sanitizer ..." runs each program under a tool, for which
# MYBLAS_TEST_REDUCED=1 keeps to fewer and smaller cases, and leaves out the operands of gigabytes.
# Fails without a GPU.
set -uo pipefail

export MYBLAS_TEST_REQUIRE_GPU=1

tests=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[ $# -eq 0 ] || tests=$(cd "$1/tests" && pwd)
if [ ! -f "$tests/gpu_tests.txt" ]; then
    echo "run_gpu: $tests is not a finished build tree's tests/ (usage: run_gpu.sh [build-dir])" >&2
    exit 1
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
while read -r name environment; do
    [ "$name" != test_large ] || [ "${MYBLAS_TEST_REDUCED:-0}" != 1 ] || continue
    echo "== $name"
    status=fail
    # shellcheck disable=SC2086 # both are lists of words
    env ${environment//;/ } ${TEST_PREFIX:-} "$tests/$name" </dev/null 2>&1 |
        tee "$scratch/output" && status=run
    { # in the form of ctest's report
        echo "<testcase name=\"$name\" status=\"$status\">"
        cat "$scratch/output"
        echo "</testcase>"
    } >>"$scratch/report"
done <"$tests/gpu_tests.txt"
awk -f "$tests/tally.awk" "$scratch/report"
