# shellcheck shell=bash disable=SC2154 # the caller sets program and root
# The set-up that bench/quickstart.sh, tests/run.sh and scripts/lint.sh share: packages, toolkit,
# configuration, build. To be sourced; `program` names the caller in messages, and `root` is the
# source directory.

say() { echo "$program: $*"; }

# Exits with a last line that says what is missing.
die() {
    echo "$program: $*" >&2
    exit 1
}

# step WHAT LOG COMMAND...: runs a command quietly, and shows the end of its output if it fails. A
# terminal shows the last line of the log as progress; a file or a pipe gets the log's name.
step() {
    local what=$1 log=$2 reporter='' result=0
    shift 2
    say "$what (all output is in $log)"
    if [ -t 1 ]; then
        report_progress "$log" &
        reporter=$!
    fi
    "$@" >"$log" 2>&1 || result=$?
    if [ -n "$reporter" ]; then
        kill "$reporter" 2>/dev/null
        wait "$reporter" 2>/dev/null
        printf '\r\033[K'
    fi
    [ "$result" != 0 ] || return 0
    tail -n 40 "$log" >&2
    die "$what: failed; the whole output is in $log"
}

# Ends when the script ends.
report_progress() {
    while sleep 1 && kill -0 "$$" 2>/dev/null; do
        printf '\r\033[K%.78s' "$(tail -n 1 "$1" 2>/dev/null)"
    done
}

# ---- Packages ------------------------------------------------------------------------------------

has_command() { command -v "$1" >/dev/null; }
has_module() { has_command pkg-config && pkg-config --exists "$1"; }

at_least() { # VERSION MINIMUM
    [ "$(printf '%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]
}

# The package is for the distribution's python3, which need not be the one on PATH.
has_matplotlib() {
    python3 -c 'import matplotlib' 2>/dev/null ||
        /usr/bin/python3 -c 'import matplotlib' 2>/dev/null
}

has_cmake() {
    has_command cmake && at_least "$(cmake --version | sed -n 's/^cmake version //p')" 3.25
}

missing_packages() {
    [ "$program" != lint ] || missing_lint_packages
    has_cmake || echo cmake
    has_command g++ || echo g++
    has_command gfortran || echo gfortran
    has_command ninja || echo ninja-build
    has_command pkg-config || echo pkg-config
    has_command readelf || echo binutils
    has_command python3 || echo python3
    has_module openblas || echo libopenblas-dev
    has_module CLI11 || echo libcli11-dev
    has_module nlohmann_json || echo nlohmann-json3-dev
    has_module fmt || echo libfmt-dev
    [ "$program" != tests ] || missing_test_packages
}

# Packages to build the tests, and to run the tests of the preload libraries, of the packages and of
# the pages.
missing_test_packages() {
    local multiarch module
    multiarch=$(gcc -print-multiarch 2>/dev/null)
    has_module cmocka || echo libcmocka-dev
    has_matplotlib || echo python3-matplotlib
    [ -e "/usr/lib/$multiarch/blas/libblas.so.3" ] || echo libblas3
    [ -e "/usr/lib/$multiarch/blas64/libblas64.so.3" ] || echo libblas64-3
    [ -e "/usr/lib/$multiarch/blas/xblat3s" ] || echo libblas-test
    # The reference LAPACK. OpenBLAS's LAPACK would be installed otherwise, and calls no BLAS.
    [ -e "/usr/lib/$multiarch/lapack/liblapack.so.3" ] || echo liblapack3
    [ -e "/usr/lib/$multiarch/lapack/xlintsts" ] || echo liblapack-test
    [ -e "/usr/lib/$multiarch/scalapack/openmpi-tests/xslu" ] || echo scalapack-mpi-test
    has_command mpirun.openmpi || echo openmpi-bin
    has_module ompi-c || echo libopenmpi-dev
    [ -e "/usr/lib/$multiarch/libscalapack-openmpi.so" ] || echo libscalapack-openmpi-dev
    for module in numpy scipy pytest hypothesis; do
        /usr/bin/python3 -c "import $module" 2>/dev/null || echo "python3-$module"
    done
    /usr/bin/python3 -c "import ensurepip" 2>/dev/null || echo python3-venv
    has_command abidiff || echo abigail-tools
    has_command lintian || echo lintian
    has_command dpkg-architecture || echo dpkg-dev
    has_command man || echo man-db
    has_command doxygen || echo doxygen
    python3 -c 'import ensurepip' 2>/dev/null || echo python3-venv
    [ "${MYBLAS_COVERAGE:-OFF}" = OFF ] || has_command gcovr || echo gcovr
}

# Packages of Python that distributions lack, for the tests of the wheel and of the conda recipe: by
# pip, into a virtual environment. Without a network these tests are skipped.
install_python_tools() {
    local tools=$root/build/python-tools wanted=(scikit-build-core py-rattler-build) log
    [ "$program" = tests ] || return 0
    "$tools/bin/python" -c 'import scikit_build_core, rattler_build' 2>/dev/null && return
    say "installing ${wanted[*]} into $tools"
    log=$(mktemp)
    if ! { python3 -m venv "$tools" &&
        "$tools/bin/pip" install --quiet --disable-pip-version-check --retries 1 \
            "${wanted[@]}"
    } >"$log" 2>&1; then
        tail -n 2 "$log"
        say "not installed: the tests that need them are skipped"
    fi
    rm -f "$log"
}

has_libfuzzer() {
    echo 'extern "C" int LLVMFuzzerTestOneInput() { return 0; }' |
        clang++ -fsanitize=fuzzer -x c++ - -o /dev/null 2>/dev/null
}

# Packages for lint, and for the libFuzzer targets of .ci/run, which runs lint first.
missing_lint_packages() {
    local tool
    for tool in clang-format clang-tidy shellcheck codespell; do
        has_command "$tool" || echo "$tool"
    done
    has_libfuzzer || echo clang libclang-rt-dev
    has_command ruff || python3 -c 'import ensurepip' 2>/dev/null || echo python3-venv
}

# ruff is not in Debian: by pip, into a virtual environment.
lint_tools=$root/build/lint-tools
install_ruff() {
    has_command ruff && return
    say "installing ruff into $lint_tools"
    python3 -m venv "$lint_tools" &&
        "$lint_tools/bin/pip" install --quiet --disable-pip-version-check ruff==0.17.6 ||
        die "missing: ruff (pip could not install it)"
}

install_packages() {
    local missing log as_root=()
    missing=$(missing_packages | sort -u | xargs)
    [ -n "$missing" ] || return 0

    has_command apt-get || die "missing: $missing (there is no apt-get here to install them)"
    if [ "$(id -u)" != 0 ]; then
        has_command sudo || die "missing: $missing (install them as root: apt-get install $missing)"
        as_root=(sudo)
    fi
    say "installing $missing"
    log=$(mktemp)
    # A failed update need not matter: older lists may be good enough.
    "${as_root[@]}" apt-get update >"$log" 2>&1 || true
    # shellcheck disable=SC2086 # the list is to be split
    if ! "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y --no-install-recommends $missing >>"$log" 2>&1; then
        tail -n 20 "$log" >&2
        die "missing: $missing (apt-get could not install them)"
    fi
    rm -f "$log"
    missing=$(missing_packages | sort -u | xargs)
    [ -z "$missing" ] ||
        die "missing even after installation: $missing (cmake must be 3.25 or newer)"
}

# ---- CUDA ----------------------------------------------------------------------------------------

# Sets `cuda` to ON or OFF, and CUDACXX.
find_cuda() {
    local version
    cuda=OFF
    if [ -z "${CUDACXX:-}" ]; then
        if has_command nvcc; then
            CUDACXX=$(command -v nvcc)
        elif [ -x /usr/local/cuda/bin/nvcc ]; then
            CUDACXX=/usr/local/cuda/bin/nvcc
        else
            say "no CUDA toolkit (nvcc): building the host backend alone"
            return
        fi
    fi
    export CUDACXX
    version=$("$CUDACXX" --version 2>/dev/null | sed -n 's/.*release \([0-9.]*\).*/\1/p')
    if [ -z "$version" ]; then
        say "$CUDACXX does not run: building the host backend alone"
    elif ! at_least "$version" 12.0; then
        say "CUDA $version is older than 12.0: building the host backend alone"
    else
        say "CUDA $version at $CUDACXX"
        cuda=ON
    fi
}

# The architecture of this machine's GPU, otherwise Hopper's.
gpu_architecture() {
    local capability=
    if has_command nvidia-smi; then
        capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null |
            sed -n '1s/^\([0-9]*\)\.\([0-9]*\)$/\1\2/p')
    fi
    case $capability in
    '' | 90 | [1-7]?) echo 90a-real ;;
    *) echo "$capability-real" ;;
    esac
}

# ---- Build ---------------------------------------------------------------------------------------

# set_up BUILD_DIR: everything up to a finished build there. Tests are built only for the program
# `tests`. MYBLAS_CUDA=ON or OFF in the environment says whether to use a toolkit; without it, the
# build uses one if it finds one. MYBLAS_WERROR=ON makes warnings errors, MYBLAS_COVERAGE=ON counts
# how often lines run.
set_up() {
    local build=$1 options=() tests=OFF
    [ "$program" != tests ] || tests=ON
    install_packages
    install_python_tools

    if [ "${MYBLAS_CUDA:-}" = OFF ]; then
        cuda=OFF
    else
        find_cuda
        [ "${MYBLAS_CUDA:-}" != ON ] || [ "$cuda" = ON ] ||
            die "missing: a CUDA toolkit, 12.0 or newer"
    fi
    options=(-DMYBLAS_CUDA="$cuda" -DMYBLAS_BUILD_TESTS="$tests" -DMYBLAS_BUILD_BENCH=ON)
    options+=(-DMYBLAS_WERROR="${MYBLAS_WERROR:-OFF}" -DMYBLAS_COVERAGE="${MYBLAS_COVERAGE:-OFF}")
    [ "$cuda" = OFF ] || options+=(-DMYBLAS_CUDA_ARCHITECTURES="$(gpu_architecture)")
    # A build directory keeps its first generator.
    [ -f "$build/CMakeCache.txt" ] || options+=(-G Ninja)

    mkdir -p "$build" && [ -w "$build" ] ||
        die "cannot write to $build (made by another user?): remove it, or run as that user"
    step "configuring" "$build/configure.log" cmake -S "$root" -B "$build" "${options[@]}"
    step "building, which takes minutes" "$build/build.log" \
        cmake --build "$build" --parallel "$(nproc)"
}
