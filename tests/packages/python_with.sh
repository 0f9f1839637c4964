# shellcheck shell=bash
# To be sourced. python_with SOURCE_DIR MODULE...: sets `python` to a Python that has these modules,
# or ends the test as skipped. scripts/setup.sh puts modules that distributions lack into
# build/python-tools.
python_with() {
    local source=$1 candidate
    shift
    for candidate in "$source/build/python-tools/bin/python" python3 /usr/bin/python3; do
        # Python would also import a folder of the module's name in the current one.
        if (cd / && "$candidate" -c "import $(IFS=,; echo "$*")" 2>/dev/null); then
            # shellcheck disable=SC2034 # for the caller
            python=$candidate
            return
        fi
    done
    echo "skipped: no Python here has the modules $*"
    exit 77
}
