#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# sharc crawl against a server that does everything wrong: the crawl ends, the
# archive is valid, memory stays bounded, and every case is logged for what it is.
set -u
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
n=0 bad=0
point() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' "$dir/log" | tail -n 20; bad=1; fi; }
mkfifo "$dir/hold"
"$here/hostile-server" --life 110 >"$dir/ports" 2>"$dir/log" <"$dir/hold" &
server=$!
exec 9>"$dir/hold"
trap 'exec 9>&-; kill $server 2>/dev/null; wait $server 2>/dev/null; rm -rf "$dir"' EXIT
for _ in $(seq 100); do [ -s "$dir/ports" ] && break; sleep 0.1; done
port() { sed -n "s/.*\"$1\": \([0-9]*\).*/\1/p" "$dir/ports"; }
code() { awk -v u="$1" 'index($4, u) && substr($4, length($4) - length(u) + 1) == u { print $2 "/" $12 }' "$dir/a/logs/crawl.log" | tail -n 1; }

/usr/bin/time -o "$dir/time" -f %M timeout 100 "$SHARC" crawl --quiet --json --allow-private --delay 0 --connections 8 \
    --max-time 2s --tries 1 --max-body 5M --strategy bfs --no-probe -x 'regex:/l/[0-9]' --archive "$dir/a" \
    "http://127.0.0.1:$(port main)/" >"$dir/out" 2>"$dir/log"
point $? "the crawl ends"
[ "$(tail -n 1 "$dir/time")" -lt 400000 ]
point $? "memory is bounded"
"$SHARC" verify --quiet "$dir"/a/warcs/*.warc.gz >"$dir/log" 2>&1
point $? "the archive is valid"
cp "$dir/a/logs/crawl.log" "$dir/log"
[ "$(code /ok)" = 200/- ] && [ "$(code /gzip)" = 200/- ] && [ "$(code /charset)" = 200/- ]
point $? "good answers are good"
[ "$(code /drip)" = 200/timeTrunc ] && [ "$(code /silent)" = -4/- ]
point $? "slow answers are cut by time"
[ "$(code /endless)" = 200/lenTrunc ] && [ "$(code /endless-chunked)" = 200/lenTrunc ]
point $? "endless bodies are cut by length"
[ "$(code /short)" = 200/midFetchTrunc ] && [ "$(code /reset-body)" = 200/midFetchTrunc ] && [ "$(code /reset)" = -3/- ]
point $? "lost connections are told from whole answers"
[ "$(code /big-head)" = -5/- ] && [ "$(code /garbage)" = -5/- ]
point $? "what is no message is an error"
[ "$(code /429)" = 429/- ]
point $? "a busy server's answer is logged"
grep -q ' 200 .*/links ' "$dir/a/logs/crawl.log"
point $? "a page with 100,000 links is read"
months=$(grep -c '/calendar' "$dir/a/logs/crawl.log")
[ "$months" -gt 5 ] && [ "$months" -lt 200 ]
point $? "an endless calendar comes to an end"
hops=$(grep -c '/loop' "$dir/a/logs/crawl.log")
[ "$hops" -gt 5 ] && [ "$hops" -lt 30 ]
point $? "an endless redirect comes to an end"
[ "$(grep -c '/repeat/' "$dir/a/logs/crawl.log")" -lt 10 ]
point $? "paths that repeat themselves come to an end"
! grep -q 'forbidden' "$dir/a/logs/crawl.log" || grep -q -- '-9998 .*forbidden' "$dir/a/logs/crawl.log"
point $? "robots.txt is obeyed"

for site in storm tls-self tls-host tls-old; do
    scheme=http
    [ $site = storm ] || scheme=https
    timeout 60 "$SHARC" crawl --quiet --allow-private --delay 0 --tries 1 --no-probe --no-sitemaps --archive "$dir/$site" "$scheme://127.0.0.1:$(port $site)/" >"$dir/log" 2>&1
    [ $? = 1 ]
    point $? "$site: nothing is captured, and the exit code says so"
done
timeout 60 "$SHARC" crawl --quiet --json --allow-private --delay 0 --no-probe --ca-file "$(sed -n 's/.*"ca": "\([^"]*\)".*/\1/p' "$dir/ports")" \
    --archive "$dir/tls" "https://127.0.0.1:$(port tls)/ok" >"$dir/log" 2>&1
point $? "a good certificate is good"
timeout 60 "$SHARC" crawl --quiet --json --allow-private --delay 0 --no-probe --no-sitemaps --limit-pages 3 --archive "$dir/busy" \
    "http://127.0.0.1:$(port busy)/" >"$dir/log" 2>&1
point $? "a server that is busy at first is asked again"
echo "1..$n"
exit $bad
