#!/usr/bin/env bash
# testers.sh TESTERS ADAPTER EXPECTATION [NAME=VALUE]...: runs Debian's level 3 testers, which are in the directory
# TESTERS beside the reference BLAS that they are linked to, on libmyblas itself by way of the preloaded adapter, with further variables in the environment. Sizes are the
# default ones and those up to 65, the most that the testers have room for.
#   EXPECTATION  right: all tests pass, and each routine was called
#                planted_wrong: each routine but SGEMM has a wrong kernel, and fails when it is tested alone
#                planted_right: each passes when it is tested alone
# The testers' exit status says nothing: their text is judged. xscblat3's tests of error exits look into the reference
# CBLAS: they are left out.
set -u

testers=$1
adapter=$2
expectation=$3
shift 3

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

# tester PROGRAM INPUT [NAME=VALUE]...: whether a tester is content.
bad='FAILED ON|FAIL|FATAL|SUSPECT|NOT DETECTED|ABANDONED|WAS CALLED WITH|failed to pass|error:|cannot'
tester() {
    local program=$1 input=$2
    shift 2
    rm -f output ./*.out
    env OPENBLAS_NUM_THREADS=1 MYBLAS_BACKEND=host "$@" ADAPTER_REPORT="$work/report" \
        LD_LIBRARY_PATH="$testers${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" LD_PRELOAD="$adapter" \
        "$testers/$program" <"$input" >output 2>&1
    cat ./*.out >>output 2>/dev/null
    ! grep -qE "$bad" output && grep -qE 'END OF TESTS|End of tests|PASS' output
}

must_pass() {
    tester "$@" && return
    failures=$((failures + 1))
    echo "$1 < $2 does not pass:"
    grep -E "$bad" output | head -n 5
    tail -n 3 output
}

# grow INPUT SIZES...: the input with other values of N.
grow() {
    local input=$1
    shift
    awk -v count=$# -v sizes="$*" '
        /NUMBER OF VALUES OF N/ { print count, "NUMBER OF VALUES OF N"; next }
        / VALUES OF N$/ { print sizes, "VALUES OF N"; next }
        { print }' "$input"
}

# only ROUTINE: an input for one routine alone.
only() { sed -E "/^(cblas_)?s[a-z0-9]+ +T /I{/^$1 /I!s/ T / F /}"; }

no_error_exits() { sed -E '/TO TEST ERROR EXITS/s/^T/F/'; }

grow "$testers/sblat3.in" 1 2 31 32 33 64 65 >grown
no_error_exits <"$testers/sin3" >cblas
case $expectation in
right)
    must_pass xblat3s "$testers/sblat3.in" "$@"
    must_pass xblat3s grown "$@"
    must_pass xscblat3 cblas "$@"
    awk '$2 == 0 { print $1, "was not called"; missing = 1 } END { exit missing || NR != 18 }' report || {
        echo "the adapter's report is not complete"
        failures=$((failures + 1))
    }
    ;;
planted_*)
    for routine in SSYMM STRMM STRSM SSYRK SSYR2K; do
        only $routine <grown >alone
        result=broken
        if tester xblat3s alone "$@"; then
            result=planted_right
        elif grep -qE "$routine +FAILED ON CALL NUMBER" output; then
            result=planted_wrong
        fi
        if [ $result != "$expectation" ]; then
            echo "$routine is $result"
            failures=$((failures + 1))
        fi
    done
    ;;
esac
exit $((failures > 0))
