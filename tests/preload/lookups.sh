#!/usr/bin/env bash
# lookups.sh PRELOAD HOST CLIENT_DIR CC LINKED: programs that look functions up by name. Functions
# of cuBLAS, which a toy replaces, are served as in cublas_interposition.sh. All other look-ups find
# the same as without the preload library.
set -u

preload=$1
host=$2
dir=$3
cc=$4
linked=$5
source=$(dirname "${BASH_SOURCE[0]}")

. "$source/check.sh"

# ---- As JAX does ---------------------------------------------------------------------------------

for major in 12 13; do
    client=$dir/client_by_name$major.so
    lt=$dir/client_lt_by_name$major.so
    "$host" "$client" local forwarded || fail "cuBLAS $major by name, without the preload library"
    "$host" "$lt" local forwarded end || fail "cublasLt $major by name, without the preload library"
    for scope in local global; do
        check "cuBLAS $major by name, $scope" '^Sgemm +tiny +2 +[0-9.]+ +0 ' "$host" "$client" \
            $scope served served
        check "cublasLt $major by name, $scope" '^LtMatmul +tiny +2 +[0-9.]+ +0 ' "$host" "$lt" \
            $scope served emulated end
    done
    check "cuBLAS $major by name: all routines" '^Scopy +tiny +2 +[0-9.]+ +0 ' "$host" "$client" \
        local all
    check "cuBLAS $major by name: levels 1 to 3" ': loaded, ([0-9]+) calls seen, \1 served' \
        "$host" "$client" local levels
    check "cuBLAS $major by name: a stream and a workspace" '^Sgemm +tiny +3 ' "$host" "$client" \
        local stream
    check "cuBLAS $major by name: others" none "$host" "$client" local untouched
    check "RTLD_DEEPBIND is out of reach" none "$host" "$client" deepbind forwarded
    check "both ways" '^Sgemm +tiny +2 +[0-9.]+ +0 ' "$host" "$client" local served \
        "$dir/client$major.so" served
    check "unloaded and loaded again" '^Sgemm +tiny +2 +[0-9.]+ +0 ' "$host" "$client" local \
        served reload served
done
client=$dir/client_by_name13.so
check "switched off" 'forwarded: MYBLAS_OFFLOAD=never \(1\)' MYBLAS_OFFLOAD=never "$host" \
    "$client" local forwarded
check "cuBLAS 11 by name" 'cuBLAS is neither 12 nor 13 \(1\)' "$host" "$dir/client_by_name11.so" \
    local forwarded

# Two versions in one process: a call is served only if it is certain which cuBLAS it belongs to.
check "the second version by name" '^Sgemm +tiny +1 +[0-9.]+ +0 ' \
    "$host" "$client" local served "$dir/client_by_name12.so" forwarded
check "a program linked to 13, and 12 by name" '^Sgemm +tiny +1 +[0-9.]+ +0 ' "$linked" served \
    "$dir/client_by_name12.so" forwarded
check "a program linked to 13, and 13 by name" '^Sgemm +tiny +2 +[0-9.]+ +0 ' "$linked" served \
    "$client" served
check "13 by name, and a plugin linked to 12" '^Sgemm +tiny +2 +[0-9.]+ +0 ' \
    "$host" "$client" local served "$dir/client12.so" served

# ---- All others ----------------------------------------------------------------------------------

# library NAME DEFINITION [OPTION]...
library() {
    local name=$1 definition=$2
    shift 2
    "$cc" -shared -fPIC -D"$definition" "$source/lookups_library.c" -o "$work/$name" \
        -Wl,-soname,"$name" -L"$work" \
        -Wl,-rpath,"$work" "$@" || exit 1
}
library second.so SECOND
library first.so FIRST -Wl,--no-as-needed -l:second.so
library dependency.so DEPENDENCY
library plugin.so PLUGIN -l:dependency.so
printf 'V1 { global: who; local: *; };\nV2 { global: who; } V1;\n' >"$work/versions.map"
library versions.so VERSIONS -Wl,--version-script="$work/versions.map"
library allocator.so ALLOCATOR
library interposer.so INTERPOSER -O2 # which makes its last call a jump
library calling.so INTERPOSER -O0
"$cc" "$source/lookups.c" -o "$work/lookups" -L"$work" -Wl,-rpath,"$work" -l:first.so -pthread \
    -ldl || exit 1

"$work/lookups" "$work" >"$work/plain" || fail "lookups: status $?"
grep -qx "called: first, next: second" "$work/plain" &&
    grep -qx "plugin's default: the plugin's dependency" "$work/plain" &&
    grep -qx "threads that found what they looked for: 8" "$work/plain" ||
    fail "lookups: $(cat "$work/plain")"
own_preload=$preload
for preload in "$own_preload" "$own_preload $work/allocator.so" "$work/allocator.so $own_preload" \
    "$own_preload $work/interposer.so" "$work/interposer.so $own_preload"; do
    under "$work/lookups" "$work" || fail "$preload: status $?: $(cat "$work/err")"
    diff "$work/plain" "$work/out" || fail "$preload: look-ups differ"
done
check "behind another dlsym, which asks for the C library's version of the next one" none "$host" \
    "$client" local forwarded
preload="$own_preload $work/interposer.so"
check "before another dlsym" '^Sgemm +tiny +1 +[0-9.]+ +0 ' "$host" "$client" local served
# A dlsym that calls the next one hides the caller. These look-ups show it.
preload=$work/calling.so
under "$work/lookups" "$work"
! diff "$work/plain" "$work/out" >"$work/differences" || fail "look-ups do not tell who asks"

exit $((failures > 0))
