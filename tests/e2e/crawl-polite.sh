#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Politeness belongs to the site, not to the process: killed, stopped or begun anew, a crawl
# keeps the delay between two requests, what robots.txt asked for, and what a server said with
# Retry-After. By the server's own log. TAP.
set -u
. "$(dirname "$0")/crawl-lib.bash"

cat >"$dir/routes.py" <<'PY'
def answer(host, target, headers):
    if target == "/robots.txt" and host.startswith("127.0.0.2"):
        return 200, {"Content-Type": "text/plain"}, "User-agent: *\nCrawl-delay: 2\n"
    if target == "/busy":
        return 429, {"Retry-After": "3600"}, "later"
    if target in ("/", "/busy/"):
        return 200, {}, "".join("<a href=/%d>%d</a>" % (i, i) for i in range(40)) + ("<a href=/busy>b</a>" if host.startswith("127.0.0.3") else "")
    if target[1:].isdigit():
        return 200, {}, "page " + target
PY
start_site
# shortest HOST: the shortest time between two requests, by a clock that nobody sets: the wall
# clock may be corrected in the middle.
shortest() { python3 -c '
import json, sys
rows = sorted((r for r in map(json.loads, open(sys.argv[1])) if r["host"].startswith(sys.argv[2])), key=lambda r: r["tick"])
print(min(b["tick"] - a["tick"] for a, b in zip(rows, rows[1:])))' "$dir/requests" "$1"; }
at_least() { python3 -c 'import sys; sys.exit(not float(sys.argv[1]) >= float(sys.argv[2]))' "$1" "$2"; }
requests() { grep -c "\"host\": \"$1" "$dir/requests" 2>/dev/null || true; }
# start HOST ARCHIVE OPTION...: a crawl in the background, until N more requests have come.
start() {
    local host=$1 archive=$2 before
    shift 2
    "$sharc" crawl -q --allow-private --no-sitemaps --no-probe -s bfs "$@" -a "$dir/$archive" "http://$host:$port/" >"$dir/log" 2>&1 &
    crawl=$!
}
wait_for() { # HOST COUNT
    while alive "$crawl" && ! [ "$(requests "$1")" -ge "$2" ]; do sleep 0.05; done
}

for signal in KILL INT KILL; do
    before=$(requests 127.0.0.1)
    start 127.0.0.1 delay --delay 1s
    wait_for 127.0.0.1 $((before + 3))
    kill -$signal $crawl
    wait $crawl 2>/dev/null
    crawl=
done
gap=$(shortest 127.0.0.1)
at_least "$gap" 1.0
point $? "the delay of 1 s holds across kill -9 and Ctrl-C (shortest: $gap s)"

for _ in 1 2; do
    before=$(requests 127.0.0.2)
    start 127.0.0.2 asked --delay 100ms
    wait_for 127.0.0.2 $((before + 3))
    kill -KILL $crawl
    wait $crawl 2>/dev/null
    crawl=
done
gap=$(shortest 127.0.0.2)
at_least "$gap" 2.0
point $? "so does the Crawl-delay of 2 s (shortest: $gap s)"

start 127.0.0.3 busy --delay 10ms
while alive "$crawl" && ! [ "$(asked /busy)" -ge 1 ]; do sleep 0.05; done
sleep 1
kill -KILL $crawl
wait $crawl 2>/dev/null
before=$(requests 127.0.0.3)
start 127.0.0.3 busy --delay 10ms --fresh
sleep 4
after=$(requests 127.0.0.3)
[ "$before" = "$after" ] && [ "$(asked /busy)" = 1 ]
point $? "a server that said 429 with Retry-After: 3600 is left alone by the next run ($before requests, then $after)"
kill -INT $crawl
wait $crawl
code=$?
crawl=
[ $code = 11 ]
point $? "whoever waits for it can be stopped (exit code $code)"
"$sharc" crawl --allow-private --no-sitemaps --no-probe -s bfs -a "$dir/busy" "http://127.0.0.3:$port/" >"$dir/out" 2>"$dir/log" &
crawl=$!
while alive "$crawl" && ! grep -q 'asked an earlier run to wait' "$dir/log"; do sleep 0.05; done
grep -q "127.0.0.3:$port asked an earlier run to wait; the next request is in [0-9]* min" "$dir/log"
point $? "and says why it waits"
kill -INT $crawl
wait $crawl
crawl=
finish
