#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A living site captured for evidence, by several strategies, and the capture held
# against the truth that the site logged: no page is called coherent that changed,
# none is called changed that did not, every archived body is what the site served
# at that moment, and the site was treated politely.
set -u
dir=$(mktemp -d)
site=
trap '[ -z "$site" ] || kill "$site" 2>/dev/null; rm -rf "$dir"' EXIT
n=0 bad=0
alive() { kill -0 "$1" 2>/dev/null; }
point() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' "$dir/log" | tail -n 30; bad=1; fi; }
value() { sed -n "s/^ *\"$1\": \([0-9]*\),*$/\1/p" "$dir/verdict" | head -n 1; }

# Payloads of the responses in WARC files, read by nothing of ours.
cat >"$dir/bodies.py" <<'PY'
import glob, gzip, hashlib, json, sys
from urllib.parse import urlsplit
truth, versions, wrong, checked = sys.argv[1], {}, [], 0
for line in open(truth):
    v = json.loads(line)
    versions.setdefault(v['path'], set()).add(v.get('sha256'))
for name in glob.glob(sys.argv[2] + '/warcs/*.warc.gz'):
    with gzip.open(name) as f:
        while True:
            line = f.readline()
            if not line: break
            assert line.startswith(b'WARC/1.'), line
            head = {}
            while (line := f.readline().strip()):
                key, _, value = line.partition(b':')
                head[key.strip().lower().decode()] = value.strip().decode()
            block = f.read(int(head['content-length']))
            f.read(4)
            if head['warc-type'] != 'response': continue
            fields, _, body = block.partition(b'\r\n\r\n')
            target = urlsplit(head['warc-target-uri'])
            path = target.path + ('?' + target.query if target.query else '')
            if b' 200 ' not in fields.split(b'\r\n')[0] + b' ' or path not in versions: continue
            checked += 1
            if hashlib.sha256(body).hexdigest() not in versions[path]: wrong.append(path)
print(checked, 'bodies checked;', 'wrong:', wrong[:5])
sys.exit(not checked or bool(wrong))
PY
# Pauses between requests, and what was asked for, by the site's own log.
cat >"$dir/polite.py" <<'PY'
import json, sys
from datetime import datetime
rows = [json.loads(l) for l in open(sys.argv[1])]
times = [datetime.strptime(r['time'], '%Y-%m-%dT%H:%M:%S.%fZ').timestamp() for r in rows]
gaps = [b - a for a, b in zip(times, times[1:])]
private = [r['target'] for r in rows if r['target'].startswith('/private/')]
print(len(rows), 'requests; least pause', min(gaps), '; forbidden:', private)
sys.exit(min(gaps) < float(sys.argv[2]) or bool(private))
PY

for strategy in sharc-focus sharc-selective-online sharc-threshold bfs-lifo bfs-fifo; do
    "$SHARC" lab serve --quiet --pages 40 --seed 6 --hottest 400ms --layouts 10s --counters 20% --truth "$dir/truth.jsonl" \
        --requests "$dir/requests.jsonl" --ready-file "$dir/url" >"$dir/log" 2>&1 &
    site=$!
    while alive "$site" && ! [ -e "$dir/url" ]; do sleep 0.05; done
    "$SHARC" crawl --quiet "$(cat "$dir/url")" --archive "$dir/archive" --for evidence --strategy $strategy \
        --allow-private --delay 20ms >"$dir/log" 2>&1
    point $? "$strategy: the site is captured"
    kill "$site"
    wait "$site" || true
    site=
    "$SHARC" lab judge "$dir/archive" --truth "$dir/truth.jsonl" >"$dir/log" 2>&1
    point $? "$strategy: every verdict is true"
    "$SHARC" lab judge "$dir/archive" --truth "$dir/truth.jsonl" --json >"$dir/verdict" 2>>"$dir/log"
    [ "$(value pages)" -ge 50 ] && [ "$(value proved)" -ge 10 ] && [ "$(value edited)" -ge 3 ]
    point $? "$strategy: there were pages of both kinds"
    python3 "$dir/bodies.py" "$dir/truth.jsonl" "$dir/archive" >"$dir/log" 2>&1
    point $? "$strategy: what was archived is what was served"
    python3 "$dir/polite.py" "$dir/requests.jsonl" 0.018 >"$dir/log" 2>&1
    point $? "$strategy: the site had its pauses, and its privacy"
    rm -rf "$dir/archive" "$dir/url"
done
echo "1..$n"
exit $bad
