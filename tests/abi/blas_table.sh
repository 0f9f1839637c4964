#!/usr/bin/env bash
# blas_table.sh SOURCE_DIR: the public header and docs/compatibility.md list all of BLAS's routines,
# and say correctly which of them the library exports.
set -u

header=$1/include/myblas/myblas.h
page=$1/docs/compatibility.md
symbols=$1/abi/exports/libmyblas.symbols

# The BLAS's routines in single precision, without the s.
all="gemm gemmtr symm syrk syr2k trmm trsm
    gemv gbmv symv sbmv spmv trmv tbmv tpmv trsv tbsv tpsv ger syr spr syr2 spr2
    rotg rotmg rot rotm swap scal copy axpy dot sdsdot nrm2 asum iamax"

# "here NAME" or "missing NAME" for each routine of the header's table.
header_table() {
    awk '/BLAS.s routines in single precision/ { inside = 1; next }
         /cuBLAS has all of them/ { inside = 0 }
         inside {
             gsub(/\([a-z]*\)|[*,;]|level [123]/, " ")
             if (sub(/not here:/, " ")) state = "missing"
             else if (sub(/here:/, " ")) state = "here"
             for (i = 1; i <= NF; ++i)
                 print state, $i
         }' "$1"
}

# The same for the page's table. Its second column has BLAS's routines, the third the library's.
page_table() {
    awk -F'|' '/^\| Level \| BLAS \|/ { inside = 1; next }
         !/^\|/ { inside = 0 }
         inside && !/---/ {
             state = $4 ~ /^ not here/ ? "missing" : "here"
             count = split($3, names, /[`, ]+/)
             for (i = 1; i <= count; ++i) {
                 if (names[i] == "isamax") print state, "iamax"
                 else if (names[i] == "sdsdot") print state, names[i]
                 else if (names[i] != "") print state, substr(names[i], 2)
             }
         }' "$1"
}

exported_name() {
    case $1 in
    iamax) echo myisamax ;;
    sdsdot) echo mysdsdot ;;
    *) echo "mys$1" ;;
    esac
}

# lies TABLE FILE: prints a line for each routine that the file lists wrongly, or not exactly once.
lies() {
    "$1" "$2" >told
    for name in $all; do
        found=missing
        ! grep -q "^$(exported_name "$name")@@" "$symbols" || found=here
        [ "$(grep -c " $name\$" told)" = 1 ] && grep -q "^$found $name\$" told ||
            echo "$name: $(basename "$2") says '$(grep " $name\$" told | xargs)'," \
                "the library has it $found"
    done
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
{
    lies header_table "$header"
    lies page_table "$page"
} | tee found
[ ! -s found ] || exit 1

# The comparison can fail.
sed 's/not here: gbmv/not here: axpy/; s/here: gemv/here: sbmv gemv/' "$header" >wrong.h
# shellcheck disable=SC2016 # names in backquotes
sed 's/`sger`, //; s/`ssbmv`, `stbmv`, `stbsv` | not here/`ssbmv`, `stbmv`, `stbsv` | here/' \
    "$page" >wrong.md
[ "$(lies header_table wrong.h | wc -l)" = 3 ] && [ "$(lies page_table wrong.md | wc -l)" = 5 ] || {
    echo "wrong statements were not found"
    exit 1
}
