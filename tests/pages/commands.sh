#!/usr/bin/env bash
# commands.sh SOURCE WORK CMAKE: on request, or if they are called wrongly, the scripts that the
# pages name print a usage and start nothing. Without Doxygen, the target for the site says what is
# missing.
set -u

source=$1
work=$2
cmake=$3
rm -rf "$work"
mkdir -p "$work"
failures=0
fail() {
    echo "$*"
    failures=$((failures + 1))
}

for script in bench/quickstart.sh tests/run.sh tests/fuzz/run.sh scripts/bare_machine.sh \
    scripts/package.sh; do
    said=$("$source/$script" --help 2>&1) || fail "$script --help: status $?"
    [[ $said == "usage: $script"* ]] || fail "$script --help: $said"
done
for script in bench/quickstart.sh tests/run.sh scripts/bare_machine.sh; do
    said=$("$source/$script" --nonsense 2>&1)
    [ $? = 2 ] && [[ $said == "usage: $script"* ]] || fail "$script --nonsense: $said"
done

"$cmake" -S "$source" -B "$work/build" -DMYBLAS_CUDA=OFF -DMYBLAS_BUILD_TESTS=OFF \
    -DMYBLAS_BUILD_BENCH=OFF \
    -DMYBLAS_BUILD_TOOLS=OFF -DMYBLAS_BUILD_FORTRAN=OFF \
    -DCMAKE_DISABLE_FIND_PACKAGE_Doxygen=ON >"$work/log" 2>&1 ||
    fail "$(cat "$work/log")"
"$cmake" --build "$work/build" --target docs >"$work/log" 2>&1 &&
    fail "a site is made without Doxygen"
grep -q '^missing: doxygen, ' "$work/log" ||
    fail "the target docs does not say what is missing: $(cat "$work/log")"

exit $((failures > 0))
