#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A crawl of a living site runs, and somebody watches it in a browser: it moves, is paused, is given another delay and scope, goes on, and
# ends with its verdict. TAP; skips what this machine does not have: node, npm and its registry, chromium, the interface itself.
set -u
. "$(dirname "$0")/crawl-lib.bash"
serving=
tidy() { [ -z "$serving" ] || { kill "$serving" && wait "$serving"; } 2>/dev/null; }

start_living --pages 30 --seed 7 --hottest 20s
run 0 "captures a site" --delay 1ms -a "$dir/a" "$site"
[ ! -e "$dir/a/logs/live.json" ]
point $? "a crawl that has ended tells nobody how far it is"
echo "0123456789abcdef-token" >"$dir/token"
"$sharc" serve -q --port 0 --ready-file "$dir/served" --token-file "$dir/token" "$dir/a" >"$dir/out" 2>"$dir/serve-log" &
serving=$!
while alive "$serving" && ! [ -s "$dir/served" ]; do sleep 0.05; done
pages=$(sed -n 1p "$dir/served")
ask_it() { curl -s -H "Authorization: Bearer 0123456789abcdef-token" "$@"; }

ask_it "${pages}api/live" >"$dir/live.json"
python3 -c 'import json, sys; l = json.load(open(sys.argv[1])); sys.exit(l["running"] or l["status"] is not None or not l["writable"] or l["captures"][0]["state"] != "complete")' "$dir/live.json"
point $? "nothing runs, and the API says so"
[ "$(ask_it -o "$dir/log" -w '%{http_code}' -X POST "${pages}api/steer?set=pause")" = 404 ] && grep -q 'no crawl is running' "$dir/log"
point $? "there is nothing to be paused"
for wish in reload 'user-agent=x' 'delay' $'exclude=a%0ab' ''; do
    [ "$(ask_it -o "$dir/log" -w '%{http_code}' -X POST "${pages}api/steer?set=$wish")" = 400 ] || { accepted="$wish"; break; }
done
[ -z "${accepted+x}" ]
point $? "what is no wish is refused (${accepted-all of them})"
[ "$(curl -s -o "$dir/log" -w '%{http_code}' -X POST "${pages}api/steer?set=pause")" = 401 ] && [ "$(ask_it -o "$dir/log" -w '%{http_code}' "${pages}api/steer?set=pause")" = 405 ]
point $? "nobody steers without the token, or by following a link"

browser_missing
curl -s "${pages}ui/" | grep -q 'without its web interface' && missing=" interface"
if [ -n "$missing" ]; then
    skip "a crawl in a browser" "no$missing"
else
    node "$here/ui-live.mjs" "$modules" "$(command -v chromium)" "$pages" 0123456789abcdef-token "${PICTURES:-}" -- \
        "$sharc" crawl -q --allow-private --controls none --delay 400ms --for evidence -a "$dir/a" "$site" >"$dir/tap" 2>"$dir/log"
    worst=$?
    while IFS= read -r line; do
        case $line in
            "ok "*) point 0 "${line#ok }" ;;
            "not ok "*) point 1 "${line#not ok }" ;;
            *) echo "# $line" ;;
        esac
    done <"$dir/tap"
    [ $worst -le 1 ]
    point $? "the browser ran to the end"
    [ "$(ask a "SELECT count(*) FROM capture WHERE state = 2")" = 2 ] && grep -q 'sharc:set/pause' "$dir/a/logs/crawl.log" && grep -q 'sharc:set/continue' "$dir/a/logs/crawl.log"
    point $? "the capture is complete, and its log has the pause"
fi
stop_living
finish
