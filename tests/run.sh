#!/usr/bin/env bash
# tests/run.sh [BUILD_DIR]: builds and runs all tests; see usage below.
set -uo pipefail

program=tests
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

usage() {
    cat <<END
usage: tests/run.sh [BUILD_DIR]
Installs missing Debian packages, builds the library and its tests in BUILD_DIR (build), runs all
tests, and ends with a line that counts them. A CUDA toolkit and a GPU are used if there are any.
  MYBLAS_CUDA=ON, OFF  in the environment: insists on a CUDA toolkit, or ignores it
  MYBLAS_WERROR=ON     makes the compiler's warnings errors
  MYBLAS_TEST_LEFT_OUT=REGEX  leaves out tests by their names
END
}

case $#:${1:-} in
1:-h | 1:--help)
    usage
    exit
    ;;
0:* | 1:[!-]*) ;;
*)
    usage >&2
    exit 2
    ;;
esac
. "$root/scripts/setup.sh"

build=${1:-$root/build}
set_up "$build"
build=$(cd "$build" && pwd)

say "running the tests"
report=$build/tests.xml
rm -f "$report"
left_out=${MYBLAS_TEST_LEFT_OUT:-}
unset MYBLAS_TEST_LEFT_OUT # tests print settings of that prefix
# Sizes in bytes, so that no summary is cut off.
ctest --test-dir "$build" --parallel "$(nproc)" --output-on-failure --no-tests=error \
    ${left_out:+--exclude-regex "$left_out"} \
    --output-junit "$report" --test-output-size-passed 1000000 --test-output-size-failed 1000000
result=$?
[ -f "$report" ] || die "ctest wrote no report"
awk -f "$root/tests/tally.awk" "$report" && exit "$result"
exit 1
