# SPDX-License-Identifier: MIT
# Everything that is not ours. A missing one is named with the Debian package that brings it.

function(plymark_require found what package)
    if(NOT ${found})
        message(FATAL_ERROR "${what} was not found. On Debian or Ubuntu: apt-get install ${package}")
    endif()
endfunction()

find_package(PkgConfig)
plymark_require(PKG_CONFIG_FOUND "pkg-config" "pkg-config")

pkg_check_modules(HWLOC IMPORTED_TARGET hwloc>=2.4)
plymark_require(HWLOC_FOUND "hwloc 2.4 or newer" "libhwloc-dev")

pkg_check_modules(LIBXML2 IMPORTED_TARGET libxml-2.0)
plymark_require(LIBXML2_FOUND "libxml2" "libxml2-dev")

pkg_check_modules(JANSSON IMPORTED_TARGET jansson>=2.12)
plymark_require(JANSSON_FOUND "jansson 2.12 or newer" "libjansson-dev")

pkg_check_modules(ZLIB IMPORTED_TARGET zlib)
plymark_require(ZLIB_FOUND "zlib" "zlib1g-dev")

pkg_check_modules(ZSTD IMPORTED_TARGET libzstd)
plymark_require(ZSTD_FOUND "libzstd" "libzstd-dev")

pkg_check_modules(SQLITE IMPORTED_TARGET sqlite3>=3.37)
plymark_require(SQLITE_FOUND "SQLite 3.37 or newer" "libsqlite3-dev")

pkg_check_modules(GMP IMPORTED_TARGET gmp)
plymark_require(GMP_FOUND "GMP" "libgmp-dev")

find_path(CSV_INCLUDE csv.h)
find_library(CSV_LIBRARY csv)
mark_as_advanced(CSV_INCLUDE CSV_LIBRARY)
plymark_require(CSV_LIBRARY "libcsv" "libcsv-dev")

find_package(benchmark QUIET)
plymark_require(benchmark_FOUND "Google Benchmark" "libbenchmark-dev")

# Debian ships one LLVM OpenMP runtime at a time, in a folder that a newer clang does not search.
if(CMAKE_C_COMPILER_ID STREQUAL "Clang")
    file(GLOB llvm_folders /usr/lib/llvm-*)
    list(TRANSFORM llvm_folders APPEND /lib OUTPUT_VARIABLE llvm_libs)
    file(GLOB llvm_includes /usr/lib/llvm-*/lib/clang/*/include)
    find_path(PLYMARK_OMP_INCLUDE omp.h PATHS ${llvm_includes})
    find_library(PLYMARK_OMP_LIBRARY NAMES omp PATHS ${llvm_libs})
    mark_as_advanced(PLYMARK_OMP_INCLUDE PLYMARK_OMP_LIBRARY)
endif()
find_package(OpenMP COMPONENTS C QUIET)
if(NOT OpenMP_C_FOUND AND PLYMARK_OMP_LIBRARY AND PLYMARK_OMP_INCLUDE)
    # Only omp.h itself, lest the other clang's built-in headers come with it.
    file(COPY "${PLYMARK_OMP_INCLUDE}/omp.h" DESTINATION "${PROJECT_BINARY_DIR}/openmp")
    add_library(OpenMP::OpenMP_C INTERFACE IMPORTED)
    target_compile_options(OpenMP::OpenMP_C INTERFACE -fopenmp=libomp)
    target_include_directories(OpenMP::OpenMP_C INTERFACE "${PROJECT_BINARY_DIR}/openmp")
    target_link_libraries(OpenMP::OpenMP_C INTERFACE "${PLYMARK_OMP_LIBRARY}")
    set(OpenMP_C_FOUND TRUE)
endif()
if(CMAKE_C_COMPILER_ID STREQUAL "Clang")
    plymark_require(OpenMP_C_FOUND "OpenMP for clang" "libomp-dev")
else()
    plymark_require(OpenMP_C_FOUND "OpenMP" "gcc")
endif()

# For plymark-mpi. Where several MPIs are installed, MPI_C_COMPILER and MPIEXEC_EXECUTABLE choose: mpicc.mpich and
# mpirun.mpich, or mpicc.openmpi and mpirun.openmpi.
if(NOT PLYMARK_MPI STREQUAL "OFF")
    find_package(MPI COMPONENTS C QUIET)
    if(PLYMARK_MPI STREQUAL "ON")
        plymark_require(MPI_C_FOUND "MPI" "libopenmpi-dev (or libmpich-dev)")
    endif()
endif()

if(PLYMARK_TESTS)
    pkg_check_modules(CMOCKA IMPORTED_TARGET cmocka>=1.1.5)
    plymark_require(CMOCKA_FOUND "cmocka 1.1.5 or newer" "libcmocka-dev")
endif()
