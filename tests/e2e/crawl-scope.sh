#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What a crawl takes and what it leaves: depth, rules, limits, robots.txt, traps,
# redirects, soft 404, sitemaps, feeds, OAI-PMH lists, canonical links, many seeds.
# Every URL that is not fetched has its reason in the catalogue, and those that
# were turned away for more than being elsewhere in crawl.log too. TAP.
set -u
. "$(dirname "$0")/crawl-lib.bash"
cat >"$dir/routes.py" <<'PY'
import gzip
def links(*urls, extra=""):
    return 200, {}, "<html><head>%s</head><body>%s</body></html>" % (extra, "".join("<a href='%s'>x</a> " % u for u in urls))
def xml(body, **f):
    return 200, dict({"Content-Type": "application/xml"}, **f), '<?xml version="1.0"?>' + body
def answer(host, target, headers):
    me = "http://" + host
    port = host.split(":")[1]
    if target == "/robots.txt":
        if host.startswith("127.0.0.3"): return 200, {"Content-Type": "text/plain"}, "User-agent: *\nCrawl-delay: 1\n"
        return 200, {"Content-Type": "text/plain"}, ("User-agent: *\nDisallow: /forbidden\nAllow: /forbidden/but\n"
            "Sitemap: %s/index.xml\n" % me)
    if host.startswith(("127.0.0.2", "127.0.0.3", "127.0.0.4")):
        if target == "/": return links("/one", "/two")
        if target in ("/one", "/two"): return links("/three")
        return 200, {"Content-Type": "image/png"}, "PNG of %s%s" % (host, target)
    if target == "/index.xml":
        return xml("<sitemapindex xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>"
            "<sitemap><loc>%s/maps/a.xml.gz</loc></sitemap><sitemap><loc>%s/maps/b.xml</loc></sitemap></sitemapindex>" % (me, me))
    if target == "/maps/a.xml.gz":
        body = gzip.compress(("<?xml version='1.0'?><urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>"
            "<url><loc>%s/from-sitemap</loc><changefreq>daily</changefreq></url></urlset>" % me).encode())
        return 200, {"Content-Type": "application/gzip"}, body
    if target == "/maps/b.xml":
        return xml("<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc>%s/from-sitemap-b</loc></url>"
            "<url><loc>http://elsewhere.invalid/x</loc></url></urlset>" % me)
    if target == "/feed":
        return 200, {"Content-Type": "application/atom+xml"}, ("<?xml version='1.0'?><feed xmlns='http://www.w3.org/2005/Atom'>"
            "<title>t</title><entry><title>e</title><link href='%s/from-feed'/><updated>2026-01-01T00:00:00Z</updated></entry></feed>" % me)
    if target.startswith("/oai?"):
        more = "<resumptionToken>t/1 x</resumptionToken>" if "resumptionToken" not in target else ""
        n = 1 if more else 2
        return xml("<OAI-PMH xmlns='http://www.openarchives.org/OAI/2.0/'><ListRecords><record><header><identifier>oai:x:%d</identifier>"
            "<datestamp>2026-01-01</datestamp></header><metadata><oai_dc:dc xmlns:oai_dc='http://www.openarchives.org/OAI/2.0/oai_dc/' "
            "xmlns:dc='http://purl.org/dc/elements/1.1/'><dc:identifier>%s/from-oai-%d</dc:identifier></oai_dc:dc></metadata></record>%s"
            "</ListRecords></OAI-PMH>" % (n, me, n, more))
    if target == "/":
        return links("/d1", "/forbidden/x", "/forbidden/but", "/skip/this", "/r/in", "/r/out", "/r/a1", "/rep/a/", "/cal/2026/01",
            "/alias?session=1", "/soft/gone1", "/soft/gone2", "/a.pdf", "http://127.0.0.2:%s/outside" % port,
            "mailto:a@example.org", "http://127.0.0.1:99999999/", "/long/" + "x" * 3000, "/missing",
            extra="<link rel=stylesheet href='http://127.0.0.2:%s/style.css'><link rel='alternate' type='application/atom+xml' href='/feed'>" % port)
    if target == "/d1": return links("/d2")
    if target == "/d2": return links("/d3")
    if target == "/d3": return links("/d4")
    if target == "/r/in": return 302, {"Location": "/r/target"}, ""
    if target == "/r/out": return 301, {"Location": "http://127.0.0.2:%s/outside-by-redirect" % port}, ""
    if target.startswith("/r/a"): return 302, {"Location": "/r/a%d" % (int(target[4:]) + 1)}, ""
    if target.startswith("/rep/"): return links(target.rstrip("/") + "/a/")
    if target.startswith("/cal/"):
        y, m = map(int, target.split("/")[2:4])
        y, m = (y + 1, 1) if m == 12 else (y, m + 1)
        return links("/cal/%d/%02d" % (y, m))
    if target.startswith("/alias"):
        return links(extra="<link rel=canonical href='/canonical'>")
    if target == "/a.pdf": return 200, {"Content-Type": "application/pdf"}, "%PDF-1.4\n"
    if target == "/missing": return None
    if target in ("/d4", "/forbidden/but", "/r/target", "/from-sitemap", "/from-sitemap-b", "/from-feed", "/from-oai-1", "/from-oai-2",
                  "/canonical", "/skip/this"):
        return 200, {}, "<p>" + " ".join("word%d%s" % (i, target.replace("/", "_")) for i in range(60))
    return 200, {}, "<h1>We are sorry</h1><p>The page that you were looking for has moved or is no longer here. " \
        "Please use the search box or go back to the front page of this site to find what you want, or write to us."
PY
start_site
# fetched ARCHIVE PATH...: all of these are pages of the capture.
fetched() {
    local a=$1 u
    shift
    for u; do
        case $u in http*) ;; *) u=$site$u ;; esac
        [ "$(ask "$a" "SELECT count(*) FROM page p JOIN url u ON u.id = p.url WHERE u.text = '$u'")" -ge 1 ] || { echo "not fetched: $u" >"$dir/log"; return 1; }
    done
}
# left ARCHIVE REASON PATH...: these are not, and for that reason.
left() {
    local a=$1 reason=$2 u got
    shift 2
    for u; do
        got=$(why "$a" "$u")
        [ "$got" = "$reason" ] || { echo "$u: \"$got\"" >"$dir/log"; return 1; }
        case $u in http*) ;; *) u=$site$u ;; esac
        [ "$(ask "$a" "SELECT count(*) FROM page p JOIN url u ON u.id = p.url WHERE u.text = '$u'")" = 0 ] || { echo "fetched: $u" >"$dir/log"; return 1; }
    done
}
logged() { awk -v code="$2" -v url="$3" -v note="$4" '$2 == code && $4 == url && index($12, note) { ok = 1 } END { exit !ok }' "$dir/$1/logs/crawl.log" ||
    { grep -F "$3 " "$dir/$1/logs/crawl.log" >"$dir/log"; return 1; }; }

run 0 "a whole site" --delay 0 -a "$dir/all" "$site/" --source "$site/oai?verb=ListRecords" -x 'glob:*/skip/*'
fetched all / /d1 /d2 /d3 /d4
point $? "links are followed"
fetched all /from-sitemap /from-sitemap-b
point $? "the index of sitemaps is read, and the packed sitemap too"
fetched all /from-feed
point $? "the feed is read"
fetched all /from-oai-1 /from-oai-2
point $? "the OAI-PMH list is read to its end"
fetched all /canonical
point $? "the canonical link is followed"
fetched all "http://127.0.0.2:$port/style.css"
point $? "the style is fetched from another host"
left all scope "http://127.0.0.2:$port/outside" "http://127.0.0.2:$port/outside-by-redirect" "http://elsewhere.invalid/x"
point $? "links and redirects out of the site are left: scope"
fetched all /r/in /r/target /r/out
point $? "redirects are followed inside"
[ "$(why all /r/a22)" = redirects ]
point $? "twenty redirects in a row are enough: $(ask all "SELECT u.text, reason FROM skipped s JOIN url u ON u.id = s.url WHERE u.text LIKE '%/r/a%'")"
left all robots /forbidden/x && fetched all /forbidden/but && logged all -9998 "$site/forbidden/x" robots
point $? "robots.txt is obeyed, and that is logged"
left all excluded /skip/this
point $? "an exclude rule shuts out"
[ "$(ask all "SELECT count(*) FROM skipped WHERE reason = 'trap-repeat'")" = 1 ] && [ "$(grep -c trap-repeat "$dir/all/logs/crawl.log")" = 1 ]
point $? "paths that repeat themselves end: $(ask all "SELECT u.text FROM skipped s JOIN url u ON u.id = s.url WHERE reason = 'trap-repeat'" | cut -c 1-80)"
[ "$(ask all "SELECT count(*) FROM skipped WHERE reason = 'trap-calendar'")" = 1 ] && [ "$(grep -c trap-calendar "$dir/all/logs/crawl.log")" = 1 ]
point $? "the calendar ends"
[ "$(ask all "SELECT count(*) FROM skipped WHERE reason = 'trap-length'")" = 1 ]
point $? "a URL may be too long"
left all scheme mailto:a@example.org || [ -z "$(why all mailto:a@example.org)" ]
point $? "addresses of people are no pages"
grep -F "$site/soft/gone1" "$dir/all/logs/crawl.log" | grep -q soft404
point $? "a page that is gone though the server says 200 is seen for what it is"
[ "$(field gone)" = 3 ] || { field gone >"$dir/log"; false; }
point $? "two of these and a 404 are gone"
log_is_heritrix all
point $? "crawl.log reads as Heritrix's"
sound all "whole site"

# --- limits -------------------------------------------------------------------------
run 0 "depth 2" --delay 0 -a "$dir/depth" "$site/d1" --reach host --no-sitemaps --depth 2
fetched depth /d1 /d2 /d3 && left depth depth /d4
point $? "two links away from the seed and no further"
run 0 "limit of pages" --delay 0 -a "$dir/pages" "$site/" --limit-pages 5
[ "$(ask pages "SELECT count(*) FROM page p JOIN url u ON u.id = p.url WHERE u.text LIKE '$site/%'")" = 5 ] && [ "$(ask pages "SELECT count(*) > 5 FROM skipped WHERE reason = 'limit-pages'")" = 1 ]
point $? "five pages, the others have their reason"
run 0 "limit of bytes" --delay 0 -a "$dir/bytes" "$site/" --limit-bytes 5k
[ "$(field bytes)" -ge 5000 ] && [ "$(field bytes)" -lt 20000 ] && [ "$(ask bytes "SELECT count(*) > 5 FROM skipped WHERE reason = 'limit-bytes'")" = 1 ]
point $? "the bytes end ($(field bytes)), the others have their reason"
run 0 "limit of time" --delay 100ms -a "$dir/time" "$site/" --limit-time 1500ms
[ "$(ask time "SELECT count(*) > 5 FROM skipped WHERE reason = 'limit-time'")" = 1 ]
point $? "the time ends, the others have their reason"
run 0 "no embeds, one rule that lets in" --delay 0 -a "$dir/rules" "$site/d1" --reach page --no-embeds --no-sitemaps --include "prefix:$site/d2"
fetched rules /d1 /d2 && left rules scope /d3
point $? "what is let in is fetched, the rest is not"
run 0 "without some media types" --delay 0 -a "$dir/types" "$site/" --no-sitemaps --exclude-types "application/pdf,image/*"
left types type /a.pdf "http://127.0.0.2:$port/style.css" && fetched types /d4 && logged types -5001 "$site/a.pdf" type
point $? "a type that is not wanted is left out, embeds too, and logged"
[ -z "$(grep a.pdf "$dir/types/index/index.cdxj")" ] && sound types "types"
point $? "it is in no WARC"
run 0 "only some media types" --delay 0 -a "$dir/only" "$site/" --no-sitemaps --types 'text/html'
left only type /a.pdf && fetched only / /d4
point $? "only what is wanted is fetched"
run 1 "nothing that may be fetched" --delay 0 -a "$dir/none" "$site/forbidden/x" --no-probe --no-sitemaps
[ "$(why none /forbidden/x)" = robots ]
point $? "a seed that robots.txt forbids: $(why none /forbidden/x)"
run 0 "robots.txt ignored" --delay 0 -a "$dir/rude" "$site/forbidden/x" --robots ignore --no-probe --no-sitemaps --depth 0
fetched rude /forbidden/x
point $? "is fetched when robots.txt is to be ignored"

# --- many seeds ----------------------------------------------------------------------
printf '# the first levels of many sites\nhttp://127.0.0.2:%s/\n\nhttp://127.0.0.3:%s/\nnot a URL\nhttp://127.0.0.4:%s/\n' "$port" "$port" "$port" >"$dir/seeds"
: >"$dir/requests"
run 0 "a list of seeds" --delay 120ms --contact ops@example.org -a "$dir/many" --seeds "$dir/seeds" --depth 1 --no-probe --no-sitemaps --host-group "127.0.0.2:$port 127.0.0.4:$port"
grep -q "seed left out" "$dir/log"
point $? "one bad line does not stop it, and is named"
for host in 2 3 4; do fetched many "http://127.0.0.$host:$port/" "http://127.0.0.$host:$port/one" "http://127.0.0.$host:$port/two" && left many depth "http://127.0.0.$host:$port/three" || break; done
point $? "the first level of each"
cat >"$dir/pauses.py" <<'PY'
import json, sys
rows = sorted((json.loads(l) for l in open(sys.argv[1])), key=lambda r: r["in"])
least = {"group": 9, "crawl-delay": 9}
last = {}
for r in rows:
    ip = r["host"].split(":")[0]
    group = "crawl-delay" if ip == "127.0.0.3" else "group"
    if group in last:
        least[group] = min(least[group], r["in"] - last[group]["in"])
    last[group] = r
print(least)
sys.exit(not (least["group"] >= 0.118 and least["crawl-delay"] >= 0.99))
PY
python3 "$dir/pauses.py" "$dir/requests" >"$dir/log"
point $? "hosts of a group share their pause, a Crawl-delay is kept: $(cat "$dir/log")"
finish
