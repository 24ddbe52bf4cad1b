#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# sharc serve beside nginx that has the same bytes on disk, asked by wrk on the same machine: requests
# per second, server CPU per request, and latency. The page has 10 kB of HTML with 60 links. Rounds
# alternate, so that whatever else the machine does hits both. SECONDS_EACH (4), ROUNDS (3), CONNECTIONS (64);
# LINES_OF_INDEX (0): also an index of so many captures, opened and asked (200 bytes of disk each).
# REALTIME=1: servers and the client that asks at a fixed rate go before everything else on the machine (needs
# the right to do so), which tells their own time on one that others use.
set -eu
rt=${REALTIME:+chrt -r 1}
each=${SECONDS_EACH:-4} rounds=${ROUNDS:-3} connections=${CONNECTIONS:-64}
command -v wrk >/dev/null || { echo "wrk is not installed: apt-get install wrk"; exit 0; }
dir=$(mktemp -d)
mkdir "$dir/www"
server= serving=
trap 'kill $server $serving 2>/dev/null; wait; rm -rf "$dir"' EXIT
python3 - "$dir" <<'PY'
import gzip, sys
dir = sys.argv[1]
words = 'harbour pebble meadow candle swallow quarry lantern orchard timber thistle'.split()
parts = ['<!doctype html><html><head><title>Page</title><link rel=stylesheet href="/style.css"></head><body>\n']
for i in range(60):
    parts.append('<p><a href="/%s/%d.html">%s</a> ' % (words[i % 10], i, ' '.join(words[(i + k) % 10] for k in range(5))))
    parts.append(' '.join(words[(i * 3 + k) % 10] for k in range(8)) + '</p>\n')
page = (''.join(parts) + '</body></html>\n').encode()
open(dir + '/www/page.html', 'wb').write(page)
with open(dir + '/a.warc.gz', 'wb') as out:
    for i in range(1000):
        block = b'HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n' + page
        head = ('WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:x:%d>\r\nWARC-Date: 2026-11-01T12:00:00Z\r\n'
                'WARC-Target-URI: http://site.example/page-%09d.html\r\nContent-Type: application/http; msgtype=response\r\n'
                'Content-Length: %d\r\n\r\n' % (i, i, len(block))).encode()
        out.write(gzip.compress(head + block + b'\r\n\r\n', 6, mtime=0))
print('page: %d bytes' % len(page))
PY
port=$((20000 + RANDOM % 20000))
cat >"$dir/nginx.conf" <<END
worker_processes 2;
daemon off;
pid $dir/pid;
error_log $dir/error.log;
events { worker_connections 8192; }
http {
    access_log off;
    keepalive_requests 10000000;
    root $dir/www;
    types { text/html html; }
    client_body_temp_path $dir; proxy_temp_path $dir; fastcgi_temp_path $dir; uwsgi_temp_path $dir; scgi_temp_path $dir;
    server { listen 127.0.0.1:$port; }
}
END
chmod -R a+rX "$dir"
$rt nginx -c "$dir/nginx.conf" 2>/dev/null &
server=$!
$rt "$SHARC" serve -q --port 0 --threads 2 --ready-file "$dir/ready" "$dir/a.warc.gz" >/dev/null &
serving=$!
for _ in $(seq 100); do [ -s "$dir/ready" ] && curl -s -o /dev/null "http://127.0.0.1:$port/page.html" && break; sleep 0.1; done
replay=$(sed -n 2p "$dir/ready")
cat >"$dir/pages.lua" <<'LUA'
local n = 0
function request()
    n = (n + 1) % 1000
    return wrk.format("GET", wrk.path .. string.format("%09d", n) .. ".html")
end
LUA
cpu_of() { cat /proc/"$1"/task/*/stat 2>/dev/null | awk '{s += $14 + $15} END {print s + 0}'; }
cpu_nginx() { for p in $(pgrep -P "$server"); do cpu_of "$p"; done | awk '{s += $1} END {print s}'; }
# ask NAME URL [wrk option...]
ask() {
    local name=$1 url=$2 before after text
    shift 2
    if [ "$name" = nginx ]; then before=$(cpu_nginx); else before=$(cpu_of $serving); fi
    text=$(wrk -t 1 -c "$connections" -d "$each" --latency "$@" "$url")
    if [ "$name" = nginx ]; then after=$(cpu_nginx); else after=$(cpu_of $serving); fi
    echo "$text" | awk -v name="$name" -v cpu=$((after - before)) -v tick="$(getconf CLK_TCK)" '
        /requests in/ {n = $1} /Requests\/sec/ {rate = $2} /99%/ {p99 = $2} /50%/ {p50 = $2} /Non-2xx/ {bad = $NF}
        END {printf "%s %.0f %.1f %s %s %d\n", name, rate, cpu / tick * 1e6 / n, p50, p99, bad}' >>"$dir/rows"
}
for _ in $(seq "$rounds"); do
    ask nginx "http://127.0.0.1:$port/page.html"
    ask raw "${replay}web/20261101120000id_/http://site.example/page-" -s "$dir/pages.lua"
    ask rewritten "${replay}web/20261101120000/http://site.example/page-" -s "$dir/pages.lua"
done
python3 - "$dir/rows" <<'PY'
import statistics, sys
rows = {}
for line in open(sys.argv[1]):
    name, rate, cpu, p50, p99, bad = line.split()
    rows.setdefault(name, []).append((float(rate), float(cpu), p50, p99, int(bad)))
base = statistics.median(r[0] for r in rows['nginx'])
print('%-10s %12s %10s %14s %10s %10s' % ('', 'requests/s', 'x nginx', 'CPU us/request', 'p50', 'p99'))
for name, all in rows.items():
    rate = statistics.median(r[0] for r in all)
    best = sorted(all)[len(all) // 2]
    print('%-10s %12.0f %10.2f %14.1f %10s %10s%s' % (name, rate, rate / base, statistics.median(r[1] for r in all), best[2], best[3],
          '  %d failed' % sum(r[4] for r in all) if sum(r[4] for r in all) else ''))
PY

# --- time to the first byte, at a rate that does not wait for the server ------------------------------
load() { # load NAME PORT CONNECTIONS TARGET
    printf '%-26s' "$1"
    $rt "$BENCH/serve_load" "$2" "${RATE:-1000}" "$each" "$3" "$4" 1000
}
for at_once in "$connections" 1000; do
    load nginx "$port" "$at_once" /page.html
    load raw "$(echo "$replay" | sed 's/.*:\([0-9]*\).*/\1/')" "$at_once" "/web/20261101120000id_/http://site.example/page-#.html"
    load rewritten "$(echo "$replay" | sed 's/.*:\([0-9]*\).*/\1/')" "$at_once" "/web/20261101120000/http://site.example/page-#.html"
done
# --- 1,000 readers that ask as fast as they are answered ----------------------------------------------
rows=$(mktemp -p "$dir")
connections=1000
mv "$dir/rows" "$rows"
ask nginx "http://127.0.0.1:$port/page.html"
ask raw "${replay}web/20261101120000id_/http://site.example/page-" -s "$dir/pages.lua"
ask rewritten "${replay}web/20261101120000/http://site.example/page-" -s "$dir/pages.lua"
awk '{printf "%-10s 1000 connections: %s requests/s, p50 %s, p99 %s, %s failed\n", $1, $2, $4, $5, $6}' "$dir/rows"
grep VmHWM "/proc/$serving/status" | sed 's/VmHWM/memory of sharc serve at most/'

# --- a large index ---------------------------------------------------------------------------
[ "${LINES_OF_INDEX:-0}" -gt 0 ] || exit 0
kill $serving
wait $serving || true
awk -v n="$LINES_OF_INDEX" 'BEGIN {for (i = 0; i < n; i++) printf "example,site)/p-%09d 20261101120000 {\"url\": \"http://site.example/p-%09d\", \"mime\": \"text/html\", \"status\": \"200\", \"length\": \"900\", \"offset\": \"0\", \"filename\": \"a.warc.gz\"}\n", i, i}' >"$dir/index.cdxj"
cat "$dir/index.cdxj" >/dev/null
rm -f "$dir/ready"
start=$(date +%s%N)
$rt "$SHARC" serve -q --port 0 --threads 2 --follow 0 --ready-file "$dir/ready" "$dir/index.cdxj" "$dir/a.warc.gz" >/dev/null &
serving=$!
while [ ! -s "$dir/ready" ]; do sleep 0.005; done
echo "index of $LINES_OF_INDEX lines, $(stat -c %s "$dir/index.cdxj") bytes: opened in $((($(date +%s%N) - start) / 1000000)) ms"
cat >"$dir/lookups.lua" <<LUA
function request()
    return wrk.format("GET", string.format("/cdx?url=http://site.example/p-%09d&closest=2026&limit=1", math.random(0, $LINES_OF_INDEX - 1)))
end
LUA
$rt "$BENCH/serve_load" "$(sed -n 1p "$dir/ready" | sed 's/.*:\([0-9]*\).*/\1/')" 500 "$each" 4 "/cdx?url=http://site.example/p-#&closest=2026&limit=1" "$LINES_OF_INDEX"
wrk -t 1 -c 1 -d "$each" --latency -s "$dir/lookups.lua" "$(sed -n 1p "$dir/ready")" | grep -E '50%|99%|Requests/sec|Non-2xx' | sed 's/^/closest look-up, one client:/'
