#!/usr/bin/env bash
# cublas_interposition.sh PRELOAD HOST CLIENT_DIR CC LINKED [DRIVERS]: which calls reach the cuBLAS
# preload library, and which of them it serves and forwards, with a toy in place of cuBLAS.
# CLIENT_DIR has client<major>.so, linked to toy<major>/libcublas.so.<major>. LINKED is a program
# linked to version 13. The folders of DRIVERS have drivers that cannot be used.
set -u

preload=$1
host=$2
dir=$3
cc=$4
linked=$5
drivers=${6:-}
source=$(dirname "${BASH_SOURCE[0]}")

. "$source/check.sh"

count='^Sgemm +tiny +%s +[0-9.]+ +%s '
# shellcheck disable=SC2059 # the format is a pattern
served() { printf "$count" "$1" 0; }
# shellcheck disable=SC2059 # the same
forwarded() { printf "$count" 0 "$1"; }

# ---- Which of several definitions is taken: facts of the loader that the library rests on --------

# build NODE LINES: node.so with a version script
build() {
    printf '%s\n' "$2" >"$work/node.map"
    "$cc" -shared -fPIC "$source/node.c" -o "$work/$1.so" -Wl,--version-script="$work/node.map" ||
        exit 1
}
"$cc" -shared -fPIC "$source/node.c" -o "$work/unversioned.so" || exit 1
build anonymous '{ global: cublasSgemm_v2; local: *; };'
build exact 'libcublas.so.13 { global: cublasSgemm_v2; local: *; };'
build own 'MYBLAS_1 { global: cublasSgemm_v2; local: *; };'
own_preload=$preload
for node in unversioned anonymous exact; do
    preload=$work/$node.so
    check "a definition with $node node stands in" none "$host" "$dir/client13.so" local interposed
done
preload=$work/own.so
check "a definition with a node of its own is ignored" none "$host" "$dir/client13.so" local \
    forwarded
preload=$own_preload

# ---- Whose calls ---------------------------------------------------------------------------------

for major in 12 13; do
    client=$dir/client$major.so
    for scope in local global; do
        check "cuBLAS $major, $scope" "$(served 2)" "$host" "$client" $scope served served
    done
    check "cuBLAS $major: all routines" '^Scopy +tiny +2 +[0-9.]+ +0 ' "$host" "$client" local all
    for routine in Sgemm SgemmStridedBatched SgemmBatched GemmEx GemmStridedBatchedEx Sgeam Sasum \
        Sdot Saxpy; do
        grep -qE "^$routine +tiny +2 +[0-9.]+ +0 " "$report" ||
            fail "cuBLAS $major: $routine was not served twice"
    done
    grep -qE "^Sgemv +tiny +8 +[0-9.]+ +0 " "$report" || fail "cuBLAS $major: Sgemv was not served"
done
client=$dir/client13.so
check "levels 1 to 3" ': loaded, ([0-9]+) calls seen, \1 served' "$host" "$client" local levels
for routine in SgemmEx GemmBatchedEx SgemmGroupedBatched Ssyrk Ssyrkx Ssyr2k Ssymm Strmm Strsm \
    StrsmBatched \
    SgemvStridedBatched SgemvBatched Sger Ssymv Ssyr Ssyr2 Strmv Strsv Snrm2 Isamax Isamin Sscal \
    Sswap Srot Srotm \
    AsumEx DotEx Nrm2Ex AxpyEx ScalEx; do
    grep -qE "^$routine +tiny +2 +[0-9.]+ +0 " "$report" || fail "$routine was not served twice"
done
check "a program that is linked to cuBLAS" "$(served 1)" "$linked" served
check "RTLD_DEEPBIND is out of reach" none "$host" "$client" deepbind forwarded
check "other routines are not touched" none "$host" "$client" local untouched
check "two versions in one process" "$(served 2)" "$linked" served "$dir/client12.so" served
check "the same, forwarded" "$(forwarded 2)" MYBLAS_OFFLOAD=never "$linked" product \
    "$dir/client12.so" forwarded

# ---- cublasLt ------------------------------------------------------------------------------------

for major in 12 13; do
    for scope in local global; do
        check "cublasLt $major, $scope" '^LtMatmul +tiny +2 +[0-9.]+ +0 ' "$host" \
            "$dir/client_lt$major.so" $scope served served end
    done
done
lt=$dir/client_lt13.so
check "cublasLt and TF32" 'forwarded: the compute type is not FP32 \(1\)' "$host" "$lt" local \
    served tf32
check "cublasLt and TF32, served on demand" '^LtMatmul +tiny +1 ' MYBLAS_CUBLAS_TF32=serve "$host" \
    "$lt" local tf32_served
check "cublasLt and emulation" '^LtMatmul +tiny +1 +[0-9.]+ +0 ' "$host" "$lt" local emulated
check "cublasLt, switched off" 'forwarded: MYBLAS_OFFLOAD=never \(1\)' MYBLAS_OFFLOAD=never \
    "$host" "$lt" local forwarded
check "cublasLt 11" 'cuBLAS is neither 12 nor 13 \(1\)' "$host" "$dir/client_lt11.so" local \
    forwarded
check "a handle that ends and comes again" '^LtMatmul +tiny +2 ' "$host" "$lt" local served end \
    served

# ---- What is forwarded, and why ------------------------------------------------------------------

check "cuBLAS 11" 'cuBLAS is neither 12 nor 13 \(1\)' "$host" "$dir/client11.so" local forwarded
check "TF32" 'served by: .*forwarded: the math mode allows TF32' "$host" "$client" local served \
    tf32 forwarded fp32 served
check "TF32, served on demand" "$(served 1)" MYBLAS_CUBLAS_TF32=serve "$host" "$client" local tf32 \
    served
check "emulation, with every strategy and mask" "$(served 15)" "$host" "$client" local emulated
check "switched off" 'forwarded: MYBLAS_OFFLOAD=never \(1\)' MYBLAS_OFFLOAD=never "$host" \
    "$client" local forwarded
check "an empty switch" "$(served 1)" MYBLAS_OFFLOAD= "$host" "$client" local served
check "a switch that makes no sense" 'forwarded: MYBLAS_OFFLOAD makes no sense \(1\)' \
    MYBLAS_OFFLOAD=perhaps "$host" "$client" local forwarded
check "errors" 'forwarded: an argument is wrong \(1\), the handle is NULL \(1\)' "$host" "$client" \
    local errors
check "a stream and a workspace" "$(served 3)" "$host" "$client" local stream
check "handles come and go" '^Sgemm +tiny +264 .*too many cuBLAS handles \(36\)' "$host" "$client" \
    local handles
check "a fork" "$(served 1)" "$host" "$client" local served fork
check "a plugin that is unloaded and loaded again" "$(served 2)" "$host" "$client" local served \
    reload served

# A report on demand counts the calls since the last one. At the end there is another one if there
# were calls since.
check "a report at any time" ': loaded, 2 calls seen, 2 served' "$host" "$client" local served \
    served report served report
grep -c ': loaded, ' "$report" >"$work/out"
[ "$(cat "$work/out")" = 2 ] ||
    fail "two reports on demand are $(cat "$work/out"): $(cat "$report")"
unfolded "$report" | grep -qE ': loaded, 1 call seen, ' ||
    fail "the second report does not begin empty: $(cat "$report")"

# ---- Faults --------------------------------------------------------------------------------------

check "a math mode that makes no sense" \
    'forwarded: MYBLAS_MATH is not strict, emulated, fast or reproducible \(1\)' \
    MYBLAS_MATH=magic "$host" "$client" local forwarded
check "a kernel that there is none of" \
    'forwarded: MYBLAS_SGEMM_KERNEL names no kernel of the backend \(1\)' \
    MYBLAS_SGEMM_KERNEL=magic "$host" "$client" local forwarded
check "a workspace that makes no sense" 'forwarded: MYBLAS_WORKSPACE is not a number of bytes' \
    MYBLAS_WORKSPACE=much \
    "$host" "$client" local forwarded
check "a program without cuBLAS" none bash -c \
    'grep -qE "libmyblas.so|libcuda" /proc/self/maps && echo mapped; true'
mkdir "$work/alone" # the preload library looks into the folder above its own
cp "$preload" "$work/alone"
preload=$work/alone/$(basename "$preload")
check "no libmyblas" 'forwarded: libmyblas cannot be loaded \(1\)' "$host" "$client" local forwarded
preload=$own_preload
"$cc" -shared -fPIC "$source/without_cublas.c" -o "$work/without_cublas.so" || exit 1
check "no cuBLAS" "$(forwarded 1)" "$host" "$work/without_cublas.so" local refused
for driver in ${drivers:+"$drivers"/*/libcuda.so.1}; do
    preload="$own_preload $driver"
    check "$driver" 'forwarded: no GPU can be used \(1\)' "$host" "$client" local forwarded
done
preload=$own_preload

exit $((failures > 0))
