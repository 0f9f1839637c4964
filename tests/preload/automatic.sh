#!/usr/bin/env bash
# automatic.sh PRELOAD LIBMYBLAS INCLUDE PROGRAM: the default mode, MYBLAS_OFFLOAD=auto, with
# stand-ins for the driver and libmyblas (standins.sh). The GPU is started when the host was busy
# for long enough, and timed; then the model decides (test cost_model). Which side it expects to be
# faster depends on the machine and its load.
set -u

preload=$1
library=$2
include=$3
program=$4

. "$(dirname "${BASH_SOURCE[0]}")/check.sh"
. "$(dirname "${BASH_SOURCE[0]}")/standins.sh"

automatic() {
    check "$1" "$2" MYBLAS_BACKEND=auto MYBLAS_OFFLOAD=auto OPENBLAS_NUM_THREADS=1 \
        LD_LIBRARY_PATH="$driver" "${@:3}" "$program"
}

for gpus in 1 2; do
    automatic "$gpus GPUs" '^sgemm +medium .*forwarded: .*the GPU is not worth starting yet' \
        STANDIN_GPUS=$gpus
    unfolded "$report" |
        grep -qE '^sgemm +thin +(1 |0 .*forwarded: the host is expected to be faster)' ||
        fail "$gpus GPUs: the model does not decide: $(cat "$report")"
done
# What another thread multiplies while the GPU or the host is timed goes to the host.
cc -shared -fPIC -pthread "$source/busy_timing.c" -o "$work/busy_timing.so" || exit 1
automatic "another thread" 'another thread was timing the GPU' \
    LD_PRELOAD="$preload:$work/busy_timing.so"
unfolded "$report" | grep -q 'another thread was timing the host' &&
    ! unfolded "$report" | grep -q 'could not be timed' ||
    fail "another thread: $(cat "$report")"
automatic "a product fails" '^sgemm +thin +0 .*forwarded: the GPU could not be timed' \
    STANDIN_FAILS=1
automatic "no GPU" '^sgemm +thin +0 .*forwarded: there is no GPU' STANDIN_GPUS=0
# A child that is forked while another thread starts the GPU does not wait for that thread.
check "a fork while the GPU starts" '.*' MYBLAS_BACKEND=auto MYBLAS_OFFLOAD=always \
    OPENBLAS_NUM_THREADS=1 LD_LIBRARY_PATH="$driver" STANDIN_HOLD="$work/hold" "$program" fork
unfolded "$report" | grep -q 'forwarded: the process forked while or after a device was used' ||
    fail "a fork while the GPU starts: $(cat "$report")"
# Nor for one that computes.
check "forks beside products" ' served' MYBLAS_BACKEND=host MYBLAS_OFFLOAD=always \
    OPENBLAS_NUM_THREADS=1 "$program" forks
exit $((failures > 0))
