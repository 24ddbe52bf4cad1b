#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# $WORKERS (4) workers share a queue of $SITES (20) sites and $LABS (5) living ones (sharc lab serve) in PostgreSQL, each
# worker in a name space of networks of its own, joined to that of the database and of the sites by a bridge. The sites are queued in five lots, and with each lot
# something goes wrong: one worker is suspended past its lease, in the middle of a transaction, and woken up again; workers
# are killed at random ($KILLS, 3); one is cut off the network for longer than its lease; the database is restarted
# and one is asked to go; the disk of the archive is full. Then: every site was captured once, no record is lost or
# doubled, no host was asked faster than allowed by the server's own log, grades are right by what the server
# sent and by what the living sites logged of themselves, and neither the one who slept nor the one who was cut off wrote a row that was not theirs to write.
# $SEED of the kills. Skipped without PostgreSQL; without root the workers share the loopback, and what needs a
# network of their own or a disk is skipped. TAP.
set -u
if [ "${1:-}" != inside ] && [ "$(id -u)" = 0 ] && unshare --mount true 2>/dev/null; then exec unshare --mount "$0" inside; fi
. "$(dirname "$0")/crawl-lib.bash"
sites=${SITES:-20} labs=${LABS:-5} workers=${WORKERS:-4} kills=${KILLS:-3} delay=${DELAY:-60} lease=${LEASE:-3s}
RANDOM=${SEED:-11}
pg=$here/../../tools/pg-temp
database=
declare -A pids
living_sites=()

# --- networks: the hub has the database and the sites, every worker its own link to it ------------
net= hub=127.0.0.1 reached=1
hosts_down() {
    local i
    [ -n "$net" ] || return 0
    for i in $(seq 0 "$workers"); do ip netns del "$net$i" 2>/dev/null; done
    net=
}
hosts_up() {
    local i
    [ "$(id -u)" = 0 ] && [ "${1:-}" != off ] || { echo "only root can make networks" >"$dir/log"; return 1; }
    net=sharc$$-
    { ip netns add "${net}0" && ip -n "${net}0" link set lo up &&
        ip -n "${net}0" link add br0 address 02:00:00:00:00:01 type bridge && ip -n "${net}0" addr add 10.77.0.1/24 dev br0 &&
        ip -n "${net}0" link set br0 up; } 2>"$dir/log" || { hosts_down; return 1; }
    for i in $(seq "$workers"); do
        { ip netns add "$net$i" && ip -n "$net$i" link set lo up && ip -n "${net}0" link add "v$i" type veth peer name eth0 netns "$net$i" &&
            ip -n "${net}0" link set "v$i" master br0 up && ip -n "$net$i" addr add "10.77.0.$((10 + i))/24" dev eth0 &&
            ip -n "$net$i" link set eth0 up; } 2>"$dir/log" || { hosts_down; return 1; }
    done
    hub=10.77.0.1 reached=$workers
}
# on N COMMAND...: in the name space of worker N; 0 is the hub.
on() {
    local i=$1
    shift
    if [ -n "$net" ]; then ip netns exec "$net$i" "$@"; else "$@"; fi
}
tidy() {
    local p
    for p in "${living_sites[@]}"; do kill "$p" 2>/dev/null; done
    for p in "${pids[@]}"; do { kill -CONT "$p"; kill -9 "$p"; } 2>/dev/null; done
    [ -z "$database" ] || on 0 "$pg" stop "$database"
    umount "$dir/fleet" 2>/dev/null
    hosts_down
}
hosts_up "${NETWORKS:-}"
[ -z "$net" ] || export SITE_ADDRESSES=$hub PG_TEMP_ADDRESS=$hub
if ! out=$(on 0 "$pg" start $$ 2>"$dir/log"); then
    skip "workers with PostgreSQL" "$(head -n 1 "$dir/log")"
    finish
fi
database=${out% *} url=${out#* }
sql() { on 0 psql -At "$url" -c "$1" 2>>"$dir/log"; }

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
[ -z "$net" ] || site_in=(ip netns exec "${net}0")
start_site
# Living sites: every page is edited every 4 s or so, half of them carry a token that is new with each answer. They are
# served on loopback; who has a network of its own reaches them by way of the hub.
lab_port=()
for i in $(seq "$labs"); do
    "${site_in[@]}" "$sharc" lab serve --quiet --seed "$i" --pages 10 --edits price,title,word,negation,image --noise token:0.5 --hottest 4s --skew 0 \
        --counters 0 --layouts 0 --sitemaps 0 --truth "$dir/lab$i.truth" --requests "$dir/lab$i.requests" --ready-file "$dir/lab$i.ready" \
        >>"$dir/labs.log" 2>&1 9>&- &
    living_sites+=($!)
done
for i in $(seq "$labs"); do
    while alive "${living_sites[$((i - 1))]}" && ! [ -s "$dir/lab$i.ready" ]; do sleep 0.05; done
    lab_port[i]=$(sed 's/.*:\([0-9]*\).*/\1/' "$dir/lab$i.ready")
done
if [ -n "$net" ] && [ "$labs" -gt 0 ]; then
    cat >"$dir/forward.py" <<'PY'
import asyncio, sys
async def copy(source, sink):
    try:
        while data := await source.read(65536):
            sink.write(data)
            await sink.drain()
    except OSError: pass
    sink.close()
def forward(port):
    async def serve(reader, writer):
        try: r, w = await asyncio.open_connection("127.0.0.1", port)
        except OSError: return writer.close()
        await asyncio.gather(copy(reader, w), copy(r, writer))
    return serve
async def main(address, ports):
    servers = [await asyncio.start_server(forward(p), address, p) for p in ports]
    print("ready", flush=True)
    await asyncio.gather(*(s.serve_forever() for s in servers))
asyncio.run(main(sys.argv[1], list(map(int, sys.argv[2:]))))
PY
    "${site_in[@]}" python3 "$dir/forward.py" "$hub" "${lab_port[@]}" >"$dir/forward.out" 2>>"$dir/labs.log" 9>&- &
    living_sites+=($!)
    while alive $! && ! [ -s "$dir/forward.out" ]; do sleep 0.05; done
fi
archive=$dir/fleet
mkdir "$archive"
disk=
if [ "${1:-}" = inside ] && mount -t tmpfs -o size=500m sharc-test "$archive" 2>"$dir/log"; then disk=yes; fi
# The test database does not wait for its disk; one that is restarted must keep what it said it had.
echo "store: $url?options=-csynchronous_commit%3Don" >"$archive/sharc.yaml"
connect=()
for i in $(seq "$sites"); do connect+=(--connect-to "s$i.example:$port:$hub:$port"); done
lots=5 queued=0 all=$((sites + labs))
# queue LOT: the sites of this lot, in two collections; the living ones in a third.
queue() {
    local from=$((sites * ($1 - 1) / lots + 1)) to=$((sites * $1 / lots)) c i code=0 seeds living=() ways=()
    for c in odd even; do
        seeds=()
        for i in $(seq "$from" "$to"); do
            [ $((i % 2)) = $([ $c = odd ] && echo 1 || echo 0) ] && seeds+=("http://s$i.example:$port/")
        done
        [ ${#seeds[@]} = 0 ] || on 0 "$sharc" crawl -q --queue --allow-private --contact story@example.org --for evidence --focus 0 \
            --controls none --no-probe --no-sitemaps --delay "${delay}ms" --collection $c "${connect[@]}" -a "$archive" "${seeds[@]}" \
            >>"$dir/out" 2>>"$dir/log" || code=$?
    done
    for i in $(seq $((labs * ($1 - 1) / lots + 1)) $((labs * $1 / lots))); do
        living+=("http://lab$i.example:${lab_port[i]}/")
        ways+=(--connect-to "lab$i.example:${lab_port[i]}:$hub:${lab_port[i]}")
    done
    [ ${#living[@]} = 0 ] || on 0 "$sharc" crawl -q --queue --allow-private --contact story@example.org --for evidence --no-probe --no-sitemaps \
        --delay "${delay}ms" --collection living "${ways[@]}" -a "$archive" "${living[@]}" >>"$dir/out" 2>>"$dir/log" || code=$?
    queued=$((to + labs * $1 / lots))
    [ $code = 0 ] && [ "$(wc -l <"$dir/out")" = "$queued" ]
    point $? "lot $1: sites $from to $to and ${#living[@]} living ones are queued"
}
start_worker() { # start_worker NAME NUMBER [OPTION...]
    local name=$1 i=$2
    shift 2
    if [ -n "$net" ]; then set -- ip netns exec "$net$i" "$sharc" worker "$@"; else set -- "$sharc" worker "$@"; fi
    "$@" --sites 3 --poll 200ms --lease "$lease" --name "$name" -a "$archive" >>"$dir/$name.out" 2>>"$dir/$name.err" 9>&- &
    pids[$name]=$!
}
done_jobs() { sql "SELECT count(*) FROM job WHERE state = 2" || echo 0; }
lot_done() { [ "$(done_jobs)" = "$queued" ]; }
pause_ms() { sleep "$(($1 / 1000)).$(printf %03d $(($1 % 1000)))"; }
# until_true COMMAND...: however long it takes, within reason.
until_true() {
    local _
    for _ in $(seq 6000); do "$@" && return; sleep 0.1; done
    return 1
}
# jobs_of WORKER: number, epoch and capture of what it runs.
jobs_of() { sql "SELECT id, epoch, capture FROM job WHERE owner = '$1' AND state = 1"; }
# taken FILE: is none of these jobs with that epoch any more?
taken() {
    local id epoch rest
    while IFS='|' read -r id epoch rest; do
        [ "$(sql "SELECT count(*) FROM job WHERE id = $id AND epoch = $epoch AND state = 1")" = 0 ] || return 1
    done <"$1"
}

# --- one sleeps past its lease, alone with its jobs, inside a transaction ---------------------
queue 1
start_worker sleeper 1
until_true eval '[ "$(sql "SELECT count(*) > 4 FROM page")" = t ]'
how="between two transactions"
for _ in $(seq 150); do
    kill -STOP "${pids[sleeper]}"
    if [ "$(sql "SELECT count(*) FROM pg_stat_activity WHERE xact_start IS NOT NULL AND backend_xid IS NOT NULL AND pid <> pg_backend_pid()")" != 0 ]; then
        how="inside a transaction"
        break
    fi
    [ "$(sql "SELECT count(*) FROM job WHERE owner = 'sleeper' AND state = 1")" -gt 1 ] || break
    kill -CONT "${pids[sleeper]}"
    pause_ms $((RANDOM % 40 + 5))
done
jobs_of sleeper >"$dir/slept"
for i in $(seq "$workers"); do start_worker "w$i" "$i"; done
until_true lot_done && [ -s "$dir/slept" ]
point $? "$(wc -l <"$dir/slept") jobs of a worker that sleeps ($how) are taken over and done"
captures=$(cut -d'|' -f3 "$dir/slept" | paste -sd, -)
rows() { sql "SELECT md5(string_agg(t::text, ' ' ORDER BY t::text)) FROM (SELECT p::text AS t FROM page p WHERE capture IN ($captures)
    UNION ALL SELECT l::text FROM look l WHERE capture IN ($captures) UNION ALL SELECT g::text FROM grade g WHERE capture IN ($captures)
    UNION ALL SELECT w::text FROM warc w WHERE capture IN ($captures) UNION ALL SELECT c::text FROM capture c WHERE id IN ($captures)
    UNION ALL SELECT j::text FROM journal j WHERE capture IN ($captures)) x"; }
rows >"$dir/before"
kill -CONT "${pids[sleeper]}"
until_true eval '[ "$(grep -c "taken it over" "$dir/sleeper.err")" -ge "$(wc -l <"$dir/slept")" ]'
code=$?
cat "$dir/sleeper.err" >"$dir/log"
[ $code = 0 ]
point $? "it wakes up and learns that they are not its own any more"
rows | cmp - "$dir/before" >"$dir/log" 2>&1
point $? "it has not written a row"
kill -TERM "${pids[sleeper]}"
wait "${pids[sleeper]}"
code=$?
unset 'pids[sleeper]'
[ $code = 0 ]
point $? "and goes when it is asked to (exit code $code)"

# --- workers are killed ------------------------------------------------------------------------
queue 2
killed=0
while [ "$kills" -gt 0 ] && ! lot_done; do
    pause_ms $((RANDOM % 1200 + 100))
    i=$((RANDOM % workers + 1))
    kill -9 "${pids[w$i]}" 2>/dev/null && wait "${pids[w$i]}" 2>/dev/null
    start_worker "w$i" "$i"
    kills=$((kills - 1)) killed=$((killed + 1))
done
until_true lot_done
code=$?
tail -qn 3 "$dir"/w*.err >"$dir/log"
[ $code = 0 ] && [ "$killed" -gt 0 ]
point $? "$killed workers were killed, the lot is done"

# --- one is cut off the network, for longer than its lease ---------------------------------------
# The workers but number 2, who shall have something to lose, and something to do when it is back.
stop_others() {
    local i
    for i in $(seq "$workers"); do [ "$i" = 2 ] || { kill -TERM "${pids[w$i]}"; wait "${pids[w$i]}"; }; done
}
start_others() {
    local i
    for i in $(seq "$workers"); do [ "$i" = 2 ] || start_worker "w$i" "$i"; done
}
if [ -n "$net" ]; then
    stop_others
    queue 3
    until_true eval '[ "$(jobs_of w2 | wc -l)" -gt 0 ]'
    ip -n "${net}0" link set v2 nomaster # silent: no answer, no refusal
    jobs_of w2 >"$dir/cut"
    start_others
    until_true taken "$dir/cut"
    code=$?
    [ $code = 0 ] && [ -s "$dir/cut" ]
    point $? "$(wc -l <"$dir/cut") jobs of a worker that is cut off are taken over"
    until_true lot_done
    point $? "the lot is done without it"
    captures=$(cut -d'|' -f3 "$dir/cut" | grep . | paste -sd, -)
    rows >"$dir/before"
    stop_others
    ip -n "${net}0" link set v2 master br0
    queue 4
    until_true eval '[ "$(jobs_of w2 | wc -l)" -gt 0 ]'
    code=$?
    tail -n 5 "$dir/w2.err" >"$dir/log"
    [ $code = 0 ]
    point $? "when its network is back it works on"
    until_true eval '[ "$(grep -c "taken it over\|could not be reached" "$dir/w2.err")" -ge "$(wc -l <"$dir/cut")" ]' &&
        rows | cmp - "$dir/before" >"$dir/log" 2>&1
    point $? "it knows what it has lost, and has not written a row of that"
    start_others
else
    queue 3
    until_true lot_done
    skip "a worker is cut off the network" "only root can make networks"
    queue 4
fi

# --- the database goes away and comes back, a worker is asked to go -------------------------------
# Each worker has two connections from its beginning: one that comes too late to know the database may well fail.
until_true eval '[ "$(sql "SELECT count(DISTINCT client_addr) FROM pg_stat_activity WHERE application_name = '"'sharc'"'")" -ge "$reached" ]'
until_true eval '[ "$(sql "SELECT count(*) FROM pg_stat_activity WHERE application_name = '"'sharc'"'")" -ge $((2 * workers)) ]'
kill -QUIT "$(head -n 1 "$database/data/postmaster.pid")"
sleep 0.5
on 0 "$pg" restart "$database" >/dev/null 2>&1
kill -TERM "${pids[w1]}" 2>/dev/null
wait "${pids[w1]}"
code=$?
tail -n 3 "$dir/w1.err" >"$dir/log"
[ $code = 0 ]
point $? "the database was restarted; a worker that is asked to go hands its jobs back (exit code $code)"
start_worker w1 1
until_true lot_done
point $? "the lot is done"

# --- the disk is full ------------------------------------------------------------------------------
if [ -n "$disk" ]; then
    dd if=/dev/zero of="$archive/filler" bs=64k 2>/dev/null
    cat "$dir"/w*.err >"$dir/said"
    queue 5
    until_true eval '[ "$(cat "$dir"/w*.err | grep -c "waiting until there is room")" -gt "$(grep -c "waiting until there is room" "$dir/said")" ]'
    code=$?
    tail -qn 3 "$dir"/w*.err >"$dir/log"
    [ $code = 0 ] && [ "$(sql "SELECT count(*) FROM job WHERE state = 3")" = 0 ]
    point $? "the disk is full: workers wait, no job is given up"
    rm "$archive/filler"
else
    queue 5
    skip "the disk of the archive is full" "nothing can be mounted here"
fi
until_true lot_done
code=$?
tail -qn 3 "$dir"/w*.err >"$dir/log"
[ $code = 0 ]
point $? "everything is done"
start_worker drain 1 --drain
wait "${pids[drain]}"
code=$?
for i in $(seq "$workers"); do
    kill -TERM "${pids[w$i]}"
    wait "${pids[w$i]}" || code=$?
done
pids=()
tail -qn 3 "$dir"/*.err >"$dir/log"
[ $code = 0 ]
point $? "the workers end when nothing is left, and when they are asked to (exit code $code)"

# --- a database that lets nobody write, and one that says nothing ---------------------------------
sql "CREATE ROLE reader LOGIN" >/dev/null
sql "GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader" >/dev/null
on 0 "$sharc" worker -q -a "$archive" --store "$(sed 's,//[^@]*@,//reader@,' <<<"$url")" >"$dir/log" 2>&1 9>&-
[ $? = 6 ] && grep -q "grant this role" "$dir/log"
point $? "a worker whose role may not write says so at once, also when there is nothing to do"
start_worker silent 1
until_true eval '[ "$(sql "SELECT count(*) FROM worker WHERE name = '"'silent'"'")" = 1 ]'
postmaster=$(head -n 1 "$database/data/postmaster.pid")
mapfile -t suspended < <(echo "$postmaster"; pgrep -P "$postmaster")
kill -STOP "${suspended[@]}"
kill -INT "${pids[silent]}"
wait "${pids[silent]}"
code=$?
unset 'pids[silent]'
kill -CONT "${suspended[@]}"
cat "$dir/silent.err" >"$dir/log"
[ $code = 0 ]
point $? "a worker that is asked to go does not wait for a database that is suspended (exit code $code)"

# --- what it came to -------------------------------------------------------------------------
on 0 "$sharc" jobs -a "$archive" >"$dir/log" 2>&1
[ "$(done_jobs)" = "$all" ] && [ "$(sql "SELECT count(*) FROM lease")" = 0 ]
point $? "all jobs are done, no lease is left"
sql "SELECT s.name, count(*) FROM capture c JOIN site s ON s.id = c.site GROUP BY s.name HAVING count(*) <> 1 OR min(c.state) <> (SELECT min(state) FROM capture)" >"$dir/log"
[ ! -s "$dir/log" ] && [ "$(sql "SELECT count(*) FROM capture WHERE ended IS NOT NULL")" = "$all" ]
point $? "every site has one capture, and it is complete"
sql "SELECT c.id, (SELECT count(*) FROM page p WHERE p.capture = c.id AND status = 200), (SELECT count(*) FROM look l WHERE l.capture = c.id AND kind = 2) FROM capture c JOIN site s ON s.id = c.site WHERE s.name LIKE 's%'" |
    grep -v '|8|8$' >"$dir/log"
[ ! -s "$dir/log" ]
point $? "every capture has its eight pages, each with its revisit"
"$sharc" verify "$archive"/warcs/*.warc.gz >"$dir/log" 2>&1
point $? "the WARC files are valid"
on 0 "$sharc" verify "$archive" >"$dir/log" 2>&1
point $? "the catalogue agrees with them"
! ls "$archive"/warcs/*.open "$archive"/warcs/*.taken >"$dir/log" 2>&1
point $? "no file is left open"

cat >"$dir/check.py" <<'PY'
import collections, datetime, gzip, json, re, subprocess, sys, glob
def moment(text): return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()
dir, url, delay = sys.argv[1], sys.argv[2], float(sys.argv[3]) / 1000
def sql(q): return [l.split("|") for l in subprocess.run(sys.argv[4:] + ["psql", "-At", url, "-c", q], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()]
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
for path in glob.glob(dir + "/lab*.requests"):
    times = sorted(moment(json.loads(l)["time"]) for l in open(path))
    gaps += [(b - a, path, "") for a, b in zip(times, times[1:])]
print("requests:", len(gaps) + len(last), "shortest pause:", min(gaps))
# Grades: a page counts as the same exactly when the server sent the same.
wrong = []
versions = dict(((u, w), d) for u, w, d in sql("SELECT u.text, 0, encode(p.digest, 'hex') FROM page p JOIN url u ON u.id = p.url UNION ALL "
    "SELECT u.text, 1, encode(l.digest, 'hex') FROM look l JOIN url u ON u.id = l.url WHERE l.kind = 2"))
for u, reason in sql("SELECT u.text, g.reason FROM grade g JOIN url u ON u.id = g.url WHERE u.text LIKE 'http://s%'"):
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
python3 "$dir/check.py" "$dir" "$url" "$delay" "${site_in[@]}" >"$dir/log" 2>&1
code=$?
grep '^requests:' "$dir/log" | sed 's/^/# /'
[ $((code & 1)) = 0 ]
point $? "no record is lost or doubled: WARC files against catalogue"
[ $((code & 2)) = 0 ]
point $? "no host was asked faster than allowed, by the server's log"
[ $((code & 4)) = 0 ]
point $? "grades are right by what the server sent"

# The living sites know every version of every page: what each capture says of its pages is held against that.
for p in "${living_sites[@]}"; do kill "$p" 2>/dev/null; done
wait "${living_sites[@]}" 2>/dev/null
code=0
: >"$dir/log"
for i in $(seq "$labs"); do
    capture=$(sql "SELECT c.id FROM capture c JOIN site s ON s.id = c.site WHERE s.name LIKE 'lab$i.example%'")
    on 0 "$sharc" lab judge --json "$archive" "$capture" --truth "$dir/lab$i.truth" >>"$dir/verdicts" 2>>"$dir/log" || { code=$?; echo "lab $i, capture $capture: $code" >>"$dir/log"; }
done
[ "$labs" = 0 ] || python3 - "$dir/verdicts" >>"$dir/log" 2>&1 <<'PY' || code=1
import collections, json, sys
total, why, decoder, text = {}, collections.Counter(), json.JSONDecoder(), open(sys.argv[1]).read().strip()
while text:
    v, end = decoder.raw_decode(text)
    text = text[end:].lstrip()
    for k in ("pairs", "edited", "false_proofs", "missed_proofs"): total[k] = total.get(k, 0) + v["evidence"][k]
    for m in v["evidence"]["missed"]: why["%s (noise: %s)" % (m["why"], m["noise"])] += m["pages"]
    total["wrong"] = total.get("wrong", 0) + v["bodies_wrong"]
    total["right"] = total.get("right", 0) + v["bodies_right"]
print("living: %d pairs, %d edited, %d false proofs, %d of the unedited not proved; %d bodies right, %d wrong" % tuple(total[k] for k in ("pairs", "edited", "false_proofs", "missed_proofs", "right", "wrong")))
for w, n in why.most_common(): print("living: not proved, %d: %s" % (n, w))
sys.exit(not (total["pairs"] > 0 and total["edited"] > 0 and total["false_proofs"] == 0 and total["wrong"] == 0 and total["missed_proofs"] < total["pairs"] - total["edited"]))
PY
grep '^living:' "$dir/log" | sed 's/^/# /'
[ $code = 0 ]
point $? "grades of living sites are true by their own logs"
finish
