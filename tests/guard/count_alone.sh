#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Programs that count need no library of what counting does without; plymark needs them, which shows that they
# are found.
# Usage: count_alone.sh READELF COUNT_ALONE PLYMARK PROGRAM...
set -euo pipefail
readelf=$1 alone=$2 plymark=$3
shift 3
unwanted='libstdc\+\+|libc\+\+|libgmp|libcsv|libxml2|libbenchmark'

needed() {
    "$readelf" -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'
}

failed=0
for program in "$@"; do
    if ! needed "$program" | grep -q '^libc\.'; then
        echo "FAILED: $program is not linked as this test expects: it needs no libc" >&2
        failed=1
    fi
    if needed "$program" | grep -E "^($unwanted)"; then
        echo "FAILED: $program needs the above" >&2
        failed=1
    fi
done
for library in 'libstdc|libc\+\+' libgmp libcsv libxml2; do
    if ! needed "$plymark" | grep -Eq "^($library)"; then
        echo "FAILED: $plymark needs no $library: this test would miss it elsewhere" >&2
        failed=1
    fi
done
count=$("$alone")
if [ "$count" != 197281 ]; then
    echo "FAILED: $alone counts $count, not 197281" >&2
    failed=1
fi
exit $failed
