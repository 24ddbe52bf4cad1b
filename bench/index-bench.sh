#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Making a CDXJ index beside its peers, on the set of archive files that the
# benchmark of reading makes and keeps (~/.cache/sharc-bench/bench.warc.gz; or
# any other .warc.gz given as SHARC_BENCH_WARC). CPU seconds, best of three, and
# ratios, which is what counts on a shared machine.
set -eu
cache=${XDG_CACHE_HOME:-$HOME/.cache}/sharc-bench
set_file=${SHARC_BENCH_WARC:-$cache/bench.warc.gz}
if [ ! -f "$set_file" ]; then
    echo "no $set_file: run the benchmark of reading first, or set SHARC_BENCH_WARC" >&2
    exit 0
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cat "$set_file" >/dev/null # into the page cache

# best NAME COMMAND...: least CPU and wall seconds and greatest memory of three runs
best() {
    local name=$1
    shift
    for _ in 1 2 3; do
        rm -f "$dir"/out.*
        /usr/bin/time -o "$dir/time" -f '%U %S %e %M' "$@" >/dev/null
        cat "$dir/time"
    done | awk -v name="$name" '{ c = $1 + $2; if (NR == 1 || c < cpu) cpu = c; if (NR == 1 || $3 < wall) wall = $3; if ($4 > mem) mem = $4 }
        END { printf "%-28s %7.2f %8.2f %8d\n", name, cpu, wall, mem / 1024 }' | tee -a "$dir/all"
}
value() { awk -v n="$1" -v f="$2" 'index($0, n) == 1 { print $(NF - 3 + f) }' "$dir/all"; }

printf '%-28s %7s %8s %8s\n' "$(basename "$set_file"), $(du -h "$set_file" | cut -f1)" 'CPU s' 'wall s' 'MiB'
best 'zcat' zcat "$set_file"
command -v libdeflate-gunzip >/dev/null && best 'libdeflate-gunzip' libdeflate-gunzip -c "$set_file"
best 'sharc index' "$SHARC" index -q -t 1 -o "$dir/out.cdxj" "$set_file"
ln -s "$set_file" "$dir/a.warc.gz"
ln -s "$set_file" "$dir/b.warc.gz"
best 'two files, one thread' "$SHARC" index -q -t 1 -o "$dir/out.cdxj" "$dir/a.warc.gz" "$dir/b.warc.gz"
best 'two files, two threads' "$SHARC" index -q -t 2 -o "$dir/out.cdxj" "$dir/a.warc.gz" "$dir/b.warc.gz"
mv "$dir/out.cdxj" "$dir/index.cdxj"
url=$(sed -n '1000{s/.*"url": "\([^"]*\)".*/\1/p}' "$dir/index.cdxj")
[ -z "$url" ] || best 'one look-up in its index' "$SHARC" index --lookup "$url" "$dir/index.cdxj"
echo
awk -v z="$(value zcat 1)" -v i="$(value 'sharc index' 1)" -v m="$(value 'sharc index' 3)" \
    -v one="$(value 'two files, one' 2)" -v two="$(value 'two files, two' 2)" 'BEGIN {
    printf "index: %.2f x zcat (wanted: 3), %d MiB (wanted: below 64), two threads %.2f x one (wanted: 1.7)\n", z / i, m, one / two }'
