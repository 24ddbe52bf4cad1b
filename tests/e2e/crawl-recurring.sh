#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The same site captured twice into one archive: the second capture asks with
# conditions, writes revisit records that point at original responses, knows rates
# from the first, and what differs is what the site itself says has changed. TAP.
set -u
. "$(dirname "$0")/crawl-lib.bash"
start_living --pages 60 --seed 11 --hottest 1s --counters 0 --requests "$dir/requests" --truth "$dir/truth.jsonl"
args=(--delay 5ms --for evidence -a "$dir/archive" "$site")
run 0 "the first capture" "${args[@]}"
first=$(field capture) pages=$(field pages)
first_requests=$(wc -l <"$dir/requests")
sleep 1
run 0 "the second capture" "${args[@]}"
second=$(field capture)
[ "$first" != "$second" ] && [ "$(field resumed)" = False ]
point $? "is a capture of its own"
sum=$(($(field unchanged) + $(field insignificant) + $(field changed) + $(field revisits_failed)))
[ $sum = "$(field revisited)" ] && [ "$(field not_modified)" = 0 ] && [ "$(field identical)" -gt "$(field unchanged)" ]
point $? "its $(field revisited) revisits are told by what they found: $sum"
second_requests=$(wc -l <"$dir/requests")
run 0 "a third one, for exploration" --delay 5ms -a "$dir/archive" "$site"
third=$(field capture)
third_requests=$(wc -l <"$dir/requests")
"$sharc" crawl -q --allow-private "${args[@]}" >"$dir/log" 2>&1
[ -s "$dir/log" ] && sed "s#$dir/##" "$dir/log" | awk 'length($0) > 79 { exit 1 }'
point $? "the summary fits into 80 columns"
stop_living

cat >"$dir/check.py" <<'PY'
import glob, gzip, json, sys
from datetime import datetime
what, dir = sys.argv[1:3]
def records():
    for name in sorted(glob.glob(dir + "/archive/warcs/*.warc.gz")):
        f = gzip.open(name)
        while (line := f.readline()):
            assert line.startswith(b"WARC/1."), line
            head = {}
            while (line := f.readline().strip()):
                key, _, value = line.partition(b":")
                head[key.strip().lower().decode()] = value.strip().decode()
            block = f.read(int(head["content-length"]))
            f.read(4)
            yield head, block
if what == "conditions":
    rows = [json.loads(l) for l in open(dir + "/requests")]
    first, second, third = map(int, sys.argv[3:6])
    def answers(rows):
        status = {}
        for r in rows:  # lists of changes are no pages: they are asked for again with a condition
            if "sitemap" not in r["target"]: status[r["status"]] = status.get(r["status"], 0) + 1
        return status
    evidence, explored = answers(rows[first:second]), answers(rows[second:third])
    # Whatever has a validator and stood still since before the second capture is answered by 304, however
    # long the machine took.
    tagged = {"/" + h["warc-target-uri"].split("/", 3)[3] for h, block in records()
              if h["warc-type"] == "response" and b"\nETag:" in block.split(b"\r\n\r\n")[0]}
    versions = {}
    for r in rows[first:third]: versions.setdefault(r["target"], set()).add(r.get("version"))
    still = [r for r in rows[second:third] if r["target"] in tagged and len(versions[r["target"]]) == 1
             and r["target"] != "/robots.txt" and "sitemap" not in r["target"]]
    again = [r["target"] for r in still if r["status"] != 304]
    print("answers of the second capture:", evidence, "and of the third:", explored, "; of", len(still),
          "with a validator that stood still", len(again), "downloaded again", again[:3])
    sys.exit(304 in evidence or bool(again) or not still)
if what == "revisits":
    all = list(records())
    originals = {h["warc-record-id"]: h for h, _ in all if h["warc-type"] == "response"}
    bad, n, modified = [], 0, 0
    for h, block in all:
        if h["warc-type"] != "revisit": continue
        n += 1
        o = originals.get(h.get("warc-refers-to", ""))
        status = block.split(b" ", 2)[1]
        profile = h["warc-profile"].rsplit("/", 1)[1]
        modified += profile == "server-not-modified"
        if not o: bad.append((h["warc-target-uri"], "refers to no response", h.get("warc-refers-to")))
        elif o["warc-target-uri"] != h["warc-refers-to-target-uri"]: bad.append((h["warc-target-uri"], "other URL"))
        elif o["warc-date"] != h["warc-refers-to-date"]: bad.append((h["warc-target-uri"], "other date", o["warc-date"], h["warc-refers-to-date"]))
        elif o["warc-payload-digest"] != h["warc-payload-digest"]: bad.append((h["warc-target-uri"], "other digest"))
        elif (status == b"304") != (profile == "server-not-modified"): bad.append((h["warc-target-uri"], profile, status))
    print(n, "revisit records,", modified, "of them not modified;", bad[:5])
    sys.exit(bool(bad) or modified < 20)
PY
python3 "$dir/check.py" conditions "$dir" "$first_requests" "$second_requests" "$third_requests" >"$dir/log" 2>&1
point $? "for evidence all is downloaded, for exploration what is new: $(tail -n 1 "$dir/log")"
python3 "$dir/check.py" revisits "$dir" >"$dir/log" 2>&1
point $? "revisit records refer to the original response, with its date and digest: $(tail -n 1 "$dir/log")"
[ "$(ask archive "SELECT count(DISTINCT planned_rate) > 5 FROM page WHERE capture = $second")" = 1 ]
point $? "rates are known from before"
[ "$(ask archive "SELECT count(*) FROM page p WHERE p.capture = $third AND p.record <> 0 AND NOT EXISTS (SELECT 1 FROM warc w WHERE w.id = p.body_warc)")" = 0 ]
point $? "every page without a body of its own says where its body is"

# What changed, by the archive and by the truth.
"$sharc" diff --archive "$dir/archive" "$first" "$second" --class all --limit 0 --json >"$dir/diff.json" 2>"$dir/log"
point $? "the captures can be compared"
ask archive "SELECT u.text, a.visit, b.visit FROM page a JOIN page b ON b.url = a.url JOIN url u ON u.id = a.url WHERE a.capture = $first AND b.capture = $second AND a.status = 200" >"$dir/times"
cat >"$dir/truth.py" <<'PY'
import json, sys
from datetime import datetime
from urllib.parse import urlsplit
dir = sys.argv[1]
versions = {}
def when(t): return datetime.fromisoformat(t.replace("Z", "+00:00")).timestamp()
for l in open(dir + "/truth.jsonl"):
    v = json.loads(l)
    versions.setdefault(v["path"], []).append(v)
def at(path, t):
    best = None
    for v in versions[path]:
        if when(v["time"]) <= t: best = v
    return best and best.get("sha256")
rows = {p["url"]: p for p in json.load(open(dir + "/diff.json"))["results"]}
wrong, n, changed = [], 0, 0
for line in open(dir + "/times"):
    url, a, b = line.split()
    u = urlsplit(url)
    path = u.path + ("?" + u.query if u.query else "")
    if path not in versions or url not in rows: continue
    x, y = at(path, int(a) / 1e6), at(path, int(b) / 1e6)
    if x is None or y is None: continue
    n += 1
    changed += x != y
    said = rows[url]["class"] not in ("unchanged",)
    if said != (x != y): wrong.append((path, rows[url]["class"], x[:8], y[:8]))
print(n, "pages,", changed, "of them changed; wrong:", wrong[:5])
sys.exit(bool(wrong) or n < 40 or changed < 3)
PY
python3 "$dir/truth.py" "$dir" >"$dir/log" 2>&1
point $? "what it says has changed is what the site says: $(tail -n 1 "$dir/log")"
sound archive "all three"
log_is_heritrix archive
point $? "crawl.log reads as Heritrix's"

[ "$(ask archive "SELECT count(*) >= 60, avg(observations) >= 3, count(DISTINCT made) FROM rate WHERE source = 'crawl'")" = "1 1 1" ]
point $? "the last capture leaves a rate of every page, from all looks of all three"
"$sharc" rates show "$dir/archive" --json >"$dir/kept" 2>>"$dir/log" && python3 - "$dir/kept" <<'PY' >>"$dir/log"
import json, sys
kept = json.load(open(sys.argv[1]))["kept"]
rates = sorted(k["per_day"] for k in kept if k["source"] == "crawl")
print(rates[0], rates[-1])
sys.exit(not (len(rates) >= 60 and rates[-1] > 20 * rates[0]))
PY
point $? "sharc rates show tells them, and tells hot from cold"
finish
