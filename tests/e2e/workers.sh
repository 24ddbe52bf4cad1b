#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# $WORKERS (4) workers share a queue of $SITES (8) sites in PostgreSQL. Workers are killed ($KILLS, 2), one is
# suspended past its lease and woken up again, the database is restarted, one worker is asked to go. Then: every
# site was captured once, no record is lost or doubled, no host was asked faster than allowed by the
# server's own log, grades are right by what the server sent, and the one who slept wrote not a row.
# $SEED of the kills. Skipped without PostgreSQL. TAP.
set -u
. "$(dirname "$0")/crawl-lib.bash"
sites=${SITES:-8} workers=${WORKERS:-4} kills=${KILLS:-2} delay=${DELAY:-60} lease=${LEASE:-3s}
RANDOM=${SEED:-11}
pg=$here/../../tools/pg-temp
database=
declare -A pids
tidy() {
    local p
    for p in "${pids[@]}"; do { kill -CONT "$p"; kill -9 "$p"; } 2>/dev/null; done
    [ -z "$database" ] || "$pg" stop "$database"
}
if ! out=$("$pg" start $$ 2>"$dir/log"); then
    skip "workers with PostgreSQL" "$(head -n 1 "$dir/log")"
    finish
fi
database=${out% *} url=${out#* }
sql() { psql -At "$url" -c "$1" 2>>"$dir/log"; }

# Every site has pages that never change, and one that changes every four seconds; what was sent of it is noted.
cat >"$dir/routes.py" <<'PY'
import os, time
sent = open(os.path.dirname(__file__) + "/sent", "a", buffering=1)
def answer(host, target, headers):
    if target == "/robots.txt": return 200, {"Content-Type": "text/plain"}, "User-agent: *\nAllow: /\n"
    if target == "/": return 200, {}, "".join("<a href='/p%d'>p</a>" % i for i in range(6)) + "<a href=/changing>c</a>"
    if target == "/changing":
        version = int(time.time() / 4)
        sent.write("%s %d\n" % (host, version))
        return 200, {}, "<p>this is version %d of the page" % version
    if target.startswith("/p"): return 200, {}, "<h1>%s of %s</h1><p>it stays as it is" % (target, host)
PY
start_site
archive=$dir/fleet
mkdir "$archive"
echo "store: $url" >"$archive/sharc.yaml"
for i in $(seq "$sites"); do echo "http://s$i.example:$port/"; done >"$dir/seeds"
connect=()
for i in $(seq "$sites"); do connect+=(--connect-to "s$i.example:$port:127.0.0.1:$port"); done
"$sharc" crawl -q --queue --allow-private --contact story@example.org --for evidence --focus 0 --controls none --no-probe \
    --no-sitemaps --delay "${delay}ms" --collection odd "${connect[@]}" -a "$archive" $(sed -n 'p;n' "$dir/seeds") >"$dir/out" 2>"$dir/log" &&
    "$sharc" crawl -q --queue --allow-private --contact story@example.org --for evidence --focus 0 --controls none --no-probe \
        --no-sitemaps --delay "${delay}ms" --collection even "${connect[@]}" -a "$archive" $(sed -n 'n;p' "$dir/seeds") >>"$dir/out" 2>>"$dir/log"
code=$?
[ $code = 0 ] && [ "$(wc -l <"$dir/out")" = "$sites" ]
point $? "$sites sites are queued"

start_worker() { # start_worker NAME
    "$sharc" worker --drain --sites 3 --poll 200ms --lease "$lease" --name "$1" -a "$archive" >"$dir/$1.out" 2>>"$dir/$1.err" 9>&- &
    pids[$1]=$!
}
done_jobs() { sql "SELECT count(*) FROM job WHERE state = 2" || echo 0; }
pause_ms() { sleep "$(($1 / 1000)).$(printf %03d $(($1 % 1000)))"; }

# --- one sleeps past its lease, alone with its job -----------------------------------------
start_worker sleeper
for _ in $(seq 400); do [ "$(sql "SELECT count(*) > 4 FROM page")" = t ] && break; sleep 0.05; done
# Not in the middle of a transaction: what that would hold up, docs/scaling.md says.
for _ in $(seq 100); do
    kill -STOP "${pids[sleeper]}"
    [ "$(sql "SELECT count(*) FROM pg_stat_activity WHERE xact_start IS NOT NULL AND pid <> pg_backend_pid() AND datname IS NOT NULL")" = 0 ] && break
    kill -CONT "${pids[sleeper]}"
    sleep 0.03
done
sql "SELECT j.id, j.epoch, j.capture FROM job j WHERE owner = 'sleeper' AND state = 1" >"$dir/slept"
for i in $(seq "$workers"); do start_worker "w$i"; done
for _ in $(seq 2400); do
    left=$(for j in $(cut -d'|' -f1 "$dir/slept"); do sql "SELECT id FROM job WHERE id = $j AND state <> 2"; done | wc -l)
    [ "$left" = 0 ] && break
    # --- meanwhile others are killed ---
    if [ "$kills" -gt 0 ] && [ "$(done_jobs)" -ge 1 ]; then
        pause_ms $((RANDOM % 700 + 100))
        victim=w$((RANDOM % workers + 1))
        kill -9 "${pids[$victim]}" 2>/dev/null && wait "${pids[$victim]}" 2>/dev/null
        start_worker "$victim"
        kills=$((kills - 1))
    fi
    sleep 0.1
done
[ "$left" = 0 ] && [ -s "$dir/slept" ]
point $? "$(wc -l <"$dir/slept") jobs of a worker that sleeps are taken over and done"
captures=$(cut -d'|' -f3 "$dir/slept" | paste -sd, -)
rows() { sql "SELECT md5(string_agg(t::text, ' ' ORDER BY t::text)) FROM (SELECT p::text AS t FROM page p WHERE capture IN ($captures)
    UNION ALL SELECT l::text FROM look l WHERE capture IN ($captures) UNION ALL SELECT g::text FROM grade g WHERE capture IN ($captures)
    UNION ALL SELECT w::text FROM warc w WHERE capture IN ($captures) UNION ALL SELECT c::text FROM capture c WHERE id IN ($captures)
    UNION ALL SELECT j::text FROM journal j WHERE capture IN ($captures)) x"; }
rows >"$dir/before"
kill -CONT "${pids[sleeper]}"
for _ in $(seq 600); do [ "$(grep -c "taken it over" "$dir/sleeper.err")" -ge "$(wc -l <"$dir/slept")" ] && break; sleep 0.05; done
cat "$dir/sleeper.err" >"$dir/log"
[ "$(grep -c "taken it over" "$dir/sleeper.err")" -ge "$(wc -l <"$dir/slept")" ]
point $? "it wakes up and learns that they are not its own any more"
rows | cmp - "$dir/before" >"$dir/log" 2>&1
point $? "it has not written a row"

# --- the database goes away and comes back, a worker is asked to go, others are killed ------
kill -QUIT "$(head -n 1 "$database/data/postmaster.pid")"
sleep 0.5
"$pg" restart "$database" >/dev/null 2>&1
kill -TERM "${pids[w1]}" 2>/dev/null
wait "${pids[w1]}"
code=$?
tail -n 3 "$dir/w1.err" >"$dir/log"
[ $code = 0 ]
point $? "the database was restarted; a worker that is asked to go hands its jobs back (exit code $code)"
while [ "$kills" -gt 0 ]; do
    pause_ms $((RANDOM % 1500 + 200))
    victim=w$((RANDOM % (workers - 1) + 2))
    kill -9 "${pids[$victim]}" 2>/dev/null && wait "${pids[$victim]}" 2>/dev/null
    start_worker "$victim"
    kills=$((kills - 1))
done
code=0
for name in "${!pids[@]}"; do
    [ "$name" = w1 ] && continue
    wait "${pids[$name]}" || code=$?
done
pids=()
tail -qn 3 "$dir"/*.err >"$dir/log"
[ $code = 0 ]
point $? "the workers end when nothing is left (exit code $code)"

# --- what it came to -------------------------------------------------------------------------
"$sharc" jobs -a "$archive" >"$dir/log" 2>&1
[ "$(done_jobs)" = "$sites" ] && [ "$(sql "SELECT count(*) FROM lease")" = 0 ]
point $? "all jobs are done, no lease is left"
sql "SELECT s.name, count(*) FROM capture c JOIN site s ON s.id = c.site GROUP BY s.name HAVING count(*) <> 1 OR min(c.state) <> (SELECT min(state) FROM capture)" >"$dir/log"
[ ! -s "$dir/log" ] && [ "$(sql "SELECT count(*) FROM capture WHERE ended IS NOT NULL")" = "$sites" ]
point $? "every site has one capture, and it is complete"
sql "SELECT c.id, (SELECT count(*) FROM page p WHERE p.capture = c.id AND status = 200), (SELECT count(*) FROM look l WHERE l.capture = c.id AND kind = 2) FROM capture c" |
    grep -v '|8|8$' >"$dir/log"
[ ! -s "$dir/log" ]
point $? "every capture has its eight pages, each with its revisit"
"$sharc" verify "$archive"/warcs/*.warc.gz >"$dir/log" 2>&1
point $? "the WARC files are valid"
"$sharc" verify "$archive" >"$dir/log" 2>&1
point $? "the catalogue agrees with them"
! ls "$archive"/warcs/*.open "$archive"/warcs/*.taken >"$dir/log" 2>&1
point $? "no file is left open"

cat >"$dir/check.py" <<'PY'
import collections, gzip, json, re, subprocess, sys, glob
dir, url, delay = sys.argv[1], sys.argv[2], float(sys.argv[3]) / 1000
def sql(q): return [l.split("|") for l in subprocess.run(["psql", "-At", url, "-c", q], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()]
# Records: what the metadata records call visit and revisit, against the rows.
written = collections.Counter()
for path in glob.glob(dir + "/fleet/warcs/*.warc.gz"):
    for block in re.split(rb"(?=WARC/1\.1\r\n)", gzip.open(path).read()):
        if b"WARC-Type: metadata" not in block: continue
        target = re.search(rb"WARC-Target-URI: (\S+)", block)
        kind = re.search(rb"sharc-kind: (\S+)", block)
        if target and kind: written[target.group(1).decode(), kind.group(1).decode()] += 1
rows = collections.Counter()
for u, in sql("SELECT u.text FROM page p JOIN url u ON u.id = p.url WHERE p.warc IS NOT NULL"): rows[u, "visit"] += 1
for u, in sql("SELECT u.text FROM look l JOIN url u ON u.id = l.url WHERE l.kind = 2 AND l.warc IS NOT NULL"): rows[u, "revisit"] += 1
doubled = [k for k, v in written.items() if v > 1 and k[1] in ("visit", "revisit")]
lost = [k for k in rows if not written[k]]
more = [k for k in written if k[1] in ("visit", "revisit") and not rows[k]]
print("records: doubled", doubled[:3], "lost", lost[:3], "without a row", more[:3])
# Politeness: from the end of one request at the server to the beginning of the next.
last, gaps = {}, []
for r in sorted(map(json.loads, open(dir + "/requests")), key=lambda r: r["in"]):
    if r["host"] in last: gaps.append((r["in"] - last[r["host"]], r["host"], r["target"]))
    last[r["host"]] = r["in"]
print("requests:", len(gaps) + len(last), "shortest pause:", min(gaps))
# Grades: a page counts as the same exactly when the server sent the same.
wrong = []
versions = dict(((u, w), d) for u, w, d in sql("SELECT u.text, 0, encode(p.digest, 'hex') FROM page p JOIN url u ON u.id = p.url UNION ALL "
    "SELECT u.text, 1, encode(l.digest, 'hex') FROM look l JOIN url u ON u.id = l.url WHERE l.kind = 2"))
for u, reason in sql("SELECT u.text, g.reason FROM grade g JOIN url u ON u.id = g.url"):
    same = versions.get((u, "0")) == versions.get((u, "1"))
    changing = u.endswith("/changing")
    if not changing and not same: wrong.append((u, "differs"))
    if (reason == "1") != same: wrong.append((u, reason, same))
changed = sum(versions[u, "0"] != versions[u, "1"] for u, w in versions if w == "0" and u.endswith("/changing"))
sent = collections.defaultdict(set)
for l in open(dir + "/sent"): h, v = l.split(); sent[h].add(v)
could = sum(len(v) > 1 for v in sent.values())
print("grades: wrong", wrong[:5], "changing pages that differ:", changed, "of", could, "that could")
sys.exit(bool(doubled or lost or more) | 2 * (min(gaps)[0] < delay) | 4 * bool(wrong or changed > could))
PY
python3 "$dir/check.py" "$dir" "$url" "$delay" >"$dir/log" 2>&1
code=$?
grep '^requests:' "$dir/log" | sed 's/^/# /'
[ $((code & 1)) = 0 ]
point $? "no record is lost or doubled: WARC files against catalogue"
[ $((code & 2)) = 0 ]
point $? "no host was asked faster than allowed, by the server's log"
[ $((code & 4)) = 0 ]
point $? "grades are right by what the server sent"
finish
