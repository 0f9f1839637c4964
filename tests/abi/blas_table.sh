#!/usr/bin/env bash
# blas_table.sh SOURCE_DIR: what the public header says of BLAS's routines, here or not, is what the library exports.
set -u

header=$1/include/myblas/myblas.h
symbols=$1/abi/libmyblas.symbols

# "here NAME" or "missing NAME" for each routine of the header's table.
table() {
    awk '/Of BLAS.s routines in single precision/ { inside = 1; next }
         /cuBLAS has them all/ { inside = 0 }
         inside {
             gsub(/\([a-z]*\)|[*,;]|level [123]/, " ")
             if (sub(/not here:/, " ")) state = "missing"
             else if (sub(/here:/, " ")) state = "here"
             for (i = 1; i <= NF; ++i)
                 print state, $i
         }' "$1"
}

exported_name() {
    case $1 in
    iamax) echo myisamax ;;
    sdsdot) echo mysdsdot ;;
    *) echo "mys$1" ;;
    esac
}

# Prints each routine of which the header at $1 does not tell the truth.
lies() {
    table "$1" | while read -r state name; do
        if grep -q "^$(exported_name "$name")@@" "$symbols"; then
            found=here
        else
            found=missing
        fi
        [ $found = "$state" ] || echo "$name: the header says $state, the library $found"
    done
}

count=$(table "$header" | wc -l)
if [ "$count" -lt 30 ]; then
    echo "only $count routines are in the table of $header"
    exit 1
fi
if [ -n "$(lies "$header")" ]; then
    lies "$header"
    exit 1
fi

# The comparison has teeth.
wrong=$(mktemp)
trap 'rm -f "$wrong"' EXIT
sed 's/not here: sdsdot/not here: sdsdot dot/; s/here: gemv/here: gbmv gemv/' "$header" >"$wrong"
if [ "$(lies "$wrong" | wc -l)" != 2 ]; then
    echo "two wrong statements were not found"
    exit 1
fi
