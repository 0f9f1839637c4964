# MYBLAS_COVERAGE: gcc counts how often each line of src and abi runs, for scripts/coverage.py.
# MYBLAS_COUNTERS has the options for code that counts: the libraries, the tools, and tests that
# compile files of the libraries. GPU kernels do not count, also where tests compile them for the
# host.
set(MYBLAS_COUNTERS)
if(NOT MYBLAS_COVERAGE)
    return()
endif()
foreach(
    option
    --coverage
    "-fprofile-filter-files=/(src|abi)/.*[.](cpp|h)"
    -fprofile-update=atomic # threads share the counters
    -Wno-error=array-bounds # gcc is wrong about unrolled copies with counters
)
    list(APPEND MYBLAS_COUNTERS $<$<COMPILE_LANGUAGE:C,CXX>:${option}>)
endforeach()
add_link_options(--coverage)
