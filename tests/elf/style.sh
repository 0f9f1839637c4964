#!/usr/bin/env bash
# style.sh SOURCE_DIR: scripts/style.py finds wide lines and words of earlier versions, with their
# file and line, and nothing else.
set -u

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
fail() {
    echo "$*"
    exit 1
}

# style EXPECTED FILE...: the exit status and the findings, one on each line, of the linter.
style() {
    local expected=$1 status=0
    shift
    python3 "$source/scripts/style.py" "$@" >found || status=$?
    [ "$(cat found)" = "$expected" ] || fail "style.py $*: found '$(cat found)', not '$expected'"
    [ $status = $((${#expected} > 0)) ] || fail "style.py $*: exit status $status"
}

source=$1
hundred=$(printf '%0100d' 0)
printf '%s\n%s1\n' "$hundred" "$hundred" >wide.c
style 'wide.c:2: 101 columns, at most 100' wide.c
printf '%s\n' "${hundred}1" >page.md
style '' page.md
cat >words.cu <<'END'
// turned on, so far; returned
int Turned;
int k_forms;
END
style 'words.cu:2: "Turned": write swap_ab if A and B are swapped, otherwise transposed' words.cu
echo 'two columns, one of which is written anew' >page.md
style 'page.md:1: "of which": write whose, or two sentences
page.md:1: "anew": write again' page.md
mkdir -p docs/experiments
cp page.md docs/experiments
style '' docs/experiments/page.md
