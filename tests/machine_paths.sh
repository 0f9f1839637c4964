#!/usr/bin/env bash
# machine_paths.sh PATH... -- FILE...: prints the files that hold one of the paths, and fails if
# there is one. Libraries with counters (MYBLAS_COVERAGE) may hold the names of the files with the
# counts, which end in .gcda.
set -u

paths=()
while [ "$1" != -- ]; do
    paths+=(-e "$1")
    shift
done
shift
found=0
for file in "$@"; do
    ! strings -a "$file" | grep -F "${paths[@]}" | grep -qv '\.gcda$' || {
        echo "$file"
        found=1
    }
done
exit "$found"
