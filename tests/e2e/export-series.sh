#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Three weekly captures of one site, the second and third full of answers 304 and of
# repeated bytes: exported together and one by one, each week shows what it saw. TAP.
set -u
. "$(dirname "$0")/crawl-lib.bash"
. "$here/replay-lib.bash"
judge_prepare
cat >"$dir/routes.py" <<'PY'
import base64, os
here = os.path.dirname(__file__)
png = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
# Which version of each page a week shows; with a validator or without one.
pages = {"/": ("abc", True), "/stable.html": ("aaa", True), "/plain.html": ("aaa", False), "/late.html": ("aab", True),
         "/early.html": ("abb", True), "/always.html": ("abc", False), "/back.html": ("aba", True), "/gone.html": ("aa-", True), "/quiet.html": ("aab", False)}
files = {"/style.css": ("text/css", b"h1 { color: rgb(0, 102, 51) }"), "/leaf.png": ("image/png", png),
         "/words.js": ("text/javascript", b"document.getElementById('said').textContent = 'a script spoke'")}
def body(path, version):
    links = "".join('<p><a href="%s">%s</a>' % (p, p) for p in pages)
    return ('<!doctype html><title>%s</title><link rel="stylesheet" href="/style.css"><h1>Page %s</h1><img src="/leaf.png">'
            '<p>This is version %s-of-%s.<p id="said">nothing was said</p>%s<script src="/words.js"></script>'
            % (path, path, version, path.strip("/").partition(".")[0] or "home", links))
def answer(host, target, headers):
    week = int(open(here + "/week").read())
    if target == "/robots.txt": return 200, {"Content-Type": "text/plain"}, "User-agent: *\nDisallow:\n"
    if target in files:
        kind, data = files[target]
        tag = '"%d"' % len(data)
        if headers.get("If-None-Match") == tag: return 304, {"ETag": tag}, ""
        return 200, {"Content-Type": kind, "ETag": tag}, data
    if target not in pages: return None
    versions, validator = pages[target]
    version = versions[week - 1]
    if version == "-": return None
    tag = '"%s"' % version
    if validator and headers.get("If-None-Match") == tag: return 304, {"ETag": tag}, ""
    return 200, {"Content-Type": "text/html; charset=utf-8", **({"ETag": tag} if validator else {})}, body(target, version)
PY
echo 1 >"$dir/week"
start_site
for week in 1 2 3; do
    echo $week >"$dir/week"
    run 0 "week $week" --delay 20ms --no-sitemaps -a "$dir/archive" "$site/"
    # Replay tools choose by seconds: the pause must be longer than a capture.
    sleep 4
done
stop_site
[ "$(ask archive "SELECT count(*) FROM page WHERE status = 304 AND capture > 1")" -ge 10 ] && [ "$(ask archive "SELECT count(*) FROM page WHERE record = 1")" -ge 2 ]
point $? "there are answers 304, and repeated bytes"

cat >"$dir/ask.py" <<'PY'
import json, sys, zipfile
sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
import routes
dir, site, wacz, weeks = sys.argv[1], sys.argv[2], sys.argv[3], [int(w) for w in sys.argv[4:]]
captures = json.loads(zipfile.ZipFile(wacz).read("datapackage.json"))["captures"]
assert len(captures) == len(weeks), captures
for c, week in zip(captures, weeks):
    ts = c["shown_at"].translate(str.maketrans("", "", "-:TZ."))[:14]
    for path, (versions, _) in routes.pages.items():
        v = versions[week - 1]
        if v == "-": continue
        print(json.dumps({"url": site + path, "ts": ts, "path": path, "week": week, "want": "version %s-of-" % v}))
PY
cat >"$dir/compare.py" <<'PY'
import json, sys
wrong = []
asked = [json.loads(l) for l in open(sys.argv[1])]
got = [json.loads(l) for l in open(sys.argv[2])]
for a, g in zip(asked, got):
    if a["want"] not in g.get("text", ""): wrong.append((a["week"], a["path"], a["want"], g.get("error") or g["text"][:90]))
print(len(asked), "pages; wrong:", wrong[:6])
sys.exit(bool(wrong) or not asked or len(asked) != len(got))
PY
# shown WHAT WACZ WEEK...: by both rules each page is what it was.
shown() {
    local what=$1 wacz=$2 rules
    shift 2
    python3 "$dir/ask.py" "$dir" "$site" "$wacz" "$@" >"$dir/asked" 2>"$dir/log"
    point $? "$what: says which captures it shows"
    for rules in pywb first; do
        "$here/replay-rules" --rules $rules "$wacz" <"$dir/asked" >"$dir/got" 2>>"$dir/log" && python3 "$dir/compare.py" "$dir/asked" "$dir/got" >"$dir/log" 2>&1
        point $? "$what: each page is as it was, by the rules of $rules: $(tail -n 1 "$dir/log" | cut -c 1-160)"
    done
}
for week in 1 2 3; do
    "$sharc" export -q "$dir/archive" --capture $week -o "$dir/week$week.wacz" >"$dir/log" 2>&1 && "$sharc" verify "$dir/week$week.wacz" >>"$dir/log" 2>&1
    point $? "week $week alone is exported, self-contained and valid"
    shown "week $week alone" "$dir/week$week.wacz" $week
done
"$sharc" export "$dir/archive" --capture all -o "$dir/all.wacz" >"$dir/log" 2>&1
point $? "the series is exported by one command"
"$sharc" verify "$dir/all.wacz" >"$dir/log" 2>&1
point $? "and is valid"
shown "the series" "$dir/all.wacz" 1 2 3
unzip -p "$dir/all.wacz" archive/all-as-of.warc.gz | zcat | grep -a -q '^Sharc-Stands-For: <urn:uuid:'
point $? "records that were made stand in a file of their own and say so"
python3 -c '
import json, sys, zipfile
p = json.loads(zipfile.ZipFile(sys.argv[1]).read("datapackage.json"))
print(p["mainPageUrl"], p["mainPageDate"], p["captures"][2])
sys.exit(p["mainPageUrl"] != sys.argv[2] or p["mainPageDate"][:19] != p["captures"][2]["shown_at"][:19])' "$dir/all.wacz" "$site/" >"$dir/log" 2>&1
point $? "it opens on the seed of the last week"

# In the browser: on the seed of every week, then from page to page by clicks; styles and scripts
# that were answered with 304 work.
cat >"$dir/clicks.py" <<'PY'
import json, sys
site, week = sys.argv[2], None
for l in open(sys.argv[1]):
    a = json.loads(l)
    texts = [a["want"].split()[1] + (a["path"].strip("/").partition(".")[0] or "home"), "a script spoke"]
    step = {"texts": texts, "what": "ReplayWeb.page, week %d: %s is %s" % (a["week"], a["path"], texts[0])}
    step.update({"open": a["url"], "ts": a["ts"]} if a["week"] != week else {"click": a["url"]})
    week = a["week"]
    print(json.dumps(step))
PY
python3 "$dir/ask.py" "$dir" "$site" "$dir/all.wacz" 1 2 3 >"$dir/asked"
python3 "$dir/clicks.py" "$dir/asked" "$site" >"$dir/plan"
click_through "the series" "$dir/all.wacz" "$dir/plan"
python3 "$dir/ask.py" "$dir" "$site" "$dir/week2.wacz" 2 >"$dir/asked"
python3 "$dir/clicks.py" "$dir/asked" "$site" >"$dir/plan"
click_through "week 2 alone" "$dir/week2.wacz" "$dir/plan"
judge "the replay judge: week 2 alone, its seed whole" "$dir/week2.wacz" --url "$site/" --text "b-of-home" --text "a script spoke" \
    --css 'h1:color=rgb(0, 102, 51)' --min-images 1 --no-missing

# Files of the second week alone lack what they refer to, and that is said.
second=$(ls "$dir"/archive/warcs/*.warc.gz | sed -n 2p)
"$sharc" export -o "$dir/poor.wacz" "$second" >"$dir/out" 2>"$dir/log"
code=$?
[ $code = 0 ] && grep -q 'revisits refer to answers that none of these files holds.*/.*--capture' "$dir/log"
point $? "the files of one week alone: revisits without their original are named, with the cure"
"$sharc" export -o "$dir/whole.wacz" "$dir/archive" >"$dir/out" 2>"$dir/log" && [ ! -s "$dir/log" ]
point $? "the archive's directory is taken, whole, without a warning"
finish
