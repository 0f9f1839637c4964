#!/usr/bin/env bash
# hardening.sh LIBRARY SONAME: the binary is hardened, and needs no libraries but those it may.
set -u

library=$1
soname=$2
failures=0

# expect WHAT PATTERN TEXT, reject WHAT PATTERN TEXT
expect() { grep -Eq -- "$2" <<<"$3" || { echo "missing: $1"; failures=$((failures + 1)); }; }
reject() { ! grep -E -- "$2" <<<"$3" || { echo "unwanted: $1"; failures=$((failures + 1)); }; }

dynamic=$(readelf --wide --dynamic "$library") || exit 1
segments=$(readelf --wide --program-headers "$library") || exit 1
symbols=$(readelf --wide --dyn-syms "$library") || exit 1

expect "SONAME $soname" "SONAME.*\[${soname//./\\.}\]" "$dynamic"
expect "full RELRO" 'GNU_RELRO' "$segments"
expect "BIND_NOW" '\(FLAGS_1\).*NOW' "$dynamic"
expect "a stack that is not executable" 'GNU_STACK .* RW +0x' "$segments"
expect "stack protector" 'UND __stack_chk_fail' "$symbols"
expect "FORTIFY" 'UND __[a-z]+_chk(@|$)' "$(grep -v __stack_chk_fail <<<"$symbols")"
reject "text relocations" 'TEXTREL' "$dynamic"
reject "a run path" '\((RPATH|RUNPATH)\)' "$dynamic"
reject "a segment both writable and executable" 'LOAD.* RWE ' "$segments"
reject "a library beside those of libc" 'NEEDED' \
    "$(grep -Ev '\[(lib(c|m|dl|rt|pthread)\.so\.[0-9]+|ld-linux[^]]*)\]' <<<"$dynamic")"

exit $((failures > 0))
