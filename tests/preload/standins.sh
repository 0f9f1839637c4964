# shellcheck shell=bash disable=SC2034,SC2154 # the caller sets preload, library and include
# Puts stand-ins in place of the CUDA driver and of libmyblas, for GPUs whose work the host backend
# of `library` does. To be sourced after check.sh. `driver` is the folder of the driver, for
# LD_LIBRARY_PATH; `preload` becomes a copy that finds the stand-in for libmyblas.
driver=$work/driver
source=$(dirname "${BASH_SOURCE[0]}")
mkdir "$driver" "$work/myblas"
cc -shared -fPIC "$source/standin_driver.c" -Wl,-soname,libcuda.so.1 -o "$driver/libcuda.so.1" ||
    exit 1
# The preload library loads the libmyblas in the folder above its own.
cp "$preload" "$work/myblas" || exit 1
preload=$work/myblas/$(basename "$preload")
cc -shared -fPIC -I"$include" "$source/standin_myblas.c" -o "$work/libmyblas.so.1" \
    -Wl,-soname,libstandin.so.1 \
    -Wl,--no-as-needed "$library" -Wl,-rpath,"$(dirname "$library")" || exit 1
