#!/usr/bin/env bash
# exports.sh LIBRARY EXPECTED [INCLUDE_DIR]: the library exports exactly the symbols of the list
# EXPECTED, each with its version. With INCLUDE_DIR, the public headers declare exactly these
# symbols.
set -u

library=$1
golden=$2
include=${3:-}

exported=$(nm --dynamic --defined-only "$library" | awk '$2 != "A" { print $3 }' | LC_ALL=C sort) ||
    exit 1
diff --label "$(basename "$golden")" --label "exported" --unified=0 \
    <(grep -v '^#' "$golden" | LC_ALL=C sort) - <<<"$exported" || exit 1
[ -n "$include" ] || exit 0

declared=$(cat "$include"/myblas/*.h | tr '\n' ' ' |
    grep -oE 'MYBLAS_API [a-zA-Z_ *]*[ *]my[a-zA-Z0-9_]*\(' | sed -E \
    's/.*[ *](my[a-zA-Z0-9_]*)\($/\1/' |
    LC_ALL=C sort)
diff --label "declared in include/myblas" --label "exported" --unified=0 <(echo "$declared") \
    <(cut -d @ -f 1 <<<"$exported" | LC_ALL=C sort)
