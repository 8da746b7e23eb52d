#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `plymark-mpi deep`: totals, resumption after a rank was killed and after SIGTERM, what is told of bad
# input; with PLYMARK_TEST_SIZE=small totals by two ranks alone. Exit code 77 (skipped) without mpirun.
# Usage: deep_mpi.sh PLYMARK-MPI PLYMARK [MPIRUN]
set -uo pipefail
program=$(realpath "$1")
plymark=$(realpath "$2")
mpirun=$(command -v "${3:-mpirun}") || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 3
failures=0
# Open MPI asks for these; others take no notice.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1

complain() {
    failures=$((failures + 1))
    echo "FAILED: $1" >&2
    head -n 5 out err >&2
}

# count RANKS ARGUMENT...   stdout to the file out, stderr to err
count() {
    timeout 240 "$mpirun" -np "$1" "$program" deep "${@:2}" >out 2>err </dev/null
}

# expect TOTAL RANKS ARGUMENT...
expect() {
    count "${@:2}" || complain "deep ${*:2}: exit code $?"
    grep -qx "Nodes searched: $1" out || complain "deep ${*:2}: not $1"
}

finished() { "$plymark" deep --db run.db --status 2>/dev/null | sed -n 's/^finished \([0-9]*\) .*/\1/p'; }

# Begins a count, sends the signal to what `victim` names when some items are finished, and goes on.
# break_off SIGNAL VICTIM TOTAL ARGUMENT...
break_off() {
    local signal=$1 victim=$2 total=$3 known=0
    shift 3
    rm -f run.db*
    "$mpirun" -np 3 "$program" deep --db run.db "$@" >out 2>err </dev/null &
    local mpirun_pid=$!
    while [ "$known" -eq 0 ] && kill -0 "$mpirun_pid"; do
        sleep 0.05
        known=$(finished)
        known=${known:-0}
    done
    case $victim in
    mpirun) kill "-$signal" "$mpirun_pid" ;;
    rank) kill "-$signal" "$(pgrep -f "^$program deep --db run.db" | tail -n 1)" ;;
    esac
    wait "$mpirun_pid"
    known=$(finished)
    echo "SIG$signal to $victim: $known items were finished"
    [ "${known:-0}" -gt 0 ] || complain "nothing was kept"
    expect "$total" 2 --db run.db "$@"
    grep -q '[ ,]2 runs,' err || complain "it was not broken off"
}

# In the developer's loop, and under sanitizers.
if [ "${PLYMARK_TEST_SIZE:-}" = small ]; then
    expect 4865609 2 -d 5 --split unique -t 2 --pin none
    expect 4865609 2 -d 5 --split positions --ply 3 --audit 10
    [ "$failures" -eq 0 ]
    exit
fi

expect 119060324 1 -d 6
expect 119060324 2 -d 6
expect 3195901860 4 -d 7
expect 8031647685 2 -d 6 -p kiwipete --audit 5
expect 119060324 4 -d 6 --split positions --ply 3 --audit 1
expect 119060324 2 -d 6 --pin none -t 2

rm -f run.db*
count 2 -d 6 --db run.db --items 16 --only 3-7 || complain "--only: exit code $?"
[ "$(finished)" -eq 5 ] || complain "--only 3-7 finished $(finished) items"
expect 119060324 3 -d 6 --db run.db
count 2 -d 7 --db run.db && complain "another depth for the same database"
grep -q 'depth' err || complain "nothing is said of the depth"

count 2 && complain "no depth"
grep -q 'the depth is missing' err || complain "nothing is said of the missing depth"
count 2 -d 6 -k no_such && complain "no such kernel"
timeout 60 "$mpirun" -np 2 "$program" perft -d 3 >out 2>err && complain "perft"
grep -q '^Usage: mpirun' err || complain "no usage"

slow=(-d 7 --split positions --ply 3 -k x88 -t 1 --pin none)
break_off KILL rank 3195901860 "${slow[@]}"
break_off TERM mpirun 3195901860 "${slow[@]}"
break_off INT mpirun 3195901860 "${slow[@]}"

[ "$failures" -eq 0 ]
