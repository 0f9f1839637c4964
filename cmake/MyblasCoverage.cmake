# MYBLAS_COVERAGE: gcc counts how often each line of C and C++ runs, for scripts/coverage.sh.
if(NOT MYBLAS_COVERAGE)
    return()
endif()
set(is_counted $<COMPILE_LANGUAGE:C,CXX>)
add_compile_options(
    $<${is_counted}:--coverage>
    $<${is_counted}:-fprofile-update=atomic> # threads share the counters
    $<${is_counted}:-Wno-error=array-bounds> # gcc is wrong about unrolled copies with counters
)
add_link_options(--coverage)
