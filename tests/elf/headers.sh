#!/usr/bin/env bash
# headers.sh INCLUDE_DIR CC CXX: each public header compiles alone, as strict C99 and as C++, and
# includes no header of CUDA.
set -u

include=$1
cc=$2
cxx=$3
failures=0

for header in "$include"/myblas/*.h; do
    name=myblas/$(basename "$header")
    for compiler in "$cc -x c -std=c99" "$cc -x c -std=c17" \
        "$cxx -x c++ -std=c++98 -Wno-long-long" \
        "$cxx -x c++ -std=c++20"; do
        # shellcheck disable=SC2086 # a command and its options
        if ! echo "#include <$name>" | $compiler -I "$include" -pedantic -Wall -Wextra -Werror \
            -fsyntax-only -; then
            echo "$name does not compile with: $compiler"
            failures=$((failures + 1))
        fi
    done
    if echo "#include <$name>" | "$cc" -x c -std=c99 -I "$include" -M - | tr ' ' '\n' |
        grep -vF "$include/myblas/" | grep -iE 'cuda|cublas'; then
        echo "$name includes headers of CUDA"
        failures=$((failures + 1))
    fi
done

exit $((failures > 0))
