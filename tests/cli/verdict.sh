#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What `plymark verify` reports in each format, however the run ends: finished, interrupted, killed,
# --fail-fast, wrong, hung, crashed. Usage: verdict.sh PROGRAM READ_REPORT PLANTED_ENGINE TEST_ENGINE
set -uo pipefail
program=$(realpath "$1")
reader=$(realpath "$2")
planted=$(realpath "$3")
broken=$(realpath "$4")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 3
failures=0
checks=0

complain() {
    failures=$((failures + 1))
    echo "FAILED: $*" >&2
}

# Runs a verification with all formats at once; the exit code is in $code.
verify() {
    rm -f report.*
    "$program" verify "$@" --json=report.json --tap=report.tap --junit report.junit >report.text 2>report.err
    code=$?
}

# expect WHAT EXIT-CODE TEXT-REGEX JSON-REGEX TAP-REGEX JUNIT-REGEX, the last three for what the reader says.
expect() {
    local what=$1 format index=4 said
    checks=$((checks + 1))
    [ "$code" -eq "$2" ] || complain "$what: exit code $code, not $2: $(head -c 300 report.err)"
    [ -z "$3" ] || grep -Eqz -- "$3" report.text || complain "$what: the text lacks '$3': $(tail -c 400 report.text)"
    for format in json tap junit; do
        said=$("$reader" $format report.$format) || complain "$what, $format: $said"
        [[ $said =~ ${!index} ]] || complain "$what, $format: '${!index}' is not in: ${said:0:600}"
        index=$((index + 1))
    done
    ls report.*.* >/dev/null 2>&1 && complain "$what: a temporary file is left: $(ls report.*.*)"
}

# The number of tests that a format names.
count() { "$reader" "$1" "report.$1" | sed -n 's/^tests=\([0-9]*\) .*/\1/p'; }

# All formats hold what is planned, the same number of tests; JUnit has one more, for the run itself.
expect_same_plan() {
    local planned=$2
    [ "$(count json)" = "$planned" ] && [ "$(count tap)" = "$planned" ] &&
        [ "$(count junit)" = $((planned + 1)) ] ||
        complain "$1: $planned tests are planned; JSON has $(count json), TAP $(count tap), JUnit $(count junit)"
}

# ---- Finished ----

verify -k x88
expect finished 0 'All right: [0-9]+ rows' ' failed=0 skipped=0 .*result=pass' ' failed=0 .*result=$' \
    ' failed=0 skipped=0 known=0 errors=0 '
expect_same_plan finished 7

# ---- Interrupted at a random moment, and killed ----

planned=
for signal in INT TERM INT TERM KILL; do
    rm -f report.*
    "$program" verify -s standard -k magic -t 1 --seed 1 --json=report.json --tap=report.tap \
        --junit report.junit >report.text 2>report.err &
    [ $signal = KILL ] && while [ ! -s report.junit ]; do sleep 0.1; done # the first reports are there
    sleep "0.$((RANDOM % 8 + 1))$((RANDOM % 10))"
    kill -$signal $!
    wait $! 2>/dev/null
    code=$?
    if [ $signal = KILL ]; then
        expect "killed" 137 '' 'result=interrupted' 'result=bail' ' errors=1 '
    else
        expect "interrupted by $signal" 130 'not run.*Interrupted: no verdict' \
            ' skipped=[1-9][0-9]* .*result=interrupted' ' skipped=[1-9][0-9]* .*result=bail' \
            ' skipped=[1-9][0-9]* .*errors=1 '
    fi
    planned=${planned:-$(count json)} # however little has run
    expect_same_plan "$signal" "$planned"
done

# ---- Wrong, and --fail-fast ----

move='(missing|extra)'
verify -k "uci:$planted castling-out-of-check"
expect wrong 1 'castling: the king is in check.*WRONG: [0-9]+ of' 'result=fail' 'result=' ' failed=[1-9]'
expect_same_plan wrong 123
for format in json tap junit; do
    said=$("$reader" $format report.$format)
    [[ $said =~ e[18][cg][18].*extra.*castling ]] || complain "wrong, $format: no move is named: ${said:0:600}"
done
verify -k "uci:$planted castling-out-of-check" --fail-fast
expect fail-fast 1 'not run|unfinished|WRONG' 'skipped=[1-9][0-9]* .*result=fail' \
    'skipped=[1-9][0-9]* .*result=bail' 'skipped=[1-9].*errors=0 '
expect_same_plan fail-fast 123
grep -q 'fail-fast' report.json report.tap report.junit || complain "fail-fast: no reason is given"

# ---- Hung, crashed ----

for mode in hang-go crash-go; do
    verify -k "uci:$broken $mode" --time-limit 1
    word=$([ $mode = hang-go ] && echo hung || echo crashed)
    expect $word 1 "$word.*WRONG" "result=fail.*$word" "$word" "failed=[1-9].*$word"
    expect_same_plan $word 123
    grep -q 'a  b  c  d' report.text && complain "$word: a board of nothing"
    [ $mode = hang-go ] && grep -q 'failures contain' report.text && complain "$word: a common feature"
done

# ---- Ten bugs: JSON and JUnit alone name the rule and the first wrong move ----

while read -r bug rule; do
    verify -k "uci:$planted $bug"
    expect "bug $bug" 1 WRONG "$rule" "$rule" "$rule"
    for format in json junit; do
        said=$("$reader" $format report.$format)
        [[ $said =~ [a-h][1-8][a-h][1-8][nbrq]?\ $move:\ .*$rule ]] || [[ $said =~ doubled.*$rule ]] ||
            [[ $said =~ [a-h][1-8][a-h][1-8][nbrq]?\ doubled ]] ||
            complain "bug $bug, $format: no move with '$rule' in: ${said:0:800}"
    done
done <<'BUGS'
no-knight-promotion promotion
illegal-en-passant en passant
no-en-passant-evasion en passant
castling-out-of-check castling
castling-through-check castling
castling-over-a-piece castling
doubled-move doubled
en-passant-leaves-the-pawn (pawn|own|piece|piece|capture)
stale-en-passant-square (en passant|double push)
set_position-forgets-a-right castling
BUGS

# ---- What failures have in common stands once, what explains most of them first ----

verify -k "uci:$planted illegal-en-passant"
"$reader" json report.json | grep ' failures contain ' >common
[ -s common ] || complain "nothing in common"
sed 's/.*contain //; s/;.*//' common | sort | uniq -d | grep -q . && complain "a common feature stands twice"
cut -d' ' -f1 common | sort -rnc || complain "common features are not in order"

# ---- One screen of 80 columns, the verdict last ----

verify
awk 'length > 80 { print; exit 1 }' report.text >/dev/null || complain "a line is over 80 columns"
[ "$(wc -l <report.text)" -le 24 ] || complain "over 24 lines"
tail -1 report.text | grep -q '^All right' || complain "the verdict is not last"
grep -q '^Next: plymark verify' report.text || complain "no next command"

# ---- Standard output and pipes ----

"$program" verify -k x88 --junit - >report.junit 2>report.err || complain "--junit -: $?"
"$reader" junit report.junit >/dev/null || complain "--junit - is no JUnit"
"$program" verify -k x88 --json >/dev/full 2>report.err
[ $? -eq 3 ] || complain "a full disk: no exit code 3"
echo old >kept.xml
"$program" verify -k nosuch --junit kept.xml >/dev/null 2>&1
[ "$(cat kept.xml)" = old ] || complain "a bad command line overwrote a file"

echo old >report.json
"$program" verify -k uci:/nowhere/engine --json=report.json >/dev/null 2>&1
"$reader" json report.json | grep -q result=error || complain "a run that could not begin left an old report"

# ---- SIGTERM at a random moment of a long run: gone within two seconds where nothing else runs, files whole ----

for ((i = 0; i < ${ROUNDS:-3}; i++)); do
    "$program" verify -s full -k x88,mailbox -t 2 --json=report.json >/dev/null 2>&1 &
    sleep "$((RANDOM % 3)).$((RANDOM % 9 + 1))"
    began=$(date +%s%N)
    kill -TERM $!
    wait $! 2>/dev/null
    code=$?
    took=$((($(date +%s%N) - began) / 1000000))
    checks=$((checks + 1))
    [ $code -eq 130 ] || complain "SIGTERM: exit code $code"
    [ $took -le "${PATIENCE_MS:-5000}" ] || complain "SIGTERM: gone after $took ms"
    "$reader" json report.json | grep -q result=interrupted || complain "SIGTERM: no whole JSON"
done

# ---- Endless input ----

timeout 20 "$program" verify -k x88 -s /dev/zero >/dev/null 2>report.err
[ $? -eq 2 ] && grep -q 'bytes' report.err || complain "/dev/zero: $(head -c 200 report.err)"
mkfifo endless
"$program" verify -k x88 -s ./endless >/dev/null 2>&1 &
sleep 0.3
kill -TERM $!
wait $! 2>/dev/null
[ $? -eq 143 ] || complain "a FIFO: not ended by SIGTERM"

echo "$checks checks, $failures failed"
[ $failures -eq 0 ]
