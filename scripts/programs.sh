#!/usr/bin/env bash
# programs.sh BUILD [ENVIRONMENT]: runs the programs of scripts/programs under BUILD/bin/myblas-run,
# on the host backend and with `--offload always`, and writes a table of their reports into
# docs/your_program.md. myblas-doctor has to agree with each report. Installs missing packages:
# Debian's, as root, and PyPI's into the virtual environment ENVIRONMENT (build/programs), which
# takes 9 GB, because PyTorch brings CUDA.
set -uo pipefail

program=programs
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
. "$root/scripts/setup.sh"

usage="usage: scripts/programs.sh BUILD [ENVIRONMENT]"
case ${1:-} in
--help)
    echo "$usage"
    exit 0
    ;;
'' | -*) die "$usage" ;;
esac
bin=$(cd "$1/bin" 2>/dev/null && pwd) && [ -x "$bin/myblas-run" ] ||
    die "there is no $1/bin/myblas-run"
environment=${2:-$root/build/programs}
page=$root/docs/your_program.md
sources=$root/scripts/programs
lib=/usr/lib/$(gcc -print-multiarch)
testers=$lib/scalapack/openmpi-tests

missing=
for file in /usr/bin/octave-cli:octave /usr/bin/Rscript:r-base-core \
    "$lib/lapack/liblapack.so.3:liblapack3" \
    "$lib/openblas-pthread/liblapack.so:libopenblas-dev" "$testers/xslu:scalapack-mpi-test" \
    /usr/bin/mpirun.openmpi:openmpi-bin /usr/lib/python3/dist-packages/scipy:python3-scipy; do
    [ -e "${file%:*}" ] || missing+=" ${file#*:}"
done
if [ -n "$missing" ]; then
    say "installing$missing"
    # shellcheck disable=SC2086 # the list is to be split
    apt-get install -y --no-install-recommends $missing >/dev/null || die "missing:$missing"
fi
packages=(numpy scipy scikit-learn faiss-cpu jax tensorflow-cpu torch)
[ -x "$environment/bin/pip" ] || python3 -m venv "$environment" ||
    die "there is no virtual environment $environment"
say "installing ${packages[*]} into $environment"
"$environment/bin/pip" install --quiet --disable-pip-version-check "${packages[@]}" ||
    die "pip failed"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export MYBLAS_BACKEND=host
table=$work/table
cat >"$table" <<'END'

| Program | Calls seen | Served | Forwarded | myblas-doctor |
| --- | ---: | --- | ---: | --- |
END

# The calls of all processes: seen, forwarded, and served ones by routine. A line that begins with a
# space continues the line before.
summary() {
    awk '
        function take(line, count, parts, words, i) {
            if (!match(line, /: loaded, [0-9]+ calls? seen/))
                return
            understood = 1
            seen += substr(line, RSTART + 10)
            if (match(line, /, [0-9]+ forwarded/))
                forwarded += substr(line, RSTART + 2)
            if (!match(line, / served \([^)]*\)/))
                return
            count = split(substr(line, RSTART + 9, RLENGTH - 10), parts, ", *")
            for (i = 1; i <= count; ++i) {
                split(parts[i], words, " ")
                if (!(words[1] in served))
                    order[++routines] = words[1]
                served[words[1]] += words[2]
            }
        }
        /^[^ ]/ { take(whole); whole = $0; next }
        { sub(/^ +/, " "); whole = whole $0 }
        END {
            take(whole)
            for (i = 1; i <= routines; ++i)
                text = text (i > 1 ? ", " : "") order[i] " " served[order[i]]
            printf "%d\t%d\t%s\n", seen, forwarded, text == "" ? "none" : text
            exit !understood
        }' "$1"
}

# try NAME EXAMINED COMMAND...: runs a program and adds its row. EXAMINED is what myblas-doctor
# examines; "" for the command.
try() {
    local name=$1 examined=$2 status verdict seen forwarded served routine remarks
    shift 2
    say "$name"
    "$bin/myblas-run" --offload always --report report -- "$@" >output 2>&1 ||
        die "$name failed: $(tail -n 5 output)"
    if [ -n "$examined" ]; then
        "$bin/myblas-doctor" "$examined" >doctor 2>&1
    else
        "$bin/myblas-doctor" "$@" >doctor 2>&1
    fi
    status=$?
    # Nothing can be preloaded into a static program, so its report is one line.
    if grep -q '^myblas-run: .* is linked statically' report; then
        printf '0\t0\tnone\n' >counts
    else
        summary report >counts || die "$name: the report is not understood: $(cat report)"
    fi
    IFS=$'\t' read -r seen forwarded served <counts
    case $status in
    0) verdict='can be interposed' ;;
    1) verdict='out of reach' ;;
    *) die "$name: myblas-doctor has status $status: $(cat doctor)" ;;
    esac
    [ $((status == 0)) = $((seen > 0)) ] ||
        die "$name: myblas-doctor says '$verdict', and the report has $seen calls: $(cat doctor \
        report)"
    for routine in $(tr -d '0-9,' <<<"$served"); do
        [ "$routine" = none ] || grep -qE "calls .*$routine.*: can be interposed" doctor ||
            die "$name: the report has $routine, which myblas-doctor does not name: $(cat doctor)"
    done
    remarks=$(sed '1,/^program/d' doctor |
        grep -E 'solvers of|LU and|by itself|linked statically' |
        sed 's/^ */; /' | tr -d '\n')
    echo "| $name | $seen | $served | $forwarded | $verdict$remarks |" >>"$table"
}

version() { "$environment/bin/python" -c "import importlib.metadata as m; print(m.version('$1'))"; }
debian() { dpkg-query -W -f '${Version}' "$1" | sed 's/^[0-9]*://; s/[-+].*//'; }
pip=$environment/bin/python

gcc -O2 "$sources/product.c" -o openblas -lopenblas &&
    gcc -O2 "$sources/product.c" -o static -static -l:libopenblas.a -lgfortran -lquadmath -lm &&
    gfortran -O2 "$sources/product.f90" -o fortran -llapack -lblas ||
        die "the programs cannot be compiled"
# The same as after update-alternatives for liblapack.so.3.
reference=LD_LIBRARY_PATH=$lib/lapack

try "C, linked to OpenBLAS" "" ./openblas
try "C, linked statically" "" ./static
try "Fortran, OpenBLAS's LAPACK" "" ./fortran
export "${reference?}"
try "Fortran, the reference LAPACK" "" ./fortran
unset LD_LIBRARY_PATH
try "NumPy $(debian python3-numpy), Debian" "" /usr/bin/python3 "$sources/numpy_solve.py"
try "NumPy $(version numpy), pip" "" "$pip" "$sources/numpy_solve.py"
try "SciPy $(debian python3-scipy), Debian, OpenBLAS's LAPACK" "" /usr/bin/python3 \
    "$sources/scipy_solve.py"
export "${reference?}"
try "SciPy $(debian python3-scipy), Debian, the reference LAPACK" "" /usr/bin/python3 \
    "$sources/scipy_solve.py"
unset LD_LIBRARY_PATH
try "SciPy $(version scipy), pip" "" "$pip" "$sources/scipy_solve.py"
try "scikit-learn $(version scikit-learn), pip" "" "$pip" "$sources/sklearn_fit.py"
try "PyTorch $(version torch), pip, on the CPU" "" "$pip" "$sources/torch_train.py"
try "faiss-cpu $(version faiss-cpu), pip" "" "$pip" "$sources/faiss_search.py"
try "JAX $(version jax), pip, on the CPU" "" "$pip" "$sources/jax_product.py"
try "TensorFlow $(version tensorflow-cpu), pip, on the CPU" "" "$pip" \
    "$sources/tensorflow_product.py"
try "Octave $(debian octave), Debian" "" octave-cli "$sources/product.m"
LD_LIBRARY_PATH=/usr/lib/R/lib try "R $(debian r-base-core), Debian" /usr/lib/R/bin/exec/R Rscript \
    "$sources/product.R"
. "$root/tests/preload/open_mpi.sh"
cp "$testers/PBLAS/PSBLAS3TST.dat" .
try "ScaLAPACK $(debian scalapack-mpi-test), Debian, 4 ranks" "$testers/PBLAS/spb3tst" \
    env OPENBLAS_NUM_THREADS=1 mpirun.openmpi --oversubscribe -n 4 "$testers/PBLAS/spb3tst"
echo >>"$table"

sed -i -e "/<!-- programs:begin -->/r $table" \
    -e '/<!-- programs:begin -->/,/<!-- programs:end -->/{/<!-- /!d}' "$page"
cat "$table"
