#!/usr/bin/env bash
# blas_interposition.sh PRELOAD HOST PLUGIN_DIR REFERENCE_DIR JUMPING [DRIVERS]: which calls reach
# the BLAS preload library, where it forwards them, and which it leaves alone. The plugins are
# plugin.so, plugin64.so and plugin_wrong.so; the reference BLAS is in REFERENCE_DIR. The folders of
# DRIVERS have drivers that cannot be used.
set -u

preload=$1
host=$2
plugin=$3/plugin.so
plugin64=$3/plugin64.so
plugin_wrong=$3/plugin_wrong.so
jumping=$5
drivers=${6:-}
export LD_LIBRARY_PATH=$4${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}

source=$(dirname "${BASH_SOURCE[0]}")
. "$source/check.sh"

forwarded_twice='^sgemm +small +0 +[0-9.]+ +2 '
served_twice='^sgemm +small +2 .*served by: '

# ---- Whose calls, and to whom --------------------------------------------------------------------

check "a BLAS that comes with RTLD_LOCAL" "$forwarded_twice" "$host" "$plugin" local product \
    unmapped
check "a BLAS that comes with RTLD_GLOBAL" "$forwarded_twice" "$host" "$plugin" global product \
    unmapped
check "the same, served" "$served_twice" MYBLAS_OFFLOAD=always "$host" "$plugin" local product
check "RTLD_DEEPBIND is out of reach" none "$host" "$plugin" deepbind product
check "a function's address is out of reach" none "$host" "$plugin" local address
check "a plugin that is unloaded and loaded again" '^sgemm +small +0 +[0-9.]+ +4 ' \
    "$host" "$plugin" local product reload product
for scope in local global; do
    check "the same without a report, $scope" none MYBLAS_REPORT= "$host" "$plugin" $scope vectors \
        product reload vectors product
done
check "a routine that the program's BLAS lacks" '^somatcopy ' "$host" "$plugin" local matcopy

# Each plugin's calls go to its own BLAS, in any order of first calls. There is no report, because a
# report makes the library examine all calls.
right="product product vectors vectors"
wrong="!product !product !vectors !vectors"
for first in "$plugin local $right $plugin_wrong $wrong" \
    "$plugin_wrong local $wrong $plugin $right"; do
    # shellcheck disable=SC2086 # words
    check "two plugins with a BLAS each" none MYBLAS_REPORT= \
        LD_LIBRARY_PATH="$3/wrong:$LD_LIBRARY_PATH" "$host" $first
done

if [ -e "$plugin64" ]; then
    check "64-bit integers" 'forwarded: the program.s integers have 64 bits \(2\)' \
        MYBLAS_OFFLOAD=always "$host" "$plugin64" local product
    check "64-bit integers, RTLD_GLOBAL" 'forwarded: the program.s integers have 64 bits \(2\)' \
        MYBLAS_OFFLOAD=always "$host" "$plugin64" global product
fi

# ---- Errors: what the reference BLAS says, in the same words -------------------------------------

"$host" "$plugin" local error >"$work/plain" 2>&1
plain=$?
for mode in auto always; do
    under MYBLAS_OFFLOAD=$mode "$host" "$plugin" local error
    [ $? = "$plain" ] && cat "$work/out" "$work/err" | cmp -s - "$work/plain" ||
        fail "a wrong argument by rows, $mode: $(cat "$work/out" "$work/err")," \
            "plain: $(cat "$work/plain")"
done

check "an xerbla_ that does not return" '^sgemm +small +6 .* 1 .*an argument is wrong \(1\)' \
    MYBLAS_OFFLOAD=always "$jumping"
c++ "$source/throwing_xerbla.cpp" -rdynamic -o "$work/throwing" "$4/libblas.so.3" || exit 1
for offload in always never; do
    check "an xerbla_ that throws, $offload" 'an argument is wrong \(1\)' MYBLAS_OFFLOAD=$offload \
        "$work/throwing"
done

# ---- The first line of a report ------------------------------------------------------------------

check "calls seen and served" \
    'blas-preload: .*: loaded, 2 calls seen, 2 served \(sgemm 2\), 0 forwarded$' \
    MYBLAS_OFFLOAD=always "$host" "$plugin" local product
check "calls seen and forwarded" ': loaded, 2 calls seen, 0 served, 2 forwarded$' "$host" \
    "$plugin" local product
check "calls that pass by" \
    ': loaded, 0 calls seen; plugin.so refers to .*sgemm_.* \(not called, or not by this name\)' \
    MYBLAS_REPORT_DETAIL=full "$host" "$plugin" deepbind product
check "which is told on demand alone" ': loaded, 0 calls seen$' "$host" "$plugin" deepbind product
check "a program without BLAS says so" \
    ': loaded, 0 calls seen; no file of the process refers to a BLAS' \
    MYBLAS_REPORT_DETAIL=full /bin/true
under MYBLAS_RUN_PROCESS=1 /bin/true
[ ! -e "$report" ] || fail "a bystander of myblas-run reports: $(cat "$report")"
# other_blas WHAT EXPECTED SYMBOL: a program that calls a function of a BLAS which does not compute
# in single precision.
other_blas() {
    echo "void $3(void) {}" | cc -shared -fPIC -x c - -o "$work/libtheirblas.so" &&
        echo "void $3(void); int main(void) { $3(); return 0; }" |
        cc -x c - -o "$work/other" -L"$work" -ltheirblas -Wl,-rpath,"$work" || exit 1
    check "$1" "0 calls seen; the program refers to $3 \\($2\\)(;|\$)" MYBLAS_REPORT_DETAIL=full \
        "$work/other"
}
other_blas "double precision" 'double precision: not served' dgemm_
other_blas "double precision in another spelling" 'double precision: not served' \
    scipy_cblas_dgemm64_
other_blas "a routine that is not served" 'not served' stbmv_
echo "void sgemm_(void) {} int main(void) { sgemm_(); return 0; }" |
    cc -rdynamic -x c - -o "$work/static" &&
    check "a BLAS in the program" \
    '; the program contains sgemm_ \(linked statically: out of reach\)$' \
        MYBLAS_REPORT_DETAIL=full "$work/static"

# ---- What has nothing to do with BLAS ------------------------------------------------------------

check "a program without BLAS" none bash -c \
    'grep -qE "libmyblas.so|libcuda" /proc/self/maps && echo mapped; true'
check "a child of the shell" none bash -c 'ls / | cat >/dev/null; (true)'

# ---- Faults --------------------------------------------------------------------------------------

check "a fork after use" '^sgemm +small +2 ' MYBLAS_OFFLOAD=always "$host" "$plugin" local product \
    fork
check "a mode that makes no sense" 'MYBLAS_OFFLOAD makes no sense \(2\)' MYBLAS_OFFLOAD=sometimes \
    "$host" "$plugin" local product
check "a mode in capitals" "$served_twice" MYBLAS_OFFLOAD=ALWAYS MYBLAS_BACKEND=Host \
    MYBLAS_MATH=FAST "$host" "$plugin" local product
for offload in auto always; do
    check "a backend that makes no sense, $offload" \
        'MYBLAS_BACKEND is not auto, host or cuda \(2\)' \
        MYBLAS_OFFLOAD=$offload MYBLAS_BACKEND=bogus "$host" "$plugin" local product
done
check "an empty mode" "$forwarded_twice" MYBLAS_OFFLOAD= "$host" "$plugin" local product unmapped
check "other empty settings" "$served_twice" MYBLAS_OFFLOAD=always MYBLAS_MATH= \
    MYBLAS_SGEMM_KERNEL= MYBLAS_DEVICES= \
    MYBLAS_DEVICE_MEMORY= MYBLAS_BACKEND= MYBLAS_WORKSPACE= MYBLAS_LOG= MYBLAS_TUNING= \
    "$host" "$plugin" local product
check "sizes that make no sense" "$served_twice" MYBLAS_OFFLOAD=always MYBLAS_DEVICE_MEMORY=-1 \
    MYBLAS_DEVICES=x \
    "$host" "$plugin" local product
check "so little memory that nothing fits" \
    'forwarded: its operands do not fit in the memory that a call may use \(2\)' \
    MYBLAS_OFFLOAD=always MYBLAS_DEVICE_MEMORY=1 \
    "$host" "$plugin" local product
check "a math mode that makes no sense" \
    'MYBLAS_MATH is not strict, emulated, fast or reproducible \(2\)' \
    MYBLAS_OFFLOAD=always MYBLAS_MATH=magic \
    "$host" "$plugin" local product
check "a kernel that there is none of" \
    'forwarded: MYBLAS_SGEMM_KERNEL names no kernel of the backend \(2\)' MYBLAS_OFFLOAD=always \
    MYBLAS_SGEMM_KERNEL=magic \
    "$host" "$plugin" local product
for driver in ${drivers:+"$drivers"/*}; do
    check "$driver" "$served_twice" MYBLAS_BACKEND=auto MYBLAS_OFFLOAD=always \
        LD_LIBRARY_PATH="$driver:$LD_LIBRARY_PATH" "$host" "$plugin" local product
done
check "a report that cannot be written" none MYBLAS_REPORT=/nonexistent/file \
    MYBLAS_LOG="$work/log" "$host" "$plugin" local product
grep -qxF '[myblas] MYBLAS_REPORT: cannot open /nonexistent/file: No such file or directory' \
    "$work/log" ||
    fail "the log does not tell of a report that cannot be written: $(cat "$work/log")"

# A GPU that cannot be used, with a stand-in for the driver.
cc -shared -fPIC "$source/standin_driver.c" -Wl,-soname,libcuda.so.1 -o "$work/libcuda.so.1" ||
    exit 1
cc "$source/busy_host.c" -o "$work/busy_host" "$4/libblas.so.3" || exit 1
# no_gpu REASON [NAME=VALUE]...
no_gpu() {
    local reason=$1
    shift
    check "$reason" "forwarded: .*$reason \\(" MYBLAS_BACKEND=auto \
        LD_LIBRARY_PATH="$work:$LD_LIBRARY_PATH" "$@" "$work/busy_host"
}
no_gpu "MYBLAS_BACKEND=host" MYBLAS_BACKEND=host
no_gpu "there is no GPU" STANDIN_INIT=100
no_gpu "the CUDA driver does not start" STANDIN_INIT=999
no_gpu "the GPU's memory is full" STANDIN_RETAIN=2
no_gpu "the GPU is busy: another process has it for itself" STANDIN_RETAIN=46

# Without libmyblas, calls are forwarded. A call that no library can serve ends the program, as the
# loader would.
mkdir "$work/alone" # the preload library looks into the folder above its own
cp "$preload" "$work/alone"
preload_beside_library=$preload
preload=$work/alone/$(basename "$preload")
check "no libmyblas" 'libmyblas cannot be loaded \(2\)' MYBLAS_OFFLOAD=always "$host" "$plugin" \
    local product
under "$host" "$plugin" local matcopy
[ $? = 127 ] && grep -q 'somatcopy' "$work/err" ||
    fail "no libmyblas, and a routine that nobody has: $(cat "$work/err")"
preload=$preload_beside_library

# With raised privileges the variables are not read. The program runs as nobody, who need not be
# able to read the build tree.
if [ "$(id -u)" = 0 ] && id nobody >/dev/null 2>&1; then
    cp "$plugin" "$work/plugin.so" && cp "$host" "$work/raised" && chown nobody "$work/raised" &&
        chmod 4755 "$work/raised" && chmod 755 "$work" "$work/plugin.so"
    check "raised privileges" none "$work/raised" "$work/plugin.so" local
fi

exit $((failures > 0))
