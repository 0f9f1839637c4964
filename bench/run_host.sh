#!/bin/sh
# Measures what bench/results/host holds: the host backend against OpenBLAS and the C library's
# copy, in about four minutes.
#   bench/run_host.sh [-o RESULTS] BUILD_DIR
# Nothing else should run meanwhile. Exit status 1: a result was wrong.
set -eu

results=$(dirname "$0")/results
while getopts o: option; do
    case $option in
    o) results=$OPTARG ;;
    *) set -- ;;
    esac
done
shift $((OPTIND - 1))
if [ $# -ne 1 ] || [ ! -x "$1/bin/myblas-bench" ]; then
    echo "usage: $0 [-o RESULTS] BUILD_DIR, in which the target myblas-bench was built" >&2
    exit 2
fi
# Made absolute before the change of directory. Recorded commands then hold no paths of this
# machine.
bench=$(cd "$1/bin" && pwd)/myblas-bench
mkdir -p "$results/host"
cd "$results/host"

# measure PART OPTION...: into PART.json
measure() {
    part=$1
    shift
    "$bench" --backend host "$@" --repeats 15 --verify --json "$part.json" --force || status=1
}

status=0
routines=sgemm,transpose,geam,axpy,copy,scal,swap,rot,sum,asum,dsum,dot,nrm2,iamax,gemsum
measure host_kernels -f "$routines" --sweep ladder --min-time 0.1
measure host_batches -f sgemm --sweep batched --kernel unpacked --min-time 0.02
export MYBLAS_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
measure host_kernels_one_thread -f "$routines" --sweep ladder --min-time 0.1
exit $status
