#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Archived pages that attack the bar above them, the verdict on it, each other, and the web interface. One browser does it
# all; a trap listens where the pages once were. TAP; skips what this machine does not have: node, npm and its
# registry, chromium.
set -u
. "$(dirname "$0")/crawl-lib.bash"
trap_pid= serving=
tidy() {
    [ -z "$serving" ] || { kill "$serving" && wait "$serving"; } 2>/dev/null
    [ -z "$trap_pid" ] || { exec 8>&-; wait "$trap_pid"; } 2>/dev/null
}
browser_missing
if [ -n "$missing" ]; then
    skip "archived pages attack in vain" "missing:$missing"
    finish
fi
mkfifo "$dir/trap-stdin"
"$here/view-trap" "$dir/visits" "$dir/trap-ready" <"$dir/trap-stdin" 2>>"$dir/log" &
trap_pid=$!
exec 8>"$dir/trap-stdin"
while alive "$trap_pid" && ! [ -s "$dir/trap-ready" ]; do sleep 0.05; done
port=$(cat "$dir/trap-ready")
python3 "$here/serve-attacks.py" "$port" >"$dir/attacks.warc.gz" 2>"$dir/clicks" &&
    "$sharc" import -q -a "$dir/a" "$dir/attacks.warc.gz" >"$dir/log" 2>&1
point $? "an archive of pages that attack"
echo "0123456789abcdef-token" >"$dir/token"
"$sharc" serve -q --port 0 --ready-file "$dir/ready" --token-file "$dir/token" "$dir/a" >"$dir/out" 2>"$dir/serve-log" &
serving=$!
while alive "$serving" && ! [ -s "$dir/ready" ]; do sleep 0.05; done
: >"$dir/visits"
node "$here/serve-attacks.mjs" "$modules" "$headless" 600 "$(sed -n 1p "$dir/ready")" "$(sed -n 2p "$dir/ready")" \
    "$port" "$(cat "$dir/clicks")" "$(cat "$dir/token")" "${PICTURES:-}" >"$dir/said" 2>"$dir/log"
code=$?
if [ $code = 2 ]; then
    skip "archived pages attack in vain" "the browser could not be started"
    finish
fi
# Each line: ok or not, and what was tried.
while read -r result what; do
    grep -F "$what: " "$dir/log" >"$dir/one"
    mv "$dir/log" "$dir/all" && cp "$dir/one" "$dir/log"
    [ "$result" = held ]
    point $? "$what"
    mv "$dir/all" "$dir/log"
done <"$dir/said"
[ $code = 0 ]
point $? "every attack was made"
cut -c 1-100 "$dir/visits" >"$dir/log"
[ ! -s "$dir/visits" ]
point $? "nothing arrived where the pages once were"
curl -s -m 5 "http://127.0.0.1:$port/x" >/dev/null 2>&1
[ -s "$dir/visits" ]
point $? "the trap would have noticed"
finish
