# SPDX-License-Identifier: MIT
# The tests. Labels: unit (cmocka), verify (counts and walks), cli (the program's behaviour), guard (what
# the sources promise), mpi (plymark-mpi), sanitize (what runs under sanitizers too), slow (deep counts).

set(verify_dir "${PROJECT_SOURCE_DIR}/verify")

function(plymark_unit_test name)
    add_executable(test_${name} "${verify_dir}/unit/test_${name}.c" ${ARGN})
    target_compile_definitions(test_${name} PRIVATE PM_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    target_link_libraries(test_${name} PRIVATE
        plymark_verify plymark_jobs plymark_analyze plymark_rules plymark_bench plymark_perft plymark_kernels plymark_core PkgConfig::CMOCKA
        PkgConfig::LIBXML2 OpenMP::OpenMP_C)
    add_test(NAME unit/${name} COMMAND test_${name})
    set_tests_properties(unit/${name} PROPERTIES LABELS unit TIMEOUT 300)
endfunction()

foreach(name IN ITEMS bench_report breakdown clock_rate count counters cpu driver ending epd estimate exchange expander facts fen field
                      game gbench_shim generator hashed history input ladder material minimize move pgn position
                      position_report random random_game rating report result rule san sets setup
                      stats stream svg table topology verdict walk where workload)
    plymark_unit_test(${name})
endforeach()
target_link_libraries(test_stream PRIVATE PkgConfig::ZLIB)
plymark_unit_test(store)
target_link_libraries(test_store PRIVATE PkgConfig::SQLITE)
foreach(name IN ITEMS causes diff levels planted)
    plymark_unit_test(${name} "${verify_dir}/planted/planted.c")
endforeach()
# Thousands of short counts on two threads, which on a busy machine should not spin while they wait.
set_property(TEST unit/hashed APPEND PROPERTY ENVIRONMENT OMP_WAIT_POLICY=passive)
plymark_unit_test(distinct)
set_tests_properties(unit/distinct PROPERTIES LABELS slow TIMEOUT 900)
plymark_unit_test(sliders)
target_link_libraries(test_sliders PRIVATE plymark_sliders)
add_test(NAME unit/sliders_million COMMAND test_sliders 1000000)
set_tests_properties(unit/sliders_million PROPERTIES LABELS slow TIMEOUT 900)
plymark_unit_test(unique)
add_test(NAME unit/unique_deep COMMAND test_unique 5e8)
set_tests_properties(unit/unique_deep PROPERTIES LABELS slow TIMEOUT 7200)
plymark_unit_test(lookahead)
add_test(NAME unit/lookahead_100_million COMMAND test_lookahead 100000000 1)
set_tests_properties(unit/lookahead_100_million PROPERTIES LABELS slow TIMEOUT 36000)

# Under ThreadSanitizer: what runs on several threads. clang's OpenMP tells it of its barriers, gcc's does not.
add_custom_target(threads_tests)
foreach(name IN ITEMS driver random stream walk)
    add_dependencies(threads_tests test_${name})
    set_property(TEST unit/${name} APPEND PROPERTY LABELS threads)
    set_property(TEST unit/${name} APPEND PROPERTY ENVIRONMENT
                 TSAN_OPTIONS=ignore_noninstrumented_modules=1)
endforeach()

# ---- Engines that misbehave, and plug-ins, for unit/subject ----

add_executable(test_engine "${verify_dir}/engines/engine.c")
target_link_libraries(test_engine PRIVATE plymark_verify plymark_kernels)
add_library(example_plugin MODULE "${PROJECT_SOURCE_DIR}/kernels/example/example.c"
            "${verify_dir}/engines/example_plugin.c")
target_compile_definitions(example_plugin PRIVATE PM_KERNEL_REVISION="plug-in")
add_library(broken_plugin MODULE "${verify_dir}/engines/broken_plugin.c")
foreach(plugin IN ITEMS example_plugin broken_plugin)
    target_link_libraries(${plugin} PRIVATE plymark_options)
endforeach()
plymark_unit_test(subject)
add_dependencies(test_subject test_engine example_plugin broken_plugin)
target_compile_definitions(test_subject PRIVATE
    PM_TEST_ENGINE="$<TARGET_FILE:test_engine>"
    PM_EXAMPLE_PLUGIN="$<TARGET_FILE:example_plugin>"
    PM_BROKEN_PLUGIN="$<TARGET_FILE:broken_plugin>")

# ---- The program with the worked example of kernels/README.md in place of the shipped kernels ----

plymark_kernel(example FOLDER "${PROJECT_SOURCE_DIR}/kernels/example" UNLISTED)
plymark_kernel_registry(example_kernels example reference)
add_executable(plymark_example)
target_link_libraries(plymark_example PRIVATE plymark_cli example_kernels)

function(plymark_test name labels)
    add_test(NAME "${name}" COMMAND ${ARGN})
    set_tests_properties("${name}" PROPERTIES LABELS "${labels}" TIMEOUT 900)
endfunction()

# ---- verify ----

plymark_test(verify/smoke "verify;sanitize" plymark verify -s smoke)
plymark_test(verify/quick "verify" plymark verify -s quick)
plymark_test(verify/standard_moves "verify" plymark verify -s standard.epd --level moves)
plymark_test(verify/example "verify" plymark_example verify -k example -s quick)
plymark_test(verify/full "slow" plymark verify -s full)

set(mutants plymark_mutants --source "${PROJECT_SOURCE_DIR}" --build "${PROJECT_BINARY_DIR}")
plymark_test(verify/mutation_fast verify ${mutants} --work "${PROJECT_BINARY_DIR}/mutants_fast" --fast
             check)
foreach(kernel IN ITEMS x88 mailbox magic pext reply512 reply256 byteboard)
    plymark_test(verify/mutation_${kernel} slow ${mutants} --only ${kernel}/ --work
                 "${PROJECT_BINARY_DIR}/mutants_${kernel}" check)
    set_tests_properties(verify/mutation_${kernel} PROPERTIES TIMEOUT 1800)
endforeach()

# ---- cli ----

plymark_test(cli/expect "cli;sanitize" "${verify_dir}/cli/expect.sh" $<TARGET_FILE:plymark>)
plymark_test(cli/analyze_many "cli;sanitize" "${verify_dir}/cli/analyze_many.sh"
             $<TARGET_FILE:plymark> "${verify_dir}/suites")
foreach(known IN ITEMS 8=84998978956 9=2439530234167 10=69352859712417)
    string(REGEX MATCH "^(.*)=(.*)$" _ "${known}")
    plymark_test(cli/perft_${CMAKE_MATCH_1} slow plymark perft -d ${CMAKE_MATCH_1} --mode unique)
    set_tests_properties(cli/perft_${CMAKE_MATCH_1} PROPERTIES
                         PASS_REGULAR_EXPRESSION "Nodes searched: ${CMAKE_MATCH_2}\n")
endforeach()
plymark_test(cli/estimate "cli;sanitize" "${verify_dir}/cli/estimate.sh" $<TARGET_FILE:plymark>)
plymark_test(cli/deep "cli;sanitize" "${verify_dir}/cli/deep.sh" $<TARGET_FILE:plymark>)
plymark_test(cli/deep_kill slow "${verify_dir}/cli/deep_kill.sh" $<TARGET_FILE:plymark> 20 9 20)
set_property(TEST cli/deep_kill PROPERTY ENVIRONMENT TOTAL=2439530234167)
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64" AND NOT PLYMARK_NATIVE AND NOT PLYMARK_SANITIZE)
    plymark_test(cli/nehalem cli "${verify_dir}/cli/nehalem.sh" $<TARGET_FILE:plymark>)
    set_tests_properties(cli/nehalem PROPERTIES SKIP_RETURN_CODE 77)
endif()
if(TARGET plymark-mpi AND NOT PLYMARK_SANITIZE) # MPI itself leaks and races
    plymark_test(cli/deep_mpi mpi "${verify_dir}/cli/deep_mpi.sh" $<TARGET_FILE:plymark-mpi>
                 $<TARGET_FILE:plymark> "${MPIEXEC_EXECUTABLE}")
    set_tests_properties(cli/deep_mpi PROPERTIES SKIP_RETURN_CODE 77)
endif()

# ---- guard ----

get_property(kernels GLOBAL PROPERTY PLYMARK_KERNELS)
foreach(name IN LISTS kernels ITEMS example)
    plymark_test(guard/symbols_${name} guard
        "${verify_dir}/guard/kernel_symbols.sh" ${name}
        $<TARGET_OBJECTS:kernel_${name}> COMMAND_EXPAND_LISTS)
endforeach()
if(PLYMARK_SIZE)
    plymark_test(guard/kernel_sizes guard "${verify_dir}/guard/kernel_sizes.sh" "${PROJECT_SOURCE_DIR}"
                 "${CMAKE_COMMAND}" "${PLYMARK_SIZE}" "${CMAKE_C_COMPILER}")
endif()
plymark_test(guard/headers guard
    "${verify_dir}/guard/header_alone.sh" "${PROJECT_SOURCE_DIR}" "${CMAKE_C_COMPILER}")
plymark_test(guard/readme guard
    "${verify_dir}/guard/readme_commands.sh" "${PROJECT_SOURCE_DIR}" $<TARGET_FILE:plymark>)
