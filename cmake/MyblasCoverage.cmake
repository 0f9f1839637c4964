# MYBLAS_COVERAGE: gcc counts how often each line of src and abi runs, for scripts/coverage.py.
if(NOT MYBLAS_COVERAGE)
    return()
endif()
foreach(
    option
    --coverage
    "-fprofile-filter-files=/(src|abi)/"
    -fprofile-update=atomic # threads share the counters
    -Wno-error=array-bounds # gcc is wrong about unrolled copies with counters
)
    add_compile_options($<$<COMPILE_LANGUAGE:C,CXX>:${option}>)
endforeach()
add_link_options(--coverage)
