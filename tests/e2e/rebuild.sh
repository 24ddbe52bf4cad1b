#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# rebuild.sh: what a crawl put into its catalogue comes back from its WARC files. A
# living site is captured twice with revisits, so that there are changes, redirects,
# pages that are gone, and second captures that repeat the first; then the catalogue is
# made anew, with the old one at hand and without, and all tables are compared. TAP.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
sharc=${SHARC:-$root/build/release/src/sharc}
command -v python3 >/dev/null || { echo "1..0 # skip python3 is missing"; exit 0; }
dir=$(mktemp -d)
site=
trap '[ -z "$site" ] || kill "$site" 2>/dev/null; rm -rf "$dir"' EXIT
n=0 bad=0
alive() { kill -0 "$1" 2>/dev/null; }
point() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; cut -c 1-200 "$dir/log" | head -n 20 | sed 's/^/# /'; bad=1; fi; }

# export NAME: every table of the archive as it is now.
tables="page look link grade capture skipped site warc"
export_all() {
    mkdir "$dir/$1"
    for t in $tables; do "$sharc" export -a "$dir/archive" --table $t --to csv >"$dir/$1/$t" 2>"$dir/log" || return; done
}
# same A B TABLE [COLUMN...]: equal row by row, but for the columns named.
cat >"$dir/same.py" <<'PY'
import csv, sys
def rows(path):
    kept = [{k: v for k, v in r.items() if k not in sys.argv[3:]} for r in csv.DictReader(open(path))]
    return sorted(kept, key=lambda r: [r.get(k, '') for k in ('capture', 'url', 'look', 'from_url', 'to_url')])
a, b = rows(sys.argv[1]), rows(sys.argv[2])
print(len(a), 'rows were there,', len(b), 'are now')
for x, y in zip(a, b):
    print(*['%s: %s was %s, is %s\n' % (x.get('url'), k, x[k], y.get(k)) for k in x if x[k] != y.get(k)], end='')
sys.exit(a != b or not a)
PY
same() { python3 "$dir/same.py" "$dir/$1/$3" "$dir/$2/$3" "${@:4}" >"$dir/log" 2>&1; point $? "$3: $(head -n 1 "$dir/log")"; }

"$sharc" lab serve --quiet --pages 40 --seed 3 --hottest 1s --layouts 5s --counters 20% --for 120s --ready-file "$dir/url" >"$dir/log" 2>&1 &
site=$!
while alive "$site" && ! [ -s "$dir/url" ]; do sleep 0.05; done
for i in 1 2; do
    "$sharc" crawl -q -d 15ms --allow-private --for evidence -a "$dir/archive" "$(cat "$dir/url")" >"$dir/log" 2>&1
    point $? "capture $i"
done
kill "$site"
wait "$site" 2>/dev/null
site=
"$sharc" verify -q "$dir/archive" >"$dir/log" 2>&1
point $? "its catalogue agrees with its files"
export_all before
point $? "its tables can be exported"
grep -q ',text changed,' "$dir/before/look"
point $? "something changed between a visit and its revisit"
grep -qE ',(not modified|identical),' "$dir/before/page"
point $? "something of the second capture is as it was in the first"

"$sharc" verify -q --rebuild "$dir/archive" >"$dir/log" 2>&1
point $? "the catalogue is made anew"
export_all after
for t in page look link grade capture skipped site; do same before after $t; done
# A crawl neither sums its files up nor counts the record that describes a file; a file
# of a crawl is not about one capture alone.
same before after warc file_digest records capture

rm "$dir"/archive/catalogue.db*
"$sharc" verify -q --rebuild "$dir/archive" >"$dir/log" 2>&1
point $? "the catalogue is made of the files alone"
export_all alone
for t in page look link grade; do same before alone $t; done
# What only the crawl knew: what it called the capture and how it was set up, and that it went to
# the end; skipped URLs are in no file at all.
same before alone capture key params source capture_state
echo "1..$n"
exit $bad
