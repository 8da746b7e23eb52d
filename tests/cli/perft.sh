#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `plymark perft` ends well and gives the known count. Usage: perft.sh NODES PROGRAM ARGUMENT...
set -euo pipefail
nodes=$1 program=$2
shift 2
out=$("$program" perft "$@")
printf '%s\n' "$out"
grep -qx "Nodes searched: $nodes" <<<"$out"
