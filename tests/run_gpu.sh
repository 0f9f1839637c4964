#!/usr/bin/env bash
# run_gpu.sh [BUILD_DIR]: runs every test that has GPU cases, without CMake, from a finished build
# tree, which may have been copied to another machine. The build tree has a copy of this script in
# its tests/. Ends with a line that counts the cases. Fails without a GPU.
# TEST_JOBS=4 runs four programs at a time; those with the most cases are then cut into three parts.
# TEST_PREFIX="compute-sanitizer ..." runs each under a tool; MYBLAS_TEST_REDUCED=1 then leaves out
# large cases and most others. Tests that fill the GPU's memory or look at how much is free run last
# and one by one: test_large, test_growth, test_cuda_graph, and scripts, which run other programs,
# and not under a tool.
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

# run NAME ENVIRONMENT: prints the program's output, and adds it to the report in ctest's form.
run() {
    local name=$1 environment=$2 status=fail begin=$SECONDS output
    [ "$name" != test_large ] || [ "${MYBLAS_TEST_REDUCED:-0}" = 0 ] || return 0
    output=$(mktemp -p "$scratch")
    # shellcheck disable=SC2086 # both are lists of words
    env ${environment//;/ } ${TEST_PREFIX:-} "$tests/$name" </dev/null >"$output" 2>&1 && status=run
    (
        flock 9
        echo "== $name, $((SECONDS - begin)) s"
        cat "$output"
        {
            echo "<testcase name=\"$name\" status=\"$status\">"
            cat "$output"
            echo "</testcase>"
        } >>"$scratch/report"
    ) 9>"$scratch/lock"
}
export -f run
export scratch tests

# A name and an environment, which may be empty, in each line.
run_all() {
    # shellcheck disable=SC2016 # run takes them apart
    xargs -P "$1" -r -d '\n' -n 1 bash -c 'run "${1%% *}" "${1#* }"' run
}

alone='^test_large \|^test_growth \|^test_cuda_graph '
parts=1
[ "${TEST_JOBS:-1}" -eq 1 ] || parts=3
awk -v parts="$parts" '
    parts > 1 && /^test_(sgemm|fused) / {
        for (i = 0; i < parts; ++i)
            print $1, "MYBLAS_TEST_SHARD=" i "/" parts ";" $2
        next
    }
    { print }' "$tests/gpu_tests.txt" |
    grep -v "\.sh \|$alone" | run_all "${TEST_JOBS:-1}"
grep "$alone" "$tests/gpu_tests.txt" | run_all 1
[ -n "${TEST_PREFIX:-}" ] || grep '\.sh ' "$tests/gpu_tests.txt" | run_all 1
awk -f "$tests/tally.awk" "$scratch/report"
