#!/bin/sh
# Measures what bench/results holds, each part in a process and a file of its own, on the GPU here.
#   bench/run_gpu.sh [-n] [-o RESULTS] BUILD_DIR [PART...]
# Without a part: all of them. A part is named as its file: sgemm_batched writes sgemm_batched.json,
# in the folder of RESULTS (bench/results) that has the GPU's name: h200, a100. -n only says what
# would be measured, and how long it takes. MYBLAS_COMMIT names the commit where the build could not
# know it. Exit status 1: a result was wrong.
set -eu

# The parts, each with the seconds that it takes on an H100.
parts_and_seconds="ladder_sgemm=50 ladder_transpose=10 ladder_sum=10
    sgemm_strict_public=75 sgemm_strict_misaligned=25 sgemm_strict_random=55 sgemm_batched=10
    sgemm_strict_classes=240
    sgemm_emulated_public=95 sgemm_fast_public=90 sgemm_fast_random=85
    sgemm_emulated_bare=15 sgemm_fast_bare=15 sgemm_energy=20 sgemm_accuracy=50
    fused_strict=10 fused_emulated=10 fused_fast=10
    handles=5 handles_preload=5
    level3_strict=20 level3_emulated=25 level3_fast=25 level2=20 level1=15
    transpose=10 transpose_cold=10 transpose_random=75 sum=5 sum_cold=5 gemsum=5
    histogram=45 enqueue=5"

# The options of a part that times calls. Thresholds are the project's targets. The shapes of a
# random sweep follow from the commit.
options_of() {
    usual="--min-time 0.02"
    at_95="--threshold 0.95 $usual"
    at_98="--threshold 0.98 $usual"
    bare="--sweep bare --threshold 0.97 --min-time 0.05"
    transposes="-f transpose --sweep public,misaligned,elements,in-place --threshold 0.97 $usual"
    # For the largest products, three rounds take long enough.
    level3="-f syrk,syr2k,symm,trmm,trsm --sweep public,random --threshold 0.95 --min-time 0.005"
    level3="$level3 --repeats 3"
    asynchronous="-f sgemm,transpose,geam,sum,asum,gemsum,histogram"
    matrix_vector="-f gemv,ger,symv,syr,syr2,trmv,trsv"
    vectors="-f dot,nrm2,asum,iamax,iamin,axpy,scal,swap,copy,rot,rotm"
    sums="-f sum,asum --sweep powers --min-time 0.02"
    classes="--sweep general,updates,thin,narrow,deep,batches,networks --rival cublaslt:16"
    case $1 in
    ladder_sgemm | ladder_transpose | ladder_sum) echo "-f ${1#ladder_} --sweep ladder" ;;
    sgemm_strict_public) echo "-f sgemm --sweep public $at_98" ;;
    sgemm_strict_misaligned) echo "-f sgemm --sweep misaligned $at_95" ;;
    sgemm_strict_random) echo "-f sgemm --sweep random $at_95" ;;
    sgemm_strict_classes) echo "-f sgemm $classes --threshold 0.95 --min-time 0.01" ;;
    sgemm_emulated_public) echo "-f sgemm --math emulated --sweep public $at_98" ;;
    sgemm_fast_public) echo "-f sgemm --math fast --sweep public $at_98" ;;
    sgemm_fast_random) echo "-f sgemm --math fast --sweep random $at_95" ;;
    sgemm_emulated_bare) echo "-f sgemm --math emulated $bare" ;;
    sgemm_fast_bare) echo "-f sgemm --math fast $bare" ;;
    fused_*) echo "-f sgemmFused --math ${1#fused_} --sweep public $at_98" ;;
    level3_*) echo "$level3 --math ${1#level3_}" ;;
    level2) echo "$matrix_vector --sweep public,random --threshold 0.97 --min-time 0.01" ;;
    level1) echo "$vectors --sweep powers,misaligned --threshold 0.97 --min-time 0.01" ;;
    sgemm_batched) echo "-f sgemm --sweep batched --min-time 0.05" ;;
    transpose) echo "$transposes" ;;
    transpose_cold) echo "$transposes --cold" ;;
    transpose_random) echo "-f transpose --sweep random --threshold 0.8 $usual" ;;
    sum) echo "$sums" ;;
    sum_cold) echo "$sums --cold" ;;
    gemsum) echo "-f gemsum --sweep public --threshold 0.9 $usual" ;;
    enqueue) echo "$asynchronous -n 512 --timing enqueue $usual" ;;
    histogram) echo "-f histogram --sweep public $usual" ;;
    esac
}

arguments_of() {
    case $1 in
    sgemm_accuracy) echo "accuracy --backend cuda --seed 1" ;;
    sgemm_energy) echo "energy --backend cuda" ;;
    handles) echo "handles --backend cuda" ;;
    handles_preload) echo "handles --library cublas" ;; # under myblas-run
    *) echo "--backend cuda $(options_of "$1") --verify" ;;
    esac
}

seconds_of() {
    for known in $parts_and_seconds; do
        if [ "${known%=*}" = "$1" ]; then
            echo "${known#*=}"
            return
        fi
    done
    known=$(echo "$parts_and_seconds" | sed 's/=[0-9]*//g' | xargs)
    echo "$0: there is no part $1; there are: $known" >&2
    return 2
}

# The model in a GPU's name: h100 of "NVIDIA H100 80GB HBM3", a100 of "NVIDIA A100-SXM4-80GB",
# rtx4090 of "NVIDIA GeForce RTX 4090".
model_of() {
    echo "$1" | awk -F "[ -]" '{
        for (i = 1; i <= NF && model !~ /[0-9]/; ++i)
            if (tolower($i) !~ /^(nvidia|geforce|tesla|quadro)$/)
                model = model tolower($i)
        gsub(/[^a-z0-9]/, "", model)
        print model ? model : "gpu"
    }'
}

usage() {
    echo "usage: $0 [-n] [-o RESULTS] BUILD_DIR [PART...]" >&2
    exit 2
}

results=$(dirname "$0")/results only_says=
while getopts no: option; do
    case $option in
    n) only_says=1 ;;
    o) results=$OPTARG ;;
    *) usage ;;
    esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || usage
bench=$1/bin/myblas-bench
shift
if [ ! -x "$bench" ]; then
    echo "$0: there is no $bench: build the target myblas-bench first" >&2
    exit 2
fi
# shellcheck disable=SC2046,SC2086 # the list is to be split
[ $# -gt 0 ] || set -- $(for known in $parts_and_seconds; do echo "${known%=*}"; done)
total=0
for part in "$@"; do
    seconds=$(seconds_of "$part")
    total=$((total + seconds))
    [ -z "$only_says" ] || echo "$part: about $seconds s"
done
if [ -n "$only_says" ]; then
    echo "all: about $((total / 60)) min $((total % 60)) s"
    exit 0
fi

name=$("$bench" --backend cuda --device)
output=$results/$(model_of "$name")
echo "$0: $# parts on $name into $output, about $((total / 60)) min $((total % 60)) s" >&2
mkdir -p "$output"
# Made absolute before the change of directory. Recorded commands then hold no paths of this
# machine.
bench=$(cd "$(dirname "$bench")" && pwd)/myblas-bench
cd "$output"

# measure PART OPTION...
measure() {
    if [ "$1" = handles_preload ]; then
        shift
        "${bench%-bench}-run" -- "$bench" "$@"
    else
        shift
        "$bench" "$@"
    fi
}

status=0
for part in "$@"; do
    begin=$(date +%s)
    # shellcheck disable=SC2046 # the arguments are to be split
    measure "$part" $(arguments_of "$part") --json "$part.json" --force || status=1
    echo "$part: $(($(date +%s) - begin)) s" >&2
done
exit $status
