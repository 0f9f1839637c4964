#!/usr/bin/env bash
# tests/run.sh [build-dir]: installs the packages that are missing, builds, runs all tests, and ends
# with a line that counts them. MYBLAS_CUDA=ON or OFF decides about the CUDA toolkit; without it, the
# build takes one if it finds one.
set -uo pipefail

program=tests
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
. "$root/scripts/setup.sh"

build=${1:-$root/build}
set_up "$build"
build=$(cd "$build" && pwd)

say "running the tests"
report=$build/tests.xml
rm -f "$report"
# Sizes in bytes, so that no summary is cut off.
ctest --test-dir "$build" --parallel "$(nproc)" --output-on-failure --no-tests=error \
    --output-junit "$report" --test-output-size-passed 1000000 --test-output-size-failed 1000000
result=$?
[ -f "$report" ] || die "ctest wrote no report"
awk -f "$root/tests/tally.awk" "$report" && exit "$result"
exit 1
