#!/usr/bin/env bash
# jumps.sh LIBRARY FUNCTION...: these functions of x86-64 end in jumps to addresses that they have
# looked up, and leave the stack as it was. They call nothing, and use the stack only to push
# registers and pop them again.
set -u

library=$1
shift
failures=0
for function in "$@"; do
    objdump -d --no-show-raw-insn --no-addresses --disassemble="$function" "$library" | awk '
        /^<.*>:/ { inside = 1; next }
        /^$/ { inside = 0 }
        !inside { next }
        $1 == "push" { ++pushed }
        $1 == "pop" { ++popped }
        $1 ~ /^jmp/ && $2 ~ /^\*/ { ++jumps }
        $1 ~ /^(call|ret)/ || ($1 ~ /^(sub|add)/ && /%rsp/) { print; bad = 1 }
        /,[-0-9a-fx]*\(%rsp\)$/ && $1 != "cmp" { print; bad = 1 }
        END { exit bad || jumps == 0 || popped < pushed }' || {
        echo "$function does not merely jump"
        failures=$((failures + 1))
    }
done
exit $((failures > 0))
