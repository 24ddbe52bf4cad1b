#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Importing 100,000 records into SQLite and PostgreSQL, without and with
# extraction of some 60 links a page, and importing the same site a week later.
# The files are made once and kept in ~/.cache/sharc-bench. CPU seconds (user and
# system; PostgreSQL: sharc's and the server's), best of $RUNS (2).
set -eu
cache=${XDG_CACHE_HOME:-$HOME/.cache}/sharc-bench
records=${RECORDS:-100000}
file=$cache/import-$records.warc.gz
later=$cache/import-$records-later.warc.gz
mkdir -p "$cache"
[ -f "$file" ] || { "$BENCH/make_warc" "$file.new" "$records" && mv "$file.new" "$file"; }
[ -f "$later" ] || { "$BENCH/make_warc" "$later.new" "$records" 1 && mv "$later.new" "$later"; }
dir=$(mktemp -d)
server= url=
finish() {
    [ -z "$server" ] || tools/pg-temp stop "$server" || true
    rm -rf "$dir"
}
trap finish EXIT
cat "$file" "$later" >/dev/null

# CPU seconds of the server and all its children so far.
server_cpu() {
    [ -n "$server" ] || { echo 0; return; }
    sleep 1 # until the connection's process has gone and counts
    local pid
    pid=$(head -n 1 "$server/data/postmaster.pid")
    cat "/proc/$pid/stat" $(pgrep -P "$pid" | sed 's|.*|/proc/&/stat|') 2>/dev/null |
        awk -v hz="$(getconf CLK_TCK)" '{ s += $14 + $15 + ($4 == 1 || NR == 1 ? $16 + $17 : 0) } END { print s / hz }'
}
empty() {
    rm -rf "$dir/archive"
    [ -z "$url" ] || psql -q "$url" -c 'DROP SCHEMA public CASCADE; CREATE SCHEMA public' >/dev/null 2>&1
}
row() { # row NAME FILE IMPORT-OPTION...
    local name=$1 in=$2
    shift 2
    for _ in $(seq "${RUNS:-2}"); do
        [ "$in" = "$later" ] || empty
        before=$(server_cpu)
        /usr/bin/time -o "$dir/time" -f '%U %S %e %M' "$SHARC" import -q --archive "$dir/archive" "$@" "$in" >/dev/null
        echo "$(cat "$dir/time") $before $(server_cpu)"
        [ "$in" != "$later" ] || break # the second time there would be nothing to do
    done | awk -v name="$name" -v n="$records" '{ c = $1 + $2 + $6 - $5; if (NR == 1 || c < cpu) { cpu = c; wall = $3; mem = $4 } }
        END { printf "| %s | %.2f | %.2f | %d | %d | %d |\n", name, cpu, wall, n / cpu, n / wall, mem / 1024 }'
}
echo "$records records, $(du -h "$file" | cut -f1)"
echo '| import | CPU s | wall s | records per CPU s | records per s | MiB |'
echo '|---|---:|---:|---:|---:|---:|'
row 'SQLite, --no-extract' "$file" --no-extract
row 'SQLite, one thread' "$file" -t 1
row 'SQLite, two threads' "$file" -t 2
row 'SQLite, the same site a week later, two threads' "$later" -t 2
if out=$(tools/pg-temp start $$) && command -v psql >/dev/null; then
    server=${out% *} url=${out#* }
    row 'PostgreSQL, --no-extract' "$file" --no-extract --store "$url"
    row 'PostgreSQL, one thread' "$file" -t 1 --store "$url"
    row 'PostgreSQL, two threads' "$file" -t 2 --store "$url"
    row 'PostgreSQL, a week later, two threads' "$later" -t 2 --store "$url"
fi
