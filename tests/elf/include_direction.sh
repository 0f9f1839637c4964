#!/usr/bin/env bash
# include_direction.sh SOURCE_DIR: includes point in the direction api -> select -> kernels ->
# common, or api -> select -> host. Everything may include core, and core the routines, which
# include nothing else. The plans of level3 include neither kernels nor api; only the code that
# makes, runs and lists them includes them. Kernels never see the handle. Among the folders of
# SGEMM's kernels, ladder, simt and tensor include components and the registry in their parent
# folder, and not each other. Headers with device code are .cuh, and no .h or
# .cpp file includes one.
set -u

cd "$1/src" || exit 1

if grep -rnE --include='*.h' --include='*.cpp' \
    '^[[:space:]]*#[[:space:]]*include[[:space:]]*"[^"]+\.cuh"|__global__|__device__' . |
    grep -v '__host__ __device__'; then
    echo "device code, or an include of a .cuh file, in a .h or .cpp file"
    exit 1
fi

grep -rnoE --include='*.h' --include='*.cuh' --include='*.cpp' --include='*.cu' \
    '^[[:space:]]*#[[:space:]]*include[[:space:]]*"[^"]+"' . | awk -F: '
function layer_of(path,    part) {
    split(path, part, "/")
    if (part[1] == "kernels" && part[2] == "sgemm" && part[3] !~ /\./)
        return "kernels/sgemm/" part[3]
    if (part[1] == "kernels" || part[1] == "host")
        return part[1] "/" (part[2] ~ /\./ ? "common" : part[2])
    return part[1]
}

function allowed(from, to, target) {
    if (to == "myblas" || from == to)
        return 1
    if (to == "routines")
        return from ~ /^(api|core)$/
    if (from == "routines")
        return 0
    if (to == "core")
        return from ~ /^(api|select)$/ || target !~ /^core\/(handle|backend)\.h$/
    if (to == "level3")
        return from ~ /^(api|select|(kernels|host)\/level3)$/
    if (from == "api")
        return to == "select"
    if (from == "select")
        return to ~ /^(kernels|host)\// && target ~ /\/registry\.h$/
    if (from ~ /^kernels\/sgemm(\/(ladder|simt|tensor))?$/ &&
        (to == "kernels/sgemm/components" || target == "kernels/sgemm/registry.h"))
        return 1
    if (from == "kernels/level3" && to == "kernels/level2")
        return 1
    if (from ~ /^kernels\//)
        return to == "kernels/common"
    if (from ~ /^host\//)
        return to == "host/common"
    return 0
}

{
    file = substr($1, 3)
    target = $3
    gsub(/^[^"]*"|"$/, "", target)
    from = layer_of(file)
    to = layer_of(target)
    ++includes
    if (!allowed(from, to, target)) {
        printf "src/%s:%s: %s may not include \"%s\"\n", file, $2, from, target
        ++wrong
    }
}

END {
    if (includes == 0)
        print "no includes found: the check looks in the wrong place"
    exit wrong > 0 || includes == 0
}'
