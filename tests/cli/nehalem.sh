#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# One binary runs on any x86-64: on an emulated CPU of 2008 the kernels that need more say so, the others
# count right, and nothing dies of an illegal instruction. Exit code 77 (skipped) without qemu-user.
# Usage: nehalem.sh PROGRAM
set -euo pipefail
program=$(realpath "$1")
command -v qemu-x86_64 >/dev/null || exit 77

emulate() { qemu-x86_64 -cpu "$1" "$program" "${@:2}"; }

emulate Nehalem list | grep -E '^pext +pext +not here: lacks bmi1,bmi2'
emulate Nehalem perft -d 4 -t 1 --pin none | grep -x 'Nodes searched: 197281'
emulate Nehalem verify -s unreachable.epd | grep 'All right'
# Without popcnt too: what is left are the kernels for any x86-64.
emulate qemu64,-popcnt,-sse4.2 list | grep -E '^magic +magic +not here: lacks popcnt'
emulate qemu64,-popcnt,-sse4.2 verify -s unreachable.epd | grep 'All right'
