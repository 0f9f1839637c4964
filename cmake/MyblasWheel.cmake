# Python wheels, which scikit-build-core makes (pyproject.toml): the components `library` and `tools`, in the folder of
# the package.

# A wheel has no links, but copies: the library stands there once, under the name that programs load.
function(myblas_install_library_once)
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

# MYBLAS_FROM_BUILD names a finished build tree, whose files a wheel takes instead of building them once more: with
# CUDA that takes ten minutes.
function(myblas_install_from_build build)
    foreach(component library tools)
        install(
            CODE "
                execute_process(
                    COMMAND \${CMAKE_COMMAND} --install ${build} --component ${component} --strip --prefix \${CMAKE_INSTALL_PREFIX}
                    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY
                )
                # These are not files to be removed by the target uninstall.
                file(REMOVE ${build}/install_manifest_${component}.txt)
            "
            COMPONENT ${component}
        )
    endforeach()
    myblas_install_library_once()
endfunction()
