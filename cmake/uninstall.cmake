# cmake -DBUILD_DIR=... -P uninstall.cmake: removes the files that the last `cmake --install` of the
# build tree wrote, and then myblas's own folders if they are empty.
file(GLOB manifests ${BUILD_DIR}/install_manifest*.txt)
if(NOT manifests)
    message(
        FATAL_ERROR "${BUILD_DIR} has no install_manifest.txt: nothing was installed from there"
    )
endif()
set(folders)
foreach(manifest IN LISTS manifests)
    file(STRINGS ${manifest} files)
    foreach(file IN LISTS files)
        set(file "$ENV{DESTDIR}${file}")
        if(EXISTS ${file} OR IS_SYMLINK ${file})
            message(STATUS "Removing ${file}")
            file(REMOVE ${file})
        endif()
        # Up to the folder named myblas, because other folders may have files of other packages.
        cmake_path(GET file PARENT_PATH folder)
        while(folder MATCHES "/myblas(/|$)")
            list(APPEND folders ${folder})
            cmake_path(GET folder PARENT_PATH folder)
        endwhile()
    endforeach()
    file(REMOVE ${manifest})
endforeach()

# The deepest first: it comes later in the order of names.
list(REMOVE_DUPLICATES folders)
list(SORT folders ORDER DESCENDING)
foreach(folder IN LISTS folders)
    file(GLOB left LIST_DIRECTORIES true ${folder}/* ${folder}/.[!.]*)
    if(IS_DIRECTORY ${folder} AND NOT left)
        file(REMOVE_RECURSE ${folder})
    endif()
endforeach()
