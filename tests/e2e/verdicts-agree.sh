#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# One capture has one verdict: what crawl reports, what quality reads from the catalogue and what certify
# derives from the WARC files are the same numbers, on sites that are quiet, noisy and edited, and
# after the catalogue was made anew from the files.
set -u
. "$(dirname "$0")/crawl-lib.bash"

cat >"$dir/agree.py" <<'PY'
"""agree.py CRAWL QUALITY CERTIFICATE: the numbers of each, and whether they are the same."""
import json, sys
crawl = json.load(open(sys.argv[1]))['sites'][0]
quality = json.load(open(sys.argv[2]))['captures'][0]
certificate = json.load(open(sys.argv[3]))
def find(x, name):
    if isinstance(x, dict):
        if name in x: return x[name]
        x = list(x.values())
    return next((y for y in (find(z, name) for z in x) if y is not None), None) if isinstance(x, list) else None
counts = find(certificate, 'counts')
verdict = find(crawl, 'reasons')
words = lambda d: {k: v for k, v in d.items() if v and k != 'not-graded'}
wholes = counts['whole_pages']
tell = [
    ('crawl', crawl['judged'], crawl['coherent'], words(verdict), find(crawl, 'whole_pages'), find(crawl, 'whole_pages_proved')),
    ('quality', quality['judged'], quality['coherence']['inducible']['pages'], words(quality['grades']),
     quality['composites']['whole_pages'], quality['composites']['whole_pages_proved']),
    ('certify', counts['pages'], counts['together'], words(counts['reasons']), sum(wholes.values()), wholes['identical'] + wholes['volatile']),
]
for t in tell: print(*t)
sys.exit(not tell[0][1:] == tell[1][1:] == tell[2][1:] or tell[0][2] == 0)
PY

for options in "--seed 1 --hottest 1s" "--seed 2 --hottest 200ms --edits paragraph,image --counters 30%" \
    "--seed 3 --hottest 2s --noise token:0.5,teaser:0.2 --edits paragraph,image" \
    "--seed 4 --hottest 5s --noise token:0.3 --faults stale:0.5,gzip:0.5"; do
    rm -rf "$dir/a" "$dir/certificate"
    # shellcheck disable=SC2086
    start_living --pages 25 $options
    "$sharc" crawl -q --json --allow-private --for evidence --delay 5ms --archive "$dir/a" "$site" >"$dir/summary" 2>"$dir/log"
    point $? "$options: captured"
    stop_living
    "$sharc" quality "$dir/a" latest --composite --json >"$dir/quality" 2>"$dir/log"
    point $? "$options: its quality is told"
    "$sharc" certify "$dir/a" -o "$dir/certificate" >"$dir/log" 2>&1
    point $? "$options: certified"
    python3 "$dir/agree.py" "$dir/summary" "$dir/quality" "$dir/certificate/certificate.json" >"$dir/log" 2>&1
    point $? "$options: crawl, quality and certify agree"
    "$sharc" verify -q --rebuild "$dir/a" >"$dir/log" 2>&1
    "$sharc" quality "$dir/a" latest --composite --json >"$dir/quality" 2>>"$dir/log"
    python3 "$dir/agree.py" "$dir/summary" "$dir/quality" "$dir/certificate/certificate.json" >>"$dir/log" 2>&1
    point $? "$options: they agree with a catalogue made anew from the files"
done

# What somebody else's file proves is derived from its records.
"$sharc" quality "$dir"/a/warcs/*.warc.gz >"$dir/log" 2>&1 && grep -q 'derived from the records of the imported files' "$dir/log"
point $? "grades of a file are derived from its records"

# A whole page is the page with all that it embeds, also with what was never asked for: parts that the scope, a limit
# or robots.txt shut out, that were not there, or that failed, leave unknown what a reader saw.
cat >"$dir/routes.py" <<'PY'
PARTS = {'good': '/ok.png', 'shut': '/shut.png', 'robots': '/private/x.png', 'gone': '/no.png', 'fails': '/fails.png',
         'elsewhere': 'http://127.0.0.9:9/x.png', 'style': '/bad.css', 'bare': None, 'moved': '/moved.png'}
def answer(host, target, headers):
    if target == '/robots.txt': return 200, {'Content-Type': 'text/plain'}, 'User-agent: *\nDisallow: /private/\n'
    if target == '/fails.png': return 500, {}, 'no'
    if target == '/bad.css': return 200, {'Content-Type': 'text/css'}, 'body { background: url(/shut.png) }'
    if target == '/moved.png': return 302, {'Location': '/private/y.png'}, ''
    if target in ('/ok.png', '/shut.png'): return 200, {'Content-Type': 'image/png'}, b'\x89PNG' + target.encode()
    if target == '/': return 200, {}, '<!DOCTYPE html><title>Start</title>' + ''.join('<a href="/%s">%s</a> ' % (x, x) for x in PARTS)
    if target.strip('/') not in PARTS: return None
    part = PARTS[target.strip('/')]
    embed = '' if not part else '<link rel=stylesheet href="%s">' % part if part.endswith('.css') else '<img src="%s">' % part
    return 200, {}, '<!DOCTYPE html><title>%s</title><p>Words of %s.%s' % (target, target, embed)
PY
rm -rf "$dir/a" "$dir/certificate"
start_site
"$sharc" crawl -q --json --allow-private --for evidence --tries 1 --exclude 'glob:*/shut.png' --exclude host:127.0.0.9 --delay 0 \
    --archive "$dir/a" "$site/" >"$dir/summary" 2>"$dir/log"
stop_site
"$sharc" quality "$dir/a" latest --composite --json >"$dir/quality" 2>>"$dir/log"
"$sharc" certify "$dir/a" -o "$dir/certificate" >>"$dir/log" 2>&1
python3 "$dir/agree.py" "$dir/summary" "$dir/quality" "$dir/certificate/certificate.json" >>"$dir/log" 2>&1
point $? "parts that were not captured: crawl, quality and certify agree"
python3 - "$dir/certificate/certificate.json" >>"$dir/log" 2>&1 <<'PY'
import json, sys
c = json.load(open(sys.argv[1]))
whole = {p['url'].rsplit('/', 1)[1]: p.get('whole', {'grade': p['grade']})['grade'] <= 2 for p in c['pages'] if p['grade'] <= 2}
print(whole, c['scope'])
wanted = {x: x in ('', 'good', 'bare', 'ok.png', 'moved.png') for x in whole}
rules = {(r['sign'], r['rule']) for r in c['scope']['rules']}
sys.exit(not (wanted == whole and len(whole) >= 11 and ('exclude', 'glob:*/shut.png') in rules and c['scope']['robots']
              and any(r['from'] == 'seed' for r in c['scope']['rules'])))
PY
point $? "none of them leaves a whole page proved, and the rules that shut them out are in the certificate"

# Of a capture that was stopped before its revisits nothing is known of coherence.
start_living --pages 60 --seed 4 --requests "$dir/requests"
"$sharc" crawl -q --allow-private --for evidence --delay 50ms --archive "$dir/stopped" "$site" >"$dir/summary" 2>&1 &
crawl=$!
while kill -0 $crawl 2>/dev/null && [ "$(wc -l <"$dir/requests")" -lt 15 ]; do sleep 0.05; done
kill -INT $crawl
wait $crawl
stop_living
grep -q "nothing is proved before the revisits begin" "$dir/summary" && grep -q "^  worst " "$dir/summary" && ! grep -Eq "not proved|incoherent" "$dir/summary"
point $? "a stopped capture calls no part of a site incoherent"
finish
