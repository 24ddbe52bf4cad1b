#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# sharc view is the judge of sharc serve: the pages of two sites show the same text and ask for the same things,
# exactly replayed and rewritten. TAP; skips what this machine does not have: node, npm and its registry, chromium.
set -u
. "$(dirname "$0")/crawl-lib.bash"
serving=
tidy() { [ -z "$serving" ] || { kill "$serving" && wait "$serving"; } 2>/dev/null; }
browser_missing
if [ -n "$missing" ]; then
    skip "pages are the same in both replays" "missing:$missing"
    finish
fi
# One server and one browser show all pages, those of three archives.
python3 "$here/view-site.py" 18998 >"$dir/site.warc.gz"
python3 "$here/serve-site.py" 18999 >"$dir/hard.warc.gz"
start_living --pages 12 --seed 3
lab=$site site=http://127.0.0.1:18998 hard=http://127.0.0.1:18999
run 0 "captures a living site" --delay 1ms --for evidence -a "$dir/a" "$lab"
stop_living
"$sharc" index "$dir"/a/warcs/*.warc.gz >"$dir/cdxj" 2>>"$dir/log"
last=$(awk '{print substr($2, 1, 14)}' "$dir/cdxj" | sort | tail -n 1)
site_pages="$site/plain.html $site/frames.html $site/dir/"
hard_pages="$hard/next.html?a=1&b=2 $hard/gone.html $hard/frame.html http://localhost:18999/far.html"
lab_pages=$(grep '"mime": "text/html", "status": "200"' "$dir/cdxj" | sed 's/.*"url": "\([^"]*\)".*/\1/' | sort -u | head -n 4)
wanted=()
for url in $site_pages; do wanted+=("20261111120000@$url"); done
for url in $site/plain.html $hard_pages; do wanted+=("20261101120000@$url"); done
for url in $lab_pages; do wanted+=("$last@$url"); done
rm -f "$dir/ready"
"$sharc" serve -q --port 0 --ready-file "$dir/ready" "$dir/site.warc.gz" "$dir/hard.warc.gz" "$dir/a" >"$dir/out" 2>"$dir/log" &
serving=$!
while alive "$serving" && ! [ -s "$dir/ready" ]; do sleep 0.05; done
node "$here/view-judge.mjs" "$modules" "$headless" 600 "$(sed -n 2p "$dir/ready")" "${wanted[@]}" >"$dir/served" 2>"$dir/log"
code=$?
kill "$serving"
wait "$serving"
serving=
if [ $code = 2 ]; then
    skip "pages are the same in both replays" "the browser could not be started"
    finish
fi
# agree WHAT ARCHIVE TIME URL...
agree() {
    local what=$1 archive=$2 time=$3 i=0 files=()
    shift 3
    for url; do
        i=$((i + 1))
        "$sharc" view -q "$archive" "$url" --at "$time" --json --text --wait 10min >"$dir/viewed.$i" 2>>"$dir/log"
        files+=("$dir/viewed.$i")
    done
    [ $i -gt 0 ] && "$here/view-agree" "$dir/served" "$time" "${files[@]}" >>"$dir/log" 2>&1
    point $? "$what"
}
agree "text, resources and their status are the same of a site with frames, scripts and revisits" "$dir/site.warc.gz" 20261111120000 $site_pages
agree "and as of another time" "$dir/site.warc.gz" 20261101120000 $site/plain.html
sed 's/"tex/"x/' "$dir/viewed.1" >"$dir/wrong"
sed -i 's/"status": 404/"status": 200/; s/"x/"tex/' "$dir/wrong"
! "$here/view-agree" "$dir/served" 20261101120000 "$dir/wrong" >"$dir/log" 2>&1 && grep -q 'served 404 viewed 200' "$dir/log"
point $? "a difference would be noticed"
agree "and of a page in another charset, one that was gone, and a frame alone" "$dir/hard.warc.gz" 20261101120000 $hard_pages
agree "and of a captured site of the lab" "$dir/a" "$last" $lab_pages

# --- pictures of a capture that the catalogue knows -----------------------------------------------
all=$(grep '"mime": "text/html", "status": "200"' "$dir/cdxj" | awk '{print $1}' | sort -u | wc -l)
"$sharc" view -q --screenshots "$dir/a" -o "$dir/shots" >"$dir/log" 2>&1 &&
    grep -q "shots: $all pages, $all pictures taken, 0 there before, 0 failed" "$dir/log" && [ "$(ls "$dir"/shots/*.png | wc -l)" = "$all" ]
point $? "of each page of the latest capture there is a picture"
"$sharc" view -q --screenshots "$dir/a" no-such-capture -o "$dir/shots" >"$dir/log" 2>&1
[ $? = 6 ] && grep -q 'no capture is called' "$dir/log"
point $? "a capture that is not there is named"
finish
