#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A watch in the queue over PostgreSQL: workers are killed again and again ($KILLS, 6), connections of the others are cut by
# the database, and the same site is captured beside it. Then: one watch, one capture; each page was seen for the first
# time once, no look points at a record that is not there, the plan was never learned anew, and the site was asked no
# faster than allowed by all together, by its own log. $SEED of the kills. Skipped without PostgreSQL. TAP.
set -u
. "$(dirname "$0")/crawl-lib.bash"
kills=${KILLS:-6} delay=${DELAY:-150}
RANDOM=${SEED:-7}
pg=$here/../../tools/pg-temp
database=
declare -A pids
tidy() {
    local p
    for p in "${pids[@]}"; do kill -9 "$p" 2>/dev/null; done
    [ -z "$database" ] || "$pg" stop "$database"
}
if ! out=$("$pg" start $$ 2>"$dir/log"); then
    skip "a watch in the queue with PostgreSQL" "$(head -n 1 "$dir/log")"
    finish
fi
database=${out% *} url=${out#* }
sql() { psql -At "$url" -c "$1" 2>>"$dir/log"; }
cat >"$dir/routes.py" <<'PY'
asked = 0
def answer(host, target, headers):
    if target == "/robots.txt": return 200, {"Content-Type": "text/plain"}, "User-agent: *\nAllow: /\n"
    if target == "/": return 200, {}, "".join("<a href='/p%d'>p</a>" % i for i in range(8))
    if target == "/p0":
        global asked
        asked += 1
        return 200, {}, "<h1>News</h1><p>" + ("Trains were late. ", "It rains. ", "A cat was found. ", "Elections are held. ")[asked // 4 % 4] * 20
    if target.startswith("/p"): return 200, {}, "<h1>%s</h1><p>it stays as it is" % target
PY
start_site
archive=$dir/fleet
mkdir "$archive"
echo "store: $url" >"$archive/sharc.yaml"
site=http://127.0.0.1:$port
# However long it takes, within reason.
until_true() {
    local _
    for _ in $(seq 6000); do "$@" && return; sleep 0.1; done
    return 1
}
start_worker() {
    "$sharc" worker --sites 3 --poll 200ms --lease 2s --name "$1" -a "$archive" >>"$dir/$1.out" 2>>"$dir/$1.err" 9>&- &
    pids[$1]=$!
}
looks() { sql "SELECT count(*) FROM watch_look" || echo 0; }

"$sharc" watch --queue --allow-private --budget 36000/h --shortest 1s --delay "${delay}ms" -a "$archive" "$site"/{,p0,p1,p2,p3,p4,p5} >"$dir/out" 2>"$dir/log" &&
    "$sharc" crawl --queue --allow-private --delay "${delay}ms" --no-probe --no-sitemaps -a "$archive" "$site/" >>"$dir/out" 2>>"$dir/log"
[ $? = 0 ] && [ "$(wc -l <"$dir/out")" = 2 ]
point $? "a watch and a capture of one site are queued"
"$sharc" watch --queue --allow-private -a "$archive" "$site/" 2>"$dir/log" >"$dir/out"
grep -q "has such a job already" "$dir/log" && [ ! -s "$dir/out" ]
point $? "the same watch is not queued twice"

start_worker w1
start_worker w2
killed=0
while [ $killed -lt "$kills" ]; do
    before=$(looks)
    until_true eval '[ "$(looks)" -gt $((before + 5)) ]' || break
    owner=$(sql "SELECT owner FROM job WHERE kind = 'watch' AND state = 1")
    [ -n "$owner" ] || continue
    kill -9 "${pids[$owner]}" && wait "${pids[$owner]}" 2>/dev/null
    killed=$((killed + 1))
    start_worker "$owner"
    # What a pooler does to its clients: connections end in the middle of anything.
    sql "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'sharc' AND random() < 0.5" >/dev/null
done
before=$(looks)
until_true eval '[ "$(looks)" -gt $((before + 5)) ]'
code=$?
tail -qn 4 "$dir"/w?.err >"$dir/log"
[ $code = 0 ] && [ $killed = "$kills" ]
point $? "$killed workers that had the watch were killed, connections were cut, watching goes on ($(looks) looks)"
until_true eval '[ "$(sql "SELECT state FROM job WHERE kind = '"'crawl'"'")" = 2 ]'
point $? "the capture of the same site is done beside it"
"$sharc" jobs cancel -a "$archive" "$("$sharc" jobs -a "$archive" --json | python3 -c 'import json, sys; print([j["job"] for j in json.load(sys.stdin)["jobs"] if j["kind"] == "watch"][0])')" >"$dir/log" 2>&1
until_true eval '[ "$(sql "SELECT count(*) FROM lease")" = 0 ]'
code=$?
tail -qn 4 "$dir"/w?.err >"$dir/log"
[ $code = 0 ] && [ "$(sql "SELECT state FROM job WHERE kind = 'watch'")" = 5 ]
point $? "a watch that is cancelled comes to its end"
code=0
for w in w1 w2; do kill -TERM "${pids[$w]}" && wait "${pids[$w]}" || code=$?; done
pids=()
[ $code = 0 ]
point $? "the workers end when they are asked to (exit code $code)"

# --- what it came to -------------------------------------------------------------------------
[ "$(sql "SELECT count(*) FROM capture WHERE purpose = 'watch'")" = 1 ]
point $? "all turns are one capture"
sql "SELECT u.text, count(*) FROM watch_look l JOIN url u ON u.id = l.url WHERE shown = 0 GROUP BY 1 HAVING count(*) <> 1" >"$dir/log"
[ ! -s "$dir/log" ] && [ "$(sql "SELECT count(*) FROM watch_look WHERE shown = 0")" = 7 ]
point $? "each page was seen for the first time once"
sql "SELECT u.text, l.shown FROM watch_look l JOIN url u ON u.id = l.url WHERE l.shown = 3 AND u.text NOT LIKE '%/p0'" >"$dir/log"
[ ! -s "$dir/log" ] && [ "$(sql "SELECT count(*) > 0 FROM watch_look WHERE shown = 3")" = t ]
code=$?
[ $code = 0 ] || sql "SELECT u.text, l.shown, count(*) FROM watch_look l JOIN url u ON u.id = l.url GROUP BY 1, 2 ORDER BY 1, 2" >>"$dir/log"
[ $code = 0 ]
point $? "changes were seen of the page that changes, and of no other"
! grep -h "learned again\|damaged" "$dir"/w?.err >"$dir/log"
point $? "the plan was never learned anew"
"$sharc" verify "$archive" >"$dir/log" 2>&1
point $? "the catalogue agrees with the WARC files"
! ls "$archive"/warcs/*.open "$archive"/warcs/*.taken >"$dir/log" 2>&1
point $? "no file is left open"
python3 - "$dir/requests" "$delay" >"$dir/log" <<'PY'
import json, sys
times = sorted(json.loads(l)["in"] for l in open(sys.argv[1]))
gaps = [b - a for a, b in zip(times, times[1:])]
print("# requests: %d, shortest pause: %.3f s" % (len(times), min(gaps)))
sys.exit(min(gaps) < float(sys.argv[2]) / 1000)
PY
code=$?
cat "$dir/log"
[ $code = 0 ]
point $? "all workers together asked the site no faster than allowed"
finish
