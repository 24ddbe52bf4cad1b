#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Archived pages that try in every way to reach the address where they once were: WebRTC, windows, speculation, redirects,
# requests that are too long for our headers, and all that has a name in HTML. A trap for TCP and UDP listens there, and
# counts connections that bring nothing, too. TAP; skips what this machine does not have: node, npm and its registry, chromium.
set -u
. "$(dirname "$0")/crawl-lib.bash"
trap_pid= serving=
tidy() {
    [ -z "$serving" ] || { kill "$serving" && wait "$serving"; } 2>/dev/null
    [ -z "$trap_pid" ] || { exec 8>&-; wait "$trap_pid"; } 2>/dev/null
}
browser_missing
if [ -n "$missing" ]; then
    skip "pages that want out stay in" "missing:$missing"
    finish
fi
mkfifo "$dir/trap-stdin"
"$here/view-trap" "$dir/visits" "$dir/trap-ready" <"$dir/trap-stdin" 2>>"$dir/log" &
trap_pid=$!
exec 8>"$dir/trap-stdin"
while alive "$trap_pid" && ! [ -s "$dir/trap-ready" ]; do sleep 0.05; done
site=http://127.0.0.1:$(cat "$dir/trap-ready")
python3 "$here/view-site.py" "${site##*:}" more >"$dir/site.warc.gz"
"$sharc" serve -q --port 0 --ready-file "$dir/ready" "$dir/site.warc.gz" >"$dir/out" 2>"$dir/serve-log" &
serving=$!
while alive "$serving" && ! [ -s "$dir/ready" ]; do sleep 0.05; done
# escape [OPTION]: sets code
escape() {
    node "$here/serve-escape.mjs" "$modules" "$(command -v chromium)" 600 "$(sed -n 1p "$dir/ready")" "$(sed -n 2p "$dir/ready")" "$site" "$@" >"$dir/log" 2>&1
    code=$?
    sleep 2.5 # the trap waits so long for the first bytes of a connection
    cut -c 1-100 "$dir/visits" >>"$dir/log"
}
: >"$dir/visits"
escape
if [ $code = 2 ]; then
    skip "pages that want out stay in" "the browser could not be started"
    finish
fi
point $code "pages that want out are shown, with the bar and without, and set no cookie"
major=$(chromium --version 2>/dev/null | sed 's/[^0-9]*\([0-9]*\).*/\1/')
if [ "${major:-0}" -ge 152 ]; then
    [ ! -s "$dir/visits" ]
    point $? "nothing arrived where they once were, not even a connection"
else
    skip "nothing arrived where they once were, not even a connection" "Chromium before 152 has no Connection-Allowlist"
fi
: >"$dir/visits"
escape --disable-features=ConnectionAllowlists
[ -s "$dir/visits" ]
point $? "the trap would have noticed: without Connection-Allowlist some do"
! grep -qE 'leak-(location|made-refresh|long|plain|image|fetch|xhr|beacon|frame|form|ping|javascript|data|svg|module|download|report|link|srcdoc)' "$dir/visits"
point $? "but none of what the policy, the script and the headers of every browser hold back"
finish
