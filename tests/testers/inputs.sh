# shellcheck shell=bash
# What the drivers of Debian's BLAS testers share: their inputs, changed, and how their texts are judged, since their exit
# status says nothing. To be sourced.

# What a tester says when something is wrong.
# shellcheck disable=SC2034 # for who sources this
bad='FAILED ON|FAIL|FATAL|SUSPECT|NOT DETECTED|ABANDONED|WAS CALLED WITH|failed to pass|Failure|Error\(s\)|error:|cannot'

# is_content FILE: whether a tester's output has come to its end and reports nothing wrong.
is_content() { ! grep -qE "$bad" "$1" && grep -qE 'END OF TESTS|End of tests|PASS' "$1"; }

# grow INPUT SIZES...: the input with other values of N, 65 at most: the testers have room for no more.
grow() {
    local input=$1
    shift
    awk -v count=$# -v sizes="$*" '
        /NUMBER OF VALUES OF N/ { print count, "NUMBER OF VALUES OF N"; next }
        / VALUES OF N$/ { print sizes, "VALUES OF N"; next }
        { print }' "$input"
}

# only ROUTINE...: a filter that leaves out the other routines of an input.
only() {
    local IFS='|'
    sed -E "/^(cblas_)?s[a-z0-9]+ +T /I{/^(cblas_)?($*) /I!s/ T / F /}"
}

# The library's routines, by level. Testers have others: banded and packed ones, and since 3.12.1 sgemmtr, whose tester of
# the CBLAS fails on the reference BLAS itself at sizes such as 33.
level2_routines="SGEMV SGER SSYMV SSYR SSYR2 STRMV STRSV"
level3_routines="SGEMM SSYMM SSYRK SSYR2K STRMM STRSM"

# ours LEVEL: a filter that leaves them.
# shellcheck disable=SC2086 # lists
ours() {
    case $1 in
    2) only $level2_routines ;;
    3) only $level3_routines ;;
    esac
}

# A filter that leaves out the tests of wrong arguments.
no_error_exits() { sed -E '/TO TEST ERROR EXITS/s/^T/F/'; }
