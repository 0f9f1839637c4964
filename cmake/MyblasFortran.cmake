# The Fortran module is optional: without a compiler, only its source is installed.
if(MYBLAS_BUILD_FORTRAN)
    include(CheckLanguage)
    check_language(Fortran)
    if(CMAKE_Fortran_COMPILER)
        enable_language(Fortran)
    else()
        message(
            STATUS "myblas: no Fortran compiler found: the module's source is installed, not built"
        )
    endif()
endif()
