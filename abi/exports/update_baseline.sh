#!/usr/bin/env bash
# abi/exports/update_baseline.sh LIBRARY: writes abi/exports/libmyblas.abi from the build tree's
# libmyblas_abi.so, which has the public functions with their types. Needed after a compatible
# addition, or for a new SONAME; see docs/abi.md.
set -eu

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
abidw --headers-dir "$root/include" --drop-private-types --exported-interfaces-only --no-show-locs \
    --no-comp-dir-path \
    --no-corpus-path --no-elf-needed "$1" --out-file "$root/abi/exports/libmyblas.abi"
