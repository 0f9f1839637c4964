#!/usr/bin/env bash
# logical_block.sh PRELOAD: which block pilaenv_ answers, by MYBLAS_LOGICAL_BLOCK and what else
# counts. Without ScaLAPACK in the process, its own answer is 32.
set -u

preload=$1
failures=0

# answers EXPECTED VARIABLE=VALUE...: of S and D
answers() {
    local expected=$1 got
    shift
    got=$(env -u MYBLAS_LOGICAL_BLOCK -u MYBLAS_OFFLOAD -u MYBLAS_BACKEND "$@" \
        LD_PRELOAD="$preload" /usr/bin/python3 -c '
import ctypes
ask, context = ctypes.CDLL(None).pilaenv_, ctypes.c_int(0)
print(*(ask(ctypes.byref(context), precision) for precision in (b"S", b"s", b"D", b"I")))')
    if [ "$got" != "$expected" ]; then
        echo "$*: $got, not $expected"
        failures=$((failures + 1))
    fi
}

answers "96 96 32 32" MYBLAS_LOGICAL_BLOCK=96
answers "1 1 32 32" MYBLAS_LOGICAL_BLOCK=1
for wrong in 0 -1 96x many 99999999999999; do
    answers "32 32 32 32" MYBLAS_LOGICAL_BLOCK=$wrong
done
one_host=(OMPI_COMM_WORLD_LOCAL_SIZE=4 OMPI_COMM_WORLD_SIZE=4)
chosen=32
[ ! -e /dev/nvidiactl ] || chosen=2048
answers "$chosen $chosen 32 32" "${one_host[@]}"
answers "$chosen $chosen 32 32" MPI_LOCALNRANKS=2 PMI_SIZE=2
answers "$chosen $chosen 32 32" SLURM_STEP_NUM_NODES=1
answers "32 32 32 32" OMPI_COMM_WORLD_LOCAL_SIZE=4 OMPI_COMM_WORLD_SIZE=8
answers "32 32 32 32" SLURM_STEP_NUM_NODES=2
answers "32 32 32 32" "${one_host[@]}" MYBLAS_OFFLOAD=never
answers "32 32 32 32" "${one_host[@]}" MYBLAS_BACKEND=host
exit $((failures > 0))
