#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A crawl whose catalogue is in PostgreSQL, named in the archive's sharc.yaml: the
# same rows as with SQLite, resumed after a kill, over a restart of the server, and after a signal while the
# server is away. A watch and a worker heed a signal then, too.
# Skipped without PostgreSQL. TAP.
set -u
. "$(dirname "$0")/crawl-lib.bash"
pg=$here/../../tools/pg-temp
database=
tidy() { [ -z "$database" ] || "$pg" stop "$database"; }
if ! out=$("$pg" start $$ 2>"$dir/log"); then
    skip "a crawl with PostgreSQL" "$(head -n 1 "$dir/log")"
    finish
fi
database=${out% *} url=${out#* }
cat >"$dir/routes.py" <<'PY'
def answer(host, target, headers):
    if target == "/": return 200, {}, "<link rel=stylesheet href=/s.css>" + "".join("<a href='/p%d'>p</a>" % i for i in range(40)) + "<a href=/forbidden>f</a>"
    if target == "/robots.txt": return 200, {"Content-Type": "text/plain"}, "User-agent: *\nDisallow: /forbidden\n"
    if target == "/s.css": return 200, {"Content-Type": "text/css"}, "p {}"
    if target.startswith("/p"):
        tag = '"%s"' % target[1:]
        if headers.get("If-None-Match") == tag: return 304, {"ETag": tag}, ""
        return 200, {"ETag": tag}, "<p>page %s" % target
PY
start_site
mkdir "$dir/pg"
echo "store: $url?options=-csynchronous_commit%3Don" >"$dir/pg/sharc.yaml"
args=(--delay 50ms --for evidence --focus 0 --no-sitemaps --no-probe)
run 0 "a capture with SQLite" "${args[@]}" -a "$dir/lite" "$site/"
sed -E 's/"(start|end|reference|archive|capture|blur|bytes)": [^,]*,//' "$dir/summary" >"$dir/lite.summary"

# pages: of the captures that are not over.
pages() { psql -At "$url" -c "SELECT count(*) FROM capture c JOIN page p ON p.capture = c.id WHERE c.ended IS NULL" 2>/dev/null || echo 0; }
"$sharc" crawl -q --allow-private "${args[@]}" -a "$dir/pg" "$site/" >"$dir/out" 2>"$dir/err" 9>&- &
crawl=$!
while alive "$crawl" && ! [ "$(pages)" -gt 3 ]; do sleep 0.05; done
kill -9 $crawl
wait $crawl 2>/dev/null
crawl=
[ "$(psql -At "$url" -c "SELECT count(*) > 3 FROM page" 2>"$dir/log")" = t ] && [ ! -e "$dir/pg/catalogue.db" ]
point $? "the catalogue is in PostgreSQL"
"$sharc" crawl --json --allow-private "${args[@]}" -a "$dir/pg" "$site/" >"$dir/summary" 2>"$dir/log" 9>&- &
crawl=$!
before=$(pages)
while alive "$crawl" && ! [ "$(pages)" -gt $((before + 1)) ]; do sleep 0.05; done # it runs
kill -QUIT "$(head -n 1 "$database/data/postmaster.pid")"
while alive "$crawl" && ! grep -q "waiting until the catalogue" "$dir/log"; do sleep 0.05; done
said=$(grep -c "waiting until the catalogue" "$dir/log")
"$pg" restart "$database" >/dev/null 2>&1
wait $crawl
code=$?
crawl=
[ $code = 0 ]
point $? "killed, resumed, and the server restarted under it (exit code $code)"
[ "$said" = 1 ] && grep -q "the catalogue is available again" "$dir/log"
point $? "it says that it waits for the catalogue, once, and that it goes on"
[ "$(field resumed)" = True ] && [ "$(field pages)" = 42 ]
point $? "all pages are there: $(field pages)"
rows() { # rows ARCHIVE TABLE: without the numbers that a database gives out
    local key
    key=$("$sharc" export --archive "$dir/$1" --table captures --to json | python3 -c 'import json, sys; print(json.load(sys.stdin)[-1]["key"])')
    "$sharc" export --archive "$dir/$1" --table "$2" --capture "$key" --to json | python3 -c '
import json, sys
keep = ("url", "status", "mime", "size", "digest", "reason", "from", "to", "kind", "parent")
print("\n".join(sorted(json.dumps({k: r[k] for k in keep if k in r}) for r in json.load(sys.stdin))))'
}
for table in pages links skipped; do
    rows lite $table >"$dir/lite.rows" 2>>"$dir/log"
    rows pg $table >"$dir/pg.rows" 2>>"$dir/log"
    [ -s "$dir/lite.rows" ] && diff "$dir/lite.rows" "$dir/pg.rows" >"$dir/log"
    point $? "the $table are those of SQLite ($(wc -l <"$dir/pg.rows"))"
done
sound pg "PostgreSQL"
run 0 "another capture" --delay 50ms --no-sitemaps --no-probe -a "$dir/pg" "$site/"
[ "$(field not_modified)" -ge 40 ]
point $? "uses the first one ($(field not_modified) not modified)"

# stopped_by SIGNAL: a capture that waits for the server gives up waiting at once, and is resumed later.
stopped_by() {
    : >"$dir/log"
    "$sharc" crawl --json --allow-private "${args[@]}" --delay 300ms -a "$dir/pg" "$site/" >"$dir/summary" 2>"$dir/log" 9>&- &
    crawl=$!
    while alive "$crawl" && ! [ "$(pages)" -gt 3 ]; do sleep 0.05; done
    kill -QUIT "$(head -n 1 "$database/data/postmaster.pid")"
    while alive "$crawl" && ! grep -q "waiting until the catalogue" "$dir/log"; do sleep 0.05; done
    kill "-$1" $crawl
    wait $crawl
    code=$?
    crawl=
    [ $code = 11 ] && grep -q "same command" "$dir/log"
    point $? "SIG$1 while the server is away ends the crawl (exit code $code), which says how to go on"
    "$pg" restart "$database" >/dev/null 2>&1
    run 0 "SIG$1: the same command, with the server back" "${args[@]}" -a "$dir/pg" "$site/"
    [ "$(field resumed)" = True ] && [ "$(field pages)" = 42 ]
    point $? "SIG$1: it went on with the same capture and has all pages: $(field pages)"
}
stopped_by INT
stopped_by TERM
sound pg "stopped while waiting"

# away NAME SIGNAL CODE: $crawl is something else that waits for the server, is told to stop, and ends without it.
away() {
    while alive "$crawl" && ! [ "$(asked /)" -gt "$before" ]; do sleep 0.05; done
    sleep 1
    kill -QUIT "$(head -n 1 "$database/data/postmaster.pid")"
    while alive "$crawl" && ! grep -q "waiting until the catalogue" "$dir/log"; do sleep 0.05; done
    kill "-$2" $crawl
    wait $crawl
    code=$?
    crawl=
    [ $code = "$3" ] && grep -q "waiting until the catalogue" "$dir/log"
    point $? "SIG$2 while the server is away ends $1 (exit code $code)"
    "$pg" restart "$database" >/dev/null 2>&1
}

# --- a server that hangs: connected, and silent ---------------------------------------------------
: >"$dir/log"
"$sharc" crawl --json --allow-private "${args[@]}" --fresh --delay 300ms -a "$dir/pg" "$site/" >"$dir/summary" 2>"$dir/log" 9>&- &
crawl=$!
before=$(pages)
while alive "$crawl" && ! [ "$(pages)" -gt $((before + 1)) ]; do sleep 0.05; done
postmaster=$(head -n 1 "$database/data/postmaster.pid")
suspended="$postmaster $(pgrep -P "$postmaster" | tr '\n' ' ')"
kill -STOP $suspended
for signal in INT INT TERM; do sleep 1; kill -$signal $crawl 2>/dev/null; done
wait $crawl
code=$?
crawl=
kill -CONT $suspended
[ $code = 143 ] || [ $code = 11 ]
point $? "the third signal ends a crawl whose server hangs (exit code $code)"
run 0 "and the same command goes on, with the server awake" "${args[@]}" -a "$dir/pg" "$site/"

mkdir "$dir/watched" "$dir/queue"
for a in watched queue; do cp "$dir/pg/sharc.yaml" "$dir/$a"; done
for signal in INT TERM; do
    : >"$dir/log"
    before=$(asked /)
    "$sharc" watch --allow-private --delay 50ms --budget 600/min --reach prefix --shortest 500ms -a "$dir/watched" "$site/" >"$dir/out" 2>"$dir/log" 9>&- &
    crawl=$!
    away "a watch" $signal 11
done
"$sharc" crawl -q --queue --allow-private "${args[@]}" -a "$dir/queue" "$site/" >"$dir/out" 2>"$dir/log"
point $? "a site is queued"
before=$(asked /)
"$sharc" worker --poll 200ms --lease 1h -a "$dir/queue" >"$dir/out" 2>"$dir/log" 9>&- &
crawl=$!
away "a worker, whatever its lease" TERM 0
grep -q " 0 handed back" "$dir/out" && grep -q "others can have it when its lease has run out" "$dir/log"
point $? "which does not say that it handed back what nobody could be told"
finish
