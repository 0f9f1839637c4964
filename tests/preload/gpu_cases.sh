# shellcheck shell=bash disable=SC2034,SC2154 # check.sh sets failures
# Cases on a GPU, for scripts in tests/preload of a finished build tree, which may have been copied
# to another machine. To be sourced, in place of check.sh. Cases whose GPU, cuBLAS, OpenBLAS,
# PyTorch or CuPy is missing are skipped; with MYBLAS_TEST_REQUIRE_GPU=1 a missing GPU is a failure.

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
library=$here/../../lib/myblas
unset MYBLAS_BACKEND

. "$here/check.sh"

has_gpu=1
if ! nvidia-smi -L >/dev/null 2>&1; then
    has_gpu=0
    [ "${MYBLAS_TEST_REQUIRE_GPU:-0}" != 1 ] || fail "there is no GPU"
fi

passed=0 failed=0 skipped=0
# gpu_case WHAT COMMAND...: runs a case. The command calls fail() for each error; status 77: it is
# skipped.
gpu_case() {
    local what=$1 before=$failures status=77
    shift
    if [ $has_gpu = 1 ]; then
        "$@"
        status=$?
    fi
    if [ $status = 77 ]; then
        skipped=$((skipped + 1))
        echo "[  SKIPPED ] $what"
    elif [ "$failures" -gt "$before" ]; then
        failed=$((failed + 1))
        echo "[  FAILED  ] $what"
    else
        passed=$((passed + 1))
        echo "[       OK ] $what"
    fi
}

# Ends the script; counts cases like CMocka.
end_of_cases() {
    echo "[  PASSED  ] $passed test(s)."
    [ $skipped = 0 ] || echo "[  SKIPPED ] $skipped test(s)."
    [ $failed = 0 ] || echo "[  FAILED  ] $failed test(s)."
    exit $((failures > 0))
}

# Whether all libraries of the program are installed.
can_run() { [ -x "$1" ] && ! ldd "$1" 2>/dev/null | grep -q 'not found'; }

# says PATTERN [REPORT]: the report matches, and no kernel of the host backend has computed a call.
says() {
    local file=${2:-$report}
    unfolded "$file" 2>/dev/null | grep -qE "$1" ||
        fail "the report does not say '$1': $(cat "$file" 2>&1)"
    ! grep -qE 'served by: .*(reference|blocked|openblas) ' "$file" ||
        fail "the host backend took calls"
}
