#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The guards of kernels see what they are there for: a kernel that reads another's headers, or more of the house than
# it may, or takes another's symbol. Each is planted in a copy of the sources. Usage: copied_kernel.sh SOURCE_DIR COMPILER
set -euo pipefail
source_dir=$1 compiler=$2
guard=$source_dir/tests/guard

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$source_dir"/{core,kernels,perft} "$work"
mkdir "$work/kernels/copied"
copy=$work/kernels/copied/copied.c

includes() { "$guard/kernel_includes.sh" "$work" kernels/copied "$copy" "$compiler" 2>"$work/said"; }

# What is in $copy fails, and the guard's line names what it reads.
fails() {
    if includes; then
        echo "the guard passes a kernel that reads $1" >&2
        exit 1
    fi
    grep -qF " $1" "$work/said" || { cat "$work/said" >&2; exit 1; }
}

cp "$source_dir/kernels/pext/pext.c" "$copy"
fails kernels/pext/view.h
printf '#include "../pext/board.h"\n' >"$copy"
fails kernels/pext/board.h
printf '#include "core/kernel.h"\n#include "perft/zobrist.h"\n' >"$copy"
fails perft/zobrist.h
printf '#include "core/position.h"\n' >"$copy"
fails core/position.h

# A copy of the whole folder is made of itself: what it shows is that the guard fails for no other reason.
cp "$source_dir"/kernels/pext/*.h "$work/kernels/copied"
sed 's,kernels/pext/,kernels/copied/,' "$source_dir/kernels/pext/pext.c" >"$copy"
sed -i 's,kernels/pext/,kernels/copied/,' "$work"/kernels/copied/*.h
includes || { cat "$work/said" >&2; exit 1; }

# Symbols: what is in $1 is compiled as the kernel `copied`.
symbols() {
    printf '%s\n' "$1" | "$compiler" -x c -c -o "$work/copied.o" -
    "$guard/kernel_symbols.sh" copied "$work/copied.o" 2>"$work/said"
}
good='const int pm_kernel_copied = 1;'
symbols "$good" || { cat "$work/said" >&2; exit 1; }
for bad in "$good extern int pm_kernel_pext; int *const p = &pm_kernel_pext;" \
    "$good int pm_fen_read(void); static int f(void) { return pm_fen_read(); } int (*g)(void) = f;" \
    "$good int more;" "static const int pm_kernel_copied = 1; const int *other = &pm_kernel_copied;"; do
    ! symbols "$bad" || { echo "the guard passes a kernel of: $bad" >&2; exit 1; }
done
echo "the guards of kernels see all that was planted"
