#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Pages with very many links are applied piece by piece: all of their links are found, also by a crawl that is
# killed or stopped in between and resumed, with and without a budget of memory, and other sites go on meanwhile. TAP.
set -u
. "$(dirname "$0")/crawl-lib.bash"
links=20000 sites=4
cat >"$dir/routes.py" <<'PY'
MANY = "<title>All</title>" + "".join("<a href='/item-%d.html'>%d</a>\n" % (i, i) for i in range(20000))
def answer(host, target, headers):
    html = {"Content-Type": "text/html"}
    if target == "/robots.txt": return None
    if target == "/": return 200, html, "<a href=/all.html>all</a><a href=/a.html>a</a><a href=/b.html>b</a>"
    if target == "/all.html": return 200, html, MANY
    return 200, html, "<title>One</title><a href=/>home</a>"
PY
start_site
seeds=$(seq -f 'http://site%.0f.example/' $sites)
crawl_it() { # crawl_it ARCHIVE OPTION...
    local archive=$1
    shift
    # shellcheck disable=SC2086
    exec "$sharc" crawl -q --allow-private --contact https://example.org/ --delay 50ms --depth 1 --no-sitemaps --no-probe -s bfs -t 2 --connect-to "::127.0.0.1:$port" "$@" -a "$dir/$archive" $seeds
}
found() { ask "$1" "SELECT count(*), count(DISTINCT url) FROM skipped WHERE reason = 'depth'"; }
rows() { ask "$1" "SELECT u.text, p.status FROM page p JOIN url u ON u.id = p.url ORDER BY 1"; }
judge() { # judge ARCHIVE WHAT
    [ "$(found "$1")" = "$((links * sites)) $((links * sites))" ]
    point $? "$2: every link of the heavy pages is known, once"
    rows "$1" >"$dir/rows.$1"
    [ -s "$dir/rows.$1" ] && diff "$dir/rows.calm" "$dir/rows.$1" >>"$dir/log"
    point $? "$2: the pages are those of an undisturbed crawl"
    "$sharc" verify "$dir/$1" >>"$dir/log" 2>&1
    point $? "$2: the archive is valid"
}

(crawl_it calm) >>"$dir/log" 2>&1
point $? "an undisturbed crawl"
judge calm "undisturbed"
(crawl_it small --memory 16Mi) >>"$dir/log" 2>&1
point $? "a crawl whose memory is always short"
judge small "short of memory"

for how in KILL INT; do
    code=1
    for i in 1 2 3 4 5 6; do
        : >"$dir/requests"
        (crawl_it "$how") >"$dir/out" 2>&1 &
        crawl=$!
        while alive "$crawl" && ! grep -q 'all.html' "$dir/requests"; do sleep 0.02; done
        sleep "0.$((i * 17 % 10))$i"
        kill -$how $crawl 2>/dev/null
        wait $crawl 2>/dev/null
        code=$?
        crawl=
        # Killed after its captures were complete, it would capture the sites once more.
        [ "$(ask "$how" "SELECT count(*) FROM capture WHERE state = 2")" != $sites ] || code=0
        [ $code != 0 ] || break
    done
    [ $code = 0 ] || { (crawl_it "$how") >>"$dir/log" 2>&1; code=$?; }
    point $code "resumed after SIG$how, again and again"
    judge "$how" "SIG$how"
done
finish
