#!/usr/bin/env bash
# linked_symbols.sh NM READELF LIBRARY SERVED OUTPUT: what libmyblas-blas.so defines when it is
# linked to LIBRARY, a BLAS: the functions of BLAS and CBLAS that LIBRARY exports, in all its
# spellings. SERVED lists the symbols of the BLAS preload library, one a line.
#
# Writes OUTPUT.inc (blas/linked_blas.cpp), OUTPUT.map (the linker's version script) and
# OUTPUT.symbols (all exported symbols).
set -euo pipefail
export LC_ALL=C

nm=$1 readelf=$2 library=$3 served=$4 output=$5

die() {
    echo "linked_symbols.sh: $library: $*" >&2
    exit 1
}

# The names, without CBLAS's prefix: the letters of the precision, the operation, and the ending.
precision='i?[sdcz]|sc|dz|cs|zd|ds|sds|dc|s[bh]|bs|bd|sbs|sbd|dsb'
level1='a?sum|nrm2|a?m(ax|in)|abs1|axpby|axpyc?|copy|dot[cu]?(_sub)?|rotm?g?|scal|swap'
level2='g[be]mv|ger[cu]?|h[bep]mv|h[ep]r2?|s[bpy]mv|s[py]r2?|t[bpr][ms]v'
level3='gemm(3m|t|tr)?(_batch(_strided)?)?|hemm|her2?k|symm|syr2?k|tr[ms]m|geadd|[io]matcopy'
error='lsame|xerbla|xerbla_array'
ending='_?(64_|_64)?'
all="^((cblas_)?($precision)($level1|$level2|$level3)|cblas_xerbla|$error)$ending\$"

soname=$("$readelf" -d "$library" | sed -n 's/.*(SONAME).*\[\(.*\)\]$/\1/p')
[ -n "$soname" ] || die "not a shared library with a SONAME"
# libmyblas-blas.so stands in place of libblas.so.3: it would be linked to itself.
[ "$soname" != libblas.so.3 ] || die "its SONAME is libblas.so.3, which this library takes"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$nm" -D --defined-only "$library" |
    awk '$2 ~ /^[TWi]$/ { sub(/@.*/, "", $3); print $3 }' | grep -E "$all" | sort -u >"$work/all" ||
    die "exports no function of a BLAS"
grep -qE '^(cblas_)?sgemm' "$work/all" || die "has no sgemm"
sort -u "$served" >"$work/served"

{
    echo "#define LINKED_BLAS \"$soname\""
    comm -23 "$work/all" "$work/served" | sed 's/.*/FORWARDED(&)/'
} >"$output.inc"
{
    cat "$work/all"
    echo myblas_linked_function
    echo myblas_preload_report
} >"$output.symbols"
{
    printf '{\nglobal:\n'
    sed 's/$/;/' "$output.symbols"
    printf 'local:\n*;\n};\n'
} >"$output.map"
