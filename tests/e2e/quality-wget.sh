#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Pages with what they embed, captured by wget from a living site, held against the truth
# that the site logged: nothing is called coherent, proven or attested that was not, and nothing
# refuted that was. Then other people's files, whatever state they are in.
set -u
. "$(dirname "$0")/crawl-lib.bash"
if ! command -v wget >/dev/null; then
    skip "wget captures a living site" "wget is not installed"
    finish
fi

cat >"$dir/judge.py" <<'PY'
"""judge.py TRUTH CSV WARC...: every verdict of the CSV by the log; the n-th file is capture n."""
import csv, gzip, hashlib, json, re, sys
from datetime import datetime, timezone
from urllib.parse import urljoin, urlsplit
micros = lambda t: round(datetime.strptime(t, '%Y-%m-%dT%H:%M:%S.%fZ').replace(tzinfo=timezone.utc).timestamp() * 1e6)
end = 1 << 62
history, versions = {}, {}
for line in open(sys.argv[1]):
    v = json.loads(line)
    if v['cause'] != 'served': history.setdefault(v['path'], []).append((micros(v['time']), v.get('sha256')))
for path, h in history.items():
    for (begin, sha), after in zip(h, h[1:] + [(end, None)]):
        # Before the log begins the first version was there.
        versions.setdefault((path, sha), []).append((0 if begin == h[0][0] else begin, after[0]))
def path_of(url):
    u = urlsplit(url)
    return u.path + ('?' + u.query if u.query else '')
def was(path, sha, a, b):  # the same version at every instant from a to b
    return any(x <= a and b < y for x, y in versions.get((path, sha), []))
def records(name):
    with gzip.open(name) as f:
        while line := f.readline():
            head = {}
            while line := f.readline().strip():
                key, _, value = line.partition(b':')
                head[key.strip().lower().decode()] = value.strip().decode()
            block = f.read(int(head['content-length']))
            f.read(4)
            if head['warc-type'] == 'response':
                fields, _, body = block.partition(b'\r\n\r\n')
                if b' 200 ' in fields.split(b'\r\n')[0] + b' ': yield head['warc-target-uri'].strip('<>'), body
# Of a URL the catalogue shows the last download in another crawler's file, and the visit, the first one, in ours.
own = __import__('os').environ.get('OWN')
archived = {n: dict(reversed(list(records(name))) if own else records(name)) for n, name in enumerate(sys.argv[3:], 1)}
def parts_of(n, url, seen):
    body = archived[n].get(url)
    if body is None or url in seen: return
    seen.add(url)
    if body[:200].lower().find(b'<html') < 0 and body[:200].lower().find(b'<!doctype') < 0 and seen != {url}: return
    for m in re.findall(rb'<(?:img|script|iframe)\b[^>]*\bsrc="?([^" >]+)|<link\b[^>]*rel="?stylesheet"?[^>]*href="?([^" >]+)', body):
        parts_of(n, urljoin(url, (m[0] or m[1]).decode()), seen)
count, false = {}, []
for row in csv.DictReader(open(sys.argv[2])):
    n, parts = int(row['capture']), set()
    parts_of(n, row['url'], parts)
    shas = {path_of(u): hashlib.sha256(archived[n][u]).hexdigest() for u in parts}
    root = path_of(row['url'])
    for kind in ('ainsworth', 'sharc'): count[kind, row[kind]] = count.get((kind, row[kind]), 0) + 1
    if len(shas) > 1 and row['sharc'] in ('proven', 'attested'):
        count['several parts'] = count.get('several parts', 0) + 1
        a, b = micros(row['from']), micros(row['to'])
        # Of the root one instant of its download is enough; the others must have been there all the time.
        for p, sha in shas.items():
            if p != root and not was(p, sha, a, b): false.append(('not together', row['url'], p))
        if not any(x <= b and a < y for x, y in versions.get((root, shas[root]), [])): false.append(('no root', row['url']))
    if len(shas) > 1 and row['ainsworth'] == 'coherent':
        a = micros(row['time'])
        for p, sha in shas.items():
            if p != root and not was(p, sha, a, a + 999999): false.append(('not coherent', row['url'], p))
    if row['sharc'] == 'refuted':
        spans = [versions.get((p, sha), []) for p, sha in shas.items()]
        lows = [x for s in spans for x, _ in s]
        if any(all(any(x <= t < y for x, y in s) for s in spans) for t in lows): false.append(('was', row['url']))
print(count, 'false:', false[:5])
sys.exit(bool(false) or count.get('several parts', 0) < int(__import__('os').environ.get('LEAST', 1)))
PY

# Three rounds, so that some parts are seen before and after a page; images are edited as well.
for seed in 3 4; do
    rm -rf "$dir/a" "$dir"/*.warc.gz
    start_living --pages 30 --seed $seed --hottest 1s --skew 0.9 --edits paragraph,image --layouts 0 --counters 0% --truth "$dir/truth.jsonl"
    good=0
    for round in 1 2 3; do
        (cd "$dir" && wget -q -r -p -P "pages$round" --warc-file="round$round" "$site" 2>>"$dir/log")
        [ -s "$dir/round$round.warc.gz" ] || good=1
        "$sharc" import -q --archive "$dir/a" --capture "round $round" "$dir/round$round.warc.gz" >>"$dir/log" 2>&1 || good=1
        sleep 1.5
    done
    stop_living
    point $good "seed $seed: wget captured the site three times"
    "$sharc" quality "$dir/a" --composite --csv >"$dir/verdicts" 2>"$dir/log"
    point $? "seed $seed: all captures are judged"
    LEAST=5 python3 "$dir/judge.py" "$dir/truth.jsonl" "$dir/verdicts" "$dir"/round{1,2,3}.warc.gz >"$dir/log" 2>&1
    point $? "seed $seed: every verdict agrees with the truth: $(tail -n 1 "$dir/log" | cut -c 1-300)"
done

# By sharc itself, for evidence: pages are proven together with their images.
rm -rf "$dir/own"
start_living --pages 30 --seed 5 --hottest 1s --skew 0.9 --edits paragraph,image --layouts 0 --counters 0% --truth "$dir/truth.jsonl"
"$sharc" crawl --quiet "$site" --archive "$dir/own" --for evidence --allow-private --delay 5ms >"$dir/log" 2>&1
point $? "the site is captured for evidence"
stop_living
"$sharc" quality "$dir/own" --composite --csv >"$dir/verdicts" 2>"$dir/log"
cat "$dir/own"/warcs/*.warc.gz >"$dir/own.warc.gz"
OWN=1 LEAST=5 python3 "$dir/judge.py" "$dir/truth.jsonl" "$dir/verdicts" "$dir/own.warc.gz" >"$dir/log" 2>&1
point $? "its verdicts agree with the truth: $(tail -n 1 "$dir/log" | cut -c 1-300)"

# Other people's files.
suite=$here/../../../shared/suites/warcio/data
if [ -d "$suite" ]; then
    good=0
    for f in "$suite"/*.warc "$suite"/*.warc.gz "$suite"/*.arc "$suite"/*.arc.gz; do
        "$sharc" quality --lenient --composite --json "$f" >"$dir/json" 2>"$dir/log" || { good=1; echo "$f" >>"$dir/log"; break; }
        # A page with parts that nobody dated and nobody saw twice is not proven; a missing part makes it incomplete.
        python3 - "$dir/json" >>"$dir/log" 2>&1 <<'PY' || { good=1; echo "$f" >>"$dir/log"; break; }
import json, sys
for c in json.load(open(sys.argv[1]))['captures']:
    x = c['composites']
    assert x['parts'] == 0 or x['missing_parts'] + sum(x['ainsworth']['reasons'].values()) == x['parts'], x
    assert sum(s['complete'] for s in x['sharc'].values() if isinstance(s, dict) and 'complete' in s) == x['pages'] - x['incomplete'], x
PY
    done
    point $good "files of the suite are judged"
    "$sharc" quality --composite --csv "$suite/example-iana.org-chunked.warc" 2>"$dir/log" | cut -d, -f4,5 | tail -n 1 >>"$dir/log"
    grep -qx '6,5' "$dir/log"
    point $? "a page whose five parts are missing is incomplete"
else
    skip "files of the suite are judged" "no suite beside the source"
    skip "a page whose five parts are missing is incomplete" "no suite beside the source"
fi
finish
