#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every command in README.md is run as written: lines of its ```sh blocks that begin with `build/plymark`
# are run here with the program just built, and so are those of the GitHub Actions example, with a kernel
# of ours as the engine; lines that begin with ./scripts/ must stand in .ci/run; anything else fails.
# Usage: readme_commands.sh SOURCE_DIR PROGRAM
set -euo pipefail
source_dir=$1
program=$2

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/build"
ln -s "$program" "$work/build/plymark"
ln -s "$source_dir"/* "$work/" 2>/dev/null || true
rm -rf "$work/results"
mkdir -p "$work/results/raw"
cp -r "$source_dir/results/raw/." "$work/results/raw/" 2>/dev/null || true
cd "$work"

mkdir -p plymark/build
ln -s "$program" plymark/build/plymark
printf '#!/bin/sh\nexec "%s" uci -k magic\n' "$program" >engine
chmod +x engine

run() {
    count=$((count + 1))
    echo "+ $1"
    bash -c "$1" >out 2>err </dev/null || {
        code=$?
        cat out err >&2
        echo "README.md: exit code $code of: $1" >&2
        exit 1
    }
}

count=0
while IFS= read -r line; do
    case $line in
    "" | "#"*) continue ;;
    build/plymark\ *) run "$line" ;;
    ./scripts/run | ./scripts/test)
        grep -qxF "$line" "$source_dir/.ci/run" || {
            echo "README.md: .ci/run does not run: $line" >&2
            exit 1
        }
        ;;
    git\ clone* | cd\ *) ;;
    *)
        echo "README.md: nothing runs this command: $line" >&2
        exit 1
        ;;
    esac
done < <(awk '/^```sh$/ {inside = 1; next} /^```/ {inside = 0} inside' "$source_dir/README.md")

while IFS= read -r line; do
    run "$line"
done < <(sed -n 's/^ *- run: \(plymark\/build\/plymark .*\)/\1/p' "$source_dir/README.md")

echo "$count commands of README.md ran"
[ "$count" -gt 0 ]
