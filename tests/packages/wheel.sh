#!/usr/bin/env bash
# wheel.sh SOURCE_DIR BUILD_DIR WORK_DIR SAMPLE: makes a wheel of a finished build tree without a
# network, installs it into a virtual environment, and uses the library by ctypes, and the tools.
# SAMPLE is a program that calls a CPU's BLAS.
set -u

source=$1
build=$2
work=$3
sample=$4
die() {
    echo "$*"
    exit 1
}
. "$source/tests/packages/python_with.sh"
. "$source/tests/preload/unfolded.sh"
python_with "$source" pip venv scikit_build_core
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INDEX=1 PIP_NO_INPUT=1

rm -rf "$work"
mkdir -p "$work"
"$python" -m pip wheel "$source" --no-build-isolation --no-deps --wheel-dir "$work/dist" \
    --config-settings build-dir="$work/build" \
    --config-settings cmake.define.MYBLAS_FROM_BUILD="$build" >"$work/log" 2>&1 || {
    tail -n 30 "$work/log"
    die "the wheel is not built"
}
version=$(sed -n 's/^#define MYBLAS_VERSION_\(MAJOR\|MINOR\|PATCH\) *//p' \
    "$source/include/myblas/myblas.h" | paste -sd.)
wheel=$(echo "$work/dist/myblas-$version-py3-none-linux_"*.whl)
[ -e "$wheel" ] || die "no wheel of version $version: $(ls "$work/dist")"

"$python" -m venv --without-pip "$work/venv" &&
    "$python" -m pip --python "$work/venv/bin/python" install --no-deps "$wheel" >"$work/log" 2>&1 \
    || {
    cat "$work/log"
    die "the wheel cannot be installed"
}
package=$(echo "$work"/venv/lib/python*/site-packages/myblas)
[ "$(find "$package" -name 'libmyblas.so*')" = "$package/lib/libmyblas.so.1" ] ||
    die "the library is not there once"
find "$package" \( -name '*.so*' -o -name 'myblas-*' -o -name '*.py' \) -type f \
    -exec "$source/tests/machine_paths.sh" "$build" "$source" -- {} + ||
    die "the files above hold a path of the machine that built them"
bash "$source/tests/elf/hardening_installed.sh" c++ "$package" ||
    die "the files in the wheel are not hardened"
for file in "$package"/lib/libmyblas.so.1 "$package"/lib/myblas/*.so "$package"/bin/*; do
    ! readelf --section-headers --wide "$file" | grep -F .symtab || die "$file is not stripped"
done

# The library, by ctypes alone.
cd / || exit 1
export MYBLAS_BACKEND=host
unset LD_LIBRARY_PATH PYTHONPATH
"$work/venv/bin/python" - "$package" <<'END' || die "the library cannot be used"
import ctypes, sys
import myblas

assert myblas.library_path == sys.argv[1] + "/lib/libmyblas.so.1", myblas.library_path
library = myblas.load()
handle = ctypes.c_void_p()
assert library.myblasCreate(ctypes.byref(handle)) == 0
a, c = (ctypes.c_float * 4)(1, 2, 3, 4), (ctypes.c_float * 4)()
one, zero = ctypes.byref(ctypes.c_float(1)), ctypes.byref(ctypes.c_float(0))
assert library.mysgemmHost(handle, 0, 1, 2, 2, 2, one, a, 2, a, 2, zero, c, 2) == 0
assert list(c) == [10, 14, 14, 20], list(c)
assert library.myblasDestroy(handle) == 0
END

# The functions for arrays, in an environment that sees the system's NumPy. Its Python may be
# another one: the wheel serves all.
if /usr/bin/python3 -c 'import numpy, venv' 2>/dev/null; then
    /usr/bin/python3 -m venv --without-pip --system-site-packages "$work/venv-numpy" &&
        "$python" -m pip --python "$work/venv-numpy/bin/python" install --no-deps "$wheel" \
            >"$work/log" 2>&1 || {
        cat "$work/log"
        die "the wheel cannot be installed beside NumPy"
    }
    for test in test_arrays.py test_commands.py; do
        "$work/venv-numpy/bin/python" "$source/tests/python/$test" >"$work/log" 2>&1 || {
            cat "$work/log"
            die "$test fails with the installed wheel"
        }
    done
fi
[ -e "$package/include/myblas/myblas.h" ] || die "torch_kernels.cpp would lack the headers"
[ -e "$package/py.typed" ] || die "type checkers would not read the package's types"
[ "$("$work/venv/bin/python" -m myblas version)" = "$version" ] ||
    die "python -m myblas version says something else"
[ "$(stat -c %s "$wheel")" -le 21000000 ] || die "the wheel is larger than 21 MB"

# The tools find the library and each other, and return the status of the program that they start.
bin=$work/venv/bin
"$bin/myblas-run" --blas --offload always --report "$work/report" -- "$sample" one ||
    die "myblas-run fails"
unfolded "$work/report" | grep -q '^sgemm .*served by: ' ||
    die "nothing was served: $(cat "$work/report")"
"$bin/myblas-run" -- sh -c 'exit 7'
[ $? = 7 ] || die "myblas-run has another status than its program"
"$bin/myblas-doctor" >"$work/doctor" || die "myblas-doctor fails"
! grep 'not there' "$work/doctor" || die "myblas-doctor misses something"
"$bin/myblas-bench" -n 20 --min-time 0 --repeats 2 --verify >"$work/bench" ||
    die "myblas-bench fails: $(cat "$work/bench")"
"$bin/myblas-bench" --nonsense 2>/dev/null
[ $? = 2 ] || die "myblas-bench takes any argument"

# Uninstalling removes all files.
"$python" -m pip --python "$bin/python" uninstall --yes myblas >"$work/log" 2>&1 ||
    die "it cannot be uninstalled: $(cat "$work/log")"
[ ! -e "$package" ] && [ ! -e "$bin/myblas-run" ] || die "something is left: $(ls "$package")"
