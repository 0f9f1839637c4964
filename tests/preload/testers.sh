#!/usr/bin/env bash
# testers.sh SUITE TESTERS LIBRARY_PATH PRELOAD EXPECTATION [NAME=VALUE]...: runs a suite of Debian's BLAS
# and LAPACK testers, which are in the directory TESTERS, on the libraries of LIBRARY_PATH under PRELOAD,
# with further variables in the environment.
#   SUITE        blas, cblas: the default inputs and grown ones; lapack: all single-precision inputs;
#                lapack-short: those that take a moment; level1, level2: for tests/vector_testers/adapter.c,
#                level2 without wrong arguments, with the default sizes and grown ones
#   EXPECTATION  served, forwarded: all tests pass, and the report says that this became of the calls;
#                computed: all tests pass, and each routine of the suite was called;
#                wrong: something fails
# The testers' exit status says nothing: their text is judged.
set -u

suite=$1
testers=$2
library_path=$3
preload=$4
expectation=$5
shift 5

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0
fail() {
    echo "$*"
    failures=$((failures + 1))
}

# tester PROGRAM INPUT [NAME=VALUE]...: runs a tester; its text is then in "output".
tester() {
    local program=$1 input=$2
    shift 2
    rm -f output ./*.out report
    env OPENBLAS_NUM_THREADS=1 "$@" MYBLAS_REPORT="$work/report" LD_LIBRARY_PATH="$library_path" \
        LD_PRELOAD="$preload" "$testers/$program" <"$input" >output 2>&1
    cat ./*.out >>output 2>/dev/null
    judge "$program < $(basename "$input")"
}

bad='FAILED ON|FAIL|FATAL|SUSPECT|NOT DETECTED|ABANDONED|WAS CALLED WITH|failed to pass|Failure|Error\(s\)|error:|cannot'
judge() {
    local what=$1
    if grep -qE "$bad" output || ! grep -qE 'END OF TESTS|End of tests|PASS' output; then
        failed=$((failed + 1))
        [ "$expectation" = wrong ] || {
            fail "$what does not pass:"
            grep -E "$bad" output | head -n 5
        }
    fi
    [ "$expectation" = wrong ] || count "$what"
}

# Calls were served, or all were forwarded.
count() {
    if ! grep -qE '^(level[12] )?s[a-z]+ ' report 2>/dev/null; then
        fail "$1: no call reached the preload library"
        return
    fi
    awk -v expected="$expectation" -v suite="$suite" '
        $1 == suite && $3 == 0 { print $2 " was not called"; exit 1 }
        /^s[a-z]+ / { served += $3; forwarded += $5 }
        END {
            if (expected == "served" && served == 0) { print "nothing was served"; exit 1 }
            if (expected == "forwarded" && (served > 0 || forwarded == 0)) { print "not all was forwarded"; exit 1 }
        }' report || fail "$1: the counts are wrong"
}

# grow INPUT SIZES...: the input with other values of N.
grow() {
    local input=$1
    shift
    awk -v count=$# -v sizes="$*" '
        /NUMBER OF VALUES OF N/ { print count, "NUMBER OF VALUES OF N"; next }
        / VALUES OF N$/ { print sizes, "VALUES OF N"; next }
        { print }' "$testers/$input"
}

# only ROUTINE: leaves out the other routines of an input, which the preload library does not have.
only() { sed -E "/^(cblas_)?s[a-z0-9]+ +T /I{/^$1 /!s/ T / F /}"; }

failed=0
case $suite in
level1)
    tester xblat1s /dev/null "$@"
    ;;
level2)
    sed 's/^T\( *LOGICAL FLAG, T TO TEST ERROR EXITS\)/F\1/' "$testers/sblat2.in" >plain2
    tester xblat2s plain2 "$@"
    grow sblat2.in 1 7 31 33 64 65 | sed 's/^T\( *LOGICAL FLAG, T TO TEST ERROR EXITS\)/F\1/' >grown2
    tester xblat2s grown2 "$@"
    ;;
blas)
    tester xblat1s /dev/null "$@"
    for level in 2 3; do
        tester xblat${level}s "$testers/sblat$level.in" "$@"
    done
    grow sblat2.in 1 2 7 31 32 33 63 64 65 | only SGEMV >grown2
    tester xblat2s grown2 "$@"
    grow sblat3.in 1 3 32 33 64 65 | only SGEMM >grown3
    tester xblat3s grown3 "$@"
    ;;
cblas)
    tester xscblat1 /dev/null "$@"
    for level in 2 3; do
        tester xscblat$level "$testers/sin$level" "$@"
    done
    grow sin2 1 7 31 33 64 65 | only cblas_sgemv >grown2
    tester xscblat2 grown2 "$@"
    grow sin3 1 3 33 64 65 | only cblas_sgemm >grown3
    tester xscblat3 grown3 "$@"
    ;;
lapack | lapack-short)
    inputs="nep sep se2 sgg sgd ssb ssg sbb glm gqr gsv lse"
    for input in $inputs; do
        tester xeigtsts "$testers/$input.in" "$@"
    done
    # Debian's OpenBLAS itself exceeds the threshold of 30 in one test of STFSM.
    sed -E '/threshold/Is/^[0-9.]+/100.0/' "$testers/stest_rfp.in" >rfp
    tester xlintstrfs rfp "$@"
    if [ "$suite" = lapack ]; then
        for input in svd sec sed; do
            tester xeigtsts "$testers/$input.in" "$@"
        done
        tester xlintsts "$testers/stest.in" "$@"
        # These testers stop at 132.
        sed -E -e 's/^7( +Number of values of [MN])/2\1/' \
            -e 's/^0 1 2 3 5 10 (50|16)( +Values of [MN])/65 132\2/' \
            -e 's/^3( +Number of values of NRHS)/1\1/' -e 's/^1 2 15( +Values of NRHS)/15\1/' \
            -e '/^S(GB|PB|GT|PT|SR|SK|SA|S2|TP|TB|PP|SP)/d' "$testers/stest.in" >grown
        tester xlintsts grown "$@"
    fi
    ;;
esac

if [ "$expectation" = wrong ] && [ "$failed" = 0 ]; then
    fail "the wrong sgemm passes $suite"
fi
exit $((failures > 0))
