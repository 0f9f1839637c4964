#!/usr/bin/env bash
# abi.sh LIBRARY SOURCE_DIR CC: the library's binary interface is that of abi/exports/libmyblas.abi,
# and the comparison finds changes that break programs. LIBRARY has the public functions with debug
# information.
set -u

library=$1
source=$2
cc=$3
baseline=$source/abi/exports/libmyblas.abi
changed=4 incompatible=8 # bits of abidiff's status

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

compare() { abidiff "$@" >"$work/out" 2>&1; }

# Types that are not in the public headers may change.
compare --headers-dir2 "$source/include" --drop-private-types --exported-interfaces-only \
    "$baseline" "$library"
status=$?
if [ $status != 0 ]; then
    cat "$work/out"
    if [ $((status & incompatible)) != 0 ]; then
        echo "programs that use the library would break: this needs a new SONAME (docs/abi.md)"
    elif [ $((status & changed)) != 0 ]; then
        echo "an addition: abi/exports/update_baseline.sh $library (docs/abi.md)"
    fi
    exit 1
fi

# The comparison can fail: small libraries with changes that would break a program.
build() { printf '%s\n' "$2" | "$cc" -x c - -g -shared -fPIC -o "$work/$1.so" || exit 1; }
f='int f(struct s* x, int n) { return x->a + n; }'
wide_f='int f(struct s* x, long n) { return x->a + (int)n; }'
g='int g(void) { return 0; }'
build before "struct s { int a; }; $f $g"
build member "struct s { long b; int a; }; $f $g"
build parameter "struct s { int a; }; $wide_f $g"
build function 'struct s { int a; }; int f(struct s* x, int n) { return x->a + n; }'
for change in member parameter function; do
    compare "$work/before.so" "$work/$change.so"
    [ $(($? & changed)) != 0 ] || {
        echo "a changed $change is not noticed"
        exit 1
    }
done
