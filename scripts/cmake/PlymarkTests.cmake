# SPDX-License-Identifier: MIT
# The tests; included by verify/CMakeLists.txt.

function(plymark_unit_test name)
    add_executable(test_${name} unit/test_${name}.c ${ARGN})
    target_compile_definitions(test_${name} PRIVATE PM_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    target_link_libraries(test_${name} PRIVATE
        plymark_verify plymark_bench plymark_kernels plymark_core PkgConfig::CMOCKA
        PkgConfig::LIBXML2 OpenMP::OpenMP_C)
    add_test(NAME unit/${name} COMMAND test_${name})
    set_tests_properties(unit/${name} PROPERTIES LABELS unit TIMEOUT 300)
endfunction()

foreach(name IN ITEMS count cpu driver epd fen gbench_shim move position random report result sets
                      stats topology walk)
    plymark_unit_test(${name})
endforeach()
plymark_unit_test(planted planted/planted.c)
