#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `plymark estimate` as its users and their scripts meet it.
# Usage: estimate.sh PROGRAM
set -uo pipefail
program=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 3
failures=0
checks=0

complain() {
    failures=$((failures + 1))
    echo "FAILED: $*" >&2
}

# estimate CODE ARGUMENT...: files out and err
estimate() {
    local want=$1 got
    shift
    checks=$((checks + 1))
    timeout 120 "$program" estimate "$@" >out 2>err </dev/null
    got=$?
    [ "$got" -eq "$want" ] || complain "$*: exit code $got, not $want: $(head -c 300 err)"
}

# has FILE REGEX WHAT
has() {
    checks=$((checks + 1))
    grep -Eq -- "$2" "$1" || complain "$3: no '$2' in: $(head -c 400 "$1")"
}

# value KEY: of the lines for scripts
value() {
    sed -n "s/^$1: //p" out
}

# ---- Exact where it can be ----

for known in '0 1' '1 20' '2 400' '3 8902' '4 197281' '5 4865609'; do
    read -r depth nodes <<<"$known"
    estimate 0 -d "$depth"
    has out "^perft\\($depth\\) = $nodes, counted exactly\$" "depth $depth"
    [ "$(value nodes) $(value low) $(value high) $(value exact)" = "$nodes $nodes $nodes yes" ] ||
        complain "depth $depth: $(cat out)"
done
estimate 0 -d 6 -p 'R5k1/5ppp/8/8/8/8/8/K7 b - - 0 1'
has out '^perft\(6\) = 0, counted exactly$' 'a mate'

# ---- Estimates ----

estimate 0 -d 7 --width 50
has out '^perft\(7\) = 3\.[0-9]+e9 \+- 0\.[0-9]+ % \(95 %: 3\.[0-9]+e9 to 3\.[0-9]+e9\)$' 'an estimate'
has out '^  the whole tree: about [0-9.]+ [a-z]+$' 'what to expect'
has out '^  distinct positions: very roughly [0-9.]+ [a-z]+$' 'what to expect'
awk -v low="$(value low)" -v high="$(value high)" -v nodes="$(value nodes)" \
    'BEGIN { exit !(low < 3195901860 && 3195901860 < high && low < nodes && nodes < high) }' ||
    complain "not within: $(cat out)"
[ "$(value exact) $(value samples) $(value width) $(value seed)" = 'no 32 50 1' ] ||
    complain "settings: $(cat out)"

# The same for all threads and kernels; another for another seed.
same='^(nodes|low|high|samples): '
grep -E "$same" out >first
estimate 0 -d 7 --width 50 -t 3
grep -E "$same" out | cmp -s - first || complain "three threads: $(cat out)"
estimate 0 -d 7 --width 50 -k magic
grep -E "$same" out | cmp -s - first || complain "another kernel: $(cat out)"
estimate 0 -d 7 --width 50 --seed 2
grep -E "$same" out | cmp -s - first && complain "another seed, the same: $(cat out)"
has out '^seed: 2$' 'the seed'

# Far out
estimate 0 -d 64 --width 2 --samples 8
has out '^perft\(64\) = [0-9.]+e[0-9]+ ' 'depth 64'
estimate 0 -d 9 -p kiwipete --width 20 --samples 8 --cpu-mask bmi2,avx2,avx512f
has out '^mode: bulk$' 'without lookahead'

# ---- Time and interruption ----

estimate 0 -d 9 --width 20 --seconds 1
[ "$(value samples)" -gt 8 ] || complain "one second: $(cat out)"
checks=$((checks + 1))
"$program" estimate -d 9 --width 20 --seconds 1000 >out 2>err &
pid=$!
sleep 3
kill -INT "$pid"
wait "$pid"
[ $? -eq 130 ] || complain "interrupted: $(cat err)"
has out '^perft\(9\) = 2\.' 'interrupted, what there was'
checks=$((checks + 1))
"$program" estimate -d 30 --width 1000000 -t 1 >out 2>err &
pid=$!
sleep 0.5
kill -INT "$pid"
wait "$pid"
if [ $? -ne 130 ] || [ -s out ]; then
    complain "interrupted too early: $(cat out err)"
fi
has err '^plymark estimate: interrupted before there were 8 samples$' 'interrupted too early'

# ---- Bad input: one clear line ----

while IFS='|' read -r words arguments; do
    # shellcheck disable=SC2086
    estimate 2 $arguments
    has err "$words" "$arguments"
    [ -s out ] && complain "$arguments: $(cat out)"
done <<'END'
the depth is missing
--depth is "65"|-d 65
--depth is "-1"|-d -1
--samples is "7"|-d 8 --samples 7
--width is "0"|-d 8 --width 0
--width is "1000001"|-d 8 --width 1000001
--seconds is "0"|-d 8 --seconds 0
--seed is "x"|-d 8 --seed x
names 2 kernels|-d 8 -k magic,x88
no kernel is named|-d 8 -k turbo
field|-d 8 -p nonsense
END

echo "$checks checks, $failures failed"
[ "$failures" -eq 0 ]
