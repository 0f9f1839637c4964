#!/usr/bin/env bash
# scripts/lint.sh: what the tools find in the tracked sources, and a line for each tool. A tool that is missing is
# left out, and its line says so. With MYBLAS_LINT_REQUIRE=1, as in .ci/run, missing tools are installed, and it is
# an error if they cannot be.
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

# check TOOL COMMAND: the command reads names of files, each ended by a zero byte.
check() {
    local tool=$1 begin=$SECONDS
    shift
    if ! has_command "$tool"; then
        say "$tool is not installed: left out (MYBLAS_LINT_REQUIRE=1 installs it)"
        return
    fi
    if "$@"; then
        say "$tool: passed in $((SECONDS - begin)) s"
    else
        say "$tool: failed"
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

# The host's code: what is compiled without CUDA. Tests and bench are left out of the compile database: they
# compile some files a second time, and the bench's headers take longer than all else.
tidy() {
    local build=build/lint
    cmake --preset no-cuda -B "$build" -DMYBLAS_BUILD_TESTS=OFF -DMYBLAS_BUILD_BENCH=OFF \
        -DMYBLAS_BUILD_FORTRAN=OFF >/dev/null || return 1
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
check clang-tidy tidy
exit "$result"
