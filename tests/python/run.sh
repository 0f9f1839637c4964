#!/usr/bin/env bash
# run.sh SOURCE_DIR BUILD_DIR WORK_DIR TEST MODULE...: puts the package together in WORK_DIR as the
# wheel has it, and runs a test of this directory by a Python that has the modules. The status is 77
# if there is none.
set -eu

source=$1
build=$2
work=$3
test=$4
shift 4
. "$source/tests/packages/python_with.sh"
python_with "$source" "$@"

rm -rf "$work"
mkdir -p "$work/myblas/lib" "$work/myblas/bin"
cp "$source"/python/myblas/* "$work/myblas"
cp -r "$source/include" "$work/myblas"
ln -s "$build/lib/libmyblas.so.1" "$build/lib/myblas" "$work/myblas/lib"
ln -s "$build"/bin/myblas-* "$work/myblas/bin"
cd "$work"
# shellcheck disable=SC2154 # python_with sets it
PYTHONPATH=$work PYTHONDONTWRITEBYTECODE=1 exec "$python" -W error "$source/tests/python/$test"
