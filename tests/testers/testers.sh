#!/usr/bin/env bash
# testers.sh [host|wrong|gpu] [NAME=VALUE]...: runs Debian's testers of the BLAS and the CBLAS,
# which are in debian/ beside this script, on libmyblas through the adapter, with further variables
# in the environment. Counts its cases like CMocka.
#   host   on the host backend: the default inputs, sizes up to 65, and up to 257 with the adapter
#          (ADAPTER_GROWTH)
#   wrong  on the host backend of a library with a wrong kernel in one routine at a time, which the
#          routine's tester must find; and with none
#   gpu    (the default, as in run_gpu.sh) like host, but on a GPU, with the selection and with
#          every kernel
# The CBLAS testers' tests of wrong arguments are left out, because they look into the reference
# CBLAS.
# shellcheck disable=SC2154 # gpu_cases.sh sets work
set -u

what=${1:-gpu}
[ $# -eq 0 ] || shift
[ "$what" = gpu ] || MYBLAS_TEST_REQUIRE_GPU=0
testers=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$testers/../preload/gpu_cases.sh"
. "$testers/inputs.sh"
backend=cuda
[ "$what" = gpu ] || { backend=host has_gpu=1; }
library_path=$testers/debian${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
cd "$work" || exit 1
fortran="xblat1s xblat2s xblat3s"
cblas="xscblat1 xscblat2 xscblat3"

# The routines that a program must have called.
routines() {
    case $1 in
    xblat1s) echo SDOT SNRM2 SASUM ISAMAX SAXPY SCOPY SSCAL SSWAP SROT SROTM SROTG SROTMG ;;
    xscblat1) echo SDOT SNRM2 SASUM ISAMAX SAXPY SCOPY SSCAL SSWAP SROT SROTG ;;
    *2*) echo "$level2_routines" ;;
    *3*) echo "$level3_routines" ;;
    esac
}

# run PROGRAM INPUT [NAME=VALUE]...: runs it in a folder of the program's name, and leaves its text
# there in "output".
run() {
    local program=$1 input=$2
    shift 2
    rm -rf "$program"
    mkdir "$program"
    cp "$input" "$program/input"
    (
        cd "$program" || exit
        env OPENBLAS_NUM_THREADS=1 MYBLAS_BACKEND="$backend" "$@" ADAPTER_REPORT="$PWD/report" \
            LD_LIBRARY_PATH="$library_path" LD_PRELOAD="$testers/adapter.so" \
            "$testers/debian/$program" <input >output 2>&1
        cat ./*.out >>output 2>/dev/null
        true # some testers write no file
    )
}

# ---- Right kernels -------------------------------------------------------------------------------

# passed PROGRAM: the tester found no error, and all routines were called.
passed() {
    local program=$1 routine
    is_content "$program/output" || {
        fail "$program does not pass:"
        grep -E "$bad" "$program/output" | head -n 5
        tail -n 3 "$program/output"
    }
    for routine in $(routines "$program"); do
        grep -qE "^calls $routine [1-9]" "$program/report" || fail "$program did not call $routine"
    done
    cat "$program/report" >>reports
}

# pass PROGRAMS GROWTH SIZES [NAME=VALUE]...: runs the testers with other sizes, or with their
# default inputs if there are none. Vectors of level 1 have up to 9 elements, so GROWTH is larger
# for them.
pass() {
    local programs=$1 growth=$2 sizes=$3 level program input factor
    shift 3
    for level in 2 3; do
        ours "$level" <"$testers/debian/sblat$level.in" >"xblat${level}s.in"
        ours "$level" <"$testers/debian/sin$level" | no_error_exits >"xscblat$level.in"
        if [ -n "$sizes" ]; then
            for program in xblat${level}s xscblat$level; do
                # shellcheck disable=SC2086 # a list
                grow $program.in $sizes | no_error_exits >grown
                mv grown "$program.in"
            done
        fi
    done
    for program in $programs; do
        input=/dev/null
        [ ! -e "$program.in" ] || input=$program.in
        factor=$growth
        [[ $program != *1* || $growth = 1 ]] || factor=$((growth * 16))
        run "$program" "$input" ADAPTER_GROWTH="$factor" "$@"
        passed "$program"
    done
}

# each_first COUNT: level 1, whose testers make few calls, with each kernel first in turn. No
# routine has more than COUNT kernels.
each_first() {
    local number
    for ((number = 0; number < $1; ++number)); do
        pass xblat1s 1 "" ADAPTER_KERNELS="$number"
    done
}

# Every kernel that fits the device and the mode has computed a call.
every_kernel_ran() {
    awk '$1 == "kernel" { runs[$2 " " $3] += $4 } END { for (k in runs) print runs[k], k }' \
        reports |
        sort -n >runs
    echo "  $(wc -l <runs) kernels of routines; the fewest calls: $(head -n 1 runs)"
    [ -s runs ] || fail "no kernel was counted"
    awk '$1 == 0 { print $2, $3 }' runs >idle
    [ ! -s idle ] || fail "no call was computed by: $(tr '\n' ';' <idle)"
}

# ---- Wrong kernels -------------------------------------------------------------------------------

# by_wrong_library PLANT PROGRAM [NAME=VALUE]...: runs the library with a wrong kernel in the
# routine PLANT, or in none.
by_wrong_library() {
    local plant=$1 program=$2
    shift 2
    library_path=$testers/wrong:$library_path run "$program" input ADAPTER_KERNELS=first \
        ADAPTER_PLANT="$plant" "$@"
}

# The routines that a tester of level 1 finds wrong.
found_wrong() { awk '/Test of subprogram/ { name = $NF } /FAIL/ { print name }' "$1" | sort -u; }

# notices PROGRAM ROUTINE [NAME=VALUE]...: the tester passes, but reports an error in the routine if
# its kernel is wrong.
notices() {
    local program=$1 routine=$2 output=$1/output
    shift 2
    by_wrong_library "" "$program" "$@"
    is_content "$output" || fail "the tester fails without a wrong kernel: $(tail -n 3 "$output")"
    by_wrong_library "$routine" "$program" "$@"
    if [ "$program" = xblat1s ]; then
        [ "$(found_wrong "$output")" = "$routine" ] || fail "wrong is: $(found_wrong "$output")"
    else
        grep -qE "$routine +FAILED ON CALL NUMBER" "$output" ||
            fail "a wrong kernel is not noticed: $(tail -n 3 "$output")"
    fi
}

# planted LEVEL ROUTINE
planted() {
    local level=$1 routine=$2
    if [ "$level" = 1 ]; then
        : >input
        notices xblat1s "$routine"
        return
    fi
    grow "$testers/debian/sblat$level.in" 1 3 33 | no_error_exits | only "$routine" >input
    notices "xblat${level}s" "$routine"
    notices "xblat${level}s" "$routine" ADAPTER_GROWTH=4
}

# ---- Cases ---------------------------------------------------------------------------------------

# If the testers or their libraries are missing, the case is skipped.
with_testers() {
    LD_LIBRARY_PATH=$library_path can_run "$testers/debian/xblat1s" || {
        echo "  Debian's testers (libblas-test) or their libraries are not here"
        return 77
    }
    "$@"
}

case $what in
host)
    gpu_case "the default inputs" with_testers pass "$fortran $cblas" 1 "" "$@"
    gpu_case "sizes up to 65" with_testers pass "$fortran" 1 "1 2 31 32 33 64 65" "$@"
    gpu_case "sizes up to 257" with_testers pass "$fortran" 4 "1 7 33 65" "$@"
    gpu_case "sizes up to 257, CBLAS" with_testers pass "$cblas" 4 "1 65" "$@"
    [[ " $* " != *" ADAPTER_KERNELS=all "* ]] ||
        gpu_case "every kernel ran" with_testers every_kernel_ran
    ;;
wrong)
    for level in 1 2 3; do
        for routine in $(routines xblat${level}s); do
            gpu_case "a wrong kernel in $routine" with_testers planted $level "$routine"
        done
    done
    ;;
gpu) # with fewer sizes: to copy operands takes most of the time
    gpu_case "small sizes" with_testers pass "$fortran $cblas" 1 "0 1 3 9"
    gpu_case "sizes up to 257" with_testers pass "$fortran" 4 "7 33 65"
    gpu_case "sizes up to 257, CBLAS" with_testers pass "$cblas" 4 65
    gpu_case "small sizes, every kernel" with_testers pass "$fortran" 1 "0 1 3 9" \
        ADAPTER_KERNELS=all
    gpu_case "sizes up to 257, every kernel" \
        with_testers pass "$fortran" 4 "1 7 33 65" ADAPTER_KERNELS=all
    gpu_case "vectors, every kernel in turn" with_testers each_first 12
    gpu_case "sizes up to 257, every kernel, emulated" \
        with_testers pass xblat3s 4 "7 33 65" ADAPTER_KERNELS=all ADAPTER_MATH=1
    gpu_case "sizes up to 257, every kernel, fast" \
        with_testers pass xblat3s 4 "7 33 65" ADAPTER_KERNELS=all ADAPTER_MATH=2
    gpu_case "every kernel ran" with_testers every_kernel_ran
    ;;
esac
end_of_cases
