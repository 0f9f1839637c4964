#!/usr/bin/env bash
# hardening_installed.sh COMPILER PREFIX [LIBRARY_DIR]: hardening.sh accepts every shared library
# and program in an installed tree. LIBRARY_DIR is PREFIX/lib if it is not given.
set -u

compiler=$1
prefix=$2
libraries=${3:-$prefix/lib}
files=()
while IFS= read -r -d '' file; do
    if readelf --wide --file-header "$file" 2>/dev/null |
        grep -Eq 'Type: +(DYN|EXEC) '; then
        files+=("$file")
    fi
done < <(find "$prefix" -type f -print0)
for file in "$libraries"/libmyblas.so.1* "$libraries"/myblas/libmyblas-{blas,cublas}-preload.so \
    "$prefix"/bin/myblas-{run,doctor}; do
    # The first is a link, or the file itself.
    [[ -L $file || " ${files[*]} " == *" $file "* ]] || {
        echo "not among the files to check: $file"
        exit 1
    }
done
exec bash "$(dirname "$0")/hardening.sh" installed "$compiler" "${files[@]}"
