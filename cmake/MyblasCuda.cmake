# Decides MYBLAS_CUDA (AUTO becomes ON or OFF) and for which architectures to compile, then enables
# the CUDA language.

include(CheckLanguage)

if(MYBLAS_CUDA STREQUAL "AUTO")
    check_language(CUDA)
    if(CMAKE_CUDA_COMPILER)
        set(MYBLAS_CUDA ON)
    else()
        set(MYBLAS_CUDA OFF)
        message(
            STATUS
            "myblas: no CUDA compiler found (set CUDACXX, or have nvcc on PATH): host backend only"
        )
    endif()
elseif(MYBLAS_CUDA)
    check_language(CUDA)
    if(NOT CMAKE_CUDA_COMPILER)
        message(FATAL_ERROR "MYBLAS_CUDA=ON, but there is no working CUDA compiler "
                            "(set CUDACXX, or have nvcc on PATH)")
    endif()
endif()

if(NOT MYBLAS_CUDA)
    return()
endif()

# Machine code for the architectures from sm_80 on that this toolkit knows (Hopper with its
# architecture-specific instructions), and PTX of the newest for later ones. sm_89 and sm_103 are
# left out: they run the code for sm_86 and sm_100, and have as much shared memory and as many FP32
# units. On x86-64, so are the GPUs of systems on a chip with Arm processors.
function(myblas_default_cuda_architectures result)
    execute_process(
        COMMAND ${CMAKE_CUDA_COMPILER} --list-gpu-code
        OUTPUT_VARIABLE codes
        COMMAND_ERROR_IS_FATAL ANY
    )
    string(REGEX MATCHALL "sm_[0-9]+" codes "${codes}")
    list(TRANSFORM codes REPLACE "sm_" "")
    list(SORT codes COMPARE NATURAL)
    list(REMOVE_DUPLICATES codes)
    list(REMOVE_ITEM codes 89 103)
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
        list(REMOVE_ITEM codes 87 88 110 121)
    endif()
    set(architectures)
    foreach(code IN LISTS codes)
        if(code EQUAL 90)
            list(APPEND architectures 90a-real)
        elseif(code GREATER_EQUAL 80)
            list(APPEND architectures ${code}-real)
        endif()
    endforeach()
    list(GET codes -1 newest)
    if(newest GREATER_EQUAL 100) # see below
        list(APPEND architectures ${newest}-virtual)
    endif()
    set(${result} ${architectures} PARENT_SCOPE)
endfunction()

if(NOT MYBLAS_CUDA_ARCHITECTURES)
    myblas_default_cuda_architectures(default_architectures)
    set(MYBLAS_CUDA_ARCHITECTURES ${default_architectures}
        CACHE STRING "GPU architectures, in the syntax of CMake's CUDA_ARCHITECTURES" FORCE)
endif()

# Kernels for Hopper need its architecture-specific instructions, and a kernel that the driver
# translates from older PTX would lack features that the selection expects. So 90 means 90a, a
# number means machine code alone, and PTX is for architectures after the toolkit.
set(CMAKE_CUDA_ARCHITECTURES)
foreach(architecture IN LISTS MYBLAS_CUDA_ARCHITECTURES)
    if(architecture MATCHES "^90(-real)?$")
        set(architecture 90a-real)
    elseif(architecture MATCHES "^[0-9]+[af]?$")
        string(APPEND architecture -real)
    elseif(architecture MATCHES "^([0-9]+)[af]?-virtual$" AND CMAKE_MATCH_1 LESS 100)
        message(FATAL_ERROR
            "MYBLAS_CUDA_ARCHITECTURES: ${architecture} would run untested on newer GPUs; "
                            "name theirs, or 100-virtual or newer")
    elseif(NOT architecture MATCHES "^[0-9]+[af]?-(real|virtual)$")
        message(FATAL_ERROR
            "MYBLAS_CUDA_ARCHITECTURES: ${architecture} is not a number as 80, 90a-real or "
                            "120-virtual")
    endif()
    list(APPEND CMAKE_CUDA_ARCHITECTURES ${architecture})
endforeach()
list(REMOVE_DUPLICATES CMAKE_CUDA_ARCHITECTURES)
set(MYBLAS_CUDA_ARCHITECTURES ${CMAKE_CUDA_ARCHITECTURES})
message(STATUS "myblas: GPU architectures ${MYBLAS_CUDA_ARCHITECTURES}")

enable_language(CUDA)
if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12.0)
    message(FATAL_ERROR "the CUDA toolkit ${CMAKE_CUDA_COMPILER_VERSION} is older than 12.0 "
                        "(-DMYBLAS_CUDA=OFF builds without one)")
endif()
find_package(CUDAToolkit REQUIRED)
# CMake before 3.26 does not know the option of nvcc.
if(NOT DEFINED CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
endif()
set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
set(CMAKE_CUDA_EXTENSIONS OFF)
set(CMAKE_CUDA_RUNTIME_LIBRARY Static)

# myblas_architectures_between(<result> <low> <high>): the architectures of the build from sm_<low>
# to sm_<high>. If there are none, the first of the build, because the registry needs a definition
# of each kernel.
function(myblas_architectures_between result low high)
    set(architectures)
    foreach(architecture IN LISTS MYBLAS_CUDA_ARCHITECTURES)
        string(REGEX MATCH "^[0-9]+" number ${architecture})
        if(number GREATER_EQUAL low AND number LESS_EQUAL high)
            list(APPEND architectures ${architecture})
        endif()
    endforeach()
    if(NOT architectures)
        list(GET MYBLAS_CUDA_ARCHITECTURES 0 architectures)
    endif()
    set(${result} ${architectures} PARENT_SCOPE)
endfunction()
