#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# sharc diff on two captures of 10,000 pages, made once of the set that the benchmark of
# reading keeps. CPU seconds are the best of three runs.
set -eu
cd "$(dirname "$0")"
cache=${XDG_CACHE_HOME:-$HOME/.cache}/sharc-bench
set_file=${SHARC_BENCH_WARC:-$cache/bench.warc.gz}
pages=${SHARC_BENCH_PAGES:-10000}
if [ ! -f "$set_file" ]; then
    echo "no $set_file: run the benchmark of reading first, or set SHARC_BENCH_WARC" >&2
    exit 0
fi
before=$cache/diff-before.warc.gz after=$cache/diff-after.warc.gz
if [ ! -f "$after" ]; then
    python3 diff_captures.py "$set_file" "$pages" "$before.new" "$after.new"
    mv "$before.new" "$before"
    mv "$after.new" "$after"
fi
cat "$before" "$after" >/dev/null # into the page cache
size=$(($(stat -c %s "$before") + $(stat -c %s "$after")))
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
"$SHARC" index -q -o "$dir/before.cdxj" "$before" >/dev/null
"$SHARC" index -q -o "$dir/after.cdxj" "$after" >/dev/null

"$SHARC" diff -q --limit 1 "$before" "$after" | sed -n '1,14p'
echo
echo '| task | CPU s | wall s | MB/s | | MB memory |'
echo '|---|---:|---:|---:|---|---:|'
measure() { ./measure --bytes "$size" "$@" 2>/dev/null; }
measure 'index both (what has to be read)' "$SHARC" index -q -t 1 -o - "$before" "$after"
measure 'diff, one thread' "$SHARC" diff -q -t 1 "$before" "$after"
measure 'diff, two threads' "$SHARC" diff -q -t 2 "$before" "$after"
measure 'diff by given indexes, one thread' "$SHARC" diff -q -t 1 -i "$before" -i "$after" "$dir/before.cdxj" "$dir/after.cdxj"
measure 'diff of a capture and itself, one thread' "$SHARC" diff -q -t 1 "$before" "$before"
