#!/usr/bin/env bash
# documented.sh CUBLAS_SYMBOLS BLAS_SYMBOLS PAGE: the page names exactly the functions of the lists,
# without cuBLAS's suffix _64 and without the prefixes and suffixes of a BLAS's routines.
set -u

page=$3

# shellcheck disable=SC2016 # backquotes of Markdown
diff --label "exported" --label "documented" --unified=0 \
    <(sed -n 's/_64$//; /^cublas/p' "$1" | LC_ALL=C sort -u) \
    <(grep -oE '`cublas(Lt)?[A-Z][a-zA-Z0-9]*(_v2)?`' "$page" | tr -d '`' | grep -v \
    '^cublasSgemm$' | LC_ALL=C sort -u) &&
    diff --label "exported" --label "documented" --unified=0 \
    <(sed -n 's/^cblas_\([a-z0-9]*\)$/\1/p' "$2" | LC_ALL=C sort -u) \
        <(sed '1,/^## A CPU/d' "$page" | grep -oE '`i?s[a-z0-9]+`' | tr -d '`' | LC_ALL=C sort -u) \
        &&
    # Every spelling of the page's example.
    diff --label "exported" --label "documented" --unified=0 \
        <(grep -E 'sgemm(_|64_|_64|_64_)?$' "$2" | LC_ALL=C sort -u) \
        <(sed '1,/^## A CPU/d' "$page" | grep -oE '(scipy_)?(cblas_)?sgemm[_64]*' | grep -v \
        '^sgemm$' | LC_ALL=C sort -u)
