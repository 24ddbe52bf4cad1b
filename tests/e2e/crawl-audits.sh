#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A server that answers 304 to everything, though its pages change in the middle of the
# capture. --proof attested asks for its word on all pages, --attest-above on large ones:
# random downloads in full find the lie, no 304 counts, and the pages are downloaded again.
# A server that tells the truth stays attested, which is no proof. Which pages are audited
# cannot be foreseen, and is told when all is over. TAP.
set -u
. "$(dirname "$0")/crawl-lib.bash"
pages=60

cat >"$dir/routes.py" <<PY
import os
PAGES = $pages
asked = {}
def answer(host, target, headers):
    if target == "/robots.txt":
        return 200, {"Content-Type": "text/plain"}, "User-agent: *\nDisallow:\n"
    number = 0 if target == "/" else int(target[2:]) if target[:2] == "/p" and target[2:].isdigit() else PAGES
    if number >= PAGES:
        return None
    asked[target] = asked.get(target, 0) + 1
    lies = os.path.exists("$dir/lies")
    changed = lies and asked[target] > 1
    fields = {"ETag": '"%d"' % number, "Last-Modified": "Mon, 06 Jan 2020 10:00:00 GMT"}
    if any(k.lower() == "if-none-match" for k in headers.keys()):
        return 304, fields, ""
    words = " ".join("word%d" % ((number * 7 + i * i) % 97) for i in range(400 if number % 2 else 20))
    links = "".join('<a href="/p%d">%d</a> ' % (i, i) for i in range(1, PAGES)) if number == 0 else ""
    return 200, fields, ('<html><head><title>Page %d</title></head><body><p class=price>%s euro</p><p>%s</p>%s</body></html>' %
        (number, "9,900" if changed else "1,200", words, links))
PY
start_site
crawl_it() { # crawl_it ARCHIVE OPTION...
    local a=$1
    shift
    stop_site
    start_site
    "$sharc" crawl -q --json --allow-private --delay 0 --for evidence --focus 0 --no-probe "$@" -a "$dir/$a" "$site/" >"$dir/$a.json" 2>>"$dir/log"
}
of() { python3 -c 'import json, sys
r = json.load(open(sys.argv[1]))
def find(n):
    if isinstance(n, dict):
        if sys.argv[2] in n: return n[sys.argv[2]]
        n = list(n.values())
    if isinstance(n, list):
        for x in n:
            f = find(x)
            if f is not None: return f
print(find(r))' "$dir/$1.json" "$2" 2>>"$dir/log"; }
reasons() { ask "$1" "SELECT reason, count(*) FROM grade GROUP BY 1 ORDER BY 1" | tr '\n' ' '; }
# reasons 6 strong-etag, 9 word-broken; 1 to 5 proofs
proved() { ask "$1" "SELECT count(*) FROM grade g WHERE g.reason BETWEEN 1 AND 5"; }

crawl_it honest --proof attested
[ "$(of honest attested) $(of honest lies)" = "$pages 0" ] && [ "$(of honest audited)" -ge 20 ]
point $? "a server that tells the truth: attested $(of honest attested), audited $(of honest audited), lies $(of honest lies)"
[ "$(proved honest)" = 0 ]
point $? "and its word is no proof"
audits=$(zcat "$dir"/honest/warcs/*.warc.gz | grep -ac '^sharc-control: audit')
[ "$audits" -ge 20 ]
point $? "the audits have records of their own ($audits)"
seed() { zcat "$dir/$1"/warcs/*.warc.gz | grep -ao '"audit_seed":"[0-9a-f]*"' | sort -u; }
[ "$(seed honest | wc -l)" = 1 ]
point $? "the closing record says how they were chosen ($(seed honest))"
"$sharc" verify "$dir/honest" >>"$dir/log" 2>&1
point $? "and the archive is sound"

"$sharc" certify "$dir/honest" -o "$dir/c" >>"$dir/log" 2>&1 && "$sharc" verify --certificate "$dir/c/certificate.json" "$dir/honest/warcs" >>"$dir/log" 2>&1
point $? "its certificate holds: the audits are those that the seed demands"
grep -q '"audits":{"attested":60,"failed":0,"made":[0-9]*,"missing":0,"passed_over":0,"wanted":20}' "$dir/c/certificate.json"
point $? "and counts them ($(grep -o '"audits":{[^}]*}' "$dir/c/certificate.json"))"

touch "$dir/lies"
crawl_it liar --proof attested
[ "$(of liar lies)" -ge 1 ]
point $? "a server that says 304 to everything is found out (lies $(of liar lies))"
left=$(ask liar "SELECT count(*) FROM grade WHERE reason IN (6, 7)")
[ "$left" = 0 ]
point $? "none of its words counts any more ($(reasons liar))"
[ "$(proved liar)" = 0 ]
point $? "and no page is proved, for all of them had changed"
[ -n "$(seed liar)" ] && [ "$(seed liar)" != "$(seed honest)" ]
point $? "the next capture audits other pages"

crawl_it large --attest-above 1000
[ "$(of large lies)" -ge 1 ] && [ "$(ask large "SELECT count(*) FROM grade WHERE reason IN (6, 7)")" = 0 ]
point $? "the word for large bodies is audited as well (attested $(of large attested), lies $(of large lies))"
[ "$(proved large)" = 0 ]
point $? "and no page is proved there ($(reasons large))"
finish
