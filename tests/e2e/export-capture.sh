#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# An evidence capture of a living site, exported by one command: every page shows its
# state as of the reference time, also those that had changed by their revisit. TAP.
set -u
. "$(dirname "$0")/crawl-lib.bash"
. "$here/replay-lib.bash"
judge_prepare
start_living --pages 30 --seed 4 --hottest 150ms --counters 0 --layouts 0 --sitemaps 0 --truth "$dir/truth.jsonl"
site=${site%/}
run 0 "an evidence capture of a site that is edited meanwhile" --delay 40ms --for evidence -a "$dir/archive" "$site/"
capture=$(field capture)
stop_living

"$sharc" export "$dir/archive" --capture latest -o "$dir/x.wacz" --json >"$dir/made" 2>"$dir/log"
point $? "one command makes a WACZ of it"
[ ! -s "$dir/log" ]
point $? "without a warning"
"$sharc" verify "$dir/x.wacz" >"$dir/log" 2>&1
point $? "the WACZ is valid, its index agrees with its records"
! find "$dir" -maxdepth 1 -name '.x.wacz*' | grep -q .
point $? "nothing temporary is left"

# What is to be seen: of each page the version of its visit, which is that of the reference
# time unless an edit lies between.
cat >"$dir/want.py" <<'PY'
import json, sqlite3, sys, zipfile
from urllib.parse import urlsplit
from datetime import datetime
dir, capture = sys.argv[1:3]
when = lambda t: datetime.fromisoformat(t.replace("Z", "+00:00")).timestamp()
versions = {}
for l in open(dir + "/truth.jsonl"):
    v = json.loads(l)
    versions.setdefault(v["path"], []).append(v)
def at(path, t, late=0):
    """Versions of the path that were there between t and t + late."""
    vs = versions.get(path, [])
    return [v for v, w in zip(vs, vs[1:] + [None]) if when(v["time"]) <= t + late and (w is None or when(w["time"]) > t)]
db = sqlite3.connect(dir + "/archive/catalogue.db")
reference, start = (x / 1e6 for x in db.execute("SELECT reference, started FROM capture WHERE id = ?", (capture,)).fetchone())
package = json.loads(zipfile.ZipFile(dir + "/x.wacz").read("datapackage.json"))
ts = package["mainPageDate"].translate(str.maketrans("", "", "-:TZ"))[:14]
# A page that was looked at a second time before the revisits is shown as it was then.
rows = db.execute("""SELECT u.text, coalesce(s.visit, p.visit), CASE WHEN s.visit IS NULL THEN p.took ELSE s.took END, l.visit
    FROM page p JOIN url u ON u.id = p.url LEFT JOIN look s ON s.capture = p.capture AND s.url = p.url AND s.kind = 1
    LEFT JOIN look l ON l.capture = p.capture AND l.url = p.url AND l.kind = 2 WHERE p.capture = ?""", (capture,)).fetchall()
moved = 0
for url, visit, took, revisit in rows:
    u = urlsplit(url)
    seen = at(u.path, visit / 1e6, max(took or 0, 0) / 1e6 + 0.005)
    if not seen: continue
    then = at(u.path, reference)
    later = at(u.path, revisit / 1e6) if revisit else []
    changed = bool(later) and later[0]["sha256"] != seen[0]["sha256"]
    moved += changed
    print(json.dumps({"url": url, "ts": ts, "want": [v["sha256"] for v in seen], "then": [v["sha256"] for v in then],
                      "changed": changed}))
print(moved, "pages had changed by their revisit", file=sys.stderr)
sys.exit(moved < 3)
PY
python3 "$dir/want.py" "$dir" "$capture" >"$dir/want" 2>"$dir/log"
point $? "the site's own log says what was to be seen: $(tail -n 1 "$dir/log")"

cat >"$dir/compare.py" <<'PY'
import json, sys, zipfile
want = [json.loads(l) for l in open(sys.argv[1])]
got = {(g["url"]): g for g in map(json.loads, open(sys.argv[2]))}
verdicts = {v["url"]: v for v in map(json.loads, zipfile.ZipFile(sys.argv[3]).read("captures/pages.jsonl").decode().splitlines())}
wrong, as_of = [], 0
for w in want:
    g, v = got[w["url"]], verdicts[w["url"]]
    if g.get("sha256") not in w["want"]: wrong.append((w["url"], "shown", g))
    if v["outcome"] == "unchanged" and g.get("sha256") not in w["then"]: wrong.append((w["url"], "not as of the reference time", v))
    as_of += g.get("sha256") in w["then"]
print(len(want), "pages,", as_of, "of them as of the reference time; wrong:", wrong[:3])
sys.exit(bool(wrong) or len(want) < 30 or as_of < len(want) / 2)
PY
for rules in pywb first; do
    "$here/replay-rules" --rules $rules "$dir/x.wacz" <"$dir/want" >"$dir/got" 2>"$dir/log"
    point $? "every page can be shown, by the rules of $rules"
    python3 "$dir/compare.py" "$dir/want" "$dir/got" "$dir/x.wacz" >"$dir/log" 2>&1
    point $? "and is the one that was seen last before the revisits ($rules): $(tail -n 1 "$dir/log" | cut -c 1-100)"
done
# Any archive replays: the index of the archive has no page that is shown blank.
python3 -c '
import json, sys
for l in open(sys.argv[1]):
    w = json.loads(l)
    print(json.dumps({"url": w["url"], "ts": "20991231235959"}))' "$dir/want" | "$here/replay-rules" "$dir/archive" >"$dir/log" 2>&1
point $? "the archive's own index shows every page, too, asked for the latest"

python3 - "$dir" "$site" <<'PY' >"$dir/log" 2>&1
import json, sys, zipfile
z = zipfile.ZipFile(sys.argv[1] + "/x.wacz")
p = json.loads(z.read("datapackage.json"))
first = json.loads(z.read("pages/pages.jsonl").decode().splitlines()[1])
c = p["captures"][0]
print(p["mainPageUrl"], p["mainPageDate"], first, c)
assert p["mainPageUrl"] == first["url"] == c["seed"] == sys.argv[2] + "/", "does not open on the seed"
assert p["mainPageDate"] == first["ts"]
assert c["purpose"] == "evidence" and c["strategy"] == "sharc-focus" and c["reference"] and c["state"] == "complete"
assert sum(c["outcomes"].values()) == c["urls"] > 30 and c["outcomes"]["unchanged"] > 10
assert len(c["outcomes"]) > 1, "nothing changed?"
PY
point $? "it opens on the seed and says what is known of the capture"

# The pages themselves, in a browser: what they showed, and not what came after.
"$here/replay-rules" "$dir/x.wacz" <"$dir/want" >"$dir/got"
cat >"$dir/texts.py" <<'PY'
import json, re, sys
want = {w["url"]: w for w in map(json.loads, open(sys.argv[1]))}
pages = [g for g in map(json.loads, open(sys.argv[2])) if (g.get("type") or "").startswith("text/html")]
pages.sort(key=lambda g: (g["url"].count("/") > 3, not want[g["url"]]["changed"], g["url"]))
for g in pages:
    words = re.sub(r"&[a-z#0-9]+;", " ", g["text"]).split()
    # Seven words from the middle, which an edit is likely to touch.
    text = " ".join(words[len(words) // 2:len(words) // 2 + 7])
    changed = ", which had changed by its revisit" if want[g["url"]]["changed"] else ""
    print(json.dumps({"open": g["url"], "ts": g["ts"], "texts": [text], "what": "ReplayWeb.page shows " + g["url"][len(sys.argv[3]):] + changed}))
PY
python3 "$dir/texts.py" "$dir/want" "$dir/got" "$site" >"$dir/plan" && [ "$(wc -l <"$dir/plan")" -ge 30 ]
point $? "there are pages to open"
click_through "the capture" "$dir/x.wacz" "$dir/plan"
judge "the replay judge: the seed whole, with its images" "$dir/x.wacz" --url "$site/" --min-images 1 --no-missing --text "$(python3 -c 'import json, sys; print(json.loads(open(sys.argv[1]).readline())["texts"][0])' "$dir/plan")"

# The same as files, and as one WARC.
"$sharc" export "$dir/archive" --capture latest --to mirror -o "$dir/mirror" --json >"$dir/made" 2>"$dir/log"
point $? "a mirror of the capture"
python3 - "$dir" <<'PY' >"$dir/log" 2>&1
import glob, hashlib, json, os, sys
dir = sys.argv[1]
want = [json.loads(l) for l in open(dir + "/want")]
images = {os.path.basename(w["url"]): w["want"] for w in want if w["url"].endswith(".png")}
wrong = [f for f in glob.glob(dir + "/mirror/**/*.png", recursive=True)
         if hashlib.sha256(open(f, "rb").read()).hexdigest() not in images[os.path.basename(f)]]
made = json.load(open(dir + "/made"))
print(len(images), wrong, made)
assert images and not wrong and made["start"].endswith("/index.html") and made["start"].count("/") == 1 and made["revisits_lost"] == 0
PY
point $? "begins with the seed and misses nothing"
"$sharc" export "$dir/archive" --capture "$capture" --to warc -o "$dir/x.warc.gz" >"$dir/log" 2>&1 && "$sharc" verify "$dir/x.warc.gz" >"$dir/log" 2>&1
point $? "one WARC of the capture is valid by itself"
"$sharc" import -a "$dir/again" "$dir/x.warc.gz" >"$dir/log" 2>&1
[ "$(ask again "SELECT count(*) FROM page")" = "$(ask archive "SELECT count(*) FROM page WHERE capture = $capture")" ]
point $? "and holds all its pages"
finish
