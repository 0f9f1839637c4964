#!/usr/bin/env bash
# pages.sh SOURCE PREFIX WORK CC CXX [FORTRAN]: compiles and runs the programs of README.md and
# docs/calling.md with the pages' commands. Each block of shell commands comes after the program
# that it compiles.
set -eu

source=$1
prefix=$2
work=$3
rm -rf "$work"
mkdir -p "$work/bin" "$work/build"
cd "$work"
ln -s "$prefix" build/prefix # where quickstart.sh installs
ln -s "$(command -v "$4")" bin/cc
ln -s "$(command -v "$5")" bin/c++
[ -z "${6:-}" ] || ln -s "$(command -v "$6")" bin/gfortran
export PATH=$work/bin:$PATH MYBLAS_BACKEND=host

# block PAGE LANGUAGE NUMBER
block() {
    awk -v language="$2" -v number="$3" '
        $0 == "```" { inside = 0 }
        inside { print; found = 1 }
        $0 == "```" language && ++count == number { inside = 1 }
        END { exit !found }' "$source/$1" || {
        echo "$1 has no block $3 of $2" >&2
        exit 1
    }
}

run() {
    rm -f program
    block "$1" sh "$2" >commands.sh
    bash -eu commands.sh
    ./program
}

if command -v man >/dev/null && [ -e "$prefix/share/man/man3/mysgemm.3" ]; then
    echo "man pages"
    for page in "$prefix"/share/man/man3/my*.3; do
        ! grep -q "^\.so " "$page" || continue
        name=$(basename "$page" .3)
        man -M "$prefix/share/man" --warnings -E UTF-8 3 "$name" >page.txt 2>page.log
        [ ! -s page.log ] && grep -q '^NAME' page.txt || {
            cat page.log
            echo "not a good man page: $name"
            exit 1
        }
    done
    # The page of a function also shows its form with 64-bit sizes.
    man -M "$prefix/share/man" 3 mysgemm_64 | grep -q 'mysgemm, mysgemm_64'
fi

echo "README: a private prefix"
block README.md c 1 >program.c
run README.md 2

export PREFIX=$prefix
echo "calling.md: C"
run docs/calling.md 1
echo "calling.md: C, installed for all"
PKG_CONFIG_PATH=$prefix/lib/pkgconfig LD_LIBRARY_PATH=$prefix/lib run docs/calling.md 2
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
echo "calling.md: C++"
block docs/calling.md cpp 1 >program.cpp
run docs/calling.md 3
echo "calling.md: Python"
block docs/calling.md python 1 >program.py
LD_LIBRARY_PATH=$prefix/lib python3 program.py | tee python.log
grep -qF "$(sed -n 's/.*# \(\[.*\]\)$/\1/p' program.py)" python.log

[ -n "${6:-}" ] || exit 0
echo "calling.md: Fortran"
block docs/calling.md fortran 1 >program.f90
run docs/calling.md 4
echo "calling.md: CMake"
block docs/calling.md cmake 1 >CMakeLists.txt
block docs/calling.md sh 5 >commands.sh
rm build/prefix
bash -eu commands.sh >cmake.log || {
    cat cmake.log
    exit 1
}
build/program && build/program_f
