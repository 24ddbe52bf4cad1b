#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What sharc serve says about pages of a site that changed while it was captured, against the log of the lab: in headless
# Chromium, by every mapping, with the catalogue and of the WARC files alone; and grades that are a file's own word. TAP;
# skips what this machine does not have.
set -u
. "$(dirname "$0")/crawl-lib.bash"
serving=
tidy() { [ -z "$serving" ] || { kill "$serving" && wait "$serving"; } 2>/dev/null; }
serve() { # serve PATH...: sets pages
    rm -f "$dir/serve-ready"
    "$sharc" serve -q --port 0 --ready-file "$dir/serve-ready" "$@" >"$dir/out" 2>"$dir/serve-log" &
    serving=$!
    while alive "$serving" && ! [ -s "$dir/serve-ready" ]; do sleep 0.05; done
    pages=$(sed -n 1p "$dir/serve-ready")
}
stop_serving() {
    kill "$serving"
    wait "$serving"
    serving=
}
browser_missing
# look WHAT LEAST
look() {
    if [ -n "$missing" ]; then skip "$1" "missing:$missing"; return; fi
    node "$here/serve-truth.mjs" "$modules" "$headless" 600 "$pages" "$dir/truth" "${site%/}" "$2" ${PICTURES:-} >"$dir/log" 2>&1
    local code=$?
    if [ $code = 2 ]; then skip "$1" "the browser could not be started"; else point $code "$1"; fi
    sed 's/^/# /' "$dir/log" | head -1
}
# says URL TIME: state of the page at that instant, why, and grade, as "proven equal-downloads 2 True"
says() { curl -s "${pages}api/coherence?mapping=near&url=$1&at=$2" | python3 -c '
import json, sys
d = json.load(sys.stdin)
g = d["grade"] or {}
print(d["parts"][0]["state"], d["parts"][0]["reason"], g.get("grade"), g.get("checked"))' 2>>"$dir/log"; }
# middle URL: an instant between the downloads that prove a page
middle() { curl -s "${pages}api/coherence?url=$1" | python3 -c '
import datetime, json, sys
a, b = (datetime.datetime.fromisoformat(t[:-1]) for t in json.load(sys.stdin)["parts"][0]["proven"])
print((a + (b - a) / 2).strftime("%Y%m%d%H%M%S%f")[:17])' 2>>"$dir/log"; }

# --- a site that changes while it is captured, twice ------------------------------------------
start_living --pages 10 --seed 7 --hottest 3s --skew 0.2 --layouts 0 --edits paragraph,image --truth "$dir/truth"
run 0 "captures a site that changes" --delay 30ms --for evidence -a "$dir/a" "$site"
run 0 "and once more" --delay 30ms --for evidence -a "$dir/a" "$site"
stop_living
serve "$dir/a"
look "nothing that the bar says of an archive is wrong" 2
stop_serving
mkdir "$dir/files"
cp "$dir/a"/warcs/*.warc.gz "$dir/files"
serve "$dir/files"
look "nothing that it says of the files alone is wrong" 2
stop_serving

# --- grades are believed of captures of one's own, and of no others ------------------------------
start_living --pages 12 --seed 3 --hottest 1000s --noise token:1
run 0 "captures a site with a token on every page" --delay 1ms --for evidence -a "$dir/t" "$site"
stop_living
serve "$dir/t"
instant=$(middle "$site")
says "$site" "$instant" >"$dir/log"
[ "$(cat "$dir/log")" = "proven equal-downloads 2 True" ]
point $? "a page that is the same but for a token is proven by its grade"
stop_serving
"$sharc" import -q -a "$dir/i" "$dir/t"/warcs/*.warc.gz >"$dir/log" 2>&1
point $? "the same files, imported elsewhere"
serve "$dir/i"
says "$site" "$instant" >"$dir/log"
# its text is the same: it is not known to have changed, either
case $(cat "$dir/log") in "open seen-"*" 2 False") true ;; *) false ;; esac
point $? "there the grade is the file's word, and proves nothing"
curl -s "${pages}view/near/$instant/$site" >"$dir/log"
grep -q "the word of the file it was imported from" "$dir/log"
point $? "and the bar says so"
stop_serving
finish
