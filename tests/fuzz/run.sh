#!/usr/bin/env bash
# run.sh BUILD [option]...: an hour of random calls with a new seed, in a process for each
# processor. Options of test_fuzz replace these. Appends a line of JSON to BUILD/tests/fuzz.jsonl.
set -euo pipefail

usage="usage: tests/fuzz/run.sh BUILD [option of test_fuzz]..."
if [ "${1:-}" = --help ]; then
    echo "$usage"
    exit
fi
if [ $# -eq 0 ] || [ ! -x "$1/tests/test_fuzz" ]; then
    echo "$usage" >&2
    echo "run.sh: there is no ${1:-BUILD}/tests/test_fuzz" >&2
    exit 2
fi
tests=$(cd "$1/tests" && pwd)
shift
folder=$(dirname "${BASH_SOURCE[0]}")
commit=$(git -C "$folder" rev-parse --short=12 HEAD 2>/dev/null || echo unknown)
machine=$(nvidia-smi --query-gpu=name --format=csv,noheader -i 0 2>/dev/null) || machine=$(uname -m)
exec "$tests/test_fuzz" --seconds 3600 -j "$(nproc)" --seed "$(date +%s)" --commit "$commit" \
    --machine "$machine" --json "$tests/fuzz.jsonl" "$@"
