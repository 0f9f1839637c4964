#!/usr/bin/env bash
# ranks.sh PRELOAD LIBMYBLAS INCLUDE PROGRAM: processes that MPI starts on one host take different
# GPUs, and divide the memory of GPUs that they share. Stand-ins play the driver and libmyblas for
# two GPUs (standins.sh); they use the host backend of LIBMYBLAS, whose headers are in INCLUDE.
set -u

preload=$1
library=$2
include=$3
program=$4

. "$(dirname "${BASH_SOURCE[0]}")/check.sh"
. "$(dirname "${BASH_SOURCE[0]}")/standins.sh"

log=$work/log
standin=(MYBLAS_BACKEND=auto MYBLAS_OFFLOAD=always OPENBLAS_NUM_THREADS=1 STANDIN_GPUS=2 \
    STANDIN_LOG="$log"
    LD_LIBRARY_PATH="$driver")
mib=$((1 << 20))

# takes WHAT GPUS SHARE [NAME=VALUE]...: a process with these variables takes these GPUs. Of half of
# their 16 MiB it uses one SHARE-th, and the product needs almost all of that.
takes() {
    local what=$1 gpus=$2 share=$3 memory most=$((8 * mib / $3))
    shift 3
    rm -f "$log"
    check "$what" '^sgemm +medium +2 ' "${standin[@]}" "$@" "$program"
    [ "$(sed -n 's/^GPU //p' "$log" | xargs)" = "$gpus" ] ||
        fail "$what: not the GPUs $gpus: $(cat "$log")"
    memory=$(sed -n 's/^memory //p' "$log")
    [ "$memory" -le "$most" ] && [ "$memory" -gt $((most * 3 / 4)) ] ||
        fail "$what: takes $memory bytes, not nearly $most, a share of 1/$share"
}

rank() { echo "OMPI_COMM_WORLD_LOCAL_RANK=$1 OMPI_COMM_WORLD_LOCAL_SIZE=$2"; }

takes "no rank" "0 1" 1
# shellcheck disable=SC2046 # two variables
{
    takes "one rank" "0 1" 1 $(rank 0 1)
    for i in 0 1; do
        takes "rank $i of 2" $i 1 $(rank $i 2)
    done
    for i in 0 1 2 3; do
        takes "rank $i of 4" $((i % 2)) 2 $(rank $i 4)
    done
    takes "rank 0 of 3" 0 2 $(rank 0 3)
    takes "rank 1 of 3" 1 1 $(rank 1 3)
    takes "rank 2 of 3" 0 2 $(rank 2 3)
    takes "no more than one GPU" 0 1 $(rank 0 1) MYBLAS_DEVICES=1
    takes "no more than one GPU, of rank 1 of 2" 1 1 $(rank 1 2) MYBLAS_DEVICES=1
    takes "memory as its user said" 0 4 $(rank 0 2) MYBLAS_DEVICE_MEMORY=2M
    takes "a card of its own" 0 1 $(rank 0 1) STANDIN_GPUS=1
}
takes "Slurm" 1 1 SLURM_LOCALID=1 SLURM_STEP_TASKS_PER_NODE=2
takes "torchrun" 1 1 RANK=3 WORLD_SIZE=4 LOCAL_RANK=1 LOCAL_WORLD_SIZE=2
takes "torchrun, more workers than GPUs" 0 2 RANK=2 WORLD_SIZE=4 LOCAL_RANK=2 LOCAL_WORLD_SIZE=4
takes "a worker that sees its own GPU first" 0 1 MYBLAS_DEVICES=1

# With the launchers that this machine has.
. "$source/open_mpi.sh"
for launcher in "mpirun.openmpi --oversubscribe" mpirun.mpich "python3 $source/as_torchrun.py"; do
    # shellcheck disable=SC2086 # a command and its option
    if command -v ${launcher% *} >/dev/null; then
        rm -f "$log"
        env "${standin[@]}" LD_PRELOAD="$preload" $launcher -n 4 "$program" ||
            fail "$launcher: status $?"
        [ "$(sed -n 's/^GPU //p' "$log" | sort | xargs)" = "0 0 1 1" ] ||
            fail "$launcher: $(cat "$log")"
        awk -v most=$((4 * mib)) '
            /^memory/ && $2 > most / 2 { ++count; if ($2 > most) exit 1 }
            END { exit count != 4 }' \
            "$log" || fail "$launcher: not a quarter of the memory: $(cat "$log")"
    fi
done

exit $((failures > 0))
