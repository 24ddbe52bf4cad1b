#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Sites that never end, or that say yes to everything, on a real server: session ids
# in links, calendars of months and days, one page for whatever is asked, and an
# application whose every address shows the same shell. TAP.
set -u
. "$(dirname "$0")/crawl-lib.bash"
cat >"$dir/routes.py" <<'PY'
import itertools, re
count = itertools.count()
def page(words, *urls):
    return 200, {}, "<html><body><p>%s</p>%s</body></html>" % (words, "".join("<a href='%s'>x</a> " % u for u in urls))
def words(name):
    return " ".join("%s%d" % (name.strip("/").replace("/", "") or "front", i) for i in range(40))
SHELL = "This application needs scripts to be shown and you have none so please turn them on and come back to us again soon"
def sessions(target):
    path = re.sub(r"[;?].*", "", target)
    n = next(count)
    if path not in ("/", "/a", "/b", "/c"): return None
    return page(words(path), *("%s;jsessionid=%032X" % (p, n * 4 + i) for i, p in enumerate(("/a", "/b"))),
        "/c?PHPSESSID=%026x" % n, "/c?sid=7", "/a")
def calendar(target):
    m = re.fullmatch(r"/events/(\d+)/(\d+)/(?:(\d+))?", target)
    if target == "/": return page(words(target), "/events/2026/11/", "/about")
    if target == "/about": return page(words(target))
    if not m: return None
    year, month = int(m[1]), int(m[2])
    def step(d): return "/events/%d/%02d/" % ((year * 12 + month - 1 + d) // 12, (year * 12 + month - 1 + d) % 12 + 1)
    return page(words(target), step(-1), step(1), *("/events/%d/%02d/%02d" % (year, month, day) for day in (1, 15)))
def yes(target):
    if target == "/": return page(words(target), "/real", "/dead/1", "/dead/2", "/dead/3")
    if target == "/real": return page(words(target), "/")
    return page("Sorry we could not find the page you asked for but there is a search and a list of all our sections "
        "below and you may also write to us and we will be glad to help you find what you have been looking for")
def answer(host, target, headers):
    if target == "/robots.txt": return None
    if host.startswith("127.0.0.1"): return sessions(target)
    if host.startswith("127.0.0.2"): return calendar(target)
    if host.startswith("127.0.0.3"): return yes(target)
    return page(SHELL, "/view/1", "/view/2")
PY
start_site
on() { echo "http://127.0.0.$1:$port/"; }
rows() { ask "$1" "SELECT count(*) FROM page p JOIN url u ON u.id = p.url WHERE p.status = 200 AND u.text LIKE '%$2%'"; }

run 0 "session ids" --delay 0 -a "$dir/sessions" "$(on 1)" --no-sitemaps --limit-pages 500
[ "$(field pages)" -le 8 ] && [ "$(ask sessions "SELECT count(*) > 2 FROM skipped WHERE reason = 'trap-session'")" = 1 ]
point $? "each page once, whatever its session id ($(field pages) pages)"
[ "$(rows sessions 'sid=7')" = 1 ] && [ "$(rows sessions '/b;jsessionid')" = 1 ]
point $? "a short sid is no session, and a page with one is fetched"

run 0 "a calendar without end" --delay 0 -a "$dir/calendar" "$(on 2)" --no-sitemaps --limit-pages 3000
[ "$(field pages)" -lt 400 ] && [ "$(rows calendar /about)" = 1 ] && [ "$(ask calendar "SELECT count(*) > 0 FROM skipped WHERE reason = 'trap-calendar'")" = 1 ]
point $? "is left after some years ($(field pages) pages)"

run 0 "one page for everything that is not there" --delay 0 -a "$dir/yes" "$(on 3)" --no-sitemaps
[ "$(field pages)" = 2 ] && [ "$(field gone)" = 3 ]
point $? "is not taken for a page ($(field pages) pages, $(field gone) gone)"

run 0 "an application that shows one shell" --delay 0 -a "$dir/shell" "$(on 4)" --no-sitemaps
[ "$(field pages)" = 3 ] && [ "$(field gone)" = 0 ]
point $? "is captured all the same ($(field pages) pages)"
for archive in sessions calendar yes shell; do sound $archive "$archive"; done
finish
