#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Plug-ins and engines that misbehave: each run fails and says why, none hangs, and no process is left.
# Usage: misbehave.sh PROGRAM BROKEN_PLUGIN TEST_ENGINE
set -uo pipefail
program=$(realpath "$1")
plugin=$(realpath "$2")
engine=$(realpath "$3")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 3
mark=PLYMARK_MISBEHAVE=$work # in the environment of all that the program starts
echo 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 ;D1 20 ;D2 400' >tiny.epd
echo 'r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1 ;D1 48' >>tiny.epd
failures=0
checks=0

cat >drip.sh <<'SH'
#!/bin/sh
trap '' TERM INT HUP
while :; do echo nothing; sleep 0.1; done
SH
cat >leave.sh <<'SH'
#!/bin/sh
setsid sleep 300 &
echo e2e4: 19
SH
cat >error.sh <<'SH'
#!/bin/sh
while read -r line; do
    case $line in
    uci) echo uciok ;;
    isready) echo readyok ;;
    go*) echo "error: invalid position" ;;
    quit) exit 0 ;;
    esac
done
SH
chmod +x ./*.sh

# left: the processes that have our mark in their environment.
left() {
    grep -lz "^$mark\$" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3
}

# run NAME REGEX WORD: a failure, told by the regular expression, within 25 s.
run() {
    local got name=$1 regex=$2
    checks=$((checks + 1))
    timeout 25 env "$mark" "$program" verify -k "$3" -s ./tiny.epd -t 1 --time-limit 1 --level all \
        --random 2 >out 2>&1 </dev/null
    got=$?
    if [ "$got" -eq 0 ] || [ "$got" -ge 124 ] || ! grep -Eq -- "$regex" out; then
        failures=$((failures + 1))
        echo "FAILED: $name: exit code $got; '$regex' is not in: $(head -c 1500 out)" >&2
    fi
    if grep -q 'All right' out; then
        failures=$((failures + 1))
        echo "FAILED: $name: all right" >&2
    fi
    if [ -n "$(left)" ]; then
        failures=$((failures + 1))
        echo "FAILED: $name: left behind: $(left | xargs -r ps -o pid,args -p)" >&2
    fi
}

broken() {
    PLYMARK_BROKEN_PLUGIN=$1 run "plug-in $1" "$2" "so:$plugin"
}

broken exit-entry 'exited with status 0 while it was loaded'
broken crash-entry 'signal 6 .* while it was loaded'
broken loop-entry 'not loaded within'
broken exit-init 'exited with status 0 while it was loaded'
broken loop-init 'not loaded within'
broken close 'while it was loaded'
for call in set_position get_position legal_moves play perft; do
    broken exit-$call "exited with status 0 at $call\(\)"
    broken crash-$call "signal 6 .* at $call\(\)"
    broken loop-$call "no answer within .* at $call\(\)"
done
broken stop-perft 'no answer within .* at perft\(\)'
broken many '100000 moves, more than the [0-9]+'
broken overrun 'signal 11 .* at legal_moves\(\)'
broken wide 'signal 11 .* at set_position\(\)'
broken status 'bytes that are no answer at set_position\(\)'
broken throw 'signal 9 .* at play\(\)'
broken print 'right is 400'
broken child 'right is 400'

for mode in hang-uci hang-go silent; do
    run "engine $mode" 'hung: no answer' "uci:$engine $mode"
done
for mode in crash-go:crashed exit-position:crashed flood:garbage long-line:garbage binary:garbage \
    search:garbage lie-total:lied lie-part:lied keep:lied refuse:garbage; do
    run "engine ${mode%:*}" "${mode#*:}: " "uci:$engine ${mode%:*}"
done
run 'engine of errors' 'garbage: .*error: invalid position' 'uci:./error.sh'
run 'endless script' 'hung: no end of its output' 'cmd:./drip.sh'
run 'endless engine' 'hung: no answer' 'uci:./drip.sh'
run 'script that leaves a child' '19 nodes, right is 20|hung: no end' 'cmd:./leave.sh'

# An engine that ignores signals is gone when we are, however we go.
for signal in TERM KILL; do
    checks=$((checks + 1))
    env "$mark" "$program" verify -k 'uci:./drip.sh' -s ./tiny.epd -t 1 --time-limit 60 >out 2>&1 &
    id=$!
    sleep 1
    kill -$signal $id
    wait $id 2>/dev/null
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        [ -z "$(left)" ] || sleep 0.2
    done
    if [ -n "$(left)" ]; then
        failures=$((failures + 1))
        echo "FAILED: after SIG$signal: left behind: $(left)" >&2
    fi
done

# The whole run has a limit too.
checks=$((checks + 1))
begin=$SECONDS
timeout 25 env "$mark" "$program" verify -k 'uci:./drip.sh' -s ./tiny.epd --time-limit 60 --time-budget 1 >out 2>&1
got=$?
if [ $got -ne 130 ] || [ $((SECONDS - begin)) -gt 6 ] || ! grep -q 'time budget is used up' out; then
    failures=$((failures + 1))
    echo "FAILED: --time-budget: exit code $got after $((SECONDS - begin)) s: $(cat out)" >&2
fi

echo "$checks checks, $failures failed"
[ "$failures" -eq 0 ]
