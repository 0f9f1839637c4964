#!/usr/bin/env bash
# exchange.sh PRELOAD LIBMYBLAS INCLUDE SAMPLE LEVEL3: two GPUs share the upload of an operand, and
# copy its parts from each other. Results are right also if a copy fails, whichever it is, if the
# GPU is lost that is copied from, and if no NVLink connects the GPUs.
set -u

preload=$1
library=$2
include=$3
sample=$4
level3=$5

. "$(dirname "${BASH_SOURCE[0]}")/check.sh"
. "$(dirname "${BASH_SOURCE[0]}")/standins.sh"

log=$work/log
standin=(MYBLAS_BACKEND=auto MYBLAS_OFFLOAD=always MYBLAS_DEVICE_MEMORY=1G OPENBLAS_NUM_THREADS=1
    STANDIN_GPUS=2 STANDIN_LOG="$log" LD_LIBRARY_PATH="$driver")

# copies WHAT PATTERN_OF_THEIR_NUMBER EXPECTED_REPORT [NAME=VALUE]... COMMAND...
copies() {
    local what=$1 number=$2 expected=$3
    shift 3
    rm -f "$log"
    check "$what" "$expected" "${standin[@]}" "$@"
    sed -n 's/^copies //p' "$log" | grep -qxE "$number" || fail "$what: $(cat "$log")"
}

some='[1-9][0-9]*'
copies "products" "$some" '^sgemm +large +11 +[0-9.]+ +0 ' "$sample" products
copies "level 3" "$some" '80 calls seen, 80 served ' "$level3"
copies "level 3 in fast mode" "$some" '80 calls seen, 80 served ' MYBLAS_MATH=fast "$level3"
copies "no NVLink" 0 '^sgemm +large +11 +[0-9.]+ +0 ' STANDIN_PEERS=0 "$sample" products
# A GPU whose copy fails, and those that wait for it, leave the rest to the host.
for copy in 1 2 5 12; do
    copies "products, copy $copy fails" "$some" '^sgemm +large +1[01] ' \
        STANDIN_FAILING_COPY=$copy "$sample" products
    copies "level 3, copy $copy fails" "$some" '80 calls seen, (79|80) served' \
        STANDIN_FAILING_COPY=$copy "$level3"
done
copies "level 3 in fast mode, a copy fails" "$some" '80 calls seen, (79|80) served' \
    STANDIN_FAILING_COPY=1 MYBLAS_MATH=fast "$level3"
copies "products, a GPU is lost" "$some" '^sgemm +large +1[01] ' STANDIN_LOSING_COPY=5 \
    "$sample" products
copies "level 3 in fast mode, a GPU is lost" "$some" '80 calls seen, (79|80) served' \
    STANDIN_LOSING_COPY=3 MYBLAS_MATH=fast "$level3"
copies "level 3, a GPU is lost" "$some" '80 calls seen, (79|80) served' STANDIN_LOSING_COPY=2 \
    "$level3"

exit $((failures > 0))
