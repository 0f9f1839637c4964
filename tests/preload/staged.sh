#!/usr/bin/env bash
# staged.sh PRELOAD SAMPLE: products that are staged in several panels and groups of columns, with and without
# room to transpose operands, out of core, and to three devices, with the host backend in the place of GPUs.
set -u

preload=$1
sample=$2

. "$(dirname "${BASH_SOURCE[0]}")/check.sh"

all_served='^sgemm +large +11 +[0-9.]+ +0 '
check "whole operands on a device" "$all_served" MYBLAS_OFFLOAD=always "$sample" products
check "no room to transpose operands" "$all_served" MYBLAS_OFFLOAD=always MYBLAS_DEVICE_MEMORY=200M "$sample" products
check "operands that pass by" "$all_served" MYBLAS_OFFLOAD=always MYBLAS_DEVICE_MEMORY=20M "$sample" products
check "three devices" "$all_served" MYBLAS_OFFLOAD=always MYBLAS_DEVICES=3 "$sample" products

exit $((failures > 0))
