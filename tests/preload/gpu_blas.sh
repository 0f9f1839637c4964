#!/usr/bin/env bash
# gpu_blas.sh: programs that call a BLAS, under the preload library and with a GPU: their results,
# the report of their calls, and errors. gpu_cases.sh says what it needs.
# shellcheck disable=SC2034,SC2154 # what scripts that are sourced use and set
set -u

. "$(dirname "${BASH_SOURCE[0]}")/gpu_cases.sh"
preload=$library/libmyblas-blas-preload.so
sample=$here/../test_blas_sample
grown=$here/../test_grown

# sample_under EXPECTED_REPORT [NAME=VALUE]... COMMAND
sample_under() {
    can_run "$sample" || return 77
    local expected=$1 status
    shift
    under "${@:1:$#-1}" "$sample" "${!#}"
    status=$?
    [ "$status" != 77 ] || return 77
    [ "$status" = 0 ] || fail "status $status: $(cat "$work/err")"
    [ ! -s "$work/out" ] && [ ! -s "$work/err" ] || fail "it prints: $(cat "$work/out" "$work/err")"
    says "$expected"
}

# Every entry point at sizes up to 257, computed on the GPU.
grown_on_gpu() {
    can_run "$grown" || return 77
    under OPENBLAS_NUM_THREADS=1 MYBLAS_OFFLOAD=always "$@" "$grown" ||
        fail "status $?: $(tail -n 5 "$work/err")"
    for routine in sgemm sgemv sasum sdot saxpy scopy somatcopy simatcopy; do
        says "^$routine .*served by: "
    done
}

gpu_case "all routines" grown_on_gpu
gpu_case "all routines, out of core" grown_on_gpu MYBLAS_DEVICE_MEMORY=300K
gpu_case "large products" sample_under '^sgemm +large .*served by: ' MYBLAS_OFFLOAD=always products
gpu_case "the same, out of core" sample_under '^sgemm +large .*served by: ' MYBLAS_OFFLOAD=always \
    MYBLAS_DEVICE_MEMORY=20M products
gpu_case "the same, fast" sample_under '^sgemm +large .*served by: ' MYBLAS_OFFLOAD=always \
    MYBLAS_MATH=emulated products
# With a fast BLAS, these do not start a GPU.
gpu_case "large products, if that is sooner" \
    sample_under '^sgemm +large .*(served by: |forwarded: .*the GPU is not worth starting yet)' \
    products
gpu_case "two threads" sample_under '^sgemm +large ' MYBLAS_OFFLOAD=always threads
gpu_case "a fork after use of a BLAS" sample_under '^sgemm +large +2 ' MYBLAS_OFFLOAD=always fork
gpu_case "the GPU's memory is full for a BLAS" sample_under \
    "forwarded: (the GPU's memory is full|no GPU can be used|no streams or pinned memory)" full
gpu_case "it is filled after use" \
    sample_under '^sgemm +large .*forwarded: the GPU failed, or its memory is full' \
    MYBLAS_OFFLOAD=always filled
gpu_case "no GPU is visible to a BLAS" sample_under 'forwarded: there is no GPU' \
    CUDA_VISIBLE_DEVICES= huge

end_of_cases
