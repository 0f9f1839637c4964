#!/bin/bash
# The rows of docs/exceptions.md are the rows that test_exceptions runs, in the same order.
#   exceptions.sh PAGE TEST_EXCEPTIONS
set -euo pipefail
page=$1 program=$2

rows=$(sed -n '/^<!-- rows:begin -->$/,/^<!-- rows:end -->$/p' "$page" |
    sed -n 's/^\(| `my[^|]* | [^|]* |\).*/\1/p') # routine and call
if [[ -z $rows ]]; then
    echo "$page has no rows"
    exit 1
fi
diff <(echo "$rows") <("$program" --list) && echo "$(wc -l <<<"$rows") rows"
