#!/usr/bin/env bash
# reports.sh BIN_DIR PLUGIN PLUGIN_CUBLAS HOST PRELOAD_DIR BLAS_DIR PYTHON: a report has the calls
# of all processes of a program, however they end, with and without myblas-run. PLUGIN calls the
# BLAS of BLAS_DIR, PLUGIN_CUBLAS cuBLAS, and HOST loads them.
set -u

run=$1/myblas-run
plugin=$2
plugin_cublas=$3
host=$4
blas=$5/libmyblas-blas-preload.so
cublas=$5/libmyblas-cublas-preload.so
export LD_LIBRARY_PATH=$6${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
python=$7
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

. "$here/unfolded.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export TMPDIR=$work/tmp
mkdir "$TMPDIR"
failures=0
fail() {
    echo "$*"
    failures=$((failures + 1))
}

# has WHAT COUNT PATTERN [REPORT]: COUNT lines of the report match.
has() {
    local found
    found=$(unfolded "${4:-report}" 2>&1 | grep -cE "$3")
    [ "$found" = "$2" ] || fail "$1: $found times, not $2, '$3': $(cat "${4:-report}" 2>&1)"
}
workers=("$python" "$here/workers.py" "$plugin")

# ---- Processes, however they end -----------------------------------------------------------------

# ends STATUS MODE PARTS HOW: the program makes two calls, and so does each other process, which has
# a part of the report. HOW is how most of them end; "any": a pool may end its workers before its
# signal arrives.
ends() {
    local status=$1 mode=$2 parts=$3 how=$4
    "$run" --report report -- "${workers[@]}" "$mode" >out 2>&1
    [ $? = "$status" ] || fail "$mode: not status $status: $(cat out)"
    has "$mode" "$parts" '^myblas-blas-preload: .*, 2 calls seen, 0 served, 2 forwarded$'
    [ "$how" = any ] || has "$mode" $((parts > 1 ? parts - 1 : 1)) ": $how, 2 calls seen"
    has "$mode: all" "$((parts > 1))" \
        "^myblas-run: $((2 * parts)) calls seen in all, 0 served, $((2 * parts)) forwarded$"
    has "$mode: nothing is missing" 0 'reported completely'
    has "$mode: an interface that is not used" 1 '^myblas-cublas-preload: .*, 0 calls seen$'
}
for mode in fork spawn forkserver executor; do
    ends 0 $mode 4 any
done
silently='ended by _exit or a signal'
for mode in children killed quick; do
    ends 0 $mode 4 "$silently"
done
ends 0 exec 2 'replaced by exec'
ends 3 _exit 1 "$silently"
ends 3 quick_exit 1 "$silently"
ends 130 SIGINT 1 "$silently"
ends 143 SIGTERM 1 "$silently"
ends 137 SIGKILL 1 "$silently"
[ -z "$(ls "$TMPDIR")" ] || fail "records are left: $(ls "$TMPDIR")"

# Without myblas-run, a process also reports for processes that ended before it.
by_hand() { env LD_PRELOAD="$cublas:$blas" MYBLAS_REPORT=by_hand "${workers[@]}" "$@" >out 2>&1; }
for mode in fork spawn forkserver executor children killed quick; do
    rm -f by_hand
    by_hand $mode || fail "$mode by hand: status $?: $(cat out)"
    has "$mode by hand" 4 ', 2 calls seen, 0 served, 2 forwarded$' by_hand
done
rm -f by_hand
for mode in _exit quick_exit SIGTERM; do
    by_hand $mode
done
by_hand none
has "programs by hand" 3 ": $silently, 2 calls seen" by_hand
[ -z "$(ls "$TMPDIR")" ] || fail "records are left: $(ls "$TMPDIR")"

rm -f by_hand
by_hand many || fail "many by hand: status $?: $(cat out)"
has "many by hand" 130 ": $silently, 2 calls seen" by_hand

# The program goes elsewhere, or nobody reads what it prints.
rm -f by_hand
LD_PRELOAD=$blas MYBLAS_REPORT=by_hand "$host" "$plugin" local product elsewhere product ||
    fail "elsewhere: status $?"
has "elsewhere" 1 ', 4 calls seen' by_hand
"$python" - env LD_PRELOAD="$blas:$cublas" MYBLAS_REPORT=stderr "$host" "$plugin" local \
    product <<'END' ||
import os, subprocess, sys

read, write = os.pipe()
os.close(read)
sys.exit(subprocess.run(sys.argv[1:], stderr=write).returncode != 0)
END
    fail "nobody reads the report: the program failed"

# If a process is killed while it writes its part, another one writes the part.
rm -f by_hand
LD_PRELOAD=$blas MYBLAS_REPORT=by_hand "${workers[@]}" interrupted by_hand ||
    fail "interrupted by hand: status $?"
has "interrupted by hand" 2 ', 2 calls seen, 0 served, 2 forwarded$' by_hand
"$run" --report report -- "${workers[@]}" interrupted report || fail "interrupted: status $?"
has "interrupted" 2 '^myblas-blas-preload: .*, 2 calls seen, 0 served, 2 forwarded$'
has "interrupted: all" 1 '^myblas-run: 4 calls seen in all'
has "interrupted: nothing is missing" 0 'reported completely'
[ -z "$(ls "$TMPDIR")" ] || fail "records are left: $(ls "$TMPDIR")"

# A myblas-run below another one writes nothing itself.
"$run" --report report -- "$run" --blas -- "${workers[@]}" fork ||
    fail "myblas-run below myblas-run: status $?"
has "myblas-run below myblas-run" 4 ', 2 calls seen'
has "is one run" 1 '^myblas-run: .* started with'
has "and one sum" 1 '^myblas-run: 8 calls seen in all'

# So does a log of calls: a line for each process.
"$run" --call-log calls -- "${workers[@]}" fork || fail "a log: status $?"
has "a log" 4 '"sgemm", "calls": ' calls

# ---- myblas-run between a user and the program ---------------------------------------------------

# Signals are passed on, and an ignored signal stays ignored.
for signal in TERM INT HUP USR1; do
    rm -f ready go_on
    "$run" --report report -- "${workers[@]}" wait ready 2>/dev/null &
    started=$!
    until [ -e ready ]; do sleep 0.05; done
    # In the background of a shell without job control INT is ignored.
    kill -$signal $started
    [ $signal != INT ] || touch go_on
    wait $started 2>/dev/null
    status=$?
    expected=$((128 + $(kill -l $signal)))
    [ $signal != INT ] || expected=0
    [ $status = $expected ] || fail "SIG$signal: status $status, not $expected"
    has "SIG$signal" 1 ', 2 calls seen'
done
(
    trap '' CHLD
    exec "$run" --report report -- sh -c 'exit 7'
)
[ $? = 7 ] || fail "a status is lost where SIGCHLD is ignored"
rm -f ready go_on
"$run" --report report -- "${workers[@]}" wait ready &
started=$!
until [ -e ready ]; do sleep 0.05; done
program=$(cat ready)
kill -KILL $started
wait $started 2>/dev/null
for _ in $(seq 100); do
    [ -e "/proc/$program" ] && ! grep -q '^State:.Z' "/proc/$program/status" || break
    sleep 0.05
done
[ ! -e "/proc/$program" ] || grep -q '^State:.Z' "/proc/$program/status" ||
    fail "a program outlives its myblas-run"

# ---- Processes that outlive the program ----------------------------------------------------------

rm -rf ready go_on "${TMPDIR:?}"/*
"$run" --report report -- "${workers[@]}" leave ready || fail "a late process: status $?"
has "a process that still runs" 1 ': still running, 2 calls seen'
has "is counted" 1 '^myblas-run: 2 processes started, 1 reported completely$'
late=$(cat ready)
"$run" --report report -- "${workers[@]}" none || fail "the next run: status $?"
touch go_on
while [ -e "/proc/$late" ] && ! grep -q '^State:.Z' "/proc/$late/status"; do sleep 0.05; done
has "the next run's report" 1 'process '"$late"'|2 calls seen'

# ---- Which process -------------------------------------------------------------------------------

# rank EXPECTED NAME=VALUE...
rank() {
    local expected=$1
    shift
    rm -f report
    env "$@" "$run" --report report -- "${workers[@]}" none || fail "$expected: status $?"
    has "$*" 1 "^myblas-blas-preload: .*, process [0-9]+, $expected: loaded, 2 calls"
}
rank 'rank 3' OMPI_COMM_WORLD_RANK=3 OMPI_COMM_WORLD_SIZE=4
rank 'rank 5' PMI_RANK=5 PMI_SIZE=8
rank 'rank 2' RANK=2 WORLD_SIZE=4 LOCAL_RANK=0 LOCAL_WORLD_SIZE=2 PMI_RANK=1 PMI_SIZE=2
rank 'rank 7' SLURM_PROCID=7 SLURM_STEP_TASKS_PER_NODE=8 SLURM_LOCALID=7
rank 'local rank 1' LOCAL_RANK=1 LOCAL_WORLD_SIZE=2
# empties EMPTIES NAME=VALUE...: myblas-run in such a job empties the report (1) or not (0).
empties() {
    local expected=$1 left=0
    shift
    echo "an older report" >report
    env "$@" "$run" --report report -- true || fail "$*: status $?"
    grep -q "an older report" report || left=1
    [ "$left" = "$expected" ] || fail "$*: the older report is $left, not $expected, times emptied"
}
empties 1 NONE=1
empties 1 OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=1
empties 1 PMI_RANK=0 PMI_SIZE=1
empties 1 RANK=0 WORLD_SIZE=1 LOCAL_RANK=0 LOCAL_WORLD_SIZE=1
empties 1 SLURM_PROCID=0 SLURM_STEP_TASKS_PER_NODE=1 SLURM_STEP_NUM_TASKS=1 SLURM_LOCALID=0
empties 0 OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2
empties 0 SLURM_PROCID=0 SLURM_STEP_TASKS_PER_NODE='1(x2)' SLURM_STEP_NUM_TASKS=2 SLURM_LOCALID=0
empties 0 SLURM_PROCID=0 SLURM_STEP_TASKS_PER_NODE=1 SLURM_LOCALID=0
empties 0 PALS_RANKID=0 PALS_LOCAL_SIZE=1
empties 0 LOCAL_RANK=1 LOCAL_WORLD_SIZE=2
rm -f report
env SLURM_PROCID=0 RANK=1 "$run" --report report -- "${workers[@]}" none
has "a rank that belongs to no job" 1 '^myblas-blas-preload: .*, process [0-9]+: loaded, 2 calls'
"$run" --report report -- "${workers[@]}" ranks || fail "ranks of multiprocessing: status $?"
for rank in 0 1 2; do
    has "a rank that the program sets" 1 \
        "^myblas-blas-preload: .*, process [0-9]+, child of [0-9]+, rank $rank: .*, 2 calls"
done
for rank in 0 1; do # each starts its own myblas-run
    env RANK=$rank WORLD_SIZE=2 LOCAL_RANK=$rank LOCAL_WORLD_SIZE=2 "$run" --report of_ranks -- \
        "${workers[@]}" none
    has "a report of ranks" 1 ", rank $rank: loaded, 2 calls" of_ranks
done
has "is that of both" 2 '^myblas-run: .*, rank [01]: started with ' of_ranks
for rank in 0 1; do # on hosts of one rank each, which share a folder
    env RANK=$rank WORLD_SIZE=2 LOCAL_RANK=0 LOCAL_WORLD_SIZE=1 "$run" --report of_hosts -- \
        "${workers[@]}" fork
done
for rank in 0 1; do
    has "a report of hosts" 1 "^myblas-blas-preload: [^:]*[0-9], rank $rank: loaded, 2 calls" \
        of_hosts
    has "the sum of a rank" 1 "^myblas-run: rank $rank: 8 calls seen in all" of_hosts
done

# ---- On demand -----------------------------------------------------------------------------------

# If the program asks one of two libraries for a report, both report.
for order in "$blas:$cublas" "$cublas:$blas"; do
    for asked in "" "$blas" "$cublas"; do
        rm -f by_hand
        env LD_PRELOAD="$order" MYBLAS_REPORT=by_hand "${workers[@]}" report "$plugin_cublas" \
            "$asked" >out 2>&1 ||
            fail "on demand: status $?: $(cat out)"
        for library in blas cublas; do
            has "$order, asked $asked" 2 "^myblas-$library-preload: .*: loaded, [12] calls? seen" \
                by_hand
        done
    done
done

# ---- The form ------------------------------------------------------------------------------------

"$run" --report report -- "$host" "$plugin" local product vectors product ||
    fail "a table: status $?"
has "totals" 1 '^total +0 +0\.000 +[0-9]+ +[0-9.]+$'
"$run" --report report --offload always -- "$host" "$plugin_cublas" local errors served served ||
    fail "errors: status $?"
"$run" --report wide --offload always --report-detail full -- "${workers[@]}" fork ||
    fail "a long report: status $?"
for file in report wide; do
    awk 'length > 100 { print; wide = 1 } END { exit wide }' $file ||
        fail "lines of more than 100 columns"
done

exit $((failures > 0))
