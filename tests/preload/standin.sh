# shellcheck shell=bash disable=SC2034,SC2154 # the caller sets preload, library, include, source
# Two GPUs for tests: stand-ins play the driver and libmyblas; they use the host backend of
# `library`, whose headers are in `include`. To be sourced, after check.sh. `standin` are the
# variables that programs need, and `log` is the stand-ins' log.

mkdir "$work/driver" "$work/myblas"
cc -shared -fPIC "$source/standin_driver.c" -Wl,-soname,libcuda.so.1 \
    -o "$work/driver/libcuda.so.1" || exit 1
# The preload library loads the libmyblas in the folder above its own.
cp "$preload" "$work/myblas" || exit 1
preload=$work/myblas/$(basename "$preload")
cc -shared -fPIC -I"$include" "$source/standin_myblas.c" -o "$work/libmyblas.so.1" \
    -Wl,-soname,libstandin.so.1 \
    -Wl,--no-as-needed "$library" -Wl,-rpath,"$(dirname "$library")" || exit 1

log=$work/log
standin=(MYBLAS_BACKEND=auto MYBLAS_OFFLOAD=always OPENBLAS_NUM_THREADS=1 STANDIN_GPUS=2
    STANDIN_LOG="$log" LD_LIBRARY_PATH="$work/driver")
