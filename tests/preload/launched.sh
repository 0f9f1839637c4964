#!/usr/bin/env bash
# launched.sh BIN_DIR PLUGIN BLAS_DIR PYTHON: workers on this host, as torchrun starts them. Their
# products are served by the host backend, and a report has the calls of each by its rank: with
# myblas-run in front of the launcher, and in front of each worker. torchrun itself starts them,
# too, if $PYTHON (python3 by default) has PyTorch with gloo.
set -u

run=$1/myblas-run
plugin=$2
export LD_LIBRARY_PATH=$3${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
python=$4
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

. "$here/unfolded.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export TMPDIR=$work OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 GLOO_SOCKET_IFNAME=lo
workers=3
failures=0
fail() {
    echo "$*"
    failures=$((failures + 1))
}

# ranks_are_in WHAT: the report has two products of each rank, and no other process with a rank. All
# calls were served; NumPy makes another one when PyTorch imports it.
ranks_are_in() {
    local rank found two_products='([23]) calls seen, \1 served \(sgemm 2[,)]'
    for rank in $(seq 0 $((workers - 1))); do
        found=$(unfolded report | grep -cE \
            "^myblas-blas-preload: .*, rank $rank: loaded, $two_products")
        [ "$found" = 1 ] || fail "$1: rank $rank is $found times in the report: $(cat report)"
    done
    found=$(unfolded report | grep -cE '^myblas-blas-preload: .*, (local )?rank [0-9]+: ')
    [ "$found" = $workers ] || fail "$1: $found ranks in the report: $(cat report)"
}

# launch WHAT LAUNCHER...: the launcher starts the workers, which $worker_python runs.
launch() {
    local what=$1 worker=("$worker_python" "$here/launched.py" "$plugin")
    shift
    rm -f report
    "$run" --offload always --report report -- "$@" "${worker[@]}" >out 2>&1 ||
        fail "$what: status $?: $(cat out)"
    ranks_are_in "$what, myblas-run in front of it"
    rm -f report
    "$@" "$run" --offload always --report report -- "${worker[@]}" >out 2>&1 ||
        fail "$what, each with myblas-run: status $?: $(cat out)"
    ranks_are_in "$what, myblas-run in front of each worker"
    [ "$(grep -cE '^myblas-run: .*, rank [0-9]+: started with ' report)" = $workers ] ||
        fail "$what: not every myblas-run names its rank: $(cat report)"
}

worker_python=$python
launch "as torchrun" "$python" "$here/as_torchrun.py" -n $workers
torch_python=${PYTHON:-python3}
has_gloo="import torch.distributed as d; assert d.is_gloo_available()"
if "$torch_python" -c "$has_gloo" 2>/dev/null; then
    worker_python=$torch_python
    launch torchrun "$torch_python" -m torch.distributed.run --standalone \
        --nproc-per-node $workers --no-python
else
    echo "$torch_python has no PyTorch with gloo: torchrun itself is left out"
fi

exit $((failures > 0))
