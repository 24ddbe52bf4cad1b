#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The closing record of a WARC file is that file's word, and anybody can write one. Here it is forged: every page that
# changed is called proved, with a reference interval of the forger's choice. None of it may survive: not in an import,
# not in quality, diff, status and export of it, not in a certificate. Neither may digests that the forger put into the
# records of changed pages.
set -u
. "$(dirname "$0")/crawl-lib.bash"

cat >"$dir/routes.py" <<'PY'
NAMES = ['a', 'b', 'c', 'd', 'e']
seen = {}
def answer(host, target, headers):
    if target.strip('/') not in NAMES: return None
    seen[target] = seen.get(target, 0) + 1
    price = '9,900' if seen[target] > 1 and target in ('/b', '/c') else '1,200'
    links = ''.join('<a href="/%s">%s</a> ' % (x, x) for x in NAMES)
    return 200, {}, '<!DOCTYPE html><title>%s</title><p>%s<p>%s<p>It costs %s euro.' % (target, links, 'word ' * 600, price)
PY

cat >"$dir/forge.py" <<'PY'
"""forge.py IN OUT WHAT: verdict: the closing record calls everything proved; digests: payload digests of revisits
are those of the visits; both."""
import gzip, hashlib, io, json, re, sys, zlib
source, target, what = sys.argv[1:]
data, members = open(source, 'rb').read(), []
while data:
    d = zlib.decompressobj(31)
    members.append(d.decompress(data) + d.flush())
    data = d.unused_data
def field(head, name):
    m = re.search(rb'(?im)^' + name + rb': *(.*?)\r$', head)
    return m.group(1) if m else b''
def rebuild(head, block):
    head = re.sub(rb'(?im)^Content-Length: .*?\r$', b'Content-Length: %d\r' % len(block), head, count=1)
    digest = b'sha256:' + hashlib.sha256(block).hexdigest().encode()
    return re.sub(rb'(?im)^WARC-Block-Digest: .*?\r$', b'WARC-Block-Digest: ' + digest + b'\r', head) + b'\r\n' + block + b'\r\n\r\n'
def lie(line):
    o = json.loads(line)
    if 'judged' in o:
        o['coherent'], o['whole_pages_proved'] = o['judged'], o['whole_pages']
        o['reasons'] = {'same-content': o['judged']}
        o['reference'] = o['reference_from'] = '2001-01-01T00:00:00.000000Z'
        o['reference_to'] = '2031-01-01T00:00:00.000000Z'
    if 'url' in o and 'reason' in o:
        o['reason'] = 'same-content'
        o['known_from'], o['known_to'] = '2001-01-01T00:00:00.000000Z', '2031-01-01T00:00:00.000000Z'
    return json.dumps(o)
first, out, forged = {}, open(target, 'wb'), 0
for m in members:
    head, _, rest = m.partition(b'\r\n\r\n')
    head += b'\r\n'
    block = rest[:int(field(head, rb'Content-Length'))]
    url = field(head, rb'WARC-Target-URI')
    if field(head, rb'sharc-kind') == b'verdict' and what != 'digests':
        block = '\n'.join(lie(l) for l in block.decode().splitlines()).encode() + b'\n'
        m, forged = rebuild(head, block), forged + 1
    elif field(head, rb'WARC-Type') == b'response' and what != 'verdict':
        said = field(head, rb'WARC-Payload-Digest')
        if first.setdefault(url, said) != said:
            m, forged = m.replace(b'WARC-Payload-Digest: ' + said, b'WARC-Payload-Digest: ' + first[url], 1), forged + 1
    out.write(gzip.compress(m))
print(forged, 'records forged')
sys.exit(not forged)
PY

start_site
"$sharc" crawl -q --json --allow-private --for evidence --controls none --delay 0 --archive "$dir/a" "$site/a" >"$dir/summary" 2>"$dir/log"
point $? "captured"
stop_site
warc=$(ls "$dir"/a/warcs/*.warc.gz)
python3 - "$dir/summary" >>"$dir/log" 2>&1 <<'PY'
import json, sys
s = json.load(open(sys.argv[1]))['sites'][0]
print(s)
sys.exit(not (s['judged'] == 5 and s['coherent'] == 3))
PY
point $? "three of five pages are proved, two had changed"

cat >"$dir/check.py" <<'PY'
"""check.py WHAT FILE UNFOUNDED: two of five changed, whoever says otherwise."""
import json, sys, zipfile
what, name, unfounded = sys.argv[1], sys.argv[2], int(sys.argv[3])
def bad(*words):
    print(what, *words)
    sys.exit(1)
if what == 'export':
    z = zipfile.ZipFile(name)
    rows = [json.loads(l) for l in z.read('captures/pages.jsonl').decode().splitlines()]
    proved = [r['url'] for r in rows if r.get('grade', 5) <= 2]
    if len(proved) != 3 or any(u.endswith(('/b', '/c')) for u in proved): bad('proved', proved)
    if any(r['graded_by'] != 'records' for r in rows if 'grade' in r): bad('by', rows)
    about = json.loads(z.read('datapackage.json'))
    if '"graded_by": "records"' not in json.dumps(about): bad('about', about)
    if '2001-01-01' in json.dumps(about) or any('2001-01-01' in json.dumps(r) for r in rows): bad('interval')
    sys.exit(0)
d = json.load(open(name))
if what == 'quality':
    c = d['captures'][0]
    if c['grades']['same-content'] != 3 or c['coherence']['inducible']['pages'] != 3 or c['judged'] != 5: bad(c)
    if c['graded_by'] != 'records': bad('by', c['graded_by'])
    if c['claimed_by_file']['unfounded'] != unfounded: bad('claims', c['claimed_by_file'])
    if c['coherence']['inducible']['from'].startswith('2001'): bad('interval')
elif what == 'diff':
    if d['same']['downloaded'] + d['same']['by_grade'] != 3: bad(d['same'])
    if d['graded_by'] != 'records' or d['claims_unfounded'] != unfounded: bad('by', d['graded_by'], d['claims_unfounded'])
elif what == 'status':
    c = d['list'][0]
    if c['graded_by'] != 'records' or c['reference_from'].startswith('2001'): bad(c)
elif what == 'certificate':
    if d['counts']['grades']['identical'] != 3 or d['counts']['pages'] != 5: bad(d['counts'])
    if d['interval']['from'] < 1e15: bad(d['interval'])
PY
check() { python3 "$dir/check.py" "$@" >>"$dir/log" 2>&1; }

for what in verdict digests both; do
    unfounded=$([ $what = digests ] && echo 0 || echo 2)
    rm -rf "$dir/b" "$dir/forged.warc.gz" "$dir/w.wacz"
    python3 "$dir/forge.py" "$warc" "$dir/forged.warc.gz" $what >"$dir/log" 2>&1
    point $? "$what forged"
    "$sharc" import --archive "$dir/b" "$dir/forged.warc.gz" >>"$dir/log" 2>&1
    point $? "$what: imported"
    [ $what = digests ] || grep -q "calls 2 pages proved that the downloads do not show" "$dir/log"
    point $? "$what: the import says that the file claims more than it shows"
    "$sharc" quality "$dir/b" latest --json >"$dir/out" 2>>"$dir/log" && check quality "$dir/out" $unfounded
    point $? "$what: quality counts what the downloads show"
    "$sharc" quality "$dir/forged.warc.gz" --json >"$dir/out" 2>>"$dir/log" && check quality "$dir/out" $unfounded
    point $? "$what: so it does of the file alone"
    "$sharc" quality "$dir/b" latest >"$dir/out" 2>>"$dir/log" && grep -q "derived from the records" "$dir/out" &&
        { [ $what = digests ] || grep -q "calls 2 more proved" "$dir/out"; }
    point $? "$what: and says whose word it is"
    "$sharc" diff --json --archive "$dir/b" latest >"$dir/out" 2>>"$dir/log" && check diff "$dir/out" $unfounded
    point $? "$what: diff counts three pages as the same"
    "$sharc" status --json "$dir/b" >"$dir/out" 2>>"$dir/log" && check status "$dir/out" $unfounded
    point $? "$what: status has our interval"
    "$sharc" export "$dir/b" --capture latest -o "$dir/w.wacz" >>"$dir/log" 2>&1 && check export "$dir/w.wacz" $unfounded
    point $? "$what: export has our grades"
done

# In the archive of the crawl itself: the catalogue knows better, and so does a certificate.
python3 "$dir/forge.py" "$warc" "$dir/forged.warc.gz" verdict >"$dir/log" 2>&1 && cp "$dir/forged.warc.gz" "$warc"
"$sharc" certify "$dir/a" -o "$dir/c" >>"$dir/log" 2>&1 && check certificate "$dir/c/certificate.json" 2
point $? "a certificate does not heed a forged closing record"
"$sharc" verify --certificate "$dir/c/certificate.json" "$dir/a/warcs" >>"$dir/log" 2>&1
point $? "and is derived again as it is"
finish
