#!/usr/bin/env bash
# scripts/lint.sh: runs each linter on the tracked sources, and prints its findings and a line that
# says how it went. A tool that is not installed is left out, and its line says so. With
# MYBLAS_LINT_REQUIRE=1, as in .ci/run, missing tools are installed, or else lint fails.
set -uo pipefail

program=lint
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
. "$root/scripts/setup.sh"
cd "$root" || exit 1
result=0

PATH=$lint_tools/bin:$PATH
if [ "${MYBLAS_LINT_REQUIRE:-}" = 1 ]; then
    install_packages
    install_ruff
fi

# check TOOL COMMAND...: needs the tool, and runs the command.
check() {
    local tool=$1 name=$1 begin=$SECONDS
    shift
    [ ! -x "$1" ] || name=$1 # a script of the project
    if ! has_command "$tool"; then
        say "$tool is not installed: left out (MYBLAS_LINT_REQUIRE=1 installs it)"
        return
    fi
    if "$@"; then
        say "$name: passed in $((SECONDS - begin)) s"
    else
        say "$name: failed"
        result=1
    fi
}

on_files() { # COMMAND... -- PATTERN...: runs the command on the tracked files
    local command=()
    while [ "$1" != -- ]; do
        command+=("$1")
        shift
    done
    git ls-files -z "$@" | xargs -0 --no-run-if-empty "${command[@]}"
}

# The files that are compiled without CUDA. Tests and bench are left out of the compile database:
# they compile some files a second time, and the bench's headers take longer than everything else.
tidy() {
    local build=build/lint
    cmake --preset no-cuda -B "$build" -DMYBLAS_BUILD_TESTS=OFF -DMYBLAS_BUILD_BENCH=OFF \
        -DMYBLAS_BUILD_FORTRAN=OFF >/dev/null || return 1
    # What the build writes for linked_blas.cpp, where OpenBLAS is.
    if grep -qF "linked_blas.cpp" "$build/compile_commands.json"; then
        cmake --build "$build" --target abi/preload/myblas-blas/linked_symbols.inc >/dev/null ||
            return 1
    fi
    git ls-files -z 'src/*.cpp' 'abi/*.cpp' 'tools/*.cpp' |
        while IFS= read -r -d '' file; do
            ! grep -qF "/$file\"" "$build/compile_commands.json" || printf '%s\0' "$file"
        done |
        xargs -0 -n 1 -P "$(nproc)" clang-tidy -p "$build" --quiet 2>/dev/null
}

check clang-format on_files clang-format --dry-run -Werror -- '*.c' '*.cpp' '*.cu' '*.cuh' '*.h'
check shellcheck on_files shellcheck -- '*.sh' .ci/run
check codespell on_files codespell --ignore-words-list=inout,runn -- \
    ':!*.svg' ':!*.json' ':!*.csv' ':!*.gz' ':!*.inc' ':!*.abi'
check ruff on_files ruff check --quiet -- '*.py'
check python3 scripts/generate.py --check
check python3 scripts/style.py
check clang-tidy tidy
exit "$result"
