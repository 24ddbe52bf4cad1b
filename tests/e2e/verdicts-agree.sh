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

for options in "--seed 1 --hottest 1s" "--seed 2 --hottest 500ms --edits paragraph,image --counters 30%" \
    "--seed 3 --hottest 2s --noise token:0.5,teaser:0.2 --edits paragraph,image"; do
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
