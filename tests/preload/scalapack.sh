#!/usr/bin/env bash
# scalapack.sh TESTERS LIBRARY_PATH PRELOAD EXPECTATION: runs Debian's ScaLAPACK testers in the
# folder TESTERS, with four ranks of Open MPI under PRELOAD and with the BLAS of LIBRARY_PATH. The
# host backend computes in place of GPUs.
#   EXPECTATION  served: all tests pass, and each rank reports that its calls were served; with
#                MYBLAS_TEST_REDUCED=1, those of the grown inputs alone
#                wrong: testers come to their end and find wrong results
set -u

testers=$1
library_path=$2
preload=$3
expectation=$4

. "$(dirname "${BASH_SOURCE[0]}")/open_mpi.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
ranks=4
failures=0
fail() {
    echo "$*"
    failures=$((failures + 1))
}

# tester PROGRAM ROUTINE...: runs a tester with its input in this folder; every rank must have calls
# of each ROUTINE.
tester() {
    local program=$1 name routine
    name=$(basename "$program")
    shift
    rm -f report
    timeout 400 mpirun.openmpi --oversubscribe -n $ranks -x OPENBLAS_NUM_THREADS=1 \
        -x MYBLAS_OFFLOAD=always -x MYBLAS_SGEMM_KERNEL=openblas \
        -x MYBLAS_REPORT="$work/report" -x LD_LIBRARY_PATH="$library_path" \
        -x LD_PRELOAD="$preload" "$testers/$program" >output 2>&1 ||
        fail "$name: status $?: $(tail -n 5 output)"
    # PBLAS's testers end with a table of counts: all tests, passed, failed and skipped ones.
    grep -qE 'End of Tests|END OF TESTS' output ||
        fail "$name does not come to its end: $(tail -n 5 output)"
    if [ "$expectation" = wrong ]; then
        ! grep -qE 'FAILED +\*|FAILED *$|^ +[1-9][0-9]* tests completed and failed' output ||
            found_wrong=1
        return
    fi
    grep -qE 'PASSED' output || fail "$name: no test has passed"
    ! grep -E -e 'FAILED +\*|FAILED *$|^ +[1-9][0-9]* tests completed and failed' \
        -e '^ +[|] +PS[A-Z0-9]+ +[0-9]+ +[0-9]+ +[1-9]' output ||
        fail "$name: tests fail"
    for routine in "$@"; do
        [ "$(awk -v routine="$routine" '
            $1 == "myblas-blas-preload:" { ++rank }
            $1 == routine && $3 > 0 { served[rank] = 1 }
            END { print length(served) }' report)" = $ranks ] ||
            fail "$name: not every rank had a $routine served: $(cat report)"
    done
    grep -q 'loaded' report || fail "$name: there is no report"
    # Products with an operand without elements are not served.
    ! grep 'forwarded: ' report |
        grep -vE 'forwarded: nothing to multiply or to move \([0-9]+\)$' ||
        fail "$name: not all was served"
}

# Problems larger than those of the inputs, in blocks that a BLAS computes without splitting, on a
# grid of 2 x 2 ranks.
grown_pblas() {
    awk '
        /values of [MNK](_[ABC])?$/ { for (i = 1; i <= NF; ++i) if ($i ~ /^[0-9]+$/) $i *= 8 }
        /values of (IMB|INB|MB|NB)_[ABC]$/ {
            for (i = 1; i <= NF; ++i) if ($i ~ /^[0-9]+$/) $i = 32
        }
        /computational blocksize/ { $1 = 64 }
        /number of process grids/ { $1 = 1 }
        { print }' "$1"
}
grown_lu() {
    awk '
        /number of problems sizes/ { $1 = 2 }
        /number of (NB|NRHS|NBRHS)/ || /Number of NBRHS/ { $1 = 2 }
        /number of process grids/ { $1 = 1 }
        /values of M$/ { $0 = "200 230 values of M" }
        /values of N$/ { $0 = "200 190 values of N" }
        /values of NRHS$/ { $0 = "3 65 values of NRHS" }
        /values of NBRHS$/ { $0 = "3 32 values of NBRHS" }
        /values of [PQ]$/ { $0 = "2 values" }
        /Test Cond/ { $1 = "F" }
        /^2 3 4 5/ { $0 = "32 33 values of NB" }
        { print }' "$1"
}

found_wrong=0
if [ "$expectation" = served ] && [ "${MYBLAS_TEST_REDUCED:-0}" != 1 ]; then
    cp "$testers"/PBLAS/PSBLAS?TST.dat "$testers/LU.dat" . || exit 1
    tester PBLAS/spb1tst sdot sasum saxpy scopy
    tester PBLAS/spb2tst sgemv scopy
    tester PBLAS/spb3tst sgemm strsm
    tester xslu sgemm strsm sgemv sasum
fi
grown_pblas "$testers/PBLAS/PSBLAS3TST.dat" >PSBLAS3TST.dat
tester PBLAS/spb3tst sgemm strsm
grown_lu "$testers/LU.dat" >LU.dat
tester xslu sgemm strsm
# In panels of another width than ScaLAPACK's and the matrices' blocks.
[ "$expectation" = wrong ] || MYBLAS_LOGICAL_BLOCK=40 tester xslu sgemm strsm

[ "$expectation" = served ] || [ "$found_wrong" = 1 ] || fail "the wrong sgemm is not found"
exit $((failures > 0))
