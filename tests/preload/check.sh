# shellcheck shell=bash disable=SC2154 # the caller sets preload
# Runs programs under a preload library and examines its report. To be sourced. `preload` is the
# library, and may change; `failures` counts failures.

. "$(dirname "${BASH_SOURCE[0]}")/unfolded.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TMPDIR=$work # of what processes leave that are killed
report=$work/report
failures=0
fail() {
    echo "$*"
    failures=$((failures + 1))
}

# under [NAME=VALUE]... COMMAND...: runs it with the preload and a new report; output in $work/out
# and err.
under() {
    rm -f "$report"
    env MYBLAS_REPORT="$report" LD_PRELOAD="$preload" "$@" >"$work/out" 2>"$work/err"
}

# check WHAT EXPECTED_REPORT [NAME=VALUE]... COMMAND...: the command succeeds and prints nothing,
# and the report matches the pattern ("none": it has seen no call, or does not exist).
check() {
    local what=$1 expected=$2
    shift 2
    under "$@" || fail "$what: status $?"
    [ ! -s "$work/out" ] && [ ! -s "$work/err" ] || fail "$what: $(cat "$work/out" "$work/err")"
    if [ "$expected" = none ]; then
        [ ! -e "$report" ] || ! unfolded "$report" | grep -vE ': loaded, 0 calls seen(;|$)' ||
            fail "$what: there should be no call in the report: $(cat "$report")"
    elif ! unfolded "$report" 2>/dev/null | grep -qE "$expected"; then
        fail "$what: the report does not say '$expected': $(cat "$report" 2>&1)"
    fi
}
