#!/usr/bin/env bash
# bench/quickstart.sh: from a clean clone to a running library; see usage below.
set -uo pipefail

program=quickstart
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

usage() {
    cat <<END
usage: bench/quickstart.sh
Installs the Debian packages that are missing, builds the library and its tools in build, installs
them into build/prefix, compiles the C and the Fortran example against that through pkg-config, runs
both on real data, ends with a short benchmark, and says how to go on. A CUDA toolkit is used if
there is one, for the GPU that is here.
  MYBLAS_CUDA=ON, OFF  in the environment: insists on a CUDA toolkit, or ignores it
END
}

case $* in
'') ;;
-h | --help)
    usage
    exit
    ;;
*)
    usage >&2
    exit 2
    ;;
esac
. "$root/scripts/setup.sh"

build=$root/build
prefix=$build/prefix
data=$root/examples/data/digits.csv

set_up "$build"
step "installing into $prefix" "$build/install.log" cmake --install "$build" --prefix "$prefix"

export PKG_CONFIG_PATH=$prefix/lib/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
pkg-config --exists myblas openblas ||
    die "pkg-config does not find myblas and openblas in $PKG_CONFIG_PATH and its own directories"
# xargs removes the backslashes that pkg-config puts before spaces.
mapfile -t flags < <(pkg-config --cflags --libs myblas openblas | xargs printf '%s\n')
flags+=("-Wl,-rpath,$prefix/lib")

step "compiling examples/digits_knn.c" "$build/digits_knn.log" \
    gcc -O2 "$root/examples/digits_knn.c" -o "$build/digits_knn" "${flags[@]}" -lm
step "compiling examples/digits_pca.f90" "$build/digits_pca.log" \
    gfortran -O2 "$root/examples/digits_pca.f90" -o "$build/digits_pca" "${flags[@]}"

echo
"$build/digits_knn" "$data" || die "the C example (build/digits_knn) failed"
echo
"$build/digits_pca" "$data" || die "the Fortran example (build/digits_pca) failed"
echo
say "a short benchmark; below a kernel of myblas stand other libraries;" \
    "a ratio above 1: myblas is faster"
"$prefix/bin/myblas-bench" --quick ||
    die "the benchmark (build/prefix/bin/myblas-bench --quick) failed"

cat <<EOF

The library is installed in build/prefix. To go on, in this shell:
  export PREFIX=$prefix
  export PATH=\$PREFIX/bin:\$PATH PKG_CONFIG_PATH=\$PREFIX/lib/pkgconfig
  myblas-doctor      # what the library finds on this machine: GPU, cuBLAS, BLAS
  man mysgemm
README.md has a program to compile against it, docs/tutorial.md the next steps.
EOF
