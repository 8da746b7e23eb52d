#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The program as its users meet it: exit codes, what stands on stdout and on stderr.
# Usage: expect.sh PROGRAM
set -uo pipefail
program=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 3
failures=0
checks=0

# expect CODE STDOUT-REGEX STDERR-REGEX ARGUMENT...   '' wants an empty stream, 'any' takes all.
expect() {
    local code=$1 out=$2 err=$3 got
    shift 3
    checks=$((checks + 1))
    timeout 60 "$program" "$@" >out 2>err </dev/null
    got=$?
    if [ "$got" -ne "$code" ]; then
        complain "exit code $got, not $code" "$@"
    elif ! matches out "$out"; then
        complain "stdout does not match '$out': $(head -c 300 out)" "$@"
    elif ! matches err "$err"; then
        complain "stderr does not match '$err': $(head -c 300 err)" "$@"
    fi
}

matches() {
    case $2 in
    any) ;;
    '') [ ! -s "$1" ] ;;
    *) grep -Eqz -- "$2" "$1" ;;
    esac
}

complain() {
    failures=$((failures + 1))
    echo "FAILED: plymark ${*:2}: $1" >&2
}

# Counting
expect 0 '^Nodes searched: 1' 'nodes in' perft -d 0
expect 0 '^Nodes searched: 20' 'nodes in' perft -d 1
expect 0 '^Nodes searched: 4865609' 'pext|magic' perft -d 5 -t 2
expect 0 '^Nodes searched: 97862' 'x88, make' perft -d 3 -p kiwipete -k x88 --mode make
expect 0 '^Nodes searched: 1' 'nodes' perft -d 32 -p '2b5/kpPp4/1p1P4/1P6/6p1/4p1P1/4PpPK/5B2 w - - 0 1'
expect 0 '^Nodes searched: 98771' 'nodes' perft -d 4 -p '4k3/8/8/R7/8/8/1b6/R3K3 b Q - 0 1'
expect 0 '^Nodes searched: 270' 'warning' perft -d 1 --lenient -p 'kBQQQQQQ/BR5Q/Q6Q/Q6Q/Q6Q/Q6Q/Q6Q/KQQQQQQQ w - - 0 1'
expect 0 $'^a2a3: 20\na2a4: 20\nb1a3: 20\n.*h2h4: 20\n\nNodes searched: 400\n$' 'nodes' divide -d 2
expect 0 $'e1c1: 43\n.*e1g1: 43\n.*\n\nNodes searched: 2039\n$' 'nodes' divide -d 2 -p kiwipete
expect 0 $'e1a1: 43\n.*e1h1: 43\n.*\n\nNodes searched: 2039\n$' 'nodes' divide -d 2 -p kiwipete --chess960

# Bad input: one clear line, exit code 2
expect 2 '' 'Usage'
expect 2 '' 'unknown command "prefy"' prefy
expect 2 '' 'depth is missing' perft
expect 2 '' '--depth is "x"' perft -d x
expect 2 '' '--depth is "-1"' perft -d -1
expect 2 '' '--depth is "9999999999999999999"' perft -d 9999999999999999999
expect 2 '' 'no kernel is named "turbo"' perft -d 1 -k turbo
expect 2 '' '--mode is "fast"' perft -d 1 --mode fast
expect 2 '' 'field 1' perft -d 1 -p 'rnbqkbnr/ppppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1'
expect 2 '' 'field' perft -d 1 -p ''
expect 2 '' '--threads is "0"' perft -d 1 -t 0
expect 2 '' 'pin' perft -d 1 --pin 5-2
expect 2 '' 'feature|mask' perft -d 1 --cpu-mask warp
expect 3 '' 'nowhere/suite.epd' verify -s /nowhere/suite.epd

# Verifying
expect 0 'All right' any verify -s bugs.epd -k magic,reference
expect 0 '"wrong"' any verify -s unreachable.epd --json
printf 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 ;D1 20 ;D2 401\n' >wrong.epd
expect 1 '401' any verify -s ./wrong.epd -k x88
printf 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 ;D1 20\nnonsense ;D1 1\n' >bad.epd
expect 2 '' 'bad.epd.*2' verify -s ./bad.epd -k x88

expect 0 $'^TAP version 14\n1..[0-9]+\nok 1 - unreachable x88 make: 28 of 28 rows' any verify -s unreachable.epd -k x88 --tap
expect 1 'not ok 1 - wrong x88 make.*401' any verify -s ./wrong.epd -k x88 --tap
expect 0 'bugs +x88 +[1-9][0-9]* of' any verify -s quick -k x88 --filter ep
expect 2 '' 'no position mentions' verify -s quick -k x88 --filter nosuchtrap

expect 0 'unreachable +x88 +0 of +0' any verify -s unreachable.epd,bugs.epd -k x88 --reachable

# Diff, outside programs
expect 0 'No difference: x88 and reference agree up to depth 3' '' diff x88 -p kiwipete -d 3
expect 0 '"result": "none"' '' diff x88 mailbox -d 2 --json
expect 2 '' 'what is to be compared' diff -d 1
expect 2 '' 'the depth is missing' diff x88
expect 2 '' '--depth is "33"' diff x88 -d 33
expect 2 '' 'no kernel is named "turbo"' diff turbo -d 1
expect 2 '' 'two are compared' diff x88 mailbox magic -d 1
expect 77 '' 'lacks' diff pext -d 1 --cpu-mask bmi2
printf '#!/bin/sh\n"%s" divide -d "$1" -p "$2" 2>/dev/null | grep -v ^a2a3 | grep -v ^Nodes\n' "$program" >forgetful
chmod +x forgetful
expect 1 'a2a3 +missing in cmd:./forgetful.*pawn push.*count depth 1' '' diff cmd:./forgetful -d 2
expect 1 'moves and counts agree with the reference' any verify -s ./wrong.epd -k x88
expect 2 '' 'nowhere' verify -k uci:nowhere -s unreachable.epd
expect 0 'All right' any verify -k x88 --sandbox -s unreachable.epd
printf 'uci\nisready\nposition startpos\ngo perft 2\nquit\n' >uci.txt
checks=$((checks + 1))
"$program" uci -k x88 <uci.txt | grep -qx 'Nodes searched: 400' || complain "no divide" uci -k x88

# A CPU without the features of a kernel: the kernel says so and stays out
expect 0 'pext +not here: lacks' '' list --cpu-mask bmi2
expect 77 'lacks' any verify -s quick -k pext --cpu-mask all
expect 77 any 'pext can.t run here' perft -d 1 -k pext --cpu-mask bmi2
expect 0 '^Nodes searched: 8902' 'nodes' perft -d 3 --cpu-mask all
PLYMARK_CPU_MASK=bmi2 expect 0 'pext +not here: lacks' '' list
PLYMARK_CPU_MASK=warp expect 2 '' 'warp' list

# Descriptions
expect 0 '^plymark [0-9.]+' '' --version
expect 0 'Commands:' '' --help
expect 0 'Usage: plymark perft' '' perft --help
expect 0 'x88.*mailbox.*magic.*reference' '' list
expect 0 'technique:' '' info -k reference
expect 0 'cores' '' topo

# Interruption: within 0.2 s of the signal (2 s are allowed to a busy machine), and nothing passed off as whole
checks=$((checks + 1))
"$program" divide -d 12 -t 2 >out 2>err &
pid=$!
sleep 0.5
started=$(date +%s%N)
kill -INT "$pid"
wait "$pid"
code=$?
elapsed=$((($(date +%s%N) - started) / 1000000))
if [ "$code" -ne 130 ] || [ "$elapsed" -gt 2000 ] || grep -q 'Nodes searched' out || ! grep -q 'not finished' err; then
    complain "exit code $code after $elapsed ms; $(cat err)" "divide -d 12, interrupted"
fi

echo "$checks checks, $failures failed"
[ "$failures" -eq 0 ]
