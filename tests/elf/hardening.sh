#!/usr/bin/env bash
# hardening.sh built|installed COMPILER FILE...: each shared library or program is hardened, has the
# name that it is loaded by, and needs no libraries but those it may. A program in the build tree
# may have an empty entry at the end of its run path: CMake adds it, and removes it on installation.
set -u

place=$1
compiler=$2
shift 2
failures=0
fail() {
    echo "$file: $*"
    failures=$((failures + 1))
}

# expect WHAT PATTERN TEXT, reject WHAT PATTERN TEXT
expect() { grep -Eq -- "$2" <<<"$3" || fail "missing: $1"; }
reject() { ! grep -E -- "$2" <<<"$3" || fail "unwanted: $1"; }

# Whether the compiler for which the files are built marks targets of indirect calls, on x86.
has_cf_protection() {
    [ "$(uname -m)" = x86_64 ] &&
        echo 'int x;' | "$compiler" -fcf-protection=full -x c -c -o /dev/null - 2>/dev/null
}

# begin_with_endbr64 SYMBOLS: the code of each function in readelf's list of symbols does.
begin_with_endbr64() {
    [ -n "$1" ] || fail "no functions are found"
    reject "functions without endbr64 at the beginning" . "$(
        objdump -d --no-show-raw-insn "$file" | awk '
            NR == FNR { sub(/^0+/, "", $2); name[$2] = $8; next }
            { sub(/:$/, "", $1) }
            $1 in name && $2 == "endbr64" { delete name[$1] }
            END { for (address in name) print name[address] }' <(echo "$1") -
    )"
}

check_library() {
    local name
    expect "SONAME" 'SONAME' "$dynamic"
    name=$(sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p' <<<"$dynamic")
    case $(basename "$file") in
    "$name" | "$name".*) ;;
    *) fail "another SONAME than the file's name: $name" ;;
    esac
    reject "a run path" '\((RPATH|RUNPATH)\)' "$dynamic"
    if $has_cf; then
        begin_with_endbr64 "$(awk '$4 == "FUNC" && $7 != "UND"' <<<"$symbols")"
    fi
}

check_program() {
    local entries="\\\$ORIGIN(/[^]:]*)?"
    expect "a position-independent program" 'FLAGS_1.*PIE' "$dynamic"
    [ "$place" = installed ] || entries="$entries:?"
    reject "a run path to a folder that is not relative to the program" 'R(UN)?PATH' \
        "$(grep -Ev "\[$entries(:$entries)*\]" <<<"$dynamic")"
    # Programs that are stripped do not name their functions.
    local main
    main=$(readelf --wide --syms "$file" | awk '$4 == "FUNC" && $8 == "main"')
    if $has_cf && [ -n "$main" ]; then
        begin_with_endbr64 "$main"
    fi
}

if has_cf_protection; then has_cf=true; else has_cf=false; fi
for file in "$@"; do
    dynamic=$(readelf --wide --dynamic "$file") &&
        segments=$(readelf --wide --program-headers "$file") &&
        symbols=$(readelf --wide --dyn-syms "$file") || {
        fail "readelf cannot read it"
        continue
    }
    expect "RELRO" 'GNU_RELRO' "$segments"
    expect "BIND_NOW" '\(FLAGS_1\).*NOW' "$dynamic"
    expect "a stack that is not executable" 'GNU_STACK .* RW +0x' "$segments"
    expect "stack protector" 'UND __stack_chk_fail' "$symbols"
    expect "FORTIFY" 'UND __[a-z]+_chk(@|$)' "$(grep -v __stack_chk_fail <<<"$symbols")"
    reject "text relocations" 'TEXTREL' "$dynamic"
    reject "a segment both writable and executable" 'LOAD.* RWE ' "$segments"
    own='lib(c|m|dl|rt|pthread)\.so\.[0-9]+|ld-linux[^]]*'
    # The loader's program header tells a program from a library.
    if grep -q INTERP <<<"$segments"; then
        own="$own|libmyblas\.so\.[0-9]+"
        check_program
    else
        # libmyblas-blas.so stands in front of another BLAS.
        [ "$(basename "$file")" != libblas.so.3 ] || own="$own|libopenblas\.so\.[0-9]+"
        check_library
    fi
    reject "a library beside those of libc" 'NEEDED' "$(grep -Ev "\[($own)\]" <<<"$dynamic")"
done
[ $# -gt 0 ] || {
    echo "no files"
    exit 1
}
exit $((failures > 0))
