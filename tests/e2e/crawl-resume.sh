#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A crawl of three sites, killed when one is finished, one in progress and one not begun.
# "sharc crawl -a DIR" without seeds resumes it; the finished site is not captured again, no
# page is fetched twice. When nothing is unfinished it says so. TAP.
set -u
. "$(dirname "$0")/crawl-lib.bash"

cat >"$dir/routes.py" <<'PY'
def answer(host, target, headers):
    many = 60 if host.startswith("127.0.0.2") else 3
    if target == "/":
        return 200, {}, "".join("<a href=/%d>%d</a>" % (i, i) for i in range(many))
    if target[1:].isdigit():
        return 200, {}, "page %s of %s" % (target, host)
PY
start_site
args=(-q --allow-private --no-sitemaps --no-probe -s bfs --sites 1 -a "$dir/three")
"$sharc" crawl "${args[@]}" --delay 50ms "http://127.0.0.1:$port/" "http://127.0.0.2:$port/" "http://127.0.0.3:$port/" >"$dir/log" 2>&1 &
crawl=$!
while alive "$crawl" && ! [ "$(asked /20 127.0.0.2)" -ge 1 ]; do sleep 0.05; done
kill -9 $crawl
wait $crawl 2>/dev/null
crawl=
[ "$(ask three "SELECT group_concat(state) FROM capture")" = "2,0" ] || ask three "SELECT id, state FROM capture" >>"$dir/log"
[ "$(asked / 127.0.0.3)" = 0 ]
point $? "killed: one site finished, one in progress, one not begun"

"$sharc" crawl --json --allow-private --no-sitemaps --no-probe --sites 1 --delay 10ms -a "$dir/three" >"$dir/summary" 2>"$dir/log"
code=$?
[ $code = 0 ]
point $? "without seeds the crawl is resumed (exit code $code)"
grep -q 'resuming the crawl that was interrupted (3 sites' "$dir/log" && grep -q "127.0.0.1:$port was captured before the interruption" "$dir/log"
point $? "and says what it resumes and what it has already"
twice=$(python3 -c '
import collections, json, sys
rows = collections.Counter((r["host"], r["target"]) for r in map(json.loads, open(sys.argv[1])) if r["target"] != "/robots.txt")
print(sum(n > 2 for n in rows.values()), sum(n == 2 for n in rows.values()), len(rows))' "$dir/requests")
# Killed, a page that was fetched and not yet committed is fetched again: those of one second, in one site.
again=${twice#* }
[ "${twice%% *}" = 0 ] && [ "${again%% *}" -le 25 ] && [ "${again#* }" = 69 ] && [ "$(asked / 127.0.0.1)" = 1 ] && [ "$(asked /0 127.0.0.1)" = 1 ]
point $? "the finished site was not asked again, all 69 pages are there ($twice)"
pages=$(ask three "SELECT count(*) FROM page WHERE status = 200")
[ "$pages" = 69 ]
point $? "the catalogue has them all, once ($pages)"
python3 -c '
import json, sys
sites = json.load(open(sys.argv[1]))["sites"]
assert [bool(s.get("captured_before")) for s in sites] == [True, False, False], sites
assert [s["resumed"] for s in sites] == [False, True, False] and all(s["state"] == "done" for s in sites), sites' "$dir/summary" 2>>"$dir/log"
point $? "JSON tells the three apart"
"$sharc" crawl "${args[@]}" >"$dir/out" 2>"$dir/log"
code=$?
[ $code = 2 ] && grep -q 'nothing is unfinished in the archive' "$dir/log"
point $? "with nothing unfinished, seeds are asked for (exit code $code)"
finish
