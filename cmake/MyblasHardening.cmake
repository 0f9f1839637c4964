# myblas_harden(<target> <version script>): what every shared library of this project is: it exports what
# its version script lists, is hardened, and needs nothing but the C library.
function(myblas_harden target version_script)
    set_target_properties(
        ${target}
        PROPERTIES C_VISIBILITY_PRESET hidden
                   CXX_VISIBILITY_PRESET hidden
                   CUDA_VISIBILITY_PRESET hidden
                   VISIBILITY_INLINES_HIDDEN ON
                   INSTALL_RPATH ""
                   LINK_DEPENDS ${version_script}
    )
    set(host_flags ${MYBLAS_WARNINGS} -fstack-protector-strong)
    target_compile_options(
        ${target}
        PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${host_flags}>"
                "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=$<JOIN:${host_flags},$<COMMA>>>"
    )
    # FORTIFY needs an optimising compiler, and some distributions define it themselves. It hides calls from the
    # sanitizers.
    set(fortify $<NOT:$<OR:$<CONFIG:Debug>,$<BOOL:${MYBLAS_SANITIZE}>>>)
    target_compile_options(
        ${target}
        PRIVATE "$<$<AND:${fortify},$<COMPILE_LANGUAGE:CXX>>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2>"
                "$<$<AND:${fortify},$<COMPILE_LANGUAGE:CUDA>>:-Xcompiler=-U_FORTIFY_SOURCE,-D_FORTIFY_SOURCE=2>"
    )
    target_link_options(
        ${target}
        PRIVATE
        LINKER:--version-script=${version_script}
        LINKER:--exclude-libs,ALL
        LINKER:-z,defs
        LINKER:-z,relro
        LINKER:-z,now
        LINKER:-z,noexecstack
        LINKER:-z,text
    )
    # The C++ runtime is part of the binary: programs need not have the one it was built with. The sanitizers
    # must find the runtime that they intercept.
    if(NOT MYBLAS_SANITIZE)
        target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc)
    endif()
endfunction()
