#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# crawl-weakened.sh: options that weaken what a capture proves are written down: in the
# warcinfo of every file, and in the parameters of the capture. They stick: a capture
# that is resumed without them stays what it was. A proxy's password is written nowhere. TAP.
set -u
. "$(dirname "$0")/crawl-lib.bash"
start_living --pages 20 --seed 5 --requests "$dir/requests"
requests() { cat "$dir/requests" 2>/dev/null | wc -l; }
weak() { ask "$1" "SELECT coalesce(json_extract(params, '\$.weakened'), 'nothing') FROM capture ORDER BY id DESC LIMIT 1"; }
info() { zcat "$1" 2>/dev/null | head -n 40 | tr -d '\r' | grep -a '^sharc-'; }

run 0 "a capture without such options" --delay 1ms -a "$dir/plain" "$site"
[ "$(weak plain)" = nothing ]
point $? "has none in its parameters"
info "$dir"/plain/warcs/*.gz >"$dir/log"
grep -q "^sharc-strategy: " "$dir/log" && ! grep -qE "insecure|connect-to|proxy|trust|max-body" "$dir/log"
point $? "and none in its warcinfo"

other=${site#http://}
other=${other%/}
printf '127.0.0.1\tFALSE\t/\tFALSE\t0\tid\tunspoken\n' >"$dir/cookies"
options=(--insecure --trust-last-modified --max-body 100k --connect-to "www.example.org:80:$other" --cookies "$dir/cookies" --header "X-Key: unspoken")
from=$(requests)
"$sharc" crawl -q --for evidence --allow-private --delay 150ms "${options[@]}" -a "$dir/weak" "$site" >"$dir/out" 2>&1 &
crawl=$!
while alive $crawl; do
    kill -STOP $crawl
    [ "$(requests)" -ge $((from + 6)) ] && [ -n "$(ask weak "SELECT 1 FROM warc WHERE done > 0")" ] && break
    kill -CONT $crawl
    sleep 0.05
done
{ kill -9 $crawl; wait $crawl; } 2>/dev/null
crawl=
want="{\"insecure\":true,\"connect_to\":\"www.example.org:80:$other\",\"trust_last_modified\":true,\"cookies\":true,\"header\":true,\"max_body\":100000}"
weak weak >"$dir/log"
[ "$(cat "$dir/log")" = "$want" ]
point $? "a capture with such options has them in its parameters from the beginning"
info "$dir"/weak/warcs/*.open >"$dir/log"
for line in "sharc-insecure: true" "sharc-trust-last-modified: true" "sharc-max-body: 100000" "sharc-cookies: true" "sharc-header: true" "sharc-connect-to: www.example.org:80:$other"; do
    grep -qxF "$line" "$dir/log"
    point $? "its warcinfo says $line"
done
"$sharc" status --json "$dir/weak" >"$dir/log" 2>&1
grep -q -- "--allow-private --insecure --trust-last-modified --connect-to www.example.org:80:$other --max-body 100000" "$dir/log"
point $? "the command that resumes it repeats them"

words="insecure, connect-to www.example.org:80:$other, trust-last-modified, cookies, header, max-body 100000"
run 0 "it is resumed without them" --for evidence --delay 1ms -a "$dir/weak" "$site"
grep -qF "\"weakened\": \"$words\"" "$dir/summary"
point $? "its summary names them"
weak weak >"$dir/log"
[ "$(cat "$dir/log")" = "$want" ]
point $? "and stays weakened"
[ "$(ls "$dir"/weak/warcs/*.gz | wc -l)" = 2 ] && ! info "$(ls -t "$dir"/weak/warcs/*.gz | head -n 1)" | grep -qE "insecure|max-body"
point $? "while the file of the second run was not written so"
sound weak "then"

# It goes where the verdict goes.
tells() { # tells ARCHIVE WORDS
    "$sharc" quality "$dir/$1" >"$dir/log" 2>&1 && grep -qx "weakened    by the settings $words" "$dir/log" &&
        "$sharc" quality --json "$dir/$1" | grep -qF "\"weakened\": \"$words\""
    point $? "$2"
    "$sharc" status "$dir/$1" >"$dir/log" 2>&1 && grep -qx "           by the settings $words" "$dir/log" &&
        "$sharc" status --json "$dir/$1" | grep -qF "\"weakened\": \"$words\""
    point $? "… by status"
    "$sharc" diff -a "$dir/$1" latest >"$dir/log" 2>&1 && grep -qx "What latest proves is weakened by the settings it was made with: $words." "$dir/log" &&
        "$sharc" diff --json -a "$dir/$1" latest >"$dir/log" 2>&1 &&
        grep -qF "\"before\": \"$words\"" "$dir/log" && grep -qF "\"after\": \"$words\"" "$dir/log"
    point $? "… by diff"
}
tells weak "quality names what weakens it"
! { "$sharc" quality "$dir/plain"; "$sharc" status "$dir/plain"; "$sharc" diff -a "$dir/plain" latest; } | grep -q weakened
point $? "and nothing where nothing does"
"$sharc" crawl -q --allow-private --delay 0 --insecure --limit-pages 3 -a "$dir/few" "$site" >"$dir/log" 2>&1
grep -qx "  weakened   by the settings insecure" "$dir/log"
point $? "the summary for people names it"
"$sharc" quality "$dir/few" latest >"$dir/log" 2>&1
grep -qE "^left out +[0-9]+ URLs: the limit of pages was reached$" "$dir/log"
point $? "and quality says in words what was left out"
"$sharc" export -q --capture latest -o "$dir/weak.wacz" "$dir/weak" >"$dir/log" 2>&1
python3 - "$dir/weak.wacz" "$want" <<'P' >"$dir/log" 2>&1
import json, sys, zipfile
said = json.loads(zipfile.ZipFile(sys.argv[1]).read("datapackage.json"))["captures"][0]["weakened"]
print(said)
sys.exit(said != json.loads(sys.argv[2]))
P
point $? "a WACZ names it"
"$sharc" import -q -a "$dir/imported" "$dir/weak.wacz" >"$dir/log" 2>&1
[ "$(weak imported)" = "$want" ]
point $? "whoever imports that has it in the parameters"
tells imported "and is told"
cp -r "$dir/weak" "$dir/rebuilt" && rm "$dir"/rebuilt/catalogue.db* && "$sharc" verify -q --rebuild "$dir/rebuilt" >"$dir/log" 2>&1
[ "$(weak rebuilt)" = "$want" ]
point $? "a catalogue that was lost is rebuilt with it"

# Nobody listens there: the capture begins and cannot go on.
"$sharc" crawl -q --allow-private --delay 1ms --tries 1 --proxy http://somebody:hidden@127.0.0.1:9 -a "$dir/proxy" "$site" >"$dir/log" 2>&1
weak proxy >"$dir/log"
[ "$(cat "$dir/log")" = '{"proxy":"http://127.0.0.1:9"}' ]
point $? "of a proxy its address is written down"
! grep -rqa -e hidden -e somebody -e unspoken "$dir/proxy" "$dir/weak" "$dir/imported" && ! zcat "$dir"/weak/warcs/*.gz | grep -qa unspoken
point $? "and neither user nor password, anywhere in the archive"
stop_living
finish
