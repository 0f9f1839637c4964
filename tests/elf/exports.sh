#!/usr/bin/env bash
# exports.sh LIBRARY SOURCE_DIR: the library exports what abi/libmyblas.symbols lists, each symbol with
# its version; and that is what the public headers declare.
set -u

library=$1
source=$2
golden=$source/abi/libmyblas.symbols

exported=$(nm --dynamic --defined-only "$library" | awk '$2 != "A" { print $3 }' | LC_ALL=C sort) || exit 1
diff --label "abi/libmyblas.symbols" --label "exported" --unified=0 <(LC_ALL=C sort "$golden") - \
    <<<"$exported" || exit 1

declared=$(cat "$source"/include/myblas/*.h | tr '\n' ' ' |
    grep -oE 'MYBLAS_API [a-zA-Z_ *]*[ *]my[a-zA-Z0-9_]*\(' | sed -E 's/.*[ *](my[a-zA-Z0-9_]*)\($/\1/' |
    LC_ALL=C sort)
diff --label "declared in include/myblas" --label "exported" --unified=0 <(echo "$declared") \
    <(sed 's/@.*//' <<<"$exported" | LC_ALL=C sort)
