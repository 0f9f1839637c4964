#!/usr/bin/env bash
# coverage.sh [BUILD_DIR]: which lines and branches the tests run. Builds the library without CUDA
# with gcc's counters in BUILD_DIR (build/coverage), runs all tests, and prints the files by their
# coverage, with the lines that no test runs. Needs gcovr 5 (Debian: gcovr).
# Kernels for the GPU, and code that only a build with CUDA has, are not compiled here and not
# counted.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${1:-$root/build/coverage}
least=95 # percent of the lines

command -v gcovr >/dev/null || {
    echo "coverage: gcovr is missing (Debian: gcovr)" >&2
    exit 1
}
# Counters are atomic, since threads share them.
counters="--coverage -fprofile-update=atomic"
cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DMYBLAS_CUDA=OFF \
    -DCMAKE_C_FLAGS="$counters" -DCMAKE_CXX_FLAGS="$counters" >/dev/null
cmake --build "$build" --parallel "$(nproc)"
find "$build" -name '*.gcda' -delete
# A failed test need not stop this: the other tests' counts are still worth reading.
ctest --test-dir "$build" --parallel "$(nproc)" --output-on-failure || true
gcovr --root "$root" --object-directory "$build" --filter "$root/src/" --filter "$root/abi/" \
    --gcov-ignore-parse-errors --exclude-throw-branches --exclude-unreachable-branches \
    --sort-percentage --print-summary --json-summary "$build/coverage.json" \
    --fail-under-line "$least"
