# SPDX-License-Identifier: MIT
# Flags that every target of this project gets: warnings, and what the options ask for.
# Instruction-set flags are not here: they sit on a kernel's own object library.

add_library(plymark_options INTERFACE)
target_include_directories(plymark_options INTERFACE "${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}")
target_compile_definitions(plymark_options INTERFACE _GNU_SOURCE)
target_compile_options(plymark_options INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wundef -Wvla -Wcast-qual
    $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes;-Wmissing-prototypes;-Wwrite-strings>)

if(PLYMARK_WERROR)
    target_compile_options(plymark_options INTERFACE -Werror)
endif()
if(PLYMARK_NATIVE)
    target_compile_options(plymark_options INTERFACE -march=native)
endif()
if(PLYMARK_SANITIZE)
    # -O1: compiling takes half as long, and what is looked for is the same.
    set(sanitize_flags -O1 "-fsanitize=${PLYMARK_SANITIZE}" -fno-omit-frame-pointer
                       -fno-sanitize-recover=all)
    target_compile_options(plymark_options INTERFACE ${sanitize_flags})
    target_link_options(plymark_options INTERFACE ${sanitize_flags})
endif()
if(PLYMARK_FUZZ)
    if(NOT CMAKE_C_COMPILER_ID STREQUAL "Clang")
        message(FATAL_ERROR "PLYMARK_FUZZ needs clang: CC=clang CXX=clang++ cmake ...")
    endif()
    target_compile_options(plymark_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

# Profiles live in the build tree: one `cmake -DPLYMARK_PGO=generate` build is trained, then the same
# tree is configured again with `use`. scripts/run does both.
set(pgo_dir "${PROJECT_BINARY_DIR}/pgo")
if(PLYMARK_PGO STREQUAL "generate")
    set(pgo_flags "-fprofile-generate=${pgo_dir}")
elseif(PLYMARK_PGO STREQUAL "use")
    if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
        set(pgo_flags "-fprofile-use=${pgo_dir}" -fprofile-correction -Wno-missing-profile)
    else()
        set(pgo_flags "-fprofile-use=${pgo_dir}/default.profdata" -Wno-profile-instr-unprofiled
                      -Wno-profile-instr-out-of-date)
    endif()
elseif(PLYMARK_PGO)
    message(FATAL_ERROR "PLYMARK_PGO is '${PLYMARK_PGO}': use generate, use, or leave it empty")
endif()
if(pgo_flags)
    target_compile_options(plymark_options INTERFACE $<$<COMPILE_LANGUAGE:C>:${pgo_flags}>)
    target_link_options(plymark_options INTERFACE ${pgo_flags})
endif()
