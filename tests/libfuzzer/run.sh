#!/usr/bin/env bash
# run.sh BUILD SECONDS [TARGET]...: runs the corpora of the libFuzzer targets (all, unless some are
# named), then draws inputs for SECONDS, as many targets at once as there are processors. BUILD is
# a build tree with MYBLAS_SANITIZE. An input that fails is left in BUILD/tests/libfuzzer.
set -euo pipefail

usage="usage: tests/libfuzzer/run.sh BUILD SECONDS [TARGET]..."
corpora=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/corpus
if [ "${1:-}" = --help ]; then
    echo "$usage"
    exit
fi
if [ $# -lt 2 ] || [ ! -d "$1/tests/libfuzzer" ]; then
    echo "$usage" >&2
    echo "run.sh: ${1:-BUILD} is no build tree with libFuzzer targets" >&2
    exit 2
fi
programs=$(cd "$1/tests/libfuzzer" && pwd)
seconds=$2
shift 2
[ $# -gt 0 ] || mapfile -t all < <(basename --multiple "$corpora"/*)
[ $# -gt 0 ] || set -- "${all[@]}"

run_target() { # PROGRAMS CORPORA SECONDS TARGET
    local drawn log result=0
    drawn=$(mktemp -d)
    log=$(mktemp)
    mkdir "$drawn/inputs" "$drawn/temporary"
    # The results' reader prints tables: file descriptor 1 is closed.
    TMPDIR=$drawn/temporary "$1/$4" -max_total_time="$3" -max_len=4096 -timeout=20 \
        -rss_limit_mb=1024 -close_fd_mask=1 -print_final_stats=1 -artifact_prefix="$1/$4-" \
        "$drawn/inputs" "$2/$4" >"$log" 2>&1 || result=$?
    if [ "$result" = 0 ]; then
        echo "$4: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") inputs"
    else
        tail -n 60 "$log"
        echo "$4: failed; to repeat: $1/$4 INPUT, the file named above"
    fi
    rm -rf "$drawn" "$log"
    return "$result"
}
export -f run_target
printf '%s\0' "$@" |
    xargs -0 -P "$(nproc)" -I TARGET bash -c 'run_target "$@"' _ "$programs" "$corpora" \
        "$seconds" TARGET
