# Python wheels, which scikit-build-core makes (pyproject.toml): the components `library` and
# `tools`, in the package's folder.

# A wheel has copies in place of links, so it has the library once, under the name that programs
# load. It has the headers, too: torch_kernels.cpp is compiled where the wheel is.
function(myblas_install_library_once)
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/myblas DESTINATION include COMPONENT library)
    install(
        CODE [[
            file(GLOB_RECURSE versioned ${CMAKE_INSTALL_PREFIX}/*/libmyblas.so.*.*.*)
            foreach(file IN LISTS versioned)
                string(REGEX REPLACE "\\.[0-9]+\\.[0-9]+$" "" loaded ${file})
                file(REMOVE ${loaded})
                file(RENAME ${file} ${loaded})
            endforeach()
        ]]
        COMPONENT library
    )
endfunction()

# MYBLAS_FROM_BUILD names a finished build tree. A wheel then takes its files in place of a new
# build, which takes ten minutes with CUDA.
function(myblas_install_from_build build)
    foreach(component library tools)
        install(
            CODE "
                execute_process(
                    COMMAND \${CMAKE_COMMAND} --install ${build} --component ${component} --strip
                    --prefix \${CMAKE_INSTALL_PREFIX}
                    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY
                )
                # The target uninstall must not remove these files.
                file(REMOVE ${build}/install_manifest_${component}.txt)
            "
            COMPONENT ${component}
        )
    endforeach()
    myblas_install_library_once()
endfunction()
