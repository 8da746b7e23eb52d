#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Stockfish miscounts positions that no game reaches: the summary says so. Usage: stockfish.sh PROGRAM
set -uo pipefail
program=$(realpath "$1")
PATH=$PATH:/usr/games
command -v stockfish >/dev/null || {
    echo "stockfish is not installed"
    exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 3
fail() {
    echo "FAILED: $*" >&2
    cat out >&2
    exit 1
}

"$program" verify -k uci:stockfish >out 2>&1
code=$?
if [ $code -eq 1 ]; then
    grep -q 'All positions that failed are unreachable' out || fail "the summary does not explain"
    grep -q '^Next: plymark verify -k uci:stockfish --reachable$' out || fail "no next command"
    tail -1 out | grep -q '^WRONG: ' || fail "the verdict is not last"
elif [ $code -ne 0 ]; then
    fail "exit code $code"
fi
"$program" verify -k uci:stockfish --reachable >out 2>&1 || fail "--reachable: exit code $?"
grep -q 'rows unreachable' out || fail "what --reachable left out is not told"
