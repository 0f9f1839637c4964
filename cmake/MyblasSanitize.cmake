# MYBLAS_SANITIZE: an access out of bounds, a leak or undefined behaviour ends the program; or with
# THREADS, a race of threads.
if(NOT MYBLAS_SANITIZE)
    return()
endif()
if(MYBLAS_CUDA AND NOT MYBLAS_CUDA STREQUAL "AUTO")
    message(FATAL_ERROR "MYBLAS_SANITIZE checks the host backend: MYBLAS_CUDA must be OFF")
endif()
set(MYBLAS_CUDA OFF)
# A C program can pass any number as an enumeration. The library refuses it, so the sanitizer must
# not.
set(sanitizers address,undefined)
set(sanitizer_options -fno-sanitize=enum -fno-sanitize-recover=all)
if(MYBLAS_SANITIZE STREQUAL "THREADS")
    set(sanitizers thread)
    set(sanitizer_options)
endif()
add_compile_options(
    -fsanitize=${sanitizers} ${sanitizer_options} -fno-omit-frame-pointer -g1
)
add_link_options(-fsanitize=${sanitizers})
