#!/usr/bin/env bash
# trivial.sh PRELOAD PROGRAM: calls that compute nothing read nothing, wherever they go.
set -u

preload=$1
program=$2

. "$(dirname "${BASH_SOURCE[0]}")/check.sh"

for offload in never auto always; do
    check "$offload" '16 calls seen, 0 served, 16 forwarded' MYBLAS_BACKEND=host \
        MYBLAS_OFFLOAD=$offload "$program"
done
exit $((failures > 0))
