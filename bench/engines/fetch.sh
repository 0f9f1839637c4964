#!/bin/sh
# Installs what measure.py measures: Python packages into a virtual environment, and packages of
# Debian as root or by sudo.
#   bench/engines/fetch.sh FOLDER      about 8 GB in FOLDER
# Then: measure.py --python FOLDER/bin/python3 ... (a build tree that was configured before the
# packages of Debian were there needs another cmake to build its programs in C).
set -eu

if [ $# -ne 1 ]; then
    sed -n 's/^# \{0,1\}//; 2,6p' "$0" >&2
    exit 2
fi
as_root=
[ "$(id -u)" = 0 ] || as_root=sudo
$as_root apt-get update -q
$as_root apt-get install -yq --no-install-recommends python3-venv \
    libopenblas-dev openmpi-bin libopenmpi-dev libscalapack-openmpi-dev
python3 -m venv "$1"
"$1/bin/pip" install 'torch==2.11.0' 'jax[cuda13]==0.11.2'
# nvmath-python and cuBLASMp ask for other versions than PyTorch does, but run beside it. PyTorch
# also runs with this NCCL, which cuBLASMp needs.
"$1/bin/pip" install --no-deps nvmath-python==1.0.0 nvidia-cublasmp-cu13==0.9.1.3056 \
    nccl4py==0.3.1 nvidia-nccl-cu13==2.29.7 cuda-core==1.2.2 cuda-pathfinder==1.9.0
