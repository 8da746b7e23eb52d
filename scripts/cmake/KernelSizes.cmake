# SPDX-License-Identifier: MIT
# Writes the list that kernels/size.h declares, from the sections of the kernels' objects:
#   cmake -DSIZE=PROGRAM -DOUTPUT=FILE -P KernelSizes.cmake 'NAME=OBJECT|OBJECT' ...
# PROGRAM is `size` of binutils or LLVM. A kernel whose objects it can't read gets 0.

# Adds the sizes of the sections that match one pattern, but not the other.
function(add_sections sections pattern exception sum)
    set(total 0)
    foreach(section IN LISTS sections)
        string(REGEX MATCH "^([^ ]+) +([0-9]+)" _ "${section}")
        set(size "${CMAKE_MATCH_2}")
        set(name "${CMAKE_MATCH_1}")
        if(name MATCHES "${pattern}" AND NOT name MATCHES "${exception}")
            math(EXPR total "${total} + ${size}")
        endif()
    endforeach()
    set(${sum} ${total} PARENT_SCOPE)
endfunction()

# The entry of the kernel `name`, whose objects are the other arguments.
function(describe name entry)
    execute_process(COMMAND "${SIZE}" -A -d ${ARGN}
                    OUTPUT_VARIABLE text RESULT_VARIABLE code ERROR_QUIET)
    string(REGEX MATCHALL "\\.[^ \n]+ +[0-9]+" sections "${text}")
    set(code_bytes 0)
    set(table_bytes 0)
    if(code EQUAL 0 AND NOT text MATCHES "\\.gnu\\.lto_")
        add_sections("${sections}" "^\\.text(\\.|$)" "^\\.text\\.(unlikely|startup|exit)(\\.|$)"
                     code_bytes)
        add_sections("${sections}" "^\\.(data|rodata|bss)(\\.|$)" "^\\.rodata(\\..*)?\\.str" table_bytes)
    endif()
    set(${entry} "    {\"${name}\", ${code_bytes}, ${table_bytes}},\n" PARENT_SCOPE)
endfunction()

set(entries "")
math(EXPR last "${CMAKE_ARGC} - 1")
foreach(i RANGE ${last})
    if(CMAKE_ARGV${i} MATCHES "^([a-z0-9_]+)=(.+)$")
        set(name "${CMAKE_MATCH_1}")
        string(REPLACE "|" ";" objects "${CMAKE_MATCH_2}")
        describe("${name}" entry ${objects})
        string(APPEND entries "${entry}")
    endif()
endforeach()

file(WRITE "${OUTPUT}" "/* Made by KernelSizes.cmake from the kernels' objects. */
#include \"kernels/size.h\"

#include <stddef.h>

const struct pm_kernel_size pm_kernel_sizes[] = {
${entries}    {NULL, 0, 0},
};
")
