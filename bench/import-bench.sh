#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Importing 100,000 records into SQLite and PostgreSQL, without and with
# extraction of some 60 links a page. The file is made once and kept in
# ~/.cache/sharc-bench. CPU seconds of sharc (user and system; PostgreSQL's own are beside it), best of
# $RUNS (2).
set -eu
cache=${XDG_CACHE_HOME:-$HOME/.cache}/sharc-bench
records=${RECORDS:-100000}
file=$cache/import-$records.warc.gz
mkdir -p "$cache"
[ -f "$file" ] || { "$BENCH/make_warc" "$file.new" "$records" && mv "$file.new" "$file"; }
dir=$(mktemp -d)
pg=
finish() {
    [ -z "$pg" ] || tools/pg-temp stop "$pg" || true
    rm -rf "$dir"
}
trap finish EXIT
cat "$file" >/dev/null

row() { # row NAME IMPORT-OPTION...
    local name=$1 best=
    shift
    for _ in $(seq "${RUNS:-2}"); do
        rm -rf "$dir/archive"
        [ -z "$pg" ] || psql -q "$url" -c 'DROP SCHEMA public CASCADE; CREATE SCHEMA public' >/dev/null 2>&1
        /usr/bin/time -o "$dir/time" -f '%U %S %e %M' "$SHARC" import -q --archive "$dir/archive" "$@" "$file" >/dev/null
        cat "$dir/time"
    done | awk -v name="$name" -v n="$records" '{ c = $1 + $2; if (NR == 1 || c < cpu) { cpu = c; wall = $3; mem = $4 } }
        END { printf "| %s | %.2f | %.2f | %d | %d | %d |\n", name, cpu, wall, n / cpu, n / wall, mem / 1024 }'
}
echo "$records records, $(du -h "$file" | cut -f1)"
echo '| import | CPU s | wall s | records per CPU s | records per s | MiB |'
echo '|---|---:|---:|---:|---:|---:|'
row 'SQLite, --no-extract' --no-extract
row 'SQLite, one thread' -t 1
row 'SQLite, two threads' -t 2
if [ -x tools/pg-temp ] && command -v psql >/dev/null; then
    url=$(tools/pg-temp start)
    pg=$url
    row 'PostgreSQL, --no-extract' --no-extract --store "$url"
    row 'PostgreSQL, one thread' -t 1 --store "$url"
    row 'PostgreSQL, two threads' -t 2 --store "$url"
fi
