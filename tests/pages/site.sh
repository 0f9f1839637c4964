#!/usr/bin/env bash
# site.sh SOURCE BUILD CMAKE PYTHON: the site is made without a warning, its links lead somewhere,
# the README is its main page, new lines of the ladder's rungs are marked, every exported function
# has a page, and the search finds all of them. Status 77: there is no Doxygen.
set -eu

source=$1
build=$2
cmake=$3
python=$4
html=$build/docs/html

command -v doxygen >/dev/null || {
    echo "skipped: doxygen is not installed"
    exit 77
}
"$cmake" --build "$build" --target docs >"$build/docs/site.log" 2>&1 || {
    cat "$build/docs/site.log"
    exit 1
}
if grep -iE 'warning|error' "$build/docs/site.log"; then
    exit 1
fi
"$python" "$source/tests/pages/links.py" "$html"

main=$(tr -d '\n' <"$html/index.html")
[[ $main == *"Two commands"* && $main == *"class=\"markdownTable\""* ]] || {
    echo "the README is not the main page"
    exit 1
}

grep -q 'class="line added">+ *const int64_t row = ' "$html/ladder.html" || {
    echo "new lines of the rungs are not marked on the ladder's page"
    exit 1
}

"$python" "$source/tests/pages/search.py" "$html" "$source/abi/exports/libmyblas.symbols"
