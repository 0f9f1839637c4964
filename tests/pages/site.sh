#!/usr/bin/env bash
# site.sh SOURCE BUILD CMAKE PYTHON: the site is made without a warning, its links lead somewhere, the README is its main
# page, and every exported function is described. Status 77: there is no doxygen.
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

# In the reference, the text of a function stands behind its prototype.
count=0
while IFS=@ read -r name _; do
    grep -qE "<td class=\"memname\">.*[ *]$name *</td>" "$html"/myblas_8h.html "$html"/myblas__kernels_8h.html || {
        echo "$name is not in the reference"
        exit 1
    }
    count=$((count + 1))
done <"$source/abi/libmyblas.symbols"
echo "$count functions"
