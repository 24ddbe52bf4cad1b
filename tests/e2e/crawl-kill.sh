#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# kill -9 at random moments, again and again, during a capture for evidence of a
# living site; the same command each time. In the end the archive is valid, its
# pages are those of an undisturbed crawl, what was committed once was never
# visited again, and every page has its revisit. Killed before anything was
# committed, it leaves nothing behind. $KILLS (12) kills at most,
# $SEED, a site of $PAGES (70). TAP.
set -u
. "$(dirname "$0")/crawl-lib.bash"
kills=${KILLS:-12}
RANDOM=${SEED:-7}

start_living --pages "${PAGES:-70}" --seed 3 --hottest 2s --requests "$dir/requests" --truth "$dir/truth.jsonl"
crawl_it() { exec "$sharc" crawl -q --allow-private --delay 20ms --for evidence --focus 0 --controls none -a "$dir/$1" "$site"; }
looks() { ask killed "SELECT u.text, p.visit, 0 FROM page p JOIN url u ON u.id = p.url UNION ALL
    SELECT u.text, l.visit, l.kind FROM look l JOIN url u ON u.id = l.url ORDER BY 1, 2, 3"; }

(crawl_it calm) >"$dir/log" 2>&1
point $? "an undisturbed capture"
: >"$dir/log"
from=$(wc -l <"$dir/requests")
killed=0 code=0 lost=0 doubled=0
: >"$dir/committed"
while :; do
    crawl_it killed >"$dir/out" 2>&1 &
    crawl=$!
    ms=$((RANDOM % 1800 + 300))
    [ $killed -ge "$kills" ] || { sleep "$((ms / 1000)).$(printf %03d $((ms % 1000)))"; kill -9 $crawl 2>/dev/null && killed=$((killed + 1)); }
    wait $crawl 2>/dev/null
    code=$?
    crawl=
    [ $code = 137 ] || break
    [ -s "$dir/killed/catalogue.db" ] || continue
    if [ "$(ask killed "SELECT state FROM capture WHERE ended IS NOT NULL")" = "$(ask calm "SELECT state FROM capture")" ]; then
        code=0 # killed behind the end: perhaps without the index, which the next crawl would make
        "$sharc" index -o "$dir/killed/index/index.cdxj" "$dir"/killed/warcs/*.warc.gz >>"$dir/log" 2>&1
        break
    fi
    looks >"$dir/now"
    comm -23 "$dir/committed" "$dir/now" >"$dir/gone"
    [ ! -s "$dir/gone" ] || { lost=1; cat "$dir/gone" >>"$dir/log"; }
    wc -l <"$dir/requests" >>"$dir/cuts"
    cp "$dir/now" "$dir/committed"
    cp "$dir/now" "$dir/committed.$(wc -l <"$dir/cuts")"
done
cat "$dir/out" >>"$dir/log"
[ $code = 0 ]
point $? "after $killed kills the same command finishes it (exit code $code)"
[ $lost = 0 ]
point $? "what was committed before a kill is there after it"
stop_living

# Requests for a page that was already visited and committed, other than its revisit.
cat >"$dir/twice.py" <<'PY'
import json, sys
from urllib.parse import urlsplit
dir, begin = sys.argv[1], int(sys.argv[2])
def key(url):
    u = urlsplit(url)
    return u.path + ("?" + u.query if u.query else "")
def looks(name):
    known = {}
    for line in open(dir + "/" + name):
        url, _, kind = line.rsplit(" ", 2)
        known.setdefault(key(url), set()).add(int(kind))
    return known
final = looks("final") # which pages got a second look, and which a revisit
rows = [json.loads(l)["target"] for l in open(dir + "/requests")]
cuts = [int(l) for l in open(dir + "/cuts")]
ends = cuts[1:] + [len(rows)]
wrong = []
for n, (a, b) in enumerate(zip(cuts, ends), 1):
    known = looks("committed.%d" % n)
    for target in set(rows[a:b]):
        times = rows[a:b].count(target)
        have = known.get(target, set())
        # due is what the page has in the end, less what is committed
        if target.startswith(("/robots.txt", "/sitemap")) or not have: continue
        if times > len(final.get(target, have)) - len(have): wrong.append((n, target, times, sorted(have)))
print(len(rows) - begin, "requests;", "again though committed:", wrong[:5])
sys.exit(bool(wrong))
PY
looks >"$dir/final"
python3 "$dir/twice.py" "$dir" "$from" >"$dir/log" 2>&1
point $? "no page that was committed was visited again"

pages() { ask "$1" "SELECT u.text, p.status, p.record IS NOT NULL FROM page p JOIN url u ON u.id = p.url ORDER BY 1"; }
pages calm >"$dir/calm.pages"
pages killed >"$dir/killed.pages"
[ -s "$dir/calm.pages" ] && diff "$dir/calm.pages" "$dir/killed.pages" >"$dir/log"
point $? "its $(wc -l <"$dir/killed.pages") pages are those of the undisturbed capture"
ask killed "SELECT u.text FROM page p JOIN url u ON u.id = p.url WHERE p.status IN (200, 304) AND NOT EXISTS
    (SELECT 1 FROM look l WHERE l.capture = p.capture AND l.url = p.url AND l.kind = 2)" >"$dir/log"
[ "$(wc -l <"$dir/log")" -le 1 ]
point $? "every page has its revisit, but the one that was last"
[ "$(ask killed "SELECT count(*) FROM capture")" = 1 ]
point $? "it is one capture"
"$sharc" lab judge "$dir/killed" --truth "$dir/truth.jsonl" >"$dir/log" 2>&1
point $? "every verdict of it is true"
sound killed "killed"
log_is_heritrix killed
point $? "crawl.log reads as Heritrix's"

# --- before the first commit -----------------------------------------------------------
start_living --pages 20 --seed 3 --requests "$dir/early.requests"
for requests in 1 2 3; do
    from=$(cat "$dir/early.requests" 2>/dev/null | wc -l)
    "$sharc" crawl -q --allow-private --delay 100ms -a "$dir/early" "$site" >"$dir/out" 2>&1 &
    crawl=$!
    while alive "$crawl" && ! [ "$(cat "$dir/early.requests" 2>/dev/null | wc -l)" -ge $((from + requests)) ]; do sleep 0.01; done
    { kill -9 $crawl; wait $crawl; } 2>/dev/null
    crawl=
done
run 0 "killed three times before its first commit" --delay 1ms -a "$dir/early" "$site"
stop_living
sound early "killed early"

warcio=${XDG_CACHE_HOME:-$HOME/.cache}/sharc-tests/warcio
if [ -d "$warcio/node_modules/warcio" ] && command -v node >/dev/null; then
    node "$here/warcio-check.mjs" "$warcio" "$dir"/killed/warcs/*.warc.gz >"$dir/log" 2>&1
    point $? "warcio reads all records and agrees with all digests"
else
    skip "warcio reads all records and agrees with all digests" "it is not installed"
fi
finish
