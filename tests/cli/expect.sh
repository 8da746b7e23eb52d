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
    # grep would take a line end in the pattern for "or".
    *) grep -Eqz -- "${2//$'\n'/.}" "$1" ;;
    esac
}

complain() {
    failures=$((failures + 1))
    echo "FAILED: plymark ${*:2}: $1" >&2
}

# Counting
expect 0 '^Nodes searched: 1' 'bulk \(auto: lookahead begins at depth 3\): 1 nodes in' perft -d 0
expect 0 '^Nodes searched: 20' 'nodes in' perft -d 1
expect 0 '^Nodes searched: 4865609' '^(reply[0-9]+, lookahead \(auto: the last two plies are counted together\)|(pext|magic), bulk \(auto: no kernel here offers lookahead\)): ' perft -d 5 -t 2
expect 0 '^Nodes searched: 8902' '^magic, bulk \(auto: no kernel here offers lookahead\): ' perft -d 3 --cpu-mask bmi2,avx2,avx512f
expect 0 '^Nodes searched: 8902' '^x88, bulk \(auto: x88 offers no lookahead\): ' perft -d 3 -k x88 --mode auto
expect 0 '^Nodes searched: 8902' '^x88, bulk: 8,902 nodes in' perft -d 3 -k x88
expect 0 'Nodes searched: 97862' '^(reply[0-9]+, lookahead|(pext|magic), bulk) \(auto: ' divide -d 3 -p kiwipete --mode auto
expect 0 '^Nodes searched: 97862' 'x88, make' perft -d 3 -p kiwipete -k x88 --mode make
expect 0 '^Nodes searched: 1' 'nodes' perft -d 32 -p '2b5/kpPp4/1p1P4/1P6/6p1/4p1P1/4PpPK/5B2 w - - 0 1'
expect 0 '^Nodes searched: 98771' 'nodes' perft -d 4 -p '4k3/8/8/R7/8/8/1b6/R3K3 b Q - 0 1'
expect 0 '^Nodes searched: 270' 'warning' perft -d 1 --lenient -p 'kBQQQQQQ/BR5Q/Q6Q/Q6Q/Q6Q/Q6Q/Q6Q/KQQQQQQQ w - - 0 1'
expect 0 $'^b1a3: 20\nb1c3: 20\n.*\na2a3: 20\na2a4: 20\n.*h2h4: 20\n\nNodes searched: 400\n$' 'nodes' divide -d 2
expect 0 $'e1c1: 43\n.*e1g1: 43\n.*\n\nNodes searched: 2039\n$' 'nodes' divide -d 2 -p kiwipete
expect 0 $'e1a1: 43\n.*e1h1: 43\n.*\n\nNodes searched: 2039\n$' 'nodes' divide -d 2 -p kiwipete --chess960

# With a transposition table
expect 0 '^Nodes searched: 4865609' '^[a-z0-9]+, hashed: 4,865,609 nodes in .*hash table: 1 MiB, .* probes, .*probability of a wrong count' perft -d 5 --mode hashed
expect 0 '^Nodes searched: 4865609' '^x88, hashed: ' perft -d 5 --mode hashed --cpu-mask all
expect 0 '^Nodes searched: 4085603' '^x88, hashed: .*hash table: 64 KiB, .*both counts agree' perft -d 4 -p kiwipete --mode hashed -k x88 --hash 64k --double-check -t 2
expect 0 $'e1c1: 79803\n.*e1g1: 86975\n.*\n\nNodes searched: 4085603\n$' 'hash table: 2 MiB' divide -d 4 -p kiwipete --mode hashed --hash 2M
expect 0 '^Nodes searched: 1' 'hashed' perft -d 0 --mode hashed --hash auto
expect 1 '' '^plymark perft: two counts with different keys disagree.*: [0-9]+ and [0-9]+.$' perft -d 5 -p kiwipete --mode hashed --key-bits 4 --double-check
expect 3 '' '^plymark perft: kernel mailbox can.t count in mode hashed: .*hash keys.$' perft -d 3 --mode hashed -k mailbox
expect 3 '' '^plymark perft: no memory for a hash table of 1000 TiB: .* are free.$' perft -d 3 --mode hashed --hash 1000T
expect 2 '' '--hash is "lots": auto, or a size' perft -d 3 --mode hashed --hash lots
expect 2 '' '--hash is "0"' perft -d 3 --mode hashed --hash 0
expect 2 '' '--key-bits is "45"' perft -d 3 --mode hashed --key-bits 45
expect 2 '' '--hash is for --mode hashed' perft -d 3 --hash 64M
expect 2 '' '--double-check is for --mode hashed' perft -d 3 --double-check --mode bulk
expect 2 '' '--mode hashed does not' perft -d 3 --stats --mode hashed

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
expect 0 'Witnesses: 2 lineages: magic, reference\..*All right' any verify -s bugs.epd -k magic,reference
expect 0 '"wrong"' any verify -s unreachable.epd --json
printf 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 ;D1 20 ;D2 401\n' >wrong.epd
expect 1 '401' any verify -s ./wrong.epd -k x88
sed 's/401/400/' wrong.epd >right.epd
printf 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 ;D1 20\nnonsense ;D1 1\n' >bad.epd
expect 2 '' 'bad.epd.*2' verify -s ./bad.epd -k x88

expect 0 $'^TAP version 14\n1..[0-9]+\nok 1 - unreachable x88 make: 28 of 28 rows' any verify -s unreachable.epd -k x88 --tap
expect 1 'not ok 1 - wrong x88 make.*401' any verify -s ./wrong.epd -k x88 --tap
expect 0 'bugs +x88 +[1-9][0-9]* of' any verify -s quick -k x88 --filter ep
expect 2 '' 'no position mentions' verify -s quick -k x88 --filter nosuchtrap
PLYMARK_SUITES=./nowhere expect 3 '' '^plymark verify: ./nowhere: no such folder of suites \(PLYMARK_SUITES names another\)' verify -s quick

expect 0 'unreachable +x88 +0 of 128 .*Left out: [0-9]+ rows unreachable' any verify \
    -s unreachable.epd,bugs.epd -k x88 --reachable

# Words and files in the place of others
expect 0 'All right' any verify ./right.epd -k x88
expect 2 '' 'comes after -k' verify uci:./engine
expect 2 '' 'as in --json=FILE' verify --json out.json
expect 2 '' 'smoke, quick, standard, full.*did you mean standard' verify -s standrad
expect 2 '' 'did you mean verify' verfy
expect 2 '' 'did you mean magic' verify -k magick
expect 2 '' 'did you mean counts' verify --level cuonts
expect 0 '^plymark [0-9]' '' version
expect 0 'Usage: plymark verify' '' help verify
expect 0 'standard.epd .*standard  +all suites' '' verify --list
expect 2 '' 'two reports for standard output' verify --json --tap
expect 3 '' 'nowhere' verify -k x88 --junit nowhere/x.xml
expect 0 '' '' verify -q -k x88
expect 1 '401' any verify -q -s ./wrong.epd -k x88
expect 2 '' 'no position mentions' verify -s smoke -k x88 --filter 'board edge'
expect 3 '' "can't be pinned" perft -d 2 -t 2 --pin 0
expect 2 '' '1000 are the most' micro --filter "$(printf 'a%.0s' {1..30000})"
for words in --help 'verify --help' version 'list'; do
    checks=$((checks + 1))
    # shellcheck disable=SC2086
    "$program" $words >/dev/full 2>err
    [ $? -eq 3 ] || complain "exit code $?, not 3, with a full disk" "$words"
done

# Names from outside do not steer the terminal
cp wrong.epd $'red\033[31m.epd'
checks=$((checks + 1))
for format in --json --tap --junit=- -q; do
    "$program" verify -s $'./red\033[31m.epd' -k x88 --level counts $format >out 2>&1
    grep -q $'\033' out && complain "an escape code in the output" verify $format
done
"$program" verify -s $'./no\033[31m.epd' 2>&1 | grep -q $'\033' && complain "an escape code in a message" verify

# Castling rights that no set-up has are dropped, those of Chess960 are told of
printf 'r3k2r/8/8/8/8/8/8/R4K1R w KQkq - 0 1 ;D1 24\n4k3/8/8/8/8/8/8/R4K1R w KQ - 0 1 ;D1 26\n' >rights.epd
expect 0 'All right' 'line 2: read as Chess960.*line 1: a castling right' verify -s ./rights.epd -k x88
expect 0 'searched: 24' 'castling right' perft -d 1 --lenient -p 'r3k2r/8/8/8/8/8/8/R4K1R w KQkq - 0 1'
expect 0 'Nodes searched: 20' any perft -d 1 -p 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 '

# Known failures: as expected, not failing, not there
printf '# known\nwrong/make/rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n' >known.txt
expect 1 'WRONG: 1 of' any verify -s ./wrong.epd -k x88 --expect-fail known.txt --fail-fast
sed 's/make/bulk/;p;s/bulk/mirror/' known.txt >more.txt
cat more.txt >>known.txt
expect 0 'known: 3.*3 of 3 expected' any verify -s ./wrong.epd -k x88 --expect-fail known.txt
printf 'no/such/test\n' >none.txt
expect 0 'not planned: no/such/test \(line 1' any verify -s ./right.epd -k x88 --expect-fail none.txt
printf 'right/make/rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n' >passes.txt
expect 0 'but passed: right/make' any verify -s ./right.epd -k x88 --expect-fail passes.txt
expect 2 '' 'nowhere.txt' verify -k x88 --expect-fail nowhere.txt
expect 3 'All right: .* were refused' '--require-all: [0-9]+ rows were refused' verify -k uci:"$program uci -k magic" --no-chess960 --require-all
expect 0 'All right' any verify -k magic --require-all

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
expect 1 'moves and counts[[:space:]]+agree[[:space:]]+with[[:space:]]+the[[:space:]]+reference' any verify \
    -s ./wrong.epd -k x88
expect 2 '' 'nowhere' verify -k uci:nowhere -s unreachable.epd
expect 0 'All right' any verify -k x88 --sandbox -s unreachable.epd
printf 'uci\nisready\nposition startpos\ngo perft 2\nquit\n' >uci.txt
checks=$((checks + 1))
"$program" uci -k x88 <uci.txt | grep -qx 'Nodes searched: 400' || complain "no divide" uci -k x88

# Ratings
printf 'white,black,result\nAnna,Bernd,1-0\nBernd,Anna,1/2-1/2\n"Lee, C",Anna,1-0\nAnna,Bernd,*\n' >games.csv
gzip -kf games.csv
printf '[White "Anna"]\n[Black "Bernd"]\n[Result "1-0"]\n\n1. e4 1-0\n' >game.pgn
expect 0 'rank  name .*performance .*1  Lee, C  1010\.0 +1804 +21  49 to go +1 .*2  Bernd .* 996\.0.*3  Anna .* 994\.0.*3 games rated; passed over: 1 without a result, 0 not played, 0 that can.t be read' '' rating games.csv
expect 0 '2  Bernd +991\.9 +[0-9]+ +22.*3  Anna +989\.1.*6 games rated' '' rating games.csv games.csv.gz
expect 0 '1  Anna +1010\.0.*1 game rated' '' rating game.pgn
expect 0 '1,"Lee, C",60\.5,,no,49,1,1,0,0,855.2,Bernd,46\.5,,no,48,2,0,1,1,-137' '' rating --format csv --initial 50.5 games.csv
expect 0 '"rated": 3,.*"name": "Lee, C",.*"points": 1010\.0,.*"grade": 21' '' rating --format json games.csv
expect 0 '"points": "1010"' '' rating --format json --exact games.csv
"$program" rating --format csv --exact games.csv >known.csv
expect 0 '1  Lee, C  1019\.048 .*48 to go +2 .*3  Anna +989\.052 ' '' rating --exact --ratings known.csv games.csv
expect 2 '' 'no games given' rating
expect 2 '' "cannot open 'nowhere.csv'" rating nowhere.csv
expect 2 '' '--initial is "1e3"' rating --initial 1e3 games.csv
expect 2 '' '--format is "xml"' rating --format xml games.csv
expect 2 '' '--input is "epd"' rating --input epd games.csv
expect 2 '' 'game\.pgn:1:8: a quotation mark inside a field' rating --input csv game.pgn
printf 'white,black,result\nAnna,Bernd,1-0\nBernd,Anna,1:0\n' >bad.csv
expect 2 '4 games rated; passed over: 1 without a result, 0 not played, 1 that can' '^plymark rating: bad\.csv:3:12: "1:0": no result of a game: 1-0, 0-1, 1/2-1/2 or \* is needed; passed over.$' rating games.csv bad.csv
expect 2 '' '^plymark rating: bad\.csv:3:12: "1:0": no result of a game: 1-0, 0-1, 1/2-1/2 or \* is needed.$' rating --on-error stop games.csv bad.csv
expect 2 '' '--on-error is "go": skip or stop is needed' rating --on-error go games.csv
printf 'white,black,result\nAnna,?,1-0\nAnna,Bernd,0-0\nAnna,Bernd,1-0\n' >bye.csv
expect 0 '1  Anna +1010\.0.*1 game rated; passed over: 0 without a result, 2 not played' 'bye.csv:2:6: "[?]": black has no name: .*; passed over.*bye.csv:3:12: "0-0": nobody has won' rating bye.csv
printf 'white;black;result\nAnna;Bernd;1-0\n' >semicolons.csv
expect 2 '' 'semicolons.csv:1:1: semicolons part the columns here: commas are needed' rating semicolons.csv
printf '[White "Anna"]\n[White "Bea"]\n[Black "Bernd"]\n[Result "1-0"]\n\n1. e4 1-0\n' >twice.pgn
expect 1 '1  Anna' 'twice.pgn:2:1: "White": this tag stands twice in the game: the first counts' rating twice.pgn
printf 'white,black,result\nA\351,Bernd,1-0\n' >latin.csv
expect 2 '' 'the name "A.xE9" is no UTF-8' rating --format json latin.csv
expect 0 'ladder.*\|  1 \| (x88|magic) .*no part' any bench --ladder --time 1 -t 1 --pin none -k x88,magic --mode bulk --positions cpw3 --json ladder.json
expect 0 'bulk, 1 thread\*\*: ladder' '' report --ladder ladder.json

# Counters: where there are none, one line says why, and the speeds are there all the same
expect 0 'nodes/cycle \|.*\| 1 \| x88 .* MHz (measured|nominal)' any bench --counters --time 0.5 -t 1 --pin none -k x88 --mode bulk --positions cpw3 --json counters.json
checks=$((checks + 1))
reasons=$(grep -c 'warning: --counters: nothing was counted: perf_event_open failed (' err)
grep -q '"cycles"' counters.json && expected=0 || expected=1
[ "$reasons" -eq "$expected" ] ||
    complain "$reasons reasons why nothing was counted, not $expected: $(cat err)" bench --counters
expect 0 'nodes/cycle' '' report counters.json
expect 2 '' '--counters are about perft' bench --workload analyze --counters

# A CPU without the features of a kernel: the kernel says so and stays out
expect 0 'pext +not here: lacks' '' list --cpu-mask bmi2
expect 77 'lacks' any verify -s quick -k pext --cpu-mask all
expect 77 any 'pext can.t run here' perft -d 1 -k pext --cpu-mask bmi2
expect 0 '^Nodes searched: 8902' 'nodes' perft -d 3 --cpu-mask all
PLYMARK_CPU_MASK=bmi2 expect 0 'pext +not here: lacks' '' list
PLYMARK_CPU_MASK=warp expect 2 '' 'warp' list

# The set-up before the first move
expect 0 'a light square.*White: 16 pieces: 1 king, 1 queen, 2 rooks, 2 bishops, 2 knights, 8 pawns.*Set up right: White begins' '' setup
expect 0 'Set up right' '' setup -p rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR --corner light
expect 0 'start position 518 of' '' setup --chess960
expect 0 'start position 959 of' '' setup --chess960 -p 'rkrnnqbb/pppppppp/8/8/8/8/PPPPPPPP/RKRNNQBB w CAca - 0 1'
expect 1 'h1, a8: a dark square.*Consequence: the pieces move to a board laid right, and play goes on' '' setup --corner dark
expect 1 'e1: White.s queen stands on e1, a dark square.*Consequence: the game is void and played again' '' setup -p rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBKQBNR
expect 1 'White: 0 pieces.*a1: White.s rook is missing' '' setup -p 8/8/8/8/8/8/8/8
expect 1 'c3: White.s knight stands where it never begins.*void' '' setup -p kiwipete
expect 1 'Black is to move: White makes the first move' '' setup -p 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1'
expect 1 'b1: White.s bishop stands where White.s knight begins' '' setup -p rbnqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RBNQKBNR
expect 2 '' '--corner is "grey": light or dark' setup --corner grey
expect 2 '' 'FEN field 1 .placement., column 1: "rnbqkbn": rank 8 has 7 squares' setup -p rnbqkbn/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR
expect 2 '' 'FEN field 2 .side to move., column 45: "x"' setup -p 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR x'
expect 2 '' 'FEN field 1' setup -p ''

# One position
expect 0 'Verdict     open: White, to move, has 48 legal moves.*White O-O-O legal.*capture     Bxa6    e2a6   \+3\.00' '' \
    analyze -p kiwipete
expect 0 'Verdict     checkmate: .*Check       by the queen on h4' '' analyze -m 'f3 e5 g4 Qh4#'
expect 0 'Last move   Nf3 .g1f3.' '' analyze -m '1. e4 e5 2. Nf3'
expect 0 '^\{.*"verdict": "open".*"uci": "e1h1",' '' analyze -p kiwipete --chess960 --format json
expect 0 'Warning     missing fields' '' analyze --lenient -p '4k3/8/8/8/8/8/8/4K3 w'
expect 0 '^8 ' '' analyze -p startpos -k reference --svg board.svg -m e2e4
expect 0 '^<svg xmlns=.*<title>rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1</title>.*</svg>' '' \
    analyze -p startpos -m e4 --svg /dev/stdout
expect 2 '' '--moves, move 3: "Nd2" is not legal' analyze -m 'e4 e5 Nd2'
expect 2 '' '--moves, move 1: "Qx" is no move' analyze -m 'Qx'
expect 0 'exd6 .e5d6.' '' analyze -m '1. e4 a6 2. e5,d5 3. exd6 e.p.'
expect 0 'Nc6 .b8c6.' '' analyze -m '1. e4 {best by test} e5 (1... c5) 2. ♘f3! $1 Nc6 1-0'
expect 2 '' '--moves:1:4: "[{]": this comment has no end' analyze -m 'e4 {open'
expect 2 '' '--moves:1:8: "e5": the game has ended before this' analyze -m 'e4 1-0 e5'
expect 2 '' 'FEN field 2 .side to move., column 2: missing' analyze -p 'x'
expect 2 '' '--format is csv: one position is told as text .the default. or json' analyze -p startpos --format csv
expect 2 '' 'unexpected "games.pgn": -p, --moves and --svg are about one position' analyze -p startpos games.pgn
expect 2 '' '--fields, --where, .* are about files' analyze -p startpos --fields legal
expect 2 '' '--kernel: one kernel answers' analyze -p startpos -k magic,pext
expect 3 '' "cannot write '/nonexistent/board.svg'" analyze -p startpos --svg /nonexistent/board.svg

# Games
printf '[White "A"]\n[Black "B"]\n[Result "0-1"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n\n' >mate.pgn
printf '[Result "1-0"]\n\n1. e4 e5 2. Ke3 d5 1-0\n\n[Result "1-0"]\n\n1. f3 e5 2. g4 Qh4# 1-0\n\n[Result "*"]\n\n1. d4 {open\n' >faulty.pgn
gzip -kf mate.pgn
zstd -qf mate.pgn 2>/dev/null || cp mate.pgn mate.pgn.zst
expect 0 'mate.pgn: game 1 .line 1.: A - B..*verdict: +checkmate: .*result: +0-1, checkmate; nothing contradicts it' '1 games, 4 plies' game mate.pgn
expect 0 'read +3.' '3 games, 12 plies' game --summary -t 2 mate.pgn mate.pgn.gz mate.pgn.zst
expect 0 '^file.game.*.mate.pgn.1.1.A.B.standard.4.checkmate.0-1.0-1.0-1.0-1.checkmate.no.-' 'games' game --format tsv -k x88 mate.pgn
expect 0 '^\{"file":"mate.pgn","game":1,.*"verdict":"checkmate".*\}.$' 'games' game --format json mate.pgn
expect 2 'illegal: +3:13: game 1: 2. Ke3: .*verdict: .*right is 0-1' 'faulty.pgn:3:13: game 1: 2. Ke3: .*; the position is rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2..*faulty.pgn:11:7: .*comment' game faulty.pgn
expect 1 'game 1 .*Ke3' 'Ke3' game --on-error stop faulty.pgn
expect 0 '^# source.*w KQkq - 0 1 ;D1 20 ;D2 400..* w KQkq - 0 1 ;D1 0 ;D2 0.$' '5 distinct positions' game --perft-suite 2 mate.pgn
expect 0 ' ;D1 20 ;D2 400 ;D3 8902.' 'distinct' game --perft-suite 3 -k x88,mailbox -t 2 mate.pgn
expect 0 'read +0.' '0 games' game --summary
expect 2 '' 'nowhere.pgn' game nowhere.pgn
# Games that can't be read have their place too
expect 2 'faulty.pgn: game 3 .line 9.: .  unreadable: faulty.pgn:11:7: ' any game faulty.pgn
expect 2 'faulty.pgn.3.9(.-){19}.unreadable.11.7.-.$' any game --format tsv faulty.pgn
expect 2 '"game":3,"line":9,"fault":."kind":"unreadable","line":11,"column":7,"text":"faulty.pgn:11:7: ' any game --format json faulty.pgn
expect 2 'unreadable +1' any game --summary faulty.pgn
# What is passed over is told, and costs nothing else
printf 'see [White "x"]\n\n[White "A"]\n[Black "B]\n[Result "*"]\n\n1. e4 ] e5 *\n\nbye [FEN "x"]' >notes.pgn
expect 1 'A - [?]..*moves: +2 plies' 'notes.pgn:1:5: .*notes.pgn:4:8: .*notes.pgn:7:7: .*notes.pgn:9:5: .*1 games, 2 plies' game notes.pgn
expect 0 '2.7.0' 'notes.pgn:1:5: .*notes.pgn:4:8: .*notes.pgn:7:7: .*notes.pgn:9:5: ' analyze --input pgn --no-header -f ply,line,check notes.pgn
expect 1 'D1 20' 'notes.pgn:1:5: .*notes.pgn:9:5: ' game --perft-suite 1 notes.pgn
# Other formats by name
printf 'PK\003\004zip' >zip.pgn
expect 2 '' "'zip.pgn' is a zip archive" game zip.pgn
printf '\377\376[\000E\000' >utf16.pgn
expect 2 '' "'utf16.pgn' is UTF-16" game utf16.pgn
expect 2 '' "'utf16.pgn' is UTF-16" rating utf16.pgn
expect 2 '' "'utf16.pgn' is UTF-16" analyze utf16.pgn
expect 2 '' '--format is "xml": text, json or tsv' game --format xml
expect 2 '' '--on-error is "ask": skip or stop' game --on-error ask
expect 2 '' '--perft-suite is "0"' game --perft-suite 0
expect 2 '' '--kernel names 2 kernels' game -k x88,magic mate.pgn
expect 2 '' '--perft-suite writes a suite in place of reports' game --perft-suite 2 --summary mate.pgn

# Games and positions made
expect 0 '^\[Event "Random game, seed 7"\].*\[Result "\*"\].\[PlyCount "12"\].\[Termination "unterminated"\]..1\. ' '' generate games -n 3 --seed 7 --plies 12
"$program" generate games -n 100 --seed 3 --plies 600 -k x88 >some.pgn
"$program" generate games -n 100 --seed 3 --plies 600 -k mailbox -t 2 >same.pgn
checks=$((checks + 1))
cmp -s some.pgn same.pgn || complain "two kernels play different games" generate games
expect 0 'read +100..*contradicted results +0..*fine +100.' '100 games' game --summary some.pgn
"$program" generate positions -n 3000 --seed 3 -k reference >some.fen
"$program" generate positions -n 3000 --seed 3 -k magic -t 2 >same.fen
checks=$((checks + 1))
cmp -s some.fen same.fen || complain "two kernels lead to different positions" generate positions
expect 0 '^[^;]* ;id "pins, seed 5, index 7".[^;]* ;id "castling, seed 5, index 14".[^;]* ;id "pins, seed 5, index 25".$' '' \
    generate positions -n 3 --seed 5 --themes pins,castling --ids
expect 2 '' 'what to make is missing: games or positions' generate -n 1
expect 2 '' '"endgames" can.t be made' generate endgames -n 1
expect 2 '' '"positions" is too much' generate games positions -n 1
expect 2 '' 'the number is missing: -n N' generate games
expect 2 '' 'no theme is named "pin"' generate positions -n 1 --themes pin
expect 2 '' '--themes and --ids are for positions' generate games -n 1 --ids
expect 2 '' '--plies is for games' generate positions -n 1 --plies 5

# Descriptions
expect 0 '^plymark [0-9.]+' '' --version
expect 0 'Commands:' '' --help
expect 0 'Usage: plymark perft' '' perft --help
expect 0 'x88.*mailbox.*magic.*reference' '' list
expect 0 'reference.*sliders: a family of [0-9]+ more' '' list
expect 0 'sliders_classical .*sliders_kogge_stone ' '' list -k sliders
expect 2 '' 'no kernel is named "slider"' list -k slider
expect 0 'sliders_hyperbola .*sliders_kogge_stone .*All right' any verify \
    -k sliders_hyperbola,sliders_kogge_stone
expect 0 'lookups.*sliders_games/hyperbola .*/s' '' micro --sliders \
    --filter '^sliders_games/hyperbola$' --min-time 0.001
expect 0 'technique:' '' info -k reference
expect 0 'state: +[0-9]+ bytes' '' info -k magic
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
