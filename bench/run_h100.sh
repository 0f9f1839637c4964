#!/bin/sh
# Measures what bench/results holds, each part in a process and a file of its own.
#   bench/run_h100.sh BUILD_DIR OUTPUT_DIR [PART...]
# Without a part: all of them. A part is named as its file: sgemm_batched writes sgemm_batched.json.
# MYBLAS_COMMIT names the commit where the build could not know it. Exit status 1: a result was wrong.
set -eu

parts="ladder_sgemm ladder_transpose ladder_sum
    sgemm_strict_public sgemm_strict_misaligned sgemm_strict_random sgemm_batched
    sgemm_emulated_public sgemm_fast_public sgemm_accuracy
    transpose transpose_cold transpose_random sum sum_cold gemsum
    histogram enqueue"

# The options of a part that times calls. Thresholds are the project's targets; a fixed seed lets two commits
# be compared on the same random shapes.
options_of() {
    transposes="-f transpose --sweep public,misaligned,elements,in-place --threshold 0.97 --min-time 0.02"
    sums="-f sum,asum --sweep powers --min-time 0.02"
    case $1 in
    ladder_sgemm | ladder_transpose | ladder_sum) echo "-f ${1#ladder_} --sweep ladder" ;;
    sgemm_strict_public) echo "-f sgemm --sweep public --threshold 0.98 --min-time 0.02" ;;
    sgemm_strict_misaligned) echo "-f sgemm --sweep misaligned --threshold 0.95 --min-time 0.02" ;;
    sgemm_strict_random) echo "-f sgemm --sweep random --threshold 0.9 --min-time 0.02 --seed 1" ;;
    sgemm_emulated_public) echo "-f sgemm --math emulated --sweep public --threshold 0.98 --min-time 0.02" ;;
    sgemm_fast_public) echo "-f sgemm --math fast --sweep public --threshold 0.98 --min-time 0.02" ;;
    sgemm_batched) echo "-f sgemm --sweep batched --min-time 0.05" ;;
    transpose) echo "$transposes" ;;
    transpose_cold) echo "$transposes --cold" ;;
    transpose_random) echo "-f transpose --sweep random --threshold 0.8 --min-time 0.02 --seed 1" ;;
    sum) echo "$sums" ;;
    sum_cold) echo "$sums --cold" ;;
    gemsum) echo "-f gemsum --sweep public --threshold 0.9 --min-time 0.02" ;;
    enqueue) echo "-f sgemm,transpose,geam,sum,asum,gemsum,histogram -n 512 --timing enqueue --min-time 0.02" ;;
    histogram) echo "-f histogram --sweep public --min-time 0.02" ;;
    *)
        echo "$0: there is no part $1; there are:" "$parts" >&2
        return 2
        ;;
    esac
}

arguments_of() {
    if [ "$1" = sgemm_accuracy ]; then
        echo "accuracy --backend cuda --seed 1"
    else
        options=$(options_of "$1") && echo "--backend cuda $options --verify"
    fi
}

if [ $# -lt 2 ]; then
    echo "usage: $0 BUILD_DIR OUTPUT_DIR [PART...]" >&2
    exit 2
fi
bench=$1/bin/myblas-bench output=$2
shift 2
if [ ! -x "$bench" ]; then
    echo "$0: there is no $bench: build the target myblas-bench first" >&2
    exit 2
fi
# shellcheck disable=SC2086 # the list is to be split
[ $# -gt 0 ] || set -- $parts
for part in "$@"; do
    arguments_of "$part" >/dev/null
done
mkdir -p "$output"
# Absolute before the change of directory; recorded commands then hold no paths of this machine.
bench=$(cd "$(dirname "$bench")" && pwd)/myblas-bench
cd "$output"

status=0
for part in "$@"; do
    # shellcheck disable=SC2046 # the arguments are to be split
    "$bench" $(arguments_of "$part") --json "$part.json" || status=1
done
exit $status
