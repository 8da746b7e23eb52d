#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The engines that are here, as the shipped files describe them, are right on positions that a game
# reaches; and each shipped file can be read. Usage: known_engines.sh PROGRAM FOLDER
set -uo pipefail
program=$(realpath "$1")
folder=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 3
PATH=$PATH:/usr/games:$(dirname "$program")
cat >reachable.epd <<'EPD'
rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 ;D1 20 ;D2 400 ;D3 8902
r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1 ;D1 48 ;D2 2039
8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1 ;D1 14 ;D2 191 ;D3 2812
EPD
failures=0
asked=0
for file in "$folder"/*.json; do
    name=$(basename "$file" .json)
    timeout 60 "$program" verify -k "engine:$name" -s ./reachable.epd -t 1 >out 2>&1 </dev/null
    got=$?
    if grep -q "can't run .*No such file" out && [ $got -eq 2 ]; then
        echo "$name: not here"
    elif [ $got -eq 0 ] && grep -q 'All right' out; then
        echo "$name: right"
        asked=$((asked + 1))
    else
        failures=$((failures + 1))
        echo "FAILED: $name: exit code $got: $(head -c 1500 out)" >&2
    fi
done
# Ours is always here.
[ "$asked" -ge 1 ] || failures=$((failures + 1))
echo "$asked engines asked, $failures failed"
[ "$failures" -eq 0 ]
