#!/usr/bin/env bash
# compile_and_run.sh PREFIX PROGRAM COMPILER SOURCE MODULES [ARGUMENT...]: compiles with the flags
# of pkg-config and EXTRA_FLAGS only, and runs the program.
set -u

prefix=$1
program=$2
compiler=$3
source=$4
modules=$5
shift 5

export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
# shellcheck disable=SC2086 # a list of modules
flags=$(pkg-config --cflags --libs $modules) || exit 1
# shellcheck disable=SC2086 # a list of flags
"$compiler" -Wall -Werror "$source" -o "$program" $flags ${EXTRA_FLAGS:-} -lm || exit 1
LD_LIBRARY_PATH=$prefix/lib "$program" "$@"
