# How every shared library and program that is installed is hardened. tests/elf/hardening.sh checks
# the binaries.
include(CheckPIESupported)
include(CheckCXXCompilerFlag)
check_pie_supported(LANGUAGES CXX)

set(hardening_flags -fstack-protector-strong)
# Control-flow enforcement of x86 (CET): functions that are called through pointers begin with
# endbr64. Compilers for other processors refuse the flag.
check_cxx_compiler_flag(-fcf-protection=full MYBLAS_HAS_CF_PROTECTION)
if(MYBLAS_HAS_CF_PROTECTION)
    list(APPEND hardening_flags -fcf-protection=full)
endif()
# FORTIFY needs an optimising compiler, and some distributions define it themselves. It hides calls
# from the sanitizers.
set(does_fortify $<NOT:$<OR:$<CONFIG:Debug>,$<BOOL:${MYBLAS_SANITIZE}>>>)
set(fortify -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)

# myblas_harden(<target>): a library's or program's own code is hardened, and it needs no library
# beside libmyblas and those of the C library.
function(myblas_harden target)
    list(JOIN hardening_flags "," flags_of_nvcc)
    list(JOIN fortify "," fortify_of_nvcc)
    target_compile_options(
        ${target}
        PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${hardening_flags}>"
                "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${flags_of_nvcc}>"
                "$<$<AND:${does_fortify},$<COMPILE_LANGUAGE:CXX>>:${fortify}>"
                "$<$<AND:${does_fortify},$<COMPILE_LANGUAGE:CUDA>>:-Xcompiler=${fortify_of_nvcc}>"
    )
    # Of a program, too: it is linked with -pie.
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    target_link_options(
        ${target}
        PRIVATE
        LINKER:-z,defs
        LINKER:-z,relro
        LINKER:-z,now
        LINKER:-z,noexecstack
        LINKER:-z,text
    )
    # The C++ runtime is linked statically: programs may have another one. The sanitizers need the
    # shared runtime, which they intercept.
    if(NOT MYBLAS_SANITIZE)
        target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc)
    endif()
endfunction()

# myblas_harden_objects(<target>): moreover, code for a shared library exports nothing unless the
# library's version script says so.
function(myblas_harden_objects target)
    myblas_harden(${target})
    set_target_properties(
        ${target}
        PROPERTIES C_VISIBILITY_PRESET hidden
                   CXX_VISIBILITY_PRESET hidden
                   CUDA_VISIBILITY_PRESET hidden
                   VISIBILITY_INLINES_HIDDEN ON
    )
    target_compile_options(
        ${target}
        PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${MYBLAS_WARNINGS}>"
                "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=$<JOIN:${MYBLAS_WARNINGS},$<COMMA>>>"
    )
endfunction()

# myblas_harden_library(<target> <version script>): moreover, a shared library exports exactly the
# symbols of its version script, and has no run path.
function(myblas_harden_library target version_script)
    myblas_harden_objects(${target})
    set_target_properties(
        ${target} PROPERTIES INSTALL_RPATH "" LINK_DEPENDS ${version_script}
    )
    target_link_options(
        ${target} PRIVATE LINKER:--version-script=${version_script} LINKER:--exclude-libs,ALL
    )
endfunction()
