#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Kills `plymark deep` (SIGKILL) at random moments and starts it again until TIMES kills have hit it: no item
# is lost or counted twice, and the total is that of `plymark perft`, or the one given as TOTAL. A count that
# ends before its kill is checked and begun anew.
# Usage: [TOTAL=N] deep_kill.sh PROGRAM TIMES DEPTH LONGEST [OPTION...]
# LONGEST: seconds within which a kill comes; OPTIONs go to deep.
set -uo pipefail
program=$(realpath "$1")
times=$2 depth=$3 longest=$4
shift 4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 3
RANDOM=${SEED:-1}

die() {
    echo "FAILED: $*" >&2
    exit 1
}

status() { "$program" deep --db deep.db --status; }

# The database after a kill: whole, with no fewer items than before. None, if that was while it was made.
check() {
    local now=0
    if [ -s deep.db ] && status >state 2>err; then
        now=$(sed -n 's/^finished \([0-9]*\) .*/\1/p' state)
    elif [ "$known" -gt 0 ]; then
        die "the database after a kill: $(cat err)"
    fi
    [ "$now" -ge "$known" ] || die "items are lost: $known, then $now"
    known=$now
}

finish() {
    local items
    [ "$(cat out)" = "Nodes searched: $total" ] || die "$(cat out err), not $total"
    items=$(status | sed -n 's/^items //p')
    "$program" deep --db deep.db --export - | sed '1,/^end of plan$/d' | cut -d' ' -f1 >numbers
    seq 0 $((items - 1)) | cmp -s - numbers || die "not each item once"
    counts=$((counts + 1))
    rm -f deep.db*
    known=0
}

total=${TOTAL:-$("$program" perft -d "$depth" 2>/dev/null | sed 's/Nodes searched: //')}
known=0 kills=0 counts=0 most=0
while [ "$kills" -lt "$times" ]; do
    "$program" deep -d "$depth" --db deep.db --progress-seconds 0 "$@" >out 2>err &
    pid=$!
    sleep "$(awk -v r=$RANDOM -v s="$longest" 'BEGIN { printf "%.3f", r / 32768 * s }')"
    kill -9 $pid 2>/dev/null
    wait $pid 2>/dev/null
    code=$?
    if [ "$code" -eq 0 ]; then # it had ended before
        finish
    elif [ "$code" -eq 137 ]; then
        kills=$((kills + 1))
        check
        [ "$known" -le "$most" ] || most=$known
    else
        die "exit code $code: $(cat err)"
    fi
done
"$program" deep -d "$depth" --db deep.db --progress-seconds 0 "$@" >out 2>err || die "$(cat err)"
finish
echo "$kills kills, $counts counts, each right; up to $most items were found finished after a kill"
