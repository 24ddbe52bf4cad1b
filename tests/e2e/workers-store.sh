#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Workers bring files into an object store (Debian's Swift by its S3 interface), with the queue in PostgreSQL: one is
# suspended in the middle of an upload past its lease and woken up when others are done, one is killed with -9, one is
# asked to go while the store is away, one waits with a full spool. Then objects, catalogue and what the server sent
# are compared: nothing is lost or doubled, and no object but those that count is there. Skipped without Swift or
# PostgreSQL. TAP.
set -u
. "$(dirname "$0")/crawl-lib.bash"
s3=$here/../../tools/s3-temp pg=$here/../../tools/pg-temp
store= database=
declare -A pids
tidy() {
    local p
    for p in "${pids[@]}"; do { kill -CONT "$p"; kill -9 "$p"; } 2>/dev/null; done
    [ -z "$store" ] || "$s3" stop "$store"
    [ -z "$database" ] || "$pg" stop "$database"
}
if ! started=$("$s3" start $$ 2>"$dir/log"); then
    skip "workers with an object store" "$(head -n 1 "$dir/log")"
    finish
fi
store=${started% *} url=${started#* }
if ! started=$("$pg" start $$ 2>"$dir/log"); then
    skip "workers with an object store" "$(head -n 1 "$dir/log")"
    finish
fi
database=${started% *} db=${started#* }
sql() { psql -At "$db" -c "$1" 2>>"$dir/log"; }
export AWS_ACCESS_KEY_ID=AKTEST AWS_SECRET_ACCESS_KEY=testsecret TMPDIR=$dir
unset AWS_PROFILE AWS_REGION AWS_ENDPOINT_URL
empty=e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
other_tool() { curl -sS --fail --aws-sigv4 aws:amz:us-east-1:s3 --user AKTEST:testsecret -H "x-amz-content-sha256: $empty" "$@"; }
http=http://${url#*@}
objects() { other_tool "$http?list-type=2&prefix=fleet%2F${1%/}%2F" | grep -o "<Key>[^<]*" | sed 's/<Key>fleet.//' | sort; }
uploads() { other_tool "$http?prefix=fleet%2F&uploads=" | grep -c "<UploadId>"; }

cat >"$dir/routes.py" <<'PY'
import hashlib, os, time
def is_open(host): return os.path.exists(os.path.dirname(__file__) + "/go-" + host.split(".")[0])
def noise(host, n, size): # does not pack
    return b"".join(hashlib.sha512(b"%s %d %d" % (host.encode(), n, i)).digest() for i in range(size // 64))
def answer(host, target, headers):
    if target == "/": return 200, {}, "".join("<a href='/p%d'>p</a>" % i for i in range(40))
    # The first pages come at once, the others when the story wants it: of s1 enough for a part of an upload, of the
    # others too few for one, so that all of it waits when the store goes away.
    first = 22 if host.startswith("s1.") else 4
    while target in ("/p%d" % i for i in range(first, 40)) and not is_open(host): time.sleep(0.05)
    if target.startswith("/p"): return 200, {"Content-Type": "application/octet-stream"}, noise(host, int(target[2:]), 1024000 if host.startswith("s2.") else 512000)
PY
start_site
archive=$dir/fleet
mkdir "$archive"
printf 'store: %s\nfiles: %s/fleet\n' "$db" "$url" >"$archive/sharc.yaml"
queue() { # queue NAME DELAY
    "$sharc" crawl -q --queue --allow-private --contact story@example.org --strategy bfs --no-probe --no-sitemaps --delay "$2" \
        --connect-to "$1.example:$port:127.0.0.1:$port" -a "$archive" "http://$1.example:$port/" >"$dir/out" 2>"$dir/log"
}
start_worker() { # start_worker NAME OPTION...
    local name=$1
    shift
    "$sharc" worker --sites 1 --poll 200ms --lease 3s --name "$name" "$@" -a "$archive" >"$dir/$name.out" 2>>"$dir/$name.err" 9>&- &
    pids[$name]=$!
}
uploading() { compgen -G "$archive/warcs/*e$1-*.upload" >/dev/null; }
until_true() { for _ in $(seq 2400); do "$@" && return 0; sleep 0.05; done; return 1; }
said() { grep -q "$2" "$dir/$1.err" 2>/dev/null; }
state_is() { [ "$(sql "SELECT state FROM job WHERE id = $1")" = "$2" ]; }

# --- asleep in the middle of an upload, the next one killed, the third one brings it to its end
queue s1 30ms
point $? "a site is queued"
start_worker sleeper
until_true uploading 1
point $? "parts are uploaded while the file is written"
for _ in $(seq 100); do # not in the middle of a transaction: docs/scaling.md
    kill -STOP "${pids[sleeper]}"
    [ "$(sql "SELECT count(*) FROM pg_stat_activity WHERE xact_start IS NOT NULL AND pid <> pg_backend_pid() AND datname IS NOT NULL")" = 0 ] && break
    kill -CONT "${pids[sleeper]}"
    sleep 0.03
done
start_worker second
brought() { objects warcs/ | grep -q "j1e2-"; }
until_true said second "taken over" && until_true brought
point $? "another worker takes it over and brings what was committed"
kill -9 "${pids[second]}"
{ wait "${pids[second]}"; } 2>/dev/null
: >"$dir/go-s1"
start_worker third --drain
wait "${pids[third]}"
code=$?
cat "$dir/third.err" >"$dir/log"
[ $code = 0 ] && state_is 1 2
point $? "it is killed, and a third one ends the capture (exit code $code)"
objects warcs/ >"$dir/objects"
sql "SELECT name FROM warc ORDER BY name" >"$dir/rows"
cmp "$dir/objects" "$dir/rows" >"$dir/log" 2>&1
point $? "the catalogue and the store name the same $(wc -l <"$dir/rows") files"
kill -CONT "${pids[sleeper]}"
until_true said sleeper "taken it over"
point $? "the sleeper wakes up and learns that the job is not its own any more"
kill -TERM "${pids[sleeper]}"
wait "${pids[sleeper]}"
cat "$dir/sleeper.err" >"$dir/log"
objects warcs/ | cmp - "$dir/objects" >>"$dir/log" 2>&1
point $? "it has left no object, and taken none away"
[ "$(uploads)" = 0 ]
point $? "nor an upload that nobody goes on with"
[ "$(find "$archive/warcs" -type f | wc -l)" = 0 ]
point $? "all files are in the store, none is left here"
"$sharc" verify "$archive" >"$dir/log" 2>&1
point $? "the catalogue agrees with the objects: $(tail -n 1 "$dir/log")"
objects index/ >"$dir/log"
grep -q "job-1.cdxj" "$dir/log"
point $? "the index of the job is there, too"
cat >"$dir/check.py" <<'PY'
import collections, subprocess, sys
sharc, url, host = sys.argv[1:4]
lines = subprocess.run([sharc, "index", url], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
seen = collections.Counter()
for l in lines:
    if '"url": "http://%s/p' % host in l: seen[l.split('"url": "')[1].split('"')[0]] += 1
twice = [u for u, n in seen.items() if n != 1]
print("pages:", len(seen), "not once:", twice[:3])
sys.exit(len(seen) != 40 or bool(twice))
PY
python3 "$dir/check.py" "$sharc" "$url/fleet/warcs/" "s1.example:$port" >"$dir/log" 2>&1
point $? "each page is there once, in all objects together"

# --- the store goes away: the spool is bounded, and nothing is lost
queue s2 1ms
start_worker bound --drain --spool 16777216
until_true compgen -G "$archive/warcs/*j2e1-*.open" >/dev/null
"$s3" away "$store"
: >"$dir/go-s2"
until_true said bound "waiting until there is room"
point $? "without the store a worker waits when its spool is full: $(grep -m 1 -o "[0-9.]* [kMG]*B wait here.*" "$dir/bound.err" | cut -c 1-100)"
[ "$(du -sb "$archive/warcs" | cut -f 1)" -lt 30000000 ] # of 41000000
point $? "the spool is bounded ($(du -sb "$archive/warcs" | cut -f 1) bytes)"
"$s3" back "$store"
wait "${pids[bound]}"
code=$?
cat "$dir/bound.err" >"$dir/log"
[ $code = 0 ] && state_is 2 2 && [ "$(find "$archive/warcs" -type f | wc -l)" = 0 ]
point $? "and goes on when it is back (exit code $code)"

# --- asked to go when only the store is missing
queue s3 1ms
start_worker leaving
until_true compgen -G "$archive/warcs/*j3e1-*.open" >/dev/null
"$s3" away "$store"
: >"$dir/go-s3"
until_true said leaving "until the store is available again"
captured() { [ "$(sql "SELECT count(*) FROM capture c JOIN job j ON j.capture = c.id WHERE j.id = 3 AND c.ended IS NOT NULL")" = 1 ]; }
until_true captured
kill -TERM "${pids[leaving]}"
wait "${pids[leaving]}"
cat "$dir/leaving.err" >"$dir/log"
said leaving "handed back" && state_is 3 0
point $? "a job whose files are not in the store is not done: it is handed back"
start_worker heir --drain
until_true said heir "waiting until it is available again"
point $? "whoever takes it over waits for the store"
"$s3" back "$store"
wait "${pids[heir]}"
code=$?
cat "$dir/heir.err" >"$dir/log"
[ $code = 0 ] && state_is 3 2 && [ "$(sql "SELECT count(*) FROM capture WHERE site = (SELECT site FROM job WHERE id = 3)")" = 1 ]
point $? "and brings the files there, without another capture"
for s in s2 s3; do
    python3 "$dir/check.py" "$sharc" "$url/fleet/warcs/" "$s.example:$port" >"$dir/log" 2>&1
    point $? "nothing of $s is lost or doubled: $(cat "$dir/log")"
done
objects warcs/ >"$dir/objects"
sql "SELECT name FROM warc ORDER BY name" | cmp - "$dir/objects" >"$dir/log" 2>&1 && "$sharc" verify "$archive" >>"$dir/log" 2>&1
point $? "in the end catalogue and store agree: $(tail -n 1 "$dir/log")"
finish
