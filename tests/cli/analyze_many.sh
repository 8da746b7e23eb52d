#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `plymark analyze FILE...` as its users meet it, and what it says to each faulty input.
# Usage: analyze_many.sh PROGRAM SUITE_FOLDER
set -uo pipefail
program=$(realpath "$1")
suites=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 3
failures=0
checks=0
start='rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1'
rook='4k3/8/8/8/8/8/8/4K2R w K - 0 1'

complain() {
    failures=$((failures + 1))
    echo "FAILED: $*" >&2
}

# analyze ARGUMENT...: exit code in $code, files out and err
analyze() {
    checks=$((checks + 1))
    timeout 60 "$program" analyze "$@" >out 2>err </dev/null
    code=$?
}

# same FILE FILE WHAT
same() {
    checks=$((checks + 1))
    cmp -s "$1" "$2" || complain "$3: $(diff "$1" "$2" | head -3)"
}

checksum() {
    sed -n 's/.*checksum \([0-9a-f]\{16\}\)$/\1/p' err
}

# ---- Rows ----

cat "$suites"/*.epd | grep -v '^#' >all.epd
analyze all.epd
[ "$code" -eq 0 ] || complain "all suites: $(cat err)"
cp out rows
sum=$(checksum)
[ -n "$sum" ] || complain "no checksum: $(cat err)"
[ "$(wc -l <out)" -eq $(($(wc -l <all.epd) + 1)) ] || complain "not one row a line"

# Whatever the threads, the kernel, the packing: the same rows and checksum.
for options in '-t 1' '-t 3 --pin none' '--format csv' '--format json' '--input epd'; do
    # shellcheck disable=SC2086
    analyze $options all.epd
    [ "$(checksum)" = "$sum" ] || complain "$options: checksum $(checksum), not $sum"
done
kernels=$("$program" list | awk 'NR > 1 && /runs here/ { print $1 }')
for kernel in $kernels; do
    analyze -k "$kernel" all.epd
    [ "$(checksum)" = "$sum" ] || complain "$kernel: checksum $(checksum), not $sum"
    same out rows "$kernel"
done
gzip -c all.epd >all.gz
analyze all.gz
same out rows gzip
checks=$((checks + 1))
"$program" analyze <all.epd >out 2>err || complain "standard input: $(cat err)"
same out rows "standard input"

# Every count of depth 1 that a suite knows is the number of legal moves.
sed -n 's/.*;D1 \([0-9]*\).*/\1/p' "$suites/standard.epd" >right
grep ';D1' "$suites/standard.epd" >counted.epd
analyze -f legal --no-header counted.epd
same out right "legal moves and D1"

# Formats
printf '%s id "a,b";\n' "$rook" >small.epd
analyze -f line,id,side,legal small.epd
printf 'line\tid\tside\tlegal\n1\ta,b\tw\t15\n' >right
same out right tsv
analyze -f line,id,side,legal --format csv small.epd
printf 'line,id,side,legal\n1,"a,b",w,15\n' >right
same out right csv
analyze -f line,id,side,legal --format json small.epd
printf '{"line":1,"id":"a,b","side":"w","legal":15}\n' >right
same out right json

# The fields explain themselves, and no field is missing there.
analyze --fields list
if [ "$code" -ne 0 ] || ! grep -q '^legal .*legal moves' out || ! grep -q '^Default: line,' out; then
    complain "--fields list: $(head -3 out)"
fi
every=$(awk 'NF == 0 { exit } { printf "%s%s", comma, $1; comma = "," }' out)
analyze -f "$every" all.epd
[ "$code" -eq 0 ] || complain "all fields: $(cat err)"
[ "$(head -1 out | tr '\t' ',')" = "$every" ] || complain "all fields: $(head -1 out)"

# The filter
analyze -f legal,check,verdict --no-header --where 'check && legal < 3 && verdict == "open"' all.epd
if grep -qv $'^[12]\t1\topen$' out || [ ! -s out ]; then
    complain "--where: $(head -3 out)"
fi

# ---- Resuming ----

lines=$(wc -l <all.epd)
for first in 2 $((lines / 2)) "$lines" $((lines + 1)); do
    head -n $((first - 1)) all.epd >head.epd
    analyze head.epd
    cp out joined
    analyze --start "$first" all.epd
    cat out >>joined
    same joined rows "resumed at $first"
done

# Interrupted: whole lines, and what is said to go on with gives the rest.
for i in $(seq 1 400); do cat all.epd; done >many.epd
analyze many.epd
cp out rows
checks=$((checks + 1))
"$program" analyze -f line,fen,legal,checks,hanging many.epd >out 2>err &
pid=$!
sleep 0.3
kill -INT "$pid"
wait "$pid"
code=$?
if [ "$code" -eq 130 ]; then
    next=$(sed -n 's/.*to go on: --start \([0-9]*\) many.epd$/\1/p' err)
    last=$(tail -n 1 out | cut -f 1)
    if [ "$next" != $((last + 1)) ]; then
        complain "interrupted after line $last, told to go on with '$next': $(cat err)"
    fi
elif [ "$code" -ne 0 ]; then
    complain "interrupted: exit code $code: $(cat err)"
fi

# ---- Faulty input ----

# bad NAME LINE COLUMN WORDS OPTIONS...: the only line on stderr that is no summary begins with the
# place and has the words; nothing is written; exit code 2. The file's text comes on stdin.
bad() {
    local place="$1:$2:$3: " words=$4 message
    cat >"$1"
    shift 4
    analyze --no-header "$@"
    message=$(grep -v -e 'to go on:' -e ' positions, ' -e 'are doubtful' err)
    if [ "$code" -ne 2 ]; then
        complain "$place$words: exit code $code"
    elif [ "$(wc -l <<<"$message")" -ne 1 ]; then
        complain "$place$words: not one line: $message"
    elif [[ $message != "plymark analyze: $place"*"$words"* ]]; then
        complain "$place$words: $message"
    fi
}

# What stands on the second line, between two good ones: column, words, text.
while IFS='|' read -r column words text; do
    printf '%s\n%b\n%s\n' "$start" "$text" "$rook" | bad lines.epd 2 "$column" "$words" \
        --input epd lines.epd
done <<EOT
21|field 2 (side to move): missing|4k3/8/8/8/8/8/8/4K2R
1|king count: White has 0|8/8/8/8/8/8/8/8 w - - 0 1
4|Black has 2|4k1k1/8/8/8/8/8/8/4K2R w K - 0 1
22|must be "w" or "b"|4k3/8/8/8/8/8/8/4K2R x K - 0 1
24|castling is|4k3/8/8/8/8/8/8/4K2R w X - 0 1
26|a square of rank 6|4k3/8/8/8/8/8/8/4K2R w K e5 0 1
28|too large|4k3/8/8/8/8/8/8/4K2R w K - 99999 1
30|too large|4k3/8/8/8/8/8/8/4K2R w K - 0 70000
5|in rank 7|4k3/9/8/8/8/8/8/4K2R w K - 0 1
4|in rank 8|4k2z/8/8/8/8/8/8/4K2R w K - 0 1
1|7 ranks|4k3/8/8/8/8/8/4K2R w K - 0 1
19|after the eighth rank|4k3/8/8/8/8/8/8/8/4K2R w K - 0 1
5|7 squares|4k3/7/8/8/8/8/8/4K2R w K - 0 1
5|9 squares|4k3/ppppppppp/8/8/8/8/8/4K2R w K - 0 1
1|a pawn on a8|P3k3/8/8/8/8/8/8/4K2R w K - 0 1
22|opponent in check|4k3/8/8/8/8/8/8/4RK2 w - - 0 1
1|xFF|\xFF\xFE$rook
6|a NUL byte|4k3/8\x00/8/8/8/8/8/4K2R w K - 0 1
32|expected ';'|$rook 7
35|a count is|$rook ;D1
36|a count is|$rook ;D1 x
40|depths ascend|$rook ;D2 66 ;D1 15
33|a depth is|$rook ;D0 1
35|no closing quote|$rook id "open
33|expected ';'|$rook ;"text"
EOT
printf '%s\n%s id "x";\n' "$start" "$rook" | bad lines.fen 2 32 'after the sixth' --input fen lines.fen
printf '[White "x"]\n\n1. e4 e5 2. Ke3 1-0\n' | bad illegal.pgn 3 13 'game 1' illegal.pgn
printf '[White "x"]\n\n1. e4 e5\n2. xyz 1-0\n' | bad word.pgn 4 4 'game 1' word.pgn
printf '[FEN "8/8/8/8/8/8/8/8 w - - 0 1"]\n\n1. e4 1-0\n' | bad tag.pgn 1 1 'king count' tag.pgn

# option OPTION TEXT COLUMN WORDS: the same for an option's text; nothing is read.
option() {
    analyze "$1" "$2" small.epd
    if [ "$code" -ne 2 ] || [ -s out ] || [ "$(wc -l <err)" -ne 1 ] ||
        [[ $(cat err) != "plymark analyze: $1, column $3: "*"$4"* ]]; then
        complain "$1 '$2': $code: $(cat err)"
    fi
}
option --where 'legal <' 8 'the end'
option --where 'chek' 1 'is "check" meant?'
option --where 'legal = 3' 7 'written =='
option --where 'check & legal' 7 'written &&'
option --where '(legal > 3' 1 'no closing parenthesis'
option --where '1 < legal < 3' 11 'no chain'
option --where 'verdict == "checkmat"' 12 'verdict is one of'
option --where 'verdict == 1' 9 'a text'
option --where 'verdict' 1 'a condition'
option --where 'id == "one' 7 'no closing'
option --where '' 1 'the end'
option --fields 'line,legl' 6 'is "legal" meant?'
option --fields 'line,,legal' 6 'is missing'
option --fields 'line,line' 6 'already'
option --fields '' 1 'is missing'

# usage CODE WORDS ARGUMENT...
usage() {
    local wanted=$1 words=$2
    shift 2
    analyze "$@"
    if [ "$code" -ne "$wanted" ] || [ -s out ] || ! grep -q -- "$words" err; then
        complain "$*: exit code $code: $(cat err)"
    fi
}
usage 2 'format is "xml"' --format xml small.epd
usage 2 'input is "png"' --input png small.epd
usage 2 'on-error is "ask"' --on-error ask small.epd
usage 2 'start is "0"' --start 0 small.epd
usage 2 'nowhere.epd' small.epd nowhere.epd
usage 2 'there is no 9' --start 9 small.epd
usage 2 'folder' .
head -c 90 all.gz >cut.gz
usage 2 'cut.gz' --no-header cut.gz
head -c 70000 /dev/zero | tr '\0' x >long.epd
usage 2 'long.epd:1:1: a line of over 65536 bytes' --no-header long.epd

# Passed over: a message each, the good ones written, the bad ones counted, and no failure.
printf '%s\nnonsense\n%s\nmore nonsense\n%s\n' "$start" "$rook" "$start" >mixed.epd
analyze --on-error skip -f line,legal --no-header mixed.epd
printf '1\t20\n3\t15\n5\t20\n' >right
same out right skip
if [ "$code" -ne 0 ] || ! grep -q '^mixed.epd:2:9: ' err || ! grep -q '^mixed.epd:4:1: ' err ||
    ! grep -q '3 positions, 2 bad' err; then
    complain "--on-error skip: $code: $(cat err)"
fi

# Games
printf '1. f3 e5 2. g4 Qh4# 0-1\n\n[FEN "%s"]\n\n1. O-O 1-0\n' "$rook" >two.pgn
analyze -f game,ply,legal,verdict --no-header two.pgn
printf '1\t0\t20\topen\n1\t1\t20\topen\n1\t2\t19\topen\n1\t3\t30\topen\n1\t4\t0\tcheckmate\n' >right
printf '2\t0\t15\topen\n2\t1\t3\topen\n' >>right
same out right games
analyze -f game,ply,legal,verdict --no-header --start 2 two.pgn
tail -n 2 right >tail
same out tail "games from the second on"

# A disk that is full
if [ -w /dev/full ]; then
    checks=$((checks + 1))
    "$program" analyze all.epd >/dev/full 2>err
    code=$?
    if [ "$code" -ne 3 ] || ! grep -q 'write' err; then
        complain "a full disk: $code: $(cat err)"
    fi
fi

# The benchmark refuses what it does not measure.
for options in '--workload chess' '--workload analyze --mode make' '--workload analyze --positions cpw3'; do
    checks=$((checks + 1))
    # shellcheck disable=SC2086
    "$program" bench $options >out 2>err
    code=$?
    if [ "$code" -ne 2 ] || [ -s out ] || ! grep -q -- '--workload' err; then
        complain "bench $options: $code: $(cat err)"
    fi
done
checks=$((checks + 1))
"$program" bench --workload analyze -k x88,reference -t 1 --time 0.5 --json w.json >out 2>err
code=$?
if [ "$code" -ne 0 ] || ! grep -q '| *1 | x88 ' out || ! grep -q '| *- | reference ' out ||
    ! grep -q '"workload": "analyze"' w.json; then
    complain "bench --workload analyze: $code: $(cat err)"
fi
checks=$((checks + 1))
"$program" report w.json >out 2>err && complain "report ranks positions as nodes: $(head -5 out)"

echo "$checks checks, $failures failed"
[ "$failures" -eq 0 ]
