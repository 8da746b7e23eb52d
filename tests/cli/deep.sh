#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `plymark deep` as its users meet it: totals, going on after any end, and what it refuses.
# Usage: deep.sh PROGRAM
set -uo pipefail
program=$(realpath "$1")
kill_test=$(realpath "$(dirname "$0")")/deep_kill.sh
work=$(mktemp -d)
trap 'cd /; umount "$work/small" 2>/dev/null; rm -rf "$work"' EXIT
cd "$work" || exit 3
failures=0
checks=0
kiwipete='r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1'
chess960='bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9'
stalemate='7k/5Q2/6K1/8/8/8/8/8 b - - 0 1'
queens='QQQQQQBk/Q6B/Q6Q/Q6Q/Q6Q/Q6Q/Q6Q/KQQQQQQQ w - - 0 1'

complain() {
    failures=$((failures + 1))
    echo "FAILED: $*" >&2
}

# deep ARGUMENT...: exit code in $code, files out and err
deep() {
    timeout 300 "$program" deep "$@" >out 2>err </dev/null
    code=$?
}

# expect CODE STDOUT-REGEX STDERR-REGEX ARGUMENT...   '' wants an empty stream, 'any' takes all.
expect() {
    local want=$1 out=$2 err=$3
    shift 3
    checks=$((checks + 1))
    deep "$@"
    if [ "$code" -ne "$want" ]; then
        complain "deep $*: exit code $code, not $want: $(cat err)"
    elif ! matches out "$out" || ! matches err "$err"; then
        complain "deep $*: '$(head -c 300 out)' '$(head -c 600 err)' do not match '$out' '$err'"
    fi
}

matches() {
    case $2 in
    any) ;;
    '') [ ! -s "$1" ] ;;
    *) grep -Eqz -- "$2" "$1" ;;
    esac
}

# refuse CODE REGEX ARGUMENT...: one line on stderr, nothing on stdout
refuse() {
    local want=$1 err=$2
    shift 2
    expect "$want" '' "$err" "$@"
    [ "$(wc -l <err)" -eq 1 ] || complain "deep $*: not one line: $(cat err)"
}

# total NUMBER ARGUMENT...
total() {
    local nodes=$1
    shift
    expect 0 "^Nodes searched: $nodes"$'\n' any "$@"
}

# same FILE FILE WHAT
same() {
    checks=$((checks + 1))
    cmp -s "$1" "$2" || complain "$3: $(diff "$1" "$2" | head -3)"
}

known() { "$program" deep --db "$1" --status | sed -n 's/^finished \([0-9]*\) .*/\1/p'; }

# ---- Totals ----

for split in positions unique; do
    total 4865609 -d 5 --split $split
    total 119060324 -d 6 --split $split
    total 4085603 -d 4 --split $split -p kiwipete
    total 193690690 -d 5 --split $split -p kiwipete -t 1
    total 8146062 -d 5 --split $split --chess960 -p "$chess960"
    total 0 -d 3 --split $split -p "$stalemate"
    total 98771 -d 4 --split $split -p '4k3/8/8/R7/8/8/1b6/R3K3 b Q - 0 1'
done
for ply in 1 2 3 4 5; do
    total 4865609 -d 5 --ply $ply
done
total 20 -d 1
total 97862 -d 3 --split unique --items 1 -p kiwipete
total 97862 -d 3 --split unique --items 1024 -p kiwipete
total 97862 -d 3 --split unique --exact --memory 64M --seed 18446744073709551615 -p kiwipete
total 4865609 -d 5 -k x88,mailbox --audit 100
expect 0 '^Nodes searched: ' 'unreachable' -d 3 --lenient -p "$queens" --split positions
queens_total=$(cat out)
expect 0 "^$queens_total"$'\n$' 'unreachable' -d 3 --lenient -p "$queens" --split unique

# ---- A database: the plan stays, what changes no count may change ----

total 4085603 -d 4 -p kiwipete --db a.db
total 4085603 -d 4 -p "$kiwipete" --db a.db -t 1 -k x88 --seed 5 --memory 64M --audit 10%
grep -q '4 audited' err || complain "no audits: $(cat err)"
total 4085603 -d 4 -p kiwipete --split positions --ply 1 --db a.db
refuse 2 'has depth 4, asked for is 5' -d 5 -p kiwipete --db a.db
refuse 2 'has position "r3k2r.* asked for is "rnbqkbnr' -d 4 --db a.db
refuse 2 'has split positions, asked for is unique' -d 4 -p kiwipete --db a.db --split unique
refuse 2 'has split positions, asked for is unique' -d 4 -p kiwipete --db a.db --items 16
refuse 2 'has ply 1, asked for is 2' -d 4 -p kiwipete --db a.db --ply 2
total 4865609 -d 5 --split unique --items 32 --db u.db
refuse 2 'has items 32, asked for is 64' -d 5 --items 64 --db u.db
refuse 2 'has split unique, asked for is positions' -d 5 --split positions --db u.db
expect 0 $'\nsplit positions\n.*finished 48 \(100.0 %\)\naudited 4\n.*\ntotal 4085603\n$' '' --status --db a.db
# Two kernels of one lineage are one witness.
total 4085603 -d 4 -p kiwipete --split positions --audit 10% -k x88,mailbox --json w.json --db w.db
expect 0 $'\naudited by another lineage [1-9][0-9]* \(x88 by mailbox\)\n' '' --status --db w.db
grep -q '"audited_by_another_lineage": [1-9]' w.json || complain "no lineages: $(cat w.json)"
rm -f w.db w.json
total 4085603 -d 4 -p kiwipete --split positions --audit 10% -k sliders_classical,sliders_rotated --db w.db
expect 0 $'\naudited [1-9][0-9]*\naudited by another lineage 0\n' '' --status --db w.db
rm -f w.db
[ -z "$(ls | grep -v -e '^out$' -e '^err$' -e '^[au]\.db$')" ] || complain "files are left: $(ls)"

# ---- Divide ----

expect 0 any '' --divide 1 --db a.db
mv out divide
"$program" divide -d 4 -p kiwipete >expected 2>/dev/null
same divide expected "--divide 1"
total 197281 -d 4 --ply 3 --db d.db
expect 0 $'\ne2e4 e7e5: 868\n.*\n\nNodes searched: 197281\n$' '' --divide 2 --db d.db
expect 0 $'\ne2e4 e7e5 g1f3: 29\n' '' --divide 3 --db d.db
refuse 2 '1 to 3' --divide 4 --db d.db
refuse 2 'split by unique' --divide 1 --db u.db
total 8146062 -d 5 --chess960 -p "$chess960" --db c.db
expect 0 'Nodes searched: 8146062' '' --divide 1 --db c.db

# ---- Parts, export and import ----

expect 0 '' '10 of 20 items are finished: no total yet' -d 5 --only 0-9 --db first.db
refuse 2 'has 10 of 20 items' --divide 1 --db first.db
expect 0 '' '' --export first.txt --db first.db
expect 0 '' '10 items taken over, 0 were known' --import first.txt --db second.db
expect 0 '' '0 items taken over, 10 were known' --import first.txt --db second.db
expect 0 '' '15 of 20' -d 5 --only 10-14 --db second.db
total 4865609 -d 5 --db second.db
expect 0 any '' --export - --db second.db
mv out second.txt
gzip -k second.txt
expect 0 '' '10 items taken over, 10 were known' --import second.txt.gz --db first.db
total 4865609 -d 5 --db first.db
expect 0 any '' --export - --db first.db
same out second.txt "exports of the same items"
expect 0 '' '32 items taken over' --import <("$program" deep --export - --db u.db) --db v.db
total 4865609 -d 5 --db v.db

checks=$((checks + 1))
"$program" deep --import - --db stdin.db <second.txt 2>err || complain "--import -: $(cat err)"

change_import() { # WHAT SED-SCRIPT CODE REGEX
    sed "$2" second.txt >bad.txt
    cmp -s bad.txt second.txt && complain "nothing changed: $1"
    cp first.db before.db
    refuse "$3" "$4" --import bad.txt --db first.db
    same first.db before.db "the database after $1"
}
change_import "another first line" '1s/1$/2/' 2 'bad.txt:1: .*first line'
change_import "another depth" 's/^depth 5/depth 6/' 2 'bad.txt has depth 6, asked for is 5'
change_import "an unknown head line" 's/^depth 5/death 5/' 2 'bad.txt:4: "death 5"'
change_import "no head" '2,$d' 2 'bad.txt:1: .*ends before'
change_import "a negative depth" 's/^depth 5/depth -5/' 2 'bad.txt:4: depth is "-5"'
change_import "no position" '/^position/d' 2 'bad.txt:6: .*no position'
change_import "an unknown item" '20s/^[0-9]*/20/' 2 'bad.txt:20: .*there is no such item: the plan has 20'
change_import "another count" '10s/^\([0-9]*\) [0-9]*/\1 17/' 1 'bad.txt:10: item 2 is 17, but .* has 233491'
change_import "no number" '10s/^\([0-9]*\) [0-9]*/\1 17x/' 2 'bad.txt:10: .*an item and its count'
change_import "a count of 129 bits" '10s/^\([0-9]*\) [0-9]*/\1 340282366920938463463374607431768211456/' 2 'bad.txt:10'
change_import "another position" '10s/ w / b /;10s/ b K/ w K/' 2 'bad.txt:10: .*item 2 has the position'
change_import "an empty line" '12s/.*//' 2 'bad.txt:12'
head -c -5 second.txt >cut.txt
refuse 2 'cut.txt:27: the line is cut off' --import cut.txt --db first.db
refuse 2 'nowhere.txt' --import nowhere.txt --db first.db
"$program" deep --export - --db u.db >twice.txt
grep '^[0-9]* [1-9]' twice.txt | tail -1 | sed 's/$/0/' >>twice.txt
refuse 1 'twice.txt:40: item [0-9]+ is [0-9]*0, but .* has [0-9]+' --import twice.txt --db new.db
[ "$(known new.db)" = 0 ] || complain "a half import"
head -c 100 second.txt.gz >cut.gz
refuse 2 'cut.gz' --import cut.gz --db first.db

# ---- Audits: an import with one wrong count is found ----

sed '10s/^\([0-9]*\) [0-9]*/\1 181047/' second.txt >wrong.txt
for how in --audit\ 100% '--audit 100 --seed 9 -k magic,x88'; do
    rm -f wrong.db
    expect 0 '' '20 items taken over' --import wrong.txt --db wrong.db
    # shellcheck disable=SC2086
    refuse 1 'item 2 was counted as 181047, but its audit gives 233491' -d 5 --db wrong.db $how
    refuse 1 'item 2 was counted as 181047 by an import, .*--drop 2' -d 5 --db wrong.db
    expect 1 $'\naudited 2\n' 'item 2 was counted as 181047' --status --db wrong.db
    refuse 1 'item 2 was' -d 5 --db wrong.db --audit 1
    total 4865609 -d 5 --db wrong.db --drop 2 --audit 100
    grep -q '20 audited' err || complain "not all audited: $(cat err)"
done
"$program" deep --export - --db u.db | sed 's/^7 .*/7 1/' >wrong.txt
expect 0 '' '32 items taken over' --import wrong.txt --db w.db
refuse 1 'item 7 was counted as 1, but its audit gives [0-9]+' -d 5 --db w.db --audit 100
total 4865609 -d 5 --db w.db --drop 7 --audit 100
refuse 2 'item 40|there is no item 40' -d 5 --db w.db --drop 40

# ---- Ends: time limit, Ctrl-C ----

for split in positions unique; do
    rm -f t.db
    expect 130 '' 'stopped: [0-9]+ of [0-9]+ items are finished; the same command goes on' \
        -d 9 --split $split -t 1 --db t.db --time-limit 0.5
    checks=$((checks + 1))
    "$program" deep -d 9 --split $split -t 1 --db t.db 2>err >out &
    pid=$!
    sleep 0.5
    refuse 3 'in use: another process' -d 9 --split $split --db t.db
    expect 0 $'\nsplit '$split'\n' '' --status --db t.db
    kill -INT $pid
    wait $pid
    [ $? -eq 130 ] || complain "$split: Ctrl-C: $(cat err)"
done
expect 130 '' 'nothing is kept' -d 12 --time-limit 0.2
expect 130 '' 'plymark deep: counting +[0-9.]+ %, [0-9]+ of ' -d 10 --split positions --ply 1 --progress-seconds 0.2 \
    --time-limit 1

# ---- Killed at random moments ----

checks=$((checks + 2))
"$kill_test" "$program" 5 7 1 --split positions >out 2>&1 || complain "$(cat out)"
"$kill_test" "$program" 5 7 1 --split unique --items 256 >out 2>&1 || complain "$(cat out)"

# ---- Bad files ----

echo 'not a database' >text.db
refuse 2 'no database of a deep count' -d 4 --db text.db
refuse 2 'no database of a deep count' --status --db text.db
head -c 12000 a.db >cut.db
refuse 2 'damaged' -d 4 -p kiwipete --db cut.db
cp a.db flipped.db
printf '\xff\xff\xff\xff' | dd of=flipped.db bs=1 seek=8200 conv=notrunc status=none
refuse 2 'damaged' -d 4 -p kiwipete --db flipped.db
: >empty.db
total 4865609 -d 5 --db empty.db
refuse 2 "there is no 'nowhere.db'" --drop 1 --db nowhere.db
refuse 3 'nowhere' -d 5 --db nowhere/a.db
refuse 3 'nowhere' --status --db nowhere/a.db
refuse 3 '\.' -d 5 --db .
[ ! -e nowhere.db ] || complain "nowhere.db was made"

# ---- A full disk, a read-only folder ----

mkdir small
if [ "$(id -u)" -eq 0 ] && mount -t tmpfs -o size=300k none small 2>/dev/null; then
    refuse 3 'small/a.db.*disk is full' -d 7 --ply 3 --db small/a.db
    [ -z "$(ls small)" ] || complain "left on the full disk: $(ls small)"
    mount -o remount,size=8m none small
    expect 0 '' '1 of 5362' -d 7 --ply 3 --db small/a.db --only 0
    head -c 8m /dev/zero >small/rest 2>/dev/null
    refuse 3 'small/a.db.*disk is full' -d 7 --ply 3 --db small/a.db
    truncate -s -200k small/rest
    refuse 3 'small/a.db.*disk is full' -d 7 --ply 3 --db small/a.db
    rm small/rest
    checks=$((checks + 1))
    [ "$(known small/a.db)" -ge 1 ] || complain "what was kept before the disk was full is lost"
    total 3195901860 -d 7 --ply 3 --db small/a.db
    mount -o remount,ro none small
    refuse 3 'small/a.db.*[Rr]ead-only' -d 7 --ply 3 --db small/a.db
    refuse 3 'small/b.db.*[Rr]ead-only' -d 5 --db small/b.db
    umount small
else
    echo "skipped: no tmpfs can be mounted for the full disk" >&2
    chmod a-w small
    [ -w small ] || refuse 3 'small/b.db' -d 5 --db small/b.db
fi

# ---- Usage ----

refuse 2 'the depth is missing' --db a.db
refuse 2 'the database is missing' --status
refuse 2 'the database is missing' --import second.txt
refuse 2 '--audit is "101"' -d 5 --audit 101
refuse 2 '--memory is "much"' -d 5 --memory much
refuse 2 '--only is "5-3"|--only is "3"' -d 5 --only 5-3
refuse 2 'only 30: there are 20 items' -d 5 --only 30-40
refuse 2 '--seed is "-1"' -d 5 --seed -1
refuse 2 '--split is "moves"' -d 5 --split moves
refuse 2 'ply 5: 1 to 4' -d 4 --ply 5
refuse 2 'depth 2: 3 to' -d 2 --split unique
refuse 2 'power of two' -d 6 --items 100
refuse 2 "x88 can't split by unique" -d 6 --split unique -k x88
refuse 2 '--ply is for' -d 6 --ply 2 --items 16
refuse 77 'no kernel here can split by unique' -d 6 --split unique --cpu-mask all
total 119060324 -d 6 --cpu-mask all
grep -q '^positions by ' err || complain "no fall-back: $(cat err)"
refuse 77 'no kernel here can split by unique' -d 5 --db v.db --audit 1 --cpu-mask all
refuse 3 'nowhere' -d 4 --json nowhere/a.json
expect 0 '^Nodes searched: 197281' any -d 4 --json a.json
grep -q '"nodes": "197281"' a.json || complain "a.json: $(cat a.json)"

echo "$checks checks, $failures failed"
[ "$failures" -eq 0 ]
