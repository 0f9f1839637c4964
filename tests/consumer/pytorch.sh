#!/usr/bin/env bash
# pytorch.sh PREFIX: the example for PyTorch runs under myblas-run, and the report names the
# process. Status 77: no Python has PyTorch.
set -eu

prefix=$1
examples=$prefix/share/doc/myblas/examples
report=$(mktemp)
trap 'rm -f "$report"' EXIT

for python in python3 /usr/bin/python3; do
    if "$python" -c 'import torch' 2>/dev/null; then
        "$prefix/bin/myblas-run" --report "$report" -- "$python" "$examples/pytorch_digits.py" \
            "$examples/data/digits.csv"
        # PyTorch's BLAS may be inside its own files, so the report need only say that the preload
        # library was loaded.
        grep -q 'loaded, [0-9]* call' "$report"
        exit
    fi
done
echo "skipped: no Python has PyTorch"
exit 77
