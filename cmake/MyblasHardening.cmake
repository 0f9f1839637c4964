# myblas_harden(<target> <version script>): every shared library of this project exports exactly the
# symbols of its version script, is hardened, and needs nothing but the C library.
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
    # FORTIFY needs an optimising compiler, and some distributions define it themselves. It hides
    # calls from the sanitizers.
    set(does_fortify $<NOT:$<OR:$<CONFIG:Debug>,$<BOOL:${MYBLAS_SANITIZE}>>>)
    set(fortify -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
    list(JOIN fortify "," fortify_host)
    target_compile_options(
        ${target}
        PRIVATE "$<$<AND:${does_fortify},$<COMPILE_LANGUAGE:CXX>>:${fortify}>"
                "$<$<AND:${does_fortify},$<COMPILE_LANGUAGE:CUDA>>:-Xcompiler=${fortify_host}>"
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
    # The C++ runtime is linked statically: programs may have another one. The sanitizers need the
    # shared runtime, which they intercept.
    if(NOT MYBLAS_SANITIZE)
        target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc)
    endif()
endfunction()
