#!/usr/bin/env bash
# pytorch.sh PREFIX: the example for PyTorch runs under myblas-run, and the report names the process. Status 77: no Python
# has PyTorch.
set -eu

prefix=$1
examples=$prefix/share/doc/myblas/examples
report=$(mktemp)
trap 'rm -f "$report"' EXIT

for python in python3 /usr/bin/python3; do
    if "$python" -c 'import torch' 2>/dev/null; then
        "$prefix/bin/myblas-run" --report "$report" -- "$python" "$examples/pytorch_digits.py" "$examples/data/digits.csv"
        # PyTorch's BLAS may be within its own files: that the library was there is all that must be said.
        grep -q 'loaded, [0-9]* call' "$report"
        exit
    fi
done
echo "skipped: no Python has PyTorch"
exit 77
