#!/bin/sh
# fail_on_spills.sh COMPILER ARGUMENT...: runs the CUDA compiler; -Xptxas=-v must be among its
# arguments. Fails if the compiler fails, or if the report of ptxas has a function with spilled
# registers or other local memory. The report itself is not shown.
#
# Such functions are slow but right, so no test of results finds them. Tolerated are:
tolerated='
double_buffered      !sm_90a  # a rung of the ladder, in no table of rules
vectorised           !sm_90a  # the same
register_tile_2x2    !sm_90a  # the same
warp_quadrants       !sm_90a  # the same
vectorised_two_level !sm_90a  # 104 bytes on sm_100, which has no table of its own
in_place_pairs       !sm_90a  # 16 bytes on sm_100, 103, 110, for elements of one byte
gemsum_row_tiles     !sm_90a  # 8 to 16 bytes on sm_80 and sm_100, for odd rows
short_k              !sm_90a  # 8 bytes on sm_80, in one of 16 forms
gemv                 !sm_90a  # 16 and 20 bytes on sm_80, in three of 24 forms
small_tile           !sm_90a  # 4 to 16 bytes on sm_100, in three packed forms
warp_tile_narrow     !sm_90a  # 8 to 16 bytes on sm_80, sm_100 and sm_120, in one or two forms
'
set -u

report=$(mktemp) || exit 1
trap 'rm -f "$report"' EXIT
"$@" >"$report" 2>&1
status=$?

awk -v tolerated="$tolerated" '
    # The names of internal functions contain the file: _18_double_buffered_cu_.
    function is_tolerated(i, words) {
        for (i in lines) {
            split(lines[i], words)
            if (words[1] != "" && index(name, "_" words[1] "_cu_") && "!" arch != words[2])
                return 1
        }
        return 0
    }

    BEGIN { split(tolerated, lines, "\n") }

    /^ptxas info .*Compiling entry function / {
        split($0, quoted, "\047")
        arch = quoted[4]
    }
    /^ptxas info .*Function properties for / { name = $NF }
    /^ *[0-9]+ bytes stack frame, [0-9]+ bytes spill stores, [0-9]+ bytes spill loads$/ {
        if (($1 || $5 || $9) && !is_tolerated()) {
            printf "%s on %s uses local memory: %s bytes of stack, %s spilled, %s reloaded\n", \
                name, arch, $1, $5, $9
            failed = 1
        }
        next
    }
    !/^ptxas info / { print }
    END { exit failed }
' "$report" >&2 || [ "$status" -ne 0 ] || status=1
exit "$status"
