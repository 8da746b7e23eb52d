# SPDX-License-Identifier: MIT
# plymark_kernel() declares a kernel as an object library of its own, so that its instruction-set flags
# reach nothing else; plymark_kernel_registry() makes the list of them all.

# Reads the kernel's sources into its revision: results say which code they measured.
function(plymark_kernel_revision output)
    set(all "")
    foreach(source IN LISTS ARGN)
        file(READ "${source}" text)
        string(APPEND all "${text}")
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${source}")
    endforeach()
    string(SHA256 hash "${all}")
    string(SUBSTRING "${hash}" 0 12 hash)
    set(${output} "${hash}" PARENT_SCOPE)
endfunction()

function(plymark_kernel name)
    cmake_parse_arguments(KERNEL "UNLISTED" "ARCH;FOLDER;MAIN" "FLAGS;SOURCES;DEFINITIONS" ${ARGN})
    if(KERNEL_ARCH AND NOT KERNEL_ARCH STREQUAL CMAKE_SYSTEM_PROCESSOR)
        message(STATUS "Kernel ${name}: left out, it needs ${KERNEL_ARCH}")
        return()
    endif()
    set(folder "${CMAKE_CURRENT_SOURCE_DIR}/${name}")
    if(KERNEL_FOLDER)
        set(folder "${KERNEL_FOLDER}")
    endif()
    if(NOT KERNEL_MAIN)
        set(KERNEL_MAIN "${name}.c")
    endif()
    set(sources ${KERNEL_MAIN} ${KERNEL_SOURCES})
    list(TRANSFORM sources PREPEND "${folder}/")
    file(GLOB headers CONFIGURE_DEPENDS "${folder}/*.h")
    plymark_kernel_revision(revision ${sources} ${headers})

    add_library(kernel_${name} OBJECT ${sources})
    target_link_libraries(kernel_${name} PRIVATE plymark_options)
    # Nothing is inlined over its borders, and flags like -fno-unroll-loops are not kept for the link.
    set_target_properties(kernel_${name} PROPERTIES INTERPROCEDURAL_OPTIMIZATION OFF)
    target_compile_options(kernel_${name} PRIVATE ${KERNEL_FLAGS})
    target_compile_definitions(kernel_${name} PRIVATE PM_KERNEL_REVISION="${revision}"
                               ${KERNEL_DEFINITIONS})
    if(NOT KERNEL_UNLISTED)
        set_property(GLOBAL APPEND PROPERTY PLYMARK_KERNELS "${name}")
    endif()
endfunction()

# What a kernel is compiled from and how: its folder, seen from the project's; its sources, parted by colons; its own
# flags and definitions, less those of one compiler alone.
function(plymark_kernel_compilation name folder sources flags)
    get_target_property(files kernel_${name} SOURCES)
    list(GET files 0 first)
    cmake_path(GET first PARENT_PATH parent)
    cmake_path(RELATIVE_PATH parent BASE_DIRECTORY "${PROJECT_SOURCE_DIR}")
    list(JOIN files ":" joined)
    get_target_property(options kernel_${name} COMPILE_OPTIONS)
    get_target_property(definitions kernel_${name} COMPILE_DEFINITIONS)
    list(TRANSFORM definitions PREPEND "-D")
    if(NOT options)
        set(options "")
    endif()
    list(FILTER options EXCLUDE REGEX "C_COMPILER_ID")
    set(${folder} "${parent}" PARENT_SCOPE)
    set(${sources} "${joined}" PARENT_SCOPE)
    set(${flags} ${options} ${definitions} PARENT_SCOPE)
endfunction()

# A library with the named kernels and the list of them that kernels/registry.h declares.
function(plymark_kernel_registry target)
    set(declarations "")
    set(entries "")
    set(objects "")
    foreach(name IN LISTS ARGN)
        string(APPEND declarations "extern const struct pm_kernel pm_kernel_${name};\n")
        string(APPEND entries "    &pm_kernel_${name},\n")
        list(APPEND objects "$<TARGET_OBJECTS:kernel_${name}>")
    endforeach()
    set(list_source "${CMAKE_CURRENT_BINARY_DIR}/${target}_list.c")
    file(CONFIGURE OUTPUT "${list_source}" CONTENT
"/* Made by CMake from the plymark_kernel() lines. */
#include \"kernels/registry.h\"

#include <stddef.h>

@declarations@
const struct pm_kernel *const pm_kernels[] = {
@entries@    NULL,
};
" @ONLY)
    add_library(${target} STATIC "${PROJECT_SOURCE_DIR}/kernels/registry.c" "${list_source}"
                ${objects})
    target_link_libraries(${target} PUBLIC plymark_core)
endfunction()
