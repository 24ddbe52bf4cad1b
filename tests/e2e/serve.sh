#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Archived sites in headless Chromium through sharc serve, while a trap listens at the address where
# they once were: it must stay unvisited. And an independent Memento client. TAP; skips what this
# machine does not have: node, npm and its registry, chromium, the judges beside the source tree.
set -u
. "$(dirname "$0")/crawl-lib.bash"
. "$here/replay-lib.bash"
trap_pid= serving=
tidy() {
    [ -z "$serving" ] || { kill "$serving" && wait "$serving"; } 2>/dev/null
    [ -z "$trap_pid" ] || { exec 8>&-; wait "$trap_pid"; } 2>/dev/null
}
# set_trap [PORT]: sets port
set_trap() {
    rm -f "$dir/trap-ready" "$dir/trap-stdin"
    mkfifo "$dir/trap-stdin"
    "$here/serve-trap" "$dir/visits" "$dir/trap-ready" "${1:-0}" <"$dir/trap-stdin" 2>>"$dir/log" &
    trap_pid=$!
    exec 8>"$dir/trap-stdin"
    while alive "$trap_pid" && ! [ -s "$dir/trap-ready" ]; do sleep 0.05; done
    port=$(cat "$dir/trap-ready")
}
# serve FILE...: sets pages and replay
serve() {
    rm -f "$dir/ready"
    "$sharc" serve -q --port 0 --ready-file "$dir/ready" "$@" >"$dir/out" 2>"$dir/serve-log" &
    serving=$!
    while alive "$serving" && ! [ -s "$dir/ready" ]; do sleep 0.05; done
    pages=$(sed -n 1p "$dir/ready") replay=$(sed -n 2p "$dir/ready")
}
stop_serving() {
    kill "$serving"
    wait "$serving"
    code=$?
    serving=
}
browser_missing
# look WHAT ARGUMENT...
look() {
    local what=$1
    shift
    if [ -n "$missing" ]; then skip "$what" "missing:$missing"; return; fi
    node "$here/serve-check.mjs" "$modules" "$headless" 600 "$pages" "$replay" "$@" >"$dir/log" 2>&1
    code=$?
    if [ $code = 2 ]; then skip "$what" "the browser could not be started"; else point $code "$what"; fi
}

# --- a site that is hard to replay --------------------------------------------------------
set_trap
: >"$dir/visits"
python3 "$here/serve-site.py" "$port" >"$dir/hard.warc.gz" && "$sharc" verify -q "$dir/hard.warc.gz" >"$dir/log" 2>&1
point $? "makes a WARC of a hard site"
serve "$dir/hard.warc.gz"
look "scripts, styles, frames, sound by ranges, POST, times and errors are shown as they were" "http://127.0.0.1:$port" hard
look "below the bar, which tells time, mapping and neighbours, links stay and scripts cannot get away" "http://127.0.0.1:$port" bar
look "without service workers every page is shown all the same" "http://127.0.0.1:$port" blocked
look "without scripts pages, styles, images, frames and links are, and the bar can be used" "http://127.0.0.1:$port" plain
look "our own pages fit 360 and 1100 pixels, light and dark, and work by keyboard" "http://127.0.0.1:$port" pages
sort -u "$dir/visits" >"$dir/log"
[ ! -s "$dir/visits" ]
point $? "nothing was asked for at the original address"

if [ ! -f "$judges/memento-judge.mjs" ] || ! command -v node >/dev/null; then
    skip "a Memento client finds its way" "no judge, or no node"
else
    url=http://127.0.0.1:$port/
    node "$judges/memento-judge.mjs" --original "$url" --timegate "${replay}timegate/$url" \
        --absent-timegate "${replay}timegate/http://absent.example/" >"$dir/log" 2>&1 && grep -q '"mementos":2' "$dir/log"
    point $? "a Memento client finds its way"
fi
stop_serving
[ $code = 0 ]
point $? "a signal ends it with exit code 0"

# --- the trap can catch --------------------------------------------------------------------
curl -s -m 5 "http://127.0.0.1:$port/x" >/dev/null 2>&1
[ -s "$dir/visits" ]
point $? "the trap would have noticed"
exec 8>&-
wait "$trap_pid"
trap_pid=

# --- a captured site ------------------------------------------------------------------------
start_living --pages 30 --seed 3
run 0 "captures a living site" --delay 1ms --for evidence -a "$dir/a" "$site"
stop_living
set_trap "$(echo "$site" | sed 's/.*:\([0-9]*\).*/\1/')"
: >"$dir/visits"
serve "$dir/a"
look "a walk through it finds every image and style" "${site%/}" walk
[ ! -s "$dir/visits" ]
point $? "nothing was asked for at its address"
stop_serving

# --- ReplayWeb.page reads a WACZ from here -----------------------------------------------------
judge_prepare
CLICK_PORT=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
export CLICK_PORT
"$sharc" export -q -o "$dir/garden.wacz" "$here/../data/garden.warc.gz" >"$dir/log" 2>&1
serve --allow-origin "http://127.0.0.1:$CLICK_PORT" --log "$dir/access" "$dir/garden.wacz"
cat >"$dir/plan" <<'END'
{"open": "http://garden.example/", "ts": "20261101100001", "texts": ["A small garden"], "what": "ReplayWeb.page opens a WACZ from /files/"}
{"click": "http://garden.example/about.html#top", "texts": ["Two roses and a leaf"], "what": "and follows a link in it"}
END
click_through "a WACZ from /files/" "${pages}files/garden.wacz" "$dir/plan"
if [ -z "$judge_missing" ]; then
    cp "$dir/access" "$dir/log"
    [ "$(grep -c '"GET /files/garden.wacz" 206' "$dir/access")" -gt 2 ]
    point $? "by ranges"
else
    skip "by ranges" "missing:$judge_missing"
fi
stop_serving
finish
