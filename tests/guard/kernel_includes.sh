#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A kernel is made of its own folder, a few headers of core, and the system: agreement of two kernels is
# evidence only if neither reads the other's code. Asks the compiler what each source reads.
# Usage: kernel_includes.sh SOURCE_DIR FOLDER SOURCE[:SOURCE...] COMPILER [FLAG...]
# FOLDER is the kernel's own, seen from SOURCE_DIR: kernels/pext.
set -euo pipefail
source_dir=$1 folder=$2
IFS=: read -ra sources <<<"$3"
shift 3

# The contract, and helpers that know nothing of how pieces move (kernels/README.md).
shared="bitboards bits board cpu kernel random status"

# One path a line: make's escapes undone, the target's name left out. -MM leaves out system headers.
read_files() {
    "$@" -std=gnu17 -D_GNU_SOURCE -I"$source_dir" -MM -MT target "${sources[@]}" |
        sed -e 's/^target://' -e 's/\\$//' | tr -s ' ' '\n' | sed '/^$/d' | xargs realpath | sort -u
}

files=$(read_files "$@")
[ -n "$files" ] || { echo "$folder: the compiler names no file" >&2; exit 1; }

root=$(realpath "$source_dir")
foreign=""
while IFS= read -r file; do
    path=${file#"$root"/}
    case $path in
    "$folder"/*) continue ;;
    core/*.h)
        name=${path#core/}
        [[ " $shared " == *" ${name%.h} "* ]] && continue
        ;;
    esac
    foreign+=" $path"
done <<<"$files"

if [ -n "$foreign" ]; then
    echo "$folder reads:$foreign: a kernel is made of its own folder, the system, and of core: $shared" >&2
    exit 1
fi
