#!/usr/bin/env bash
# planted.sh TEST_FUZZ FOLDER: in FOLDER is a library whose plainest kernel of the routine that
# ADAPTER_PLANT names is wrong by a hundredth in one element (tests/testers/wrong_kernels.cpp). The
# fuzzer must find each of them.
set -uo pipefail

fuzz=$1
export LD_LIBRARY_PATH=$2${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} MYBLAS_BACKEND=host
failed=0

# run EXPECTED NAME FUNCTION: the status of a short run on calls of the function.
run() {
    local status=0 output
    output=$(ADAPTER_PLANT=$2 "$fuzz" --backend host --function "$3" --calls 200 --no-shrink \
        2>&1) || status=$?
    if [ "$status" -ne "$1" ]; then
        echo "$3 with a fault in ${2:-nothing}: status $status, not $1"
        tail -n 3 <<<"$output"
        failed=1
    fi
}

for name in sgemm sgemv ssyrk ssyr2k ssymm strmm strsm ssymv sger ssyr ssyr2 strmv strsv saxpy \
    scopy sscal \
    sswap srot srotm srotg srotmg sdot snrm2 ssum sasum isamax isamin; do
    function=my$name
    [ "$name" != ssum ] || function=mysum
    run 1 "${name^^}" "$function"
done
run 0 "" mysgemm
exit "$failed"
