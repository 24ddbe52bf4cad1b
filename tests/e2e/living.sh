#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The living site as others see it: Wget mirrors it, a client asks for hot pages
# again and again, and everything they got must be what the log of the truth says
# was there at that moment. Moments are those of the site's own clock: each request of the
# client has a number, and the site's log of requests says when it came.
set -u
dir=$(mktemp -d)
site=
trap '[ -z "$site" ] || kill "$site" 2>/dev/null; rm -rf "$dir"' EXIT
n=0 bad=0
alive() { kill -0 "$1" 2>/dev/null; }
point() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' "$dir/log" | tail -n 20; bad=1; fi; }

# Fast enough that many pages change within seconds.
"$SHARC" lab serve --quiet --pages 60 --seed 5 --hottest 1s --layouts 1s --sitemaps 1s --truth "$dir/truth.jsonl" \
    --requests "$dir/requests.jsonl" --ready-file "$dir/url" >"$dir/log" 2>&1 &
site=$!
while alive "$site" && ! [ -e "$dir/url" ]; do sleep 0.05; done
url=$(cat "$dir/url" 2>>"$dir/log")
point $? "the site says where it is"

(cd "$dir" && wget -nv -r -l inf -p -nH -P mirror "$url") >"$dir/log" 2>&1
[ "$(find "$dir/mirror" -name '*.html' | wc -l)" -ge 60 ] && [ -e "$dir/mirror/style.css" ] && ls "$dir"/mirror/images/*.png >/dev/null
point $? "wget finds every page, image and style sheet"
[ ! -e "$dir/mirror/private" ]
point $? "wget keeps away from what robots.txt forbids"

# ask.py URL: hot pages for some seconds, conditionally; one line per answer.
cat >"$dir/ask.py" <<'PY'
import hashlib, json, sys, time, urllib.error, urllib.request
url = sys.argv[1]
paths = sys.argv[2:]
held, number = {}, 0
until = time.monotonic() + 4
while time.monotonic() < until:
    for path in paths:
        number += 1
        target = '%s?n=%d' % (path, number)
        request = urllib.request.Request(url.rstrip('/') + target)
        kind = None
        if path in held:
            kind, value = held[path]
            request.add_header('If-None-Match' if kind == 'ETag' else 'If-Modified-Since', value)
        try:
            answer = urllib.request.urlopen(request)
            status, body, fields = 200, answer.read(), answer.headers
        except urllib.error.HTTPError as e:
            status, body, fields = e.code, b'', e.headers
        print(json.dumps({'path': path, 'target': target, 'status': status,
                          'sha256': hashlib.sha256(body).hexdigest() if status == 200 else None}))
        # By turns the one validator and the other.
        other = 'Last-Modified' if kind == 'ETag' else 'ETag'
        for name in (other, 'ETag'):
            if status == 200 and fields.get(name):
                held[path] = (name, fields[name])
                break
    time.sleep(0.02)
PY
edited() { grep -h '"cause":"edit"' "$dir/truth.jsonl" | grep -o '"path":"[^"]*"' | cut -d'"' -f4 | grep -v '\.xml$' | sort | uniq -c | sort -rn; }
# Wget may be done before much has happened.
while alive "$site" && ! [ "$(edited | awk '$1 > 1' | wc -l)" -ge 8 ]; do sleep 0.1; done
hot=$(edited | head -n 8 | awk '{print $2}')
python3 "$dir/ask.py" "$url" $hot / >"$dir/asked.jsonl" 2>"$dir/log"
point $? "hot pages are asked for again and again"

sleep 0.3
kill "$site"
wait "$site"
code=$?
site=
[ "$code" = 0 ]
point $? "a signal ends the site, and that is no error"

cat >"$dir/judge.py" <<'PY'
import glob, hashlib, json, os, sys
dir = sys.argv[1]
truth = [json.loads(l) for l in open(dir + '/truth.jsonl')]
asked = [json.loads(l) for l in open(dir + '/asked.jsonl')]
requests = [json.loads(l) for l in open(dir + '/requests.jsonl')]
versions = {}
for v in truth:
    versions.setdefault(v['path'], []).append(v)
n = bad = 0
def point(ok, name, note=''):
    global n, bad
    n += 1
    bad += not ok
    print('%s - %s' % ('ok' if ok else 'not ok', name) + ('' if ok else '\n# ' + str(note)))
def alive(path, before, after):
    """Versions of path that were there at some moment of [before, after]."""
    vs = versions[path]
    return [v for v, w in zip(vs, vs[1:] + [None]) if v['time'] <= after and (w is None or w['time'] >= before)]

point(all(a['time'] <= b['time'] for vs in versions.values() for a, b in zip(vs, vs[1:])), 'what the log says of a page is in the order of time')
point(all([v['version'] for v in vs] == list(range(len(vs))) for vs in versions.values()), 'versions are numbered without gaps')

wrong = []
for f in glob.glob(dir + '/mirror/**', recursive=True):
    if not os.path.isfile(f): continue
    path = f[len(dir + '/mirror'):]
    if path.endswith('index.html'): path = path[:-len('index.html')]
    digest = hashlib.sha256(open(f, 'rb').read()).hexdigest()
    if versions.get(path, [{}])[0].get('status') == 200 and digest not in [v.get('sha256') for v in versions[path]]: wrong.append(path)
point(not wrong, 'all that wget saved was a version of its page', wrong[:5])

came = {r['target']: r['time'] for r in requests}
wrong, fresh, same = [], 0, 0
last = {}
for a in asked:
    now = alive(a['path'], came[a['target']], came[a['target']])
    if a['status'] == 200:
        fresh += 1
        if a['sha256'] not in [v['sha256'] for v in now]: wrong.append(a)
        last[a['path']] = a['sha256']
    elif a['status'] == 304:
        same += 1
        if last[a['path']] not in [v['sha256'] for v in now]: wrong.append(a)
    else: wrong.append(a)
point(not wrong, 'bodies and 304s say what was true at that moment', wrong[:3])
point(fresh > 20 and same > 100, 'there were changes to see, and times without', (fresh, same))

# The site's own account of what it served.
page = lambda r: r['target'].split('?')[0]
wrong = [r for r in requests if 'version' in r and page(r) in versions
         and r['version'] not in [v['version'] for v in alive(page(r), r['time'], r['time'])]]
point(not wrong and len(requests) > len(asked), 'the log of requests agrees with the log of the truth', wrong[:3])
causes = {v['cause'] for v in truth}
point({'start', 'edit', 'layout', 'counter', 'renewal'} <= causes, 'edits, layouts, counters and renewals happened', causes)
sys.exit(bad > 0)
PY
python3 "$dir/judge.py" "$dir" >"$dir/verdict" 2>&1 || bad=1
while IFS= read -r line; do
    case $line in
    ok*) n=$((n + 1)); echo "ok $n${line#ok}" ;;
    'not ok'*) n=$((n + 1)); echo "not ok $n${line#not ok}" ;;
    *) echo "# $line" ;;
    esac
done <"$dir/verdict"
echo "1..$n"
exit $bad
