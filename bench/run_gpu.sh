#!/bin/sh
# Measures what bench/results holds, each part in a process and a file of its own, on the GPU here.
#   bench/run_gpu.sh [-n] [-r] [-g GPUS] [-t SECONDS] [-a LIBRARY] [-o RESULTS] BUILD_DIR [PART...]
# Without a part: all of them. A part is named as its file: sgemm_batched writes sgemm_batched.json,
# in the folder of RESULTS (bench/results) that has the GPU's name: h200, a100. A part that has not
# ended, or had a wrong result, is in the folder `unfinished` there.
#   -n           only says what would be measured, and how long it takes
#   -g 0,1,2,3   on these GPUs of one kind, by their numbers: each takes the next part when it is
#                free. Parts that time the host come first, alone.
#   -t SECONDS   ends the run after that time
#   -r           leaves out parts whose files are of this commit, and continues unfinished ones
#   -a LIBRARY   also measures the parts against_*: an earlier libmyblas.so.1, in turns with this
#                one. The results name it by its folder.
# MYBLAS_COMMIT names the commit where the build could not know it. Exit status 1: a result was
# wrong, or a part has not ended.
set -eu

# The parts, each with the seconds that it takes on an H100 or H200.
parts_and_seconds="ladder_sgemm=50 ladder_transpose=10 ladder_sum=10
    sgemm_strict_public=55 sgemm_strict_misaligned=25 sgemm_strict_random=75 sgemm_batched=10
    sgemm_strict_classes=170
    sgemm_emulated_public=60 sgemm_fast_public=60 sgemm_fast_random=80
    sgemm_emulated_bare=15 sgemm_fast_bare=15 sgemm_energy=20 sgemm_accuracy=50
    fused_strict=10 fused_emulated=10 fused_fast=10
    handles=5 handles_preload=5
    level3_strict=20 level3_emulated=25 level3_fast=25 level2=20 level1=15
    transpose=10 transpose_cold=10 transpose_random=75 sum=5 sum_cold=5 gemsum=5
    histogram=15 enqueue=5"
parts_of_host="handles handles_preload enqueue"
parts_against="against_strict=30 against_emulated=10 against_fast=10 against_others=25"

# The options of a part that times calls. Thresholds are the project's targets. The shapes of a
# random sweep follow from the commit.
options_of() {
    usual="--min-time 0.02"
    at_95="--threshold 0.95 $usual"
    at_98="--threshold 0.98 $usual"
    # For the largest products, three rounds take long enough.
    public="--sweep public $at_98 --repeats 3"
    bare="--sweep bare --threshold 0.97 --min-time 0.05"
    transposes="-f transpose --sweep public,misaligned,elements,in-place --threshold 0.97 $usual"
    level3="-f syrk,syr2k,symm,trmm,trsm --sweep public,random --threshold 0.95 --min-time 0.005"
    level3="$level3 --repeats 3"
    asynchronous="-f sgemm,transpose,geam,sum,asum,gemsum,histogram"
    matrix_vector="-f gemv,ger,symv,syr,syr2,trmv,trsv"
    vectors="-f dot,nrm2,asum,iamax,iamin,axpy,scal,swap,copy,rot,rotm"
    sums="-f sum,asum --sweep powers --min-time 0.02"
    classes="--sweep general,updates,thin,narrow,deep,batches,networks,tall"
    others="-f sgemmFused,syrk,syr2k,symm,trmm,trsm,gemv,ger,symv,trsv"
    others="$others,dot,asum,sum,transpose,gemsum"
    against="--against $against_library --threshold 0.97 --min-time 0.003"
    case $1 in
    ladder_sgemm | ladder_transpose | ladder_sum) echo "-f ${1#ladder_} --sweep ladder" ;;
    sgemm_strict_public) echo "-f sgemm $public" ;;
    sgemm_strict_misaligned) echo "-f sgemm --sweep misaligned $at_95" ;;
    sgemm_strict_random) echo "-f sgemm --sweep random $at_95" ;;
    sgemm_strict_classes)
        echo "-f sgemm $classes --rival cublaslt:16 --threshold 0.95 --min-time 0.01"
        ;;
    against_strict) echo "-f sgemm $classes,random --every 4 $against" ;;
    against_emulated | against_fast)
        echo "-f sgemm --math ${1#against_} --sweep general,batches,networks --every 6 $against"
        ;;
    against_others) echo "$others --sweep random --every 8 $against" ;;
    sgemm_emulated_public) echo "-f sgemm --math emulated $public" ;;
    sgemm_fast_public) echo "-f sgemm --math fast $public" ;;
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
    for known in $parts_and_seconds $parts_against; do
        if [ "${known%=*}" = "$1" ]; then
            echo "${known#*=}"
            return
        fi
    done
    known=$(echo "$parts_and_seconds $parts_against" | sed 's/=[0-9]*//g' | xargs)
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
    options="[-n] [-r] [-g GPUS] [-t SECONDS] [-a LIBRARY] [-o RESULTS]"
    echo "usage: $0 $options BUILD_DIR [PART...]" >&2
    exit 2
}

has_word() { # WORD WORDS...
    word=$1
    shift
    case " $* " in *" $word "*) return 0 ;; esac
    return 1
}

results=$(dirname "$0")/results only_says='' resumes='' gpus='' seconds=86400 against_library=''
while getopts nrg:t:a:o: option; do
    case $option in
    n) only_says=1 ;;
    r) resumes=1 ;;
    g) gpus=$(echo "$OPTARG" | tr , ' ') ;;
    t) seconds=$OPTARG ;;
    a) against_library=$(realpath "$OPTARG") ;;
    o) results=$OPTARG ;;
    *) usage ;;
    esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || usage
build=$1
shift
if [ ! -x "$build/bin/myblas-bench" ]; then
    echo "$0: there is no $build/bin/myblas-bench: build the target myblas-bench first" >&2
    exit 2
fi
# Made absolute before the change of directory. Recorded commands then hold no paths of this
# machine.
build=$(cd "$build" && pwd)
bench=$build/bin/myblas-bench
if [ $# -eq 0 ]; then
    [ -z "$against_library" ] || parts_and_seconds="$parts_and_seconds $parts_against"
    # shellcheck disable=SC2046 # the list is to be split
    set -- $(echo "$parts_and_seconds" | sed 's/=[0-9]*//g')
fi
total=0
for part in "$@"; do
    part_seconds=$(seconds_of "$part")
    case $part:$against_library in
    against_*:)
        echo "$0: $part needs -a LIBRARY" >&2
        exit 2
        ;;
    esac
    total=$((total + part_seconds))
    [ -z "$only_says" ] || echo "$part: about $part_seconds s"
done
if [ -n "$only_says" ]; then
    echo "all, on one GPU: about $((total / 60)) min $((total % 60)) s"
    exit 0
fi

end=$(($(date +%s) + seconds))
name=$("$bench" --backend cuda --device)
output=$results/$(model_of "$name")
echo "$0: $# parts on $name into $output, about $((total / 60)) min $((total % 60)) s on one" >&2
mkdir -p "$output/unfinished"
cd "$output"
work=$(mktemp -d)
trap 'rm -rf "$work"; rmdir unfinished 2>/dev/null || :' EXIT

# Whether the file is of this build's commit.
header=$build/bench/generated/build_commit.h
commit=$(sed -n 's/.*build_commit = "\(.*\)".*/\1/p' "$header" 2>/dev/null) || :
commit=${MYBLAS_COMMIT:-$commit}
is_current() { [ -n "$commit" ] && grep -q "\"commit\": \"$commit\"" "$1" 2>/dev/null; }

# measure PART GPU: an empty GPU is the default one.
measure() {
    part=$1 gpu=$2
    set -- "$bench"
    [ "$part" != handles_preload ] || set -- "$build/bin/myblas-run" -- "$@"
    [ -z "$gpu" ] || set -- env "CUDA_VISIBLE_DEVICES=$gpu" "$@"
    # Only sweeps can be continued.
    mode=--force
    if [ -n "$resumes" ] && [ -n "$(options_of "$part")" ]; then mode=--resume; fi
    # shellcheck disable=SC2046 # the arguments are to be split
    set -- "$@" $(arguments_of "$part") --json "$part.json" "$mode"
    left=$((end - $(date +%s)))
    [ "$left" -gt 0 ] || left=1 # 0: no limit
    timeout "$left" "$@"
}

# run_part PART GPU: unless another GPU has begun it.
run_part() {
    mkdir "$work/$1" 2>/dev/null || return 0
    if [ -n "$resumes" ] && is_current "$1.json"; then
        return
    fi
    begin=$(date +%s)
    if [ "$begin" -ge "$end" ]; then
        echo "$1: no time left" >&2
        : >"$work/failed"
        return
    fi
    is_current "unfinished/$1.json" || rm -f "unfinished/$1.json"
    status=0
    (cd unfinished && measure "$@" >"$work/$1.txt" 2>&1) || status=$?
    cat "$work/$1.txt"
    echo "$1: $(($(date +%s) - begin)) s${2:+ on GPU $2}, status $status" >&2
    if [ $status -eq 0 ]; then
        mv "unfinished/$1.json" .
    else
        : >"$work/failed"
    fi
}

if [ -z "$gpus" ]; then
    for part in "$@"; do run_part "$part" ""; done
else
    for part in $parts_of_host; do
        ! has_word "$part" "$@" || run_part "$part" "${gpus%% *}"
    done
    longest_first=$(for part in "$@"; do echo "$(seconds_of "$part") $part"; done | sort -rns |
        sed 's/.* //')
    for gpu in $gpus; do
        for part in $longest_first; do run_part "$part" "$gpu"; done &
    done
    wait
fi
[ ! -e "$work/failed" ]
