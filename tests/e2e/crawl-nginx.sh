#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# sharc crawl against nginx on loopback: a small site captured once, again, for
# evidence, killed and resumed, on a disk that is full; judged by sharc verify,
# npm's warcio, and the server's own log.
set -u
here=$(cd "$(dirname "$0")" && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/sharc-tests/warcio
dir=$(mktemp -d)
chmod 755 "$dir"
n=0 bad=0 server=
cleanup() {
    [ -z "$server" ] || { kill "$server"; wait "$server"; } 2>/dev/null
    mountpoint -q "$dir/small" 2>/dev/null && umount "$dir/small"
    rm -rf "$dir"
}
trap cleanup EXIT
alive() { kill -0 "$1" 2>/dev/null; }
point() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' "$dir/log" | tail -n 20; bad=1; fi; }
skip() { n=$((n + 1)); echo "ok $n - $1 # SKIP $2"; }
if ! command -v nginx >/dev/null; then
    echo "ok 1 - crawls of nginx # SKIP nginx is not installed"
    echo "1..1"
    exit 0
fi

pages=80
mkdir -p "$dir/www/d"
for i in $(seq 0 $((pages - 1))); do
    {
        echo "<!DOCTYPE html><title>Page $i</title><link rel=stylesheet href=/s.css><p>This is page $i of a small site."
        for k in 1 2 3; do [ $((3 * i + k)) -ge $pages ] || echo "<a href=/d/p$((3 * i + k)).html>on</a>"; done
        echo "<img src=/d/i$((i % 7)).png>"
    } >"$dir/www/d/p$i.html"
done
for i in 0 1 2 3 4 5 6; do head -c 2000 /dev/urandom >"$dir/www/d/i$i.png"; done
echo 'body { background: url(/bg.png) }' >"$dir/www/s.css"
head -c 500 /dev/urandom >"$dir/www/bg.png"
printf '<a href=/d/p0.html>start</a> <a href=/secret/x>secret</a>' >"$dir/www/index.html"
printf 'User-agent: *\nDisallow: /secret/\nSitemap: /map.xml\n' >"$dir/www/robots.txt"
# Below the ports that connections of other tests are given.
port=$((20000 + RANDOM % 12000))
{
    echo '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    for i in 5 6 7; do echo "<url><loc>http://127.0.0.1:$port/d/p$i.html</loc><changefreq>daily</changefreq></url>"; done
    echo '</urlset>'
} >"$dir/www/map.xml"
# Pages, index, style, its background, seven images.
all=$((pages + 1 + 1 + 1 + 7))

cat >"$dir/nginx.conf" <<END
daemon off; master_process off; pid $dir/pid; error_log $dir/error.log;
events { worker_connections 256; }
http {
    log_format short '\$msec \$status \$uri'; access_log $dir/access.log short;
    types { text/html html; text/css css; image/png png; text/plain txt; text/xml xml; }
    client_body_temp_path $dir; proxy_temp_path $dir; fastcgi_temp_path $dir; uwsgi_temp_path $dir; scgi_temp_path $dir;
    server { listen 127.0.0.1:$port; root $dir/www; }
}
END
nginx -c "$dir/nginx.conf" 2>/dev/null &
server=$!
url=http://127.0.0.1:$port/
while alive "$server" && ! [ -e "$dir/pid" ]; do sleep 0.1; done
field() { sed -n "s/^ *\"$1\": \([0-9]*\),*$/\1/p" "$dir/out" | head -n 1; } # field NAME: a number of the last summary
until_asked() { # until_asked N PID: until the server has N more requests in its log, or the crawl has ended
    local goal=$(($(wc -l <"$dir/access.log") + $1))
    while alive "$2" && ! [ "$(wc -l <"$dir/access.log")" -ge $goal ]; do sleep 0.05; done
}
crawl() { "$SHARC" crawl --quiet --json --allow-private "$url" "$@" >"$dir/out" 2>"$dir/log"; }

crawl --archive "$dir/a" --delay 0 --connections 4
[ $? = 0 ] && [ "$(field pages)" = $all ] && [ "$(field skipped)" = 1 ]
point $? "a site is captured whole, and what robots.txt forbids is left alone"
! grep -q secret "$dir/access.log"
point $? "nothing forbidden was asked for"
"$SHARC" verify --quiet "$dir"/a/warcs/*.warc.gz >"$dir/log" 2>&1
point $? "sharc verify finds nothing"
[ "$("$SHARC" index --lookup "http://127.0.0.1:$port/d/*" "$dir/a/index" 2>"$dir/log" | wc -l)" = $((pages + 7)) ]
point $? "the index names every page"
awk 'NF < 12 { bad = 1 } END { exit bad || NR < 90 }' "$dir/a/logs/crawl.log"
point $? "crawl.log has its twelve fields"

crawl --archive "$dir/a" --delay 0 --connections 4
[ $? = 0 ] && [ "$(field pages)" = $all ] && [ "$(field not_modified)" -ge $((pages + 1)) ]
point $? "a second capture asks for changes only"
"$SHARC" verify --quiet "$dir"/a/warcs/*.warc.gz >"$dir/log" 2>&1
point $? "revisit records are in order"

crawl --archive "$dir/e" --delay 0 --for evidence
[ $? = 0 ] && [ "$(field judged)" = $all ] && [ "$(field coherent)" = $all ]
point $? "for evidence every page is proved"

# Killed at some moments, resumed by the same command.
for wait in 0.15 0.3 0.25 0.4; do
    "$SHARC" crawl --quiet --allow-private "$url" --archive "$dir/k" --delay 5ms --for evidence >"$dir/log" 2>&1 &
    pid=$!
    sleep $wait
    kill -9 $pid 2>/dev/null
    wait $pid 2>/dev/null
done
crawl --archive "$dir/k" --delay 0 --for evidence
[ $? = 0 ] && [ "$(field pages)" = $all ] && [ "$(field coherent)" = $all ] && [ "$(field capture)" = 1 ]
point $? "killed four times, the capture is whole in the end"
"$SHARC" verify --quiet "$dir"/k/warcs/*.warc.gz >"$dir/log" 2>&1 && ! ls "$dir"/k/warcs/*.open >/dev/null 2>&1
point $? "and its files are in order"

"$SHARC" crawl --quiet --allow-private "$url" --archive "$dir/s" --delay 50ms >"$dir/log" 2>&1 &
pid=$!
until_asked 10 $pid
kill -INT $pid
wait $pid
[ $? = 11 ] && ! ls "$dir"/s/warcs/*.open >/dev/null 2>&1
point $? "a signal stops it with files closed"

: >"$dir/access.log"
"$SHARC" crawl --quiet --allow-private "$url" --archive "$dir/s" --delay 50ms >"$dir/log" 2>&1 &
pid=$!
until_asked 10 $pid
"$SHARC" crawl --archive "$dir/s" --set delay=10ms >>"$dir/log" 2>&1
point $? "a running crawl takes a new delay"
wait $pid
point $? "and finishes"
sleep 0.2
awk '/robots.txt/ { next } last && $1 - last < 0.0099 { close_by++ } { last = $1 } END { exit close_by > 0 }' "$dir/access.log"
point $? "no two requests were closer than the delay"

# Room for an empty catalogue and SQLite's log of its making, and little more.
"$SHARC" import --quiet --archive "$dir/empty" "$dir/www" >/dev/null 2>&1
room=$((2 * $(stat -c %s "$dir/empty/catalogue.db") / 1024 + 40))
mkdir "$dir/small"
if mount -t tmpfs -o size=${room}k tmpfs "$dir/small" 2>/dev/null; then
    "$SHARC" crawl --allow-private "$url" --archive "$dir/small/a" --delay 0 >"$dir/log" 2>&1 &
    pid=$!
    while alive "$pid" && ! grep -q 'waiting until there is room' "$dir/log"; do sleep 0.1; done
    grep -q 'waiting until there is room' "$dir/log"
    point $? "a full disk is waited out"
    mount -o remount,size=20M "$dir/small"
    wait $pid
    point $? "and the capture goes on when there is room"
    "$SHARC" verify --quiet "$dir"/small/a/warcs/*.warc.gz >"$dir/log" 2>&1
    point $? "with files in order"
else
    skip "a full disk is waited out" "a file system cannot be mounted here"
fi

if [ -d "$cache/node_modules/warcio" ]; then
    node "$here/warcio-check.mjs" "$cache" "$dir"/a/warcs/*.warc.gz "$dir"/e/warcs/*.warc.gz "$dir"/k/warcs/*.warc.gz >"$dir/log" 2>&1
    point $? "warcio reads all records and agrees with all digests"
else
    skip "warcio reads all records and agrees with all digests" "warcio is not installed"
fi
echo "1..$n"
exit $bad
