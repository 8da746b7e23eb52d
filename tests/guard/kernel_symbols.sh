#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A kernel's objects export its descriptor alone and import nothing of this project: what they take from core
# are inline functions of the headers that kernel_includes.sh lists.
# Usage: kernel_symbols.sh NAME OBJECT...
set -euo pipefail
name=$1
shift

# Symbols that a sanitizer or a profile adds are not the kernel's own.
own='^(__asan_|__odr_asan|__ubsan_|__tsan_|__gcov|__prof|__llvm|_GLOBAL_)'
exported=$(nm --extern-only --defined-only --format=posix "$@" | awk 'NF > 1 {print $1}' | grep -Ev "$own" || true)
imported=$(nm --undefined-only --format=posix "$@" | awk 'NF > 1 {print $1}')

if [ "$exported" != "pm_kernel_$name" ]; then
    echo "kernel $name exports: $(echo "$exported" | xargs): it should be pm_kernel_$name alone" >&2
    exit 1
fi
foreign=$(echo "$imported" | grep '^pm_' | grep -v "^pm_kernel_$name\$" || true)
if [ -n "$foreign" ]; then
    echo "kernel $name imports: $(echo "$foreign" | xargs): a kernel is made of its own folder alone" >&2
    exit 1
fi
