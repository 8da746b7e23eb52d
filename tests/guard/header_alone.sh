#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every header compiles alone. Usage: header_alone.sh SOURCE_DIR COMPILER [FLAG...]
set -euo pipefail
source_dir=$1
shift

count=0
while IFS= read -r header; do
    case $header in
    kernels/*/*) continue ;; # a kernel's own headers are parts of its one source file
    jobs/mpi_*) continue ;;  # needs MPI; its source files include it first
    esac
    printf '#include "%s"\n#include "%s"\n' "$header" "$header" |
        "$@" -std=gnu17 -D_GNU_SOURCE -Wall -Wextra -Wpedantic -Werror -I"$source_dir" -x c -fsyntax-only - ||
        { echo "$header does not compile alone" >&2; exit 1; }
    count=$((count + 1))
done < <(cd "$source_dir" && find core kernels perft rules analyze jobs engines bench verify cli -name '*.h' ! -name '*.inc.h' | sort)

echo "$count headers compile alone"
[ "$count" -gt 10 ]
