#!/usr/bin/env bash
# documented.sh SYMBOLS PAGE: the page names every function of the list, the _64 forms without their suffix, and no other.
set -u

# shellcheck disable=SC2016 # backquotes of Markdown
diff --label "exported" --label "documented" --unified=0 <(sed -n 's/_64$//; /^cublas/p' "$1" | LC_ALL=C sort -u) \
    <(grep -oE '`cublas(Lt)?[A-Z][a-zA-Z0-9]*(_v2)?`' "$2" | tr -d '`' | grep -v '^cublasSgemm$' | LC_ALL=C sort -u)
