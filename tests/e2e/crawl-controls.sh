#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A capture for evidence of a site whose every page carries a token that no request
# gets twice, and some of whose prices are edited between visit and revisit: killed
# again and again while control downloads are made, and resumed by the same command.
# In the end the pages with a token are the same but for volatile parts, those with
# an edited price are changed, no pair was made twice that was finished, and nothing
# takes a control download for a version of its page: index, catalogue, a catalogue
# made again from the files, exports. Then the next capture of the same site. TAP.
set -u
. "$(dirname "$0")/crawl-lib.bash"
pages=${PAGES:-60} kills=${KILLS:-8}
RANDOM=${SEED:-5}

cat >"$dir/routes.py" <<PY
import secrets
PAGES = $pages
asked = {}
def answer(host, target, headers):
    if target == "/robots.txt":
        return 200, {"Content-Type": "text/plain"}, "User-agent: *\nDisallow:\n"
    number = 0 if target == "/" else int(target[2:]) if target[:2] == "/p" and target[2:].isdigit() else PAGES
    if number >= PAGES:
        return None
    asked[target] = asked.get(target, 0) + 1
    edited = number % 10 == 3 and asked[target] > 1
    words = " ".join("word%d" % ((number * 7 + i * i) % 97) for i in range(120))
    links = "".join('<a href="/p%d">%d</a> ' % (i, i) for i in range(1, PAGES)) if number == 0 else ""
    return 200, {}, ('<html><head><title>Page %d</title></head><body><form method=post><input type=hidden name=csrf '
        'value="%s"></form><p class=price>%s euro</p><p>%s</p>%s</body></html>' % (number, secrets.token_hex(16),
        "9,900" if edited else "1,200", words, links))
PY
start_site
crawl_it() { exec "$sharc" crawl -q --allow-private --delay 100ms --for evidence --focus 0 --no-probe --controls "$1" -a "$dir/a" "$site/"; }
kinds() { # kinds of downloads in crawl.log, counted
    grep -c "\"kind\":\"$1\"" "$dir/a/logs/crawl.log"
}

requests() { wc -l <"$dir/requests"; }
killed=0 ended=0
while :; do
    had=$(requests)
    crawl_it 10% >"$dir/out" 2>&1 &
    crawl=$!
    # In the middle of the controls: behind robots.txt, visits and revisits, and some requests more.
    until=$((had + RANDOM % 5 + 1))
    [ $until -gt $((2 * pages + 1)) ] || until=$((2 * pages + 2 + RANDOM % 3))
    while [ $killed -lt "$kills" ] && kill -0 $crawl 2>/dev/null; do
        if [ "$(requests)" -ge $until ]; then
            sleep "0.$((RANDOM % 3))"
            kill -9 $crawl 2>/dev/null && killed=$((killed + 1))
            break
        fi
        sleep 0.02
    done
    wait $crawl 2>/dev/null
    code=$?
    crawl=
    [ $code = 137 ] || break
    [ -z "$(ask a "SELECT 1 FROM capture WHERE ended IS NOT NULL AND state = 2")" ] || { ended=1; break; }
    "$sharc" status --json "$dir/a" >"$dir/status" 2>>"$dir/log"
done 2>/dev/null
if [ $ended = 1 ]; then # killed behind the end: perhaps without the index, which the next crawl would make
    code=0
    "$sharc" index -o "$dir/a/index/index.cdxj" "$dir"/a/warcs/*.warc.gz >>"$dir/log" 2>&1
fi
cat "$dir/out" >>"$dir/log"
[ $code = 0 ] && [ $killed -gt 0 ]
point $? "after $killed kills among the control downloads the same command finishes it (exit code $code)"
grep -q -- "--controls 0.1" "$dir/status"
point $? "sharc status names the command that resumes it, with --controls"

ask a "SELECT g.reason, count(*) FROM grade g GROUP BY 1 ORDER BY 1" >"$dir/reasons"
cat "$dir/reasons" >>"$dir/log"
proved=$(ask a "SELECT count(*) FROM grade WHERE reason IN (3, 4)")
wrong=$(ask a "SELECT count(*) FROM grade g JOIN url u ON u.id = g.url WHERE g.reason < 6 AND u.text LIKE '%3' AND u.text LIKE '%/p%'")
[ "$wrong" = 0 ]
point $? "no page with an edited price is proved ($wrong)"
[ "$proved" = $((pages - pages / 10)) ]
point $? "all others are the same but for volatile parts ($proved of $pages)"

firsts=$(zcat "$dir"/a/warcs/*.warc.gz | grep -ac '^sharc-control: first')
seconds=$(zcat "$dir"/a/warcs/*.warc.gz | grep -ac '^sharc-control: second')
[ "$seconds" -gt 0 ] && [ $((firsts - seconds)) -le $killed ] && [ $seconds -le $((pages / 20 + killed)) ]
point $? "pairs are made again only where they were cut ($firsts first and $seconds second downloads, $killed kills)"
marked=$(zcat "$dir"/a/warcs/*.warc.gz | grep -ac '^sharc-kind: control')
[ "$marked" = $((2 * (firsts + seconds))) ]
point $? "both records of each control download say what it is ($marked)"
[ "$(grep -vcE "robots.txt|sitemap" "$dir/a/index/index.cdxj")" = $((2 * pages)) ]
point $? "the index holds visits and revisits, and no control download"
"$sharc" index --fresh -o "$dir/again.cdxj" "$dir"/a/warcs/*.warc.gz >>"$dir/log" 2>&1
cmp -s "$dir/a/index/index.cdxj" "$dir/again.cdxj"
point $? "so does an index made anew"
"$sharc" verify "$dir/a" >>"$dir/log" 2>&1
point $? "the archive is sound, and its index agrees with it"
[ "$(ask a "SELECT count(*) FROM page") $(ask a "SELECT count(*) FROM look")" = "$pages $pages" ]
point $? "the catalogue holds a visit and a revisit of each page"

"$sharc" diff -q -a "$dir/a" --volatile >"$dir/volatile" 2>>"$dir/log"
cat "$dir/volatile" >>"$dir/log"
grep -q "attribute" "$dir/volatile" && grep -q "csrf" "$dir/volatile" && ! grep -q price "$dir/volatile"
point $? "sharc diff --volatile lists the token, and no price"
"$sharc" diff -q -a "$dir/a" --volatile --json "127.0.0.1:$port" >"$dir/volatile.json" 2>>"$dir/log" &&
    python3 -c 'import json, sys; r = json.load(open(sys.argv[1])); assert len(r) == 1 and r[0]["pairs"] == r[0]["differed"] > 0 and r[0]["example"], r' "$dir/volatile.json" 2>>"$dir/log"
point $? "and as JSON"
"$sharc" diff -q -a "$dir/a" --class all --limit 0 latest >"$dir/diff" 2>>"$dir/log"
grep -q "same but for volatile parts" "$dir/diff" && grep -q "price" "$dir/diff"
point $? "sharc diff of visits and revisits says which differences are volatile"

"$sharc" export --to wacz -q -a "$dir/a" --capture latest -o "$dir/a.wacz" >>"$dir/log" 2>&1
point $? "the capture can be exported"
python3 - "$dir/a.wacz" "$pages" >>"$dir/log" 2>&1 <<'PY'
import gzip, io, sys, zipfile
z, pages = zipfile.ZipFile(sys.argv[1]), int(sys.argv[2])
index = [n for n in z.namelist() if n.startswith("indexes/") and n.endswith((".cdxj", ".cdx.gz", ".cdx"))]
lines = []
for n in index:
    data = z.read(n)
    lines.append((n, len(gzip.decompress(data).splitlines() if n.endswith(".gz") else data.splitlines())))
pages_lines = len(z.read("pages/pages.jsonl").splitlines()) - 1
print(lines, pages_lines)
assert min(l for _, l in lines) <= 2 * pages + 1 and pages_lines <= pages
assert max(l for _, l in lines) <= 2 * pages + 1
PY
point $? "it shows no control download, and lists none as a page"
cp -r "$dir/a" "$dir/rebuilt" && "$sharc" verify --rebuild "$dir/rebuilt" >>"$dir/log" 2>&1
[ "$(ask rebuilt "SELECT count(*) FROM page") $(ask rebuilt "SELECT count(*) FROM look")" = "$pages $pages" ]
point $? "a catalogue made again from the files holds no control download either"

# The next capture of the site: what was learned is a hint, and is confirmed.
before=$(kinds control)
(crawl_it 10%) >"$dir/out" 2>&1
code=$?
cat "$dir/out" >>"$dir/log"
[ $code = 0 ] && [ "$(kinds control)" -gt "$before" ] &&
    [ "$(ask a "SELECT count(*) FROM grade WHERE capture = 2 AND reason IN (3, 4)")" = "$pages" ]
point $? "the next capture confirms the token before it excuses it"
finish
