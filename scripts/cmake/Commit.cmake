# SPDX-License-Identifier: MIT
# Writes a header with the commit of SOURCE, if that has changed: cmake -DSOURCE=... -DOUTPUT=... -P Commit.cmake
function(git output)
    execute_process(COMMAND git -C "${SOURCE}" ${ARGN} OUTPUT_VARIABLE text RESULT_VARIABLE code
                    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(NOT code EQUAL 0)
        set(text "")
    endif()
    set(${output} "${text}" PARENT_SCOPE)
endfunction()

git(commit rev-parse --short=12 HEAD)
if(commit)
    git(changes status --porcelain --untracked-files=no)
    if(changes)
        string(APPEND commit "+changes")
    endif()
else()
    set(commit unknown)
endif()

set(text "/* Made by Commit.cmake. */\n#define PM_COMMIT \"${commit}\"\n")
set(old "")
if(EXISTS "${OUTPUT}")
    file(READ "${OUTPUT}" old)
endif()
if(NOT old STREQUAL text)
    file(WRITE "${OUTPUT}" "${text}")
endif()
