#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Games replayed from sets (kernels whose expander tells origins) and by lists of moves (mailbox) give the same
# reports and the same faults: over all PGN files of the tests, random games, games with words changed, and single
# moves, most of them illegal, from positions of chess and Chess960.
# Usage: game_kernels.sh PLYMARK PGN-FOLDER
set -u
plymark=$1
pgn=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

"$plymark" generate games -n 400 --plies=300 --seed=7 >random.pgn
# One word in sixty is changed: another piece, square or castling, a needless or missing origin.
awk 'BEGIN { srand(3) }
/^\[/ { print; next }
{ for (i = 1; i <= NF; i++) if (rand() < 1 / 60) {
      k = int(rand() * 7)
      if (k == 0) sub(/[NBRQK]/, substr("NBRQK", 1 + int(rand() * 5), 1), $i)
      if (k == 1) sub(/[1-8]/, 1 + int(rand() * 8), $i)
      if (k == 2) sub(/[a-h]/, substr("abcdefgh", 1 + int(rand() * 8), 1), $i)
      if (k == 3) $i = rand() < 0.5 ? "O-O" : "O-O-O"
      if (k == 4) sub(/^[NBRQ][a-h1-8]/, substr($i, 1, 1), $i)
      if (k == 5) sub(/=[NBRQ]/, "", $i)
      if (k == 6) $i = $i "!?" } print }' random.pgn >changed.pgn
words='O-O O-O-O e4 d4 c5 exd5 axb6 e8=Q bxa8=N+ a1=R Nf3 Nbd7 Bb5 Rfe1 R1d4 Qxd7# Ke2 Kf8 e2e4 e1g1 e8h8 a7a8q h7h8'
"$plymark" generate positions -n 400 --seed=9 | awk -v words="$words" '{ n = split(words, word, " ")
    for (i = 1; i <= n; i++)
        printf "[Variant \"Chess960\"]\n[FEN \"%s\"]\n[SetUp \"1\"]\n\n%s *\n\n", $0, word[i] }' >moves.pgn

failed=0
replay() { # KERNEL ARGUMENT...
    "$plymark" game -k "$@" >"$1.out" 2>"$1.err"
    echo "exit $?" >>"$1.out"
    # Speed, and the order in which a kernel lists the moves that would be legal.
    sed -i -E '/ games\/s on /d; s/(there is|ambiguous:|must promote:) [^;"]*/\1 .../g' "$1.out" "$1.err"
}
run() { # ARGUMENT...
    replay mailbox "$@"
    for kernel in magic pext; do
        "$plymark" list | grep -q "^$kernel  *runs here" || continue
        replay $kernel "$@"
        for stream in out err; do
            cmp -s $kernel.$stream mailbox.$stream && continue
            echo "$*: $kernel tells something else:"
            diff $kernel.$stream mailbox.$stream | head -5
            failed=1
        done
    done
}
for file in "$pgn"/*.pgn; do
    run "$file"
done
run random.pgn --format json
run changed.pgn
run moves.pgn --format tsv
[ $failed = 0 ] && echo "sets and lists agree"
exit $failed
