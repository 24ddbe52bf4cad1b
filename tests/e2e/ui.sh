#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The web interface of sharc serve over an archive of a living site, in headless Chromium: ui-check.mjs looks at every view, with
# mouse and keys, in light, dark and at 360 px, and holds its figures against `sharc quality --json` and the API. TAP; skips what this
# machine does not have: node, npm and its registry, chromium, the interface itself.
set -u
. "$(dirname "$0")/crawl-lib.bash"
serving=
tidy() { [ -z "$serving" ] || { kill "$serving" && wait "$serving"; } 2>/dev/null; }

start_living --pages 40 --seed 7 --hottest 2s
run 0 "captures a site for evidence" --delay 1ms --for evidence -a "$dir/a" "$site"
run 0 "captures it once more" --delay 1ms --for evidence --exclude '*/a*' -a "$dir/a" "$site"
run 0 "and once more, without revisits" --delay 1ms -a "$dir/a" "$site"
stop_living
"$sharc" serve -q --port 0 --ready-file "$dir/served" --title "Test library" "$dir/a" >"$dir/out" 2>"$dir/serve-log" &
serving=$!
while alive "$serving" && ! [ -s "$dir/served" ]; do sleep 0.05; done
pages=$(sed -n 1p "$dir/served")

status=$(curl -s -o "$dir/page" -D "$dir/head" -w '%{http_code}' "${pages}ui/")
if [ "$status" = 404 ] && grep -q 'without its web interface' "$dir/page"; then
    point 0 "the interface says how to get it where it was not built"
    skip "the views in a browser" "this sharc was built without the interface"
    finish
fi
[ "$status" = 200 ] && grep -qi "^content-security-policy: default-src 'none'; script-src 'self';" "$dir/head" && ! grep -qi '<script>\|style=' "$dir/page"
point $? "the page of the interface has a strict policy and nothing inline"
etag=$(sed -n 's/^[Ee][Tt]ag: \(.*\)\r$/\1/p' "$dir/head")
[ "$(curl -s -o /dev/null -w '%{http_code}' -H "If-None-Match: $etag" "${pages}ui/")" = 304 ] &&
    cmp -s <(curl -s "${pages}ui/app.js") <(curl -s --compressed "${pages}ui/app.js") &&
    [ "$(curl -s -o /dev/null -w '%{http_code}' "${pages}ui/none.js")" = 404 ]
point $? "files are known again by their ETag, and the same compressed or not"

browser_missing
if [ -n "$missing" ]; then
    skip "the views in a browser" "no$missing"
else
    "$sharc" quality --json "$dir/a" >"$dir/quality.json" 2>"$dir/log"
    node "$here/ui-check.mjs" "$modules" "$headless" "$pages" "$dir/quality.json" "${PICTURES:-}" >"$dir/tap" 2>"$dir/log"
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
    kill "$serving"; wait "$serving"
    echo "0123456789abcdef-token" >"$dir/token"
    rm "$dir/served"
    "$sharc" serve -q --port 0 --ready-file "$dir/served" --title "Test library" --token-file "$dir/token" "$dir/a" >"$dir/out" 2>"$dir/serve-log" &
    serving=$!
    while alive "$serving" && ! [ -s "$dir/served" ]; do sleep 0.05; done
    node "$here/ui-review.mjs" "$modules" "$headless" "$(sed -n 1p "$dir/served")" 0123456789abcdef-token >"$dir/log" 2>&1
    point $? "the interface asks for the token, and keeps reviews"
fi
finish
