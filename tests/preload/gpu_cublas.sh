#!/usr/bin/env bash
# gpu_cublas.sh: programs that call cuBLAS on a GPU, under the preload library: their results, the
# report of their calls, and errors. gpu_cases.sh says what it needs.
# shellcheck disable=SC2034,SC2154 # what scripts that are sourced use and set
set -u

. "$(dirname "${BASH_SOURCE[0]}")/gpu_cases.sh"
preload=$library/libmyblas-cublas-preload.so
host=$here/../test_host
sample=$here/../test_cublas_sample
python=${PYTHON:-python3}

# ---- Programs: plain, served, and forwarded ------------------------------------------------------

# three_runs NAME COMMAND...: runs the command, which gets a file for its results, three times:
# without the preload library, with it, and with it and MYBLAS_OFFLOAD=never. Status 77: something
# that the command needs is missing.
three_runs() {
    local name=$work/$1 status
    shift
    "$@" "$name.plain" >"$name.plain.out" 2>&1 &
    local plain=$!
    MYBLAS_REPORT=$name.served.report LD_PRELOAD=$preload "$@" "$name.served" >"$name.served.out" \
        2>&1 &
    local served=$!
    MYBLAS_OFFLOAD=never MYBLAS_REPORT=$name.forwarded.report LD_PRELOAD=$preload \
        "$@" "$name.forwarded" >"$name.forwarded.out" 2>&1
    local forwarded=$?
    wait "$plain"
    status=$?
    [ "$status" != 77 ] || return 77
    [ "$status" = 0 ] || fail "it fails by itself: status $status: $(tail -n 5 "$name.plain.out")"
    [ "$forwarded" = 0 ] || fail "forwarded: status $forwarded: $(tail -n 5 "$name.forwarded.out")"
    wait "$served"
    status=$?
    [ "$status" = 0 ] || fail "served: status $status: $(tail -n 5 "$name.served.out")"
    cmp "$name.plain" "$name.forwarded" >&2 || fail "forwarded calls give other bits"
}

# served_by_us NAME ROUTINE...: in the report of the served run, calls of each routine were served.
served_by_us() {
    local name=$work/$1 routine
    shift
    for routine in "$@"; do
        says "^$routine +[a-z]+ +[1-9][0-9]* .*served by: " "$name.served.report"
        says "^$routine +[a-z]+ +0 .*forwarded: .*MYBLAS_OFFLOAD=never" "$name.forwarded.report"
    done
}

run_sample() {
    can_run "$sample" || return 77
    three_runs sample "$sample" all || return 77
    served_by_us sample Sgemm SgemmStridedBatched SgemmBatched GemmEx GemmStridedBatchedEx Sgemv \
        Sgeam \
        Sasum Sdot Saxpy Scopy
}

run_python() {
    three_runs "$1" "$python" "$here/gpu_python.py" "$1" || return 77
    tail -n 1 "$work/$1.served.out"
    served_by_us "$@"
}

# Half precision is left to cublasLt.
run_pytorch() {
    run_python pytorch Sgemm SgemmStridedBatched Sgemv Sdot LtMatmul Strsm || return 77
    says '^LtMatmul .*forwarded: not all operands are of floats' "$work/pytorch.served.report"
}

# sample_under WHAT EXPECTED_REPORT [NAME=VALUE]... COMMAND: the sample succeeds, and the report
# matches.
sample_under() {
    can_run "$sample" || return 77
    local expected=$1 status
    shift
    under "${@:1:$#-1}" "$sample" "${!#}" "$work/results"
    status=$?
    [ "$status" != 77 ] || return 77
    [ "$status" = 0 ] || fail "status $status: $(cat "$work/err")"
    says "$expected"
}

tf32_is_cublas() {
    sample_under 'Sgemm .* forwarded: the math mode allows TF32' tf32 || return 77
    mv "$work/results" "$work/preloaded"
    "$sample" tf32 "$work/results" || fail "it fails by itself"
    cmp "$work/results" "$work/preloaded" || fail "TF32 gives other bits"
}

reloaded() {
    can_run "$sample" || return 77
    under "$host" "$here/cublas_sample.so" local sample reload sample ||
        fail "status $?: $(cat "$work/err")"
    says '^Sgemm +medium +12 .*served by: '
}

# A toy calls itself cuBLAS 11.
wrong_major() {
    LD_LIBRARY_PATH=$here/toy11${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} \
        check "cuBLAS 11" 'cuBLAS is neither 12 nor 13 \(1\)' "$host" "$here/client11.so" local \
        forwarded
}

# Without a GPU the program says so, as without the preload library.
no_gpu() {
    can_run "$sample" || return 77
    under CUDA_VISIBLE_DEVICES= "$sample" all
    [ $? = 77 ] || fail "without a GPU: $(cat "$work/out" "$work/err")"
}

gpu_case "a C program" run_sample
gpu_case "PyTorch" run_pytorch
gpu_case "CuPy" run_python cupy GemmEx GemmStridedBatchedEx
gpu_case "TF32 is left to cuBLAS" tf32_is_cublas
gpu_case "TF32 served on demand" sample_under '^Sgemm +medium +1 ' MYBLAS_CUBLAS_TF32=serve tf32
for math in emulated fast; do
    gpu_case "math mode $math" sample_under '^Sgemm .*served by: ' MYBLAS_MATH=$math products
done
# Every name by which the program asks for emulation selects the mode `emulated`.
emulation_is_served() {
    local routine
    sample_under '^Sgemm ' emulated || return 77
    for routine in Sgemm GemmEx LtMatmul; do
        says "^$routine .*served by: (fp16x3|bf16x6)/[^ ]+ \\(1\\)$"
    done
}
gpu_case "emulation that the program asks for" emulation_is_served
gpu_case "emulation that a variable asks for" sample_under \
    'served by: (fp16x3|bf16x6)/[^ ]+ \(1\)$' CUBLAS_EMULATE_SINGLE_PRECISION=1 large
gpu_case "emulation that MYBLAS_MATH overrides" sample_under \
    '^Sgemm .*served by: [a-z_]+/[^ ]+ \(1\)$' MYBLAS_MATH=strict \
    CUBLAS_EMULATE_SINGLE_PRECISION=1 large
gpu_case "room for limbs" sample_under 'served by: fp16x3/[0-9]+x[0-9]+ \(1\)$' MYBLAS_MATH=fast \
    large
gpu_case "room that is not granted" sample_under 'served by: (fp16x3|tf32x3)/[0-9]+x[0-9]+ \(1\)$' \
    MYBLAS_MATH=fast \
    MYBLAS_CUBLAS_WORKSPACE=8M large
for math in strict fast; do
    gpu_case "a graph that outlives its handle, $math" sample_under \
        '^Sgemm +large +1 .*served by: ' MYBLAS_MATH=$math captured
done
gpu_case "the GPU's memory is full" sample_under '^Sgemm ' full
gpu_case "a fork after use" sample_under '^Sgemm +medium +2 ' fork
gpu_case "a library that is unloaded and loaded again" reloaded
gpu_case "another major version of cuBLAS" wrong_major
gpu_case "no GPU is visible" no_gpu
gpu_case "a math mode that makes no sense" sample_under 'MYBLAS_MATH is not strict' \
    MYBLAS_MATH=magic products
gpu_case "a kernel that there is none of" sample_under 'MYBLAS_SGEMM_KERNEL names no kernel' \
    MYBLAS_SGEMM_KERNEL=magic products
gpu_case "a switch that makes no sense" sample_under 'MYBLAS_OFFLOAD makes no sense' \
    MYBLAS_OFFLOAD=perhaps products

end_of_cases
