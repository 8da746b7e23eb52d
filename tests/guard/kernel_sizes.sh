#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The sizes that `plymark info` tells are those of the objects: tried on objects whose sizes are known.
# Usage: kernel_sizes.sh SOURCE_DIR CMAKE SIZE COMPILER
set -euo pipefail
source_dir=$1 cmake=$2 size=$3
shift 3

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

cat >known.c <<'END'
static unsigned char filled[4096];
static unsigned char changed[300] = {1};
static const unsigned char constant[50] = {1};
const char *text = "texts are no tables, however long they are";
__attribute__((section(".text.unlikely"))) int rare(int i);
int rare(int i) { return i * i + filled[i]; }
int all(int i);
int all(int i) { return filled[i]++ + changed[i]++ + constant[i] + text[i]; }
END
printf 'unsigned char more[1000];\n' >more.c
printf 'int nothing(void); int nothing(void) { return 1; }\n' >lto.c
flags=(-std=gnu17 -Os -fno-common)
"$@" "${flags[@]}" -c known.c more.c
"$@" "${flags[@]}" -flto -c lto.c

"$cmake" -DSIZE="$size" -DOUTPUT=sizes.c -P "$source_dir/scripts/cmake/KernelSizes.cmake" \
    'known=known.o|more.o' 'lto=lto.o' 'absent=absent.o'

code=$(sed -n 's/.*{"known", \([0-9]*\), .*/\1/p' sizes.c)
tables=$(sed -n 's/.*{"known", [0-9]*, \([0-9]*\)}.*/\1/p' sizes.c)
section=$("$size" -A -d known.o | awk '$1 == ".text" {print $2}')
least=$((4096 + 300 + 50 + 8 + 1000))

fail() {
    echo "$1" >&2
    cat sizes.c >&2
    exit 1
}
[ "$code" -gt 0 ] && [ "$code" -eq "$section" ] || fail "code of known is $code, not $section"
[ "$tables" -ge "$least" ] && [ "$tables" -lt $((least + 64)) ] ||
    fail "tables of known are $tables, not $least and a little for alignment"
grep -q '{"lto", 0, 0}' sizes.c || fail "an object of link-time optimisation should be unknown"
grep -q '{"absent", 0, 0}' sizes.c || fail "an object that is not there should be unknown"
"$@" "${flags[@]}" -I"$source_dir" -c sizes.c || fail "the list does not compile"
