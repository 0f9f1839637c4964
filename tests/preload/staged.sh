#!/usr/bin/env bash
# staged.sh PRELOAD SAMPLE LEVEL3: products and the other operations of level 3 that are sent to the
# GPU in several panels and groups of columns: with and without memory for transposed operands, with
# operands larger than the memory, and with three devices. The host backend computes in place of
# GPUs.
set -u

preload=$1
sample=$2
level3=$3

. "$(dirname "${BASH_SOURCE[0]}")/check.sh"

all_served='^sgemm +large +11 +[0-9.]+ +0 '
check "whole operands on a device" "$all_served" MYBLAS_OFFLOAD=always "$sample" products
check "no room to transpose operands" "$all_served" MYBLAS_OFFLOAD=always \
    MYBLAS_DEVICE_MEMORY=200M "$sample" products
check "operands that pass by" "$all_served" MYBLAS_OFFLOAD=always MYBLAS_DEVICE_MEMORY=20M \
    "$sample" products
for devices in 2 3; do # which share operands
    check "$devices devices" "$all_served" MYBLAS_OFFLOAD=always MYBLAS_DEVICES=$devices \
        "$sample" products
done

for memory in 1G 8M 2M; do
    for devices in 1 3; do
        check "level 3 on $devices devices with $memory" '80 calls seen, 80 served ' \
            OPENBLAS_NUM_THREADS=1 MYBLAS_OFFLOAD=always MYBLAS_DEVICES=$devices \
            MYBLAS_DEVICE_MEMORY=$memory "$level3"
    done
done
for devices in 2 3 4; do # which share A in modes whose arithmetic is quick
    check "level 3 in fast mode on $devices devices" '80 calls seen, 80 served ' MYBLAS_MATH=fast \
        OPENBLAS_NUM_THREADS=1 MYBLAS_OFFLOAD=always MYBLAS_DEVICES=$devices \
        MYBLAS_DEVICE_MEMORY=1G "$level3"
done
check "level 3 with memory for nothing" \
    'forwarded: its operands do not fit in the memory that a call may use' \
    OPENBLAS_NUM_THREADS=1 MYBLAS_OFFLOAD=always MYBLAS_DEVICE_MEMORY=1 "$level3"
check "two threads queue" '^sgemm .* 0 +0.000 +served by: ' MYBLAS_OFFLOAD=always "$sample" threads
check "level 3 forwarded" ', 0 served, 80 forwarded' OPENBLAS_NUM_THREADS=1 "$level3"

exit $((failures > 0))
