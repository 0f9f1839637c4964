#!/bin/sh
# Measures the ladder and writes ladder_sgemm.json, ladder_transpose.json and ladder_sum.json.
#   bench/run_h100.sh BUILD_DIR OUTPUT_DIR
# MYBLAS_COMMIT names the commit where the build could not know it. Exit status 1: a result was wrong.
set -eu

if [ $# -ne 2 ]; then
    echo "usage: $0 BUILD_DIR OUTPUT_DIR" >&2
    exit 2
fi
bench=$1/bin/myblas-bench
if [ ! -x "$bench" ]; then
    echo "$0: there is no $bench: build the target myblas-bench first" >&2
    exit 2
fi
mkdir -p "$2"
# Absolute before the change of directory; recorded commands then hold no paths of this machine.
bench=$(cd "$(dirname "$bench")" && pwd)/myblas-bench
cd "$2"

status=0
for routine in sgemm transpose sum; do
    "$bench" --backend cuda -f $routine --sweep ladder --verify --json ladder_$routine.json || status=1
done
exit $status
