#!/usr/bin/env bash
# alternative.sh PACKAGE...: installs the packages libmyblas1 and libmyblas-blas on this machine,
# chooses the alternative for libblas.so.3, runs Debian's NumPy, and removes the package. All of it
# happens in a mount namespace where changes of /usr, /etc and /var go to memory. Says so where that
# cannot be done.
set -u

source=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
die() {
    echo "$*"
    exit 1
}
leave_out() {
    echo "left out: the alternative is not installed, since $*"
    exit 0
}

if [ "${1:-}" != --inside ]; then
    [ "$(id -u)" = 0 ] || leave_out "this needs root"
    /usr/bin/python3 -c 'import numpy' 2>/dev/null || leave_out "there is no python3-numpy"
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    unshare --mount true 2>/dev/null || leave_out "there are no mount namespaces"
    cp "$@" "$work" || die "cannot copy the packages"
    unshare --mount bash "$0" --inside "$work"
    exit
fi

work=$2
. "$source/tests/preload/unfolded.sh"
mount -t tmpfs tmpfs /mnt || leave_out "tmpfs cannot be mounted"
for folder in usr etc var; do
    mkdir -p "/mnt/$folder/changed" "/mnt/$folder/work"
    mount -t overlay overlay \
        -o "lowerdir=/$folder,upperdir=/mnt/$folder/changed,workdir=/mnt/$folder/work" "/$folder" ||
        leave_out "overlay cannot be mounted"
done

libdir=/usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)
name=libblas.so.3-$(dpkg-architecture -qDEB_HOST_MULTIARCH)
ours=$libdir/myblas/libblas.so.3
# expect_chosen FILE WHEN: after ldconfig, too, which may change links.
expect_chosen() {
    ldconfig
    [ "$(readlink -f "$libdir/libblas.so.3")" = "$(readlink -f "$1")" ] ||
        die "$2: libblas.so.3 is $(readlink -f "$libdir/libblas.so.3"), not $1"
}

update-alternatives --quiet --auto "$name"
openblas=$(readlink -f "$libdir/libblas.so.3")
dpkg --install "$work"/*.deb >"$work/dpkg" 2>&1 || {
    cat "$work/dpkg"
    die "the packages cannot be installed"
}
expect_chosen "$openblas" "installed"
update-alternatives --quiet --set "$name" "$ours"
expect_chosen "$ours" "chosen"
cat >"$work/product.py" <<'END'
import numpy
a = numpy.arange(6400, dtype=numpy.float32).reshape(80, 80) % 7
d = a.astype(float)
assert ((a @ a) == (d @ d)).all()
END
env -u LD_LIBRARY_PATH -u LD_PRELOAD MYBLAS_BACKEND=host MYBLAS_OFFLOAD=always \
    MYBLAS_REPORT="$work/folded" /usr/bin/python3 "$work/product.py" || die "NumPy fails"
unfolded "$work/folded" | grep -qE '^myblas-blas: python3.* served \(.*sgemm 1' ||
    die "NumPy's product was not served: $(cat "$work/folded")"
dpkg --remove libmyblas-blas >"$work/dpkg" 2>&1 || {
    cat "$work/dpkg"
    die "the package cannot be removed"
}
expect_chosen "$openblas" "removed"
