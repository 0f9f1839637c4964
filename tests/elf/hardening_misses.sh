#!/usr/bin/env bash
# hardening_misses.sh COMPILER: hardening.sh accepts a library and a program that are hardened, and
# names the property that each of them lacks when a flag is left out or replaced.
set -u

compiler=$1
check=$(cd "$(dirname "$0")" && pwd)/hardening.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0
fail() {
    echo "$*"
    failures=$((failures + 1))
}

cat >library.c <<'CODE'
#include <stdio.h>
void fill(char* text);
int length(int number, int size) {
    char text[64];
    int written = snprintf(text, size, "%d", number);
    fill(text);
    return written + text[0];
}
__attribute__((noinline, visibility("hidden"))) void fill(char* text) { text[0] = 1; }
CODE
cat library.c - >program.c <<'CODE'
int main(int count, char** arguments) { return length(count, count) + !arguments[0]; }
CODE
# The address of a function among the code, which the loader has to relocate.
cat >relocated.c <<'CODE'
asm(".pushsection .text\n.quad length\n.popsection");
CODE

# build WITHOUT WITH: makes sample.so and sample of the hardening flags, without those that equal
# WITHOUT, and with WITH at the end.
build() {
    local flag flags=()
    for flag in -O2 -fPIC -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -fstack-protector-strong \
        -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack $cf_protection; do
        [ "$flag" = "$1" ] || flags+=("$flag")
    done
    # shellcheck disable=SC2086 # a list of flags
    "$compiler" "${flags[@]}" -shared library.c -o sample.so -Wl,-soname,sample.so $2 &&
        "$compiler" "${flags[@]}" -pie program.c -o sample $2 ||
        fail "the samples are not built without '$1', with '$2'"
}

# misses PLACE FILE MESSAGE: hardening.sh fails, and all its messages are this one.
misses() {
    local output
    output=$(bash "$check" "$1" "$compiler" "$2") && fail "$2 passes, but should miss: $3"
    # Lines of readelf stand before some messages.
    output=$(grep "^$2: " <<<"$output")
    [[ $output == "$2: $3"* && $output != *$'\n'* ]] || fail "$2: expected '$3', found '$output'"
}

cf_protection=
if [ "$(uname -m)" = x86_64 ] && "$compiler" -fcf-protection=full -c library.c -o /dev/null; then
    cf_protection=-fcf-protection=full
fi
build '' ''
bash "$check" installed "$compiler" sample.so sample || fail "the hardened samples do not pass"
bash "$check" installed "$compiler" >/dev/null && fail "no files pass"
bash "$check" installed "$compiler" library.c >/dev/null 2>&1 && fail "a text passes"

# WITHOUT; WITH; MESSAGE
while IFS=';' read -r without with message; do
    build "$without" "$with"
    misses installed sample.so "$message"
    misses installed sample "$message"
done <<END
-Wl,-z,relro;-Wl,-z,norelro;missing: RELRO
-Wl,-z,now;-Wl,-z,lazy;missing: BIND_NOW
-Wl,-z,noexecstack;-Wl,-z,execstack;missing: a stack that is not executable
-fstack-protector-strong;-fno-stack-protector;missing: stack protector
-D_FORTIFY_SOURCE=2;;missing: FORTIFY
;relocated.c -Wl,-z,notext;unwanted: text relocations
END
if [ -n "$cf_protection" ]; then
    build "$cf_protection" -fcf-protection=none
    misses installed sample.so 'unwanted: functions without endbr64'
    misses installed sample 'unwanted: functions without endbr64'
fi

# Without RELRO, too. No program can be linked in this way.
"$compiler" -O2 -fPIC $cf_protection -shared library.c -o sample.so -Wl,-N,-Bdynamic 2>errors ||
    fail "the library is not built with -N: $(cat errors)"
bash "$check" installed "$compiler" sample.so |
    grep -qx 'sample.so: unwanted: a segment both writable and executable' ||
    fail "a segment that is writable and executable is not seen"

build '' "-Wl,-rpath,$work"
misses installed sample.so 'unwanted: a run path'
misses built sample 'unwanted: a run path to a folder'
build '' "-Wl,-rpath,\$ORIGIN/../lib:"
misses installed sample 'unwanted: a run path to a folder'
bash "$check" built "$compiler" sample || fail "a program of the build tree does not pass"
build '' "-Wl,-rpath,\$ORIGIN/../lib"
bash "$check" installed "$compiler" sample || fail "a relative run path does not pass"
"$compiler" -O2 -D_FORTIFY_SOURCE=2 -fstack-protector-strong -Wl,-z,relro,-z,now $cf_protection \
    -no-pie program.c -o sample || fail "the program is not built with -no-pie"
misses installed sample 'missing: a position-independent program'
build '' '-Wl,--no-as-needed -lresolv'
misses installed sample.so 'unwanted: a library beside those of libc'
build '' '-Wl,-soname,other.so'
misses installed sample.so "another SONAME than the file's name: other.so"

exit $((failures > 0))
