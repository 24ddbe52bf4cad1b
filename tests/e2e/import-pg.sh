#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# import-pg.sh: a PostgreSQL server that is restarted under an import. The import
# waits and finishes with the rows of an undisturbed one; one without patience
# stops with a sentence, and the next goes on behind it. Signals are heeded while the
# server is away or hangs. TAP; skipped without a server.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
sharc=${SHARC:-$root/build/release/src/sharc}
pg=$root/tools/pg-temp
dir=$(mktemp -d)
server=
finish() {
    [ -z "$server" ] || "$pg" stop "$server"
    rm -rf "$dir"
}
trap finish EXIT
if ! out=$("$pg" start $$ 2>"$dir/log"); then
    echo "ok 1 - import over a restarted PostgreSQL # SKIP $(head -n 1 "$dir/log")"
    echo 1..1
    exit 0
fi
server=${out% *} url=${out#* }
n=0
point() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' "$dir/log" | cut -c 1-200 | tail -n 5; fi; }

mkdir "$dir/warcs"
"$root/tests/e2e/make-archive.py" "$dir/warcs" 10 600
# A commit that was told must survive the stop: the server for tests is otherwise lax.
schema() { echo "$url?options=-csearch_path%3D$1%20-csynchronous_commit%3Don"; }

# Rows without the numbers that a database gives out.
rows() { # rows EXPORT-OPTION...
    for table in page link; do
        for capture in $("$sharc" export "$@" --table capture --to json | python3 -c 'import json, sys; [print(c["key"]) for c in json.load(sys.stdin)]'); do
            "$sharc" export "$@" --table $table --capture "$capture" --to json | python3 -c '
import json, sys
drop = {"capture", "content", "link_set", "warc", "revisit_warc", "body_warc"}
print("\n".join(sorted(json.dumps({k: v for k, v in r.items() if k not in drop and not k.endswith("_id")}) for r in json.load(sys.stdin))))'
        done
    done
}

"$sharc" import -q --archive "$dir/calm" "$dir/warcs" >/dev/null 2>"$dir/log"
point $? "undisturbed import"
rows --archive "$dir/calm" >"$dir/calm.rows"

mkdir "$dir/x" "$dir/y"
make_schema() { psql -q "$url" -c "CREATE SCHEMA $1" >"$dir/log" 2>&1; }

# --- patient ---------------------------------------------------------------------
make_schema patient
"$sharc" import -q --archive "$dir/x" --store "$(schema patient)" --patience 60s "$dir/warcs" >/dev/null 2>"$dir/log" &
import=$!
# Not before it has begun to read: who cannot open the catalogue has nothing to wait for.
while kill -0 $import 2>/dev/null; do
    files=$(psql -qtA "$url" -c 'SELECT count(*) FROM patient.warc' 2>/dev/null)
    [ "${files:-0}" -ge 1 ] && break
    sleep 0.05
done
for pause in 0.1 0.5 0.4; do
    sleep $pause
    "$pg" restart "$server" >/dev/null 2>&1
done
wait $import
code=$?
if [ $code = 7 ] && [ "$(wc -l <"$dir/log")" = 1 ]; then
    # Questions between two batches are not repeated: then it stops in one sentence, and goes on when called again.
    echo "# stopped: $(cat "$dir/log")"
    "$sharc" import -q --archive "$dir/x" --store "$(schema patient)" --patience 60s "$dir/warcs" >/dev/null 2>"$dir/log"
    code=$?
fi
point $code "an import outlives a server that is restarted three times"
rows --archive "$dir/x" --store "$(schema patient)" >"$dir/patient.rows"
diff "$dir/calm.rows" "$dir/patient.rows" >"$dir/log"
point $? "its rows are those of an undisturbed import"

# --- not patient -------------------------------------------------------------------
# One that is quick enough to finish before the restart proves nothing: try again.
code=0
for try in $(seq 20); do
    schema=hasty$try
    make_schema $schema
    "$sharc" import -q --archive "$dir/y" --store "$(schema $schema)" --patience 0s "$dir/warcs" >/dev/null 2>"$dir/hasty" &
    import=$!
    sleep "0.$((RANDOM % 6 + 1))"
    "$pg" restart "$server" >/dev/null 2>&1
    wait $import
    code=$?
    [ $code = 0 ] || break
done
cp "$dir/hasty" "$dir/log"
echo "# exit code $code: $(cat "$dir/hasty")"
{ [ $code = 7 ] && [ "$(wc -l <"$dir/hasty")" = 1 ]; }
point $? "without patience it stops with one sentence"
"$sharc" import -q --archive "$dir/y" --store "$(schema $schema)" "$dir/warcs" >/dev/null 2>"$dir/log"
point $? "the next import goes on"
rows --archive "$dir/y" --store "$(schema $schema)" >"$dir/hasty.rows"
diff "$dir/calm.rows" "$dir/hasty.rows" >"$dir/log"
point $? "its rows are those of an undisturbed import"
# --- told to stop -------------------------------------------------------------------
begun() { # begun SCHEMA: an import with rows in the catalogue, and more to come
    make_schema "$1"
    mkdir -p "$dir/$1"
    "$sharc" import -q --archive "$dir/$1" --store "$(schema "$1")" --threads 1 "$dir/warcs" >/dev/null 2>"$dir/log" &
    import=$!
    while kill -0 $import 2>/dev/null; do
        files=$(psql -qtA "$url" -c "SELECT count(*) FROM $1.warc" 2>/dev/null)
        [ "${files:-0}" -ge 1 ] && break
        sleep 0.02
    done
}
goes_on() { # goes_on SCHEMA
    "$sharc" import -q --archive "$dir/$1" --store "$(schema "$1")" "$dir/warcs" >/dev/null 2>"$dir/log" &&
        rows --archive "$dir/$1" --store "$(schema "$1")" >"$dir/$1.rows" && diff "$dir/calm.rows" "$dir/$1.rows" >"$dir/log"
    point $? "the same command finishes it"
}
code=0
for try in $(seq 20); do # as above
    begun away$try
    kill -QUIT "$(head -n 1 "$server/data/postmaster.pid")"
    kill -TERM $import 2>/dev/null
    wait $import
    code=$?
    "$pg" restart "$server" >/dev/null 2>&1
    [ $code = 0 ] || break
done
[ $code = 11 ]
point $? "SIGTERM while the server is away ends an import (exit code $code)"
goes_on away$try

code=0
for try in $(seq 20); do
    begun hung$try
    postmaster=$(head -n 1 "$server/data/postmaster.pid")
    suspended="$postmaster $(pgrep -P "$postmaster" | tr '\n' ' ')"
    kill -STOP $suspended
    kill -INT $import 2>/dev/null
    sleep 1
    kill -INT $import 2>/dev/null
    wait $import
    code=$?
    kill -CONT $suspended
    [ $code = 0 ] || break
done
[ $code = 130 ] || [ $code = 11 ]
point $? "the second signal ends an import whose server hangs (exit code $code)"
goes_on hung$try

echo "1..$n"
