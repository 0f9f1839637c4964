# shellcheck shell=bash
# Shared by the scripts that run Debian's BLAS testers: changed inputs, and judging the testers'
# texts, because their exit status says nothing. To be sourced.

# Words by which a tester reports an error.
# shellcheck disable=SC2034 # for who sources this
bad='FAILED ON|FAIL|FATAL|SUSPECT|NOT DETECTED|ABANDONED|WAS CALLED WITH|failed to pass|Failure'
bad+='|Error\(s\)|error:|cannot'

# is_content FILE: whether a tester's output is complete and reports no error.
is_content() { ! grep -qE "$bad" "$1" && grep -qE 'END OF TESTS|End of tests|PASS' "$1"; }

# grow INPUT SIZES...: the input with other values of N, which may be at most 65, the size of the
# testers' arrays.
grow() {
    local input=$1
    shift
    awk -v count=$# -v sizes="$*" '
        /NUMBER OF VALUES OF N/ { print count, "NUMBER OF VALUES OF N"; next }
        / VALUES OF N$/ { print sizes, "VALUES OF N"; next }
        { print }' "$input"
}

# only ROUTINE...: a filter that removes all other routines from an input.
only() {
    local IFS='|'
    sed -E "/^(cblas_)?s[a-z0-9]+ +T /I{/^(cblas_)?($*) /I!s/ T / F /}"
}

# The library's routines, by level. Testers also have banded and packed ones and, since 3.12.1,
# sgemmtr. Its CBLAS tester fails on the reference BLAS itself at sizes such as 33.
level2_routines="SGEMV SGER SSYMV SSYR SSYR2 STRMV STRSV"
level3_routines="SGEMM SSYMM SSYRK SSYR2K STRMM STRSM"

# ours LEVEL: a filter that keeps only the library's routines.
# shellcheck disable=SC2086 # lists
ours() {
    case $1 in
    2) only $level2_routines ;;
    3) only $level3_routines ;;
    esac
}

# A filter that removes the tests of wrong arguments.
no_error_exits() { sed -E '/TO TEST ERROR EXITS/s/^T/F/'; }
