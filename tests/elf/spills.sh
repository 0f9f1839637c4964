#!/usr/bin/env bash
# spills.sh LAUNCHER NVCC: the build fails if a kernel spills registers or indexes an array in local
# memory, and otherwise does not. Each case is a small kernel.
set -u

launcher=$1
nvcc=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0

compile() { # FILE
    "$launcher" "$nvcc" -gencode=arch=compute_90a,code=sm_90a -Xptxas=-v -c "$folder/$1" \
        -o "$folder/object.o" \
        >"$folder/output" 2>&1
}

must_fail() { # FILE WHAT
    if compile "$1" || ! grep -q "$2" "$folder/output"; then
        echo "$1 compiles, or fails without: $2"
        cat "$folder/output"
        failures=$((failures + 1))
    fi
}

must_pass() { # FILE
    if ! compile "$1" || [ -s "$folder/output" ]; then
        echo "$1 fails, or the compiler says something:"
        cat "$folder/output"
        failures=$((failures + 1))
    fi
}

cat >"$folder/plain.cu" <<'CODE'
__global__ void kernel(float* x) { x[threadIdx.x] *= 2; }
CODE

# 1024 threads have 64 registers each, and 128 values are alive at the barrier.
cat >"$folder/spilling.cu" <<'CODE'
__global__ void __launch_bounds__(1024) kernel(float* x) {
    float value[128];
#pragma unroll
    for (int i = 0; i < 128; ++i)
        value[i] = x[i * 1024 + threadIdx.x];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 128; ++i)
        x[i * 1024 + threadIdx.x + 1] = value[i] * value[127 - i];
}
CODE

cat >"$folder/indexing.cu" <<'CODE'
__global__ void kernel(float* x, const int* order, int n) {
    float value[64];
    for (int i = 0; i < n; ++i)
        value[order[i]] = x[i];
    for (int i = 0; i < 64; ++i)
        x[i] = value[i];
}
CODE

echo 'no code' >"$folder/wrong.cu"

# A tolerated file, on an architecture where it is not tolerated.
{
    echo 'namespace {'
    cat "$folder/spilling.cu"
    echo '}'
    echo 'void launch(float* x) { kernel<<<1, 1024>>>(x); }'
} >"$folder/double_buffered.cu"

must_pass plain.cu
must_fail spilling.cu 'kernel.* on sm_90a uses local memory'
must_fail indexing.cu 'kernel.* on sm_90a uses local memory'
must_fail double_buffered.cu 'double_buffered_cu_.* on sm_90a uses local memory'
must_fail wrong.cu 'error'

exit $((failures > 0))
