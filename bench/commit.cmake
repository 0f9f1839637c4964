# Run at every build: writes OUTPUT, which defines the commit of SOURCE_DIR, when it has changed.
set(commit "unknown")
find_program(GIT_PROGRAM git)
if(GIT_PROGRAM)
    # If the source tree is part of another project's repository, the commit is unknown.
    execute_process(
        COMMAND "${GIT_PROGRAM}" rev-parse --show-prefix
        WORKING_DIRECTORY "${SOURCE_DIR}"
        RESULT_VARIABLE status OUTPUT_VARIABLE prefix ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(status EQUAL 0 AND prefix STREQUAL "")
        execute_process(
            COMMAND "${GIT_PROGRAM}" describe --always --exclude=* --abbrev=12
            WORKING_DIRECTORY "${SOURCE_DIR}"
            RESULT_VARIABLE status OUTPUT_VARIABLE described ERROR_QUIET
            OUTPUT_STRIP_TRAILING_WHITESPACE)
        # Measurements, and pages about them, do not change the build, so changes there do not make
        # it dirty.
        execute_process(
            COMMAND "${GIT_PROGRAM}" diff --quiet HEAD -- . :!README.md :!docs :!bench/results
            WORKING_DIRECTORY "${SOURCE_DIR}" RESULT_VARIABLE changed ERROR_QUIET)
        if(status EQUAL 0)
            set(commit "${described}")
            if(changed)
                string(APPEND commit "-dirty")
            endif()
        endif()
    endif()
endif()

set(declaration "inline constexpr const char* build_commit = \"${commit}\";")
set(content "#pragma once\n\nnamespace bench {\n${declaration}\n}\n")
set(previous "")
if(EXISTS "${OUTPUT}")
    file(READ "${OUTPUT}" previous)
endif()
if(NOT content STREQUAL previous)
    file(WRITE "${OUTPUT}" "${content}")
endif()
