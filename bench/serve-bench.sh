#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# sharc serve beside nginx that has the same bytes on disk, asked by wrk on the same machine; one table at the end has every figure
# beside what is wanted of it. `bench/run build/bench serve-bench` builds what it needs and takes some three minutes more. The page has 10 kB
# of HTML with 60 links. Rounds alternate, so that whatever else the machine does hits both.
# SECONDS_EACH (4), ROUNDS (3), CONNECTIONS (64), RATE (1000), MALFORMED (10000) requests;
# LINES_OF_INDEX (10000000): an index of so many captures, opened and asked (200 bytes of disk each; 0: none).
# REALTIME=1: servers and the client that asks at a fixed rate go before everything else on the machine (needs
# the right to do so), which tells their own time on one that others use.
set -eu
rt=${REALTIME:+chrt -r 1}
each=${SECONDS_EACH:-4} rounds=${ROUNDS:-3} connections=${CONNECTIONS:-64} rate=${RATE:-1000} lines=${LINES_OF_INDEX:-10000000}
for tool in wrk nginx; do
    command -v $tool >/dev/null || { echo "$tool is not installed: apt-get install wrk nginx-light"; exit 0; }
done
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
mkdir "$dir/www"
uptime >"$dir/load"
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

# --- time to the first byte, at a rate that does not wait for the server ------------------------------
port_of() { echo "$1" | sed 's/.*:\([0-9]*\).*/\1/'; }
load() { # load NAME PORT CONNECTIONS TARGET
    echo "$1 $3 $($rt "$BENCH/serve_load" "$2" "$rate" "$each" "$3" "$4" 1000)" >>"$dir/loads"
}
for at_once in "$connections" 1000; do
    load nginx "$port" "$at_once" /page.html
    load raw "$(port_of "$replay")" "$at_once" "/web/20261101120000id_/http://site.example/page-#.html"
    load rewritten "$(port_of "$replay")" "$at_once" "/web/20261101120000/http://site.example/page-#.html"
done
# --- 1,000 readers that ask as fast as they are answered ----------------------------------------------
mv "$dir/rows" "$dir/rounds"
connections=1000
ask nginx "http://127.0.0.1:$port/page.html"
ask raw "${replay}web/20261101120000id_/http://site.example/page-" -s "$dir/pages.lua"
ask rewritten "${replay}web/20261101120000/http://site.example/page-" -s "$dir/pages.lua"
mv "$dir/rows" "$dir/crowd"
# --- requests that are none -----------------------------------------------------------------------------
page=web/20261101120000id_/http://site.example/page-000000001.html
curl -s "$replay$page" | sha256sum >"$dir/before"
python3 "$here/serve_malformed.py" "$(port_of "$(sed -n 1p "$dir/ready")")" "$(port_of "$replay")" "${MALFORMED:-10000}" >"$dir/malformed"
curl -s "$replay$page" | sha256sum >"$dir/after"
cmp -s "$dir/before" "$dir/after" && echo "serves the same bytes" >>"$dir/malformed" || echo "NO LONGER SERVES" >>"$dir/malformed"
sed -n 's/^VmHWM:[[:space:]]*//p' "/proc/$serving/status" >"$dir/memory"

# --- a large index ---------------------------------------------------------------------------
if [ "$lines" -gt 0 ]; then
    kill $serving
    wait $serving || true
    awk -v n="$lines" 'BEGIN {for (i = 0; i < n; i++) printf "example,site)/p-%09d 20261101120000 {\"url\": \"http://site.example/p-%09d\", \"mime\": \"text/html\", \"status\": \"200\", \"length\": \"900\", \"offset\": \"0\", \"filename\": \"a.warc.gz\"}\n", i, i}' >"$dir/index.cdxj"
    cat "$dir/index.cdxj" >/dev/null
    rm -f "$dir/ready"
    start=$(date +%s%N)
    $rt "$SHARC" serve -q --port 0 --threads 2 --follow 0 --ready-file "$dir/ready" "$dir/index.cdxj" "$dir/a.warc.gz" >/dev/null &
    serving=$!
    while [ ! -s "$dir/ready" ]; do sleep 0.005; done
    echo "$lines $((($(date +%s%N) - start) / 1000000))" >"$dir/opened"
    $rt "$BENCH/serve_load" "$(port_of "$(sed -n 1p "$dir/ready")")" 500 "$each" 4 "/cdx?url=http://site.example/p-#&closest=2026&limit=1" "$lines" >"$dir/lookups"
fi
uptime >>"$dir/load"
python3 - "$dir" <<'PY'
import os, re, statistics, sys
dir = sys.argv[1]
def lines(name):
    path = os.path.join(dir, name)
    return open(path).read().splitlines() if os.path.exists(path) else []
def table(name):
    rows = {}
    for line in lines(name):
        kind, rate, cpu, p50, p99, bad = line.split()
        rows.setdefault(kind, []).append((float(rate), float(cpu), p50, p99, int(bad)))
    return rows
def row(what, got, wanted=''):
    print('%-50s %-44s %s' % (what, got, wanted))
names = {'nginx': 'nginx, the file', 'raw': 'raw replay', 'rewritten': 'rewritten page'}
print('load before and after: ' + ', '.join(re.sub('.*load average: ', '', l) for l in lines('load')))
row('', 'measured', 'wanted')
rounds = table('rounds')
base = statistics.median(r[0] for r in rounds['nginx'])
base_cpu = statistics.median(r[1] for r in rounds['nginx'])
for kind, all in rounds.items():
    rate, cpu = statistics.median(r[0] for r in all), statistics.median(r[1] for r in all)
    failed = sum(r[4] for r in all)
    row(names[kind] + ', %d rounds' % len(all), '%.0f requests/s, %.2f x nginx' % (rate, rate / base) + (', %d failed' % failed if failed else ''),
        {'raw': '0.33 x nginx', 'rewritten': '0.10 x nginx'}.get(kind, ''))
    row('  CPU of the server', '%.1f us a request, %.1f x nginx' % (cpu, cpu / base_cpu))
for line in lines('loads'):
    kind, at_once, rest = line.split(' ', 2)
    p = dict(re.findall(r'p([0-9.]+) ([0-9.]+)', rest))
    bad = int(re.search(r'(\d+) not 200', rest).group(1))
    per = re.search(r'at (\d+)/s', rest).group(1)
    row('%s, first byte, %s/s over %s connections' % (names[kind], per, at_once), 'p50 %s ms, p99 %s ms' % (p['50'], p['99']) + (', %d failed' % bad if bad else ''),
        '' if kind == 'nginx' else 'below 5 ms')
for kind, all in table('crowd').items():
    row('%s, 1000 readers at once' % names[kind], '%.0f requests/s, p50 %s, p99 %s, %d failed' % (all[0][0], all[0][2], all[0][3], all[0][4]),
        '' if kind == 'nginx' else '0 failed')
row('malformed requests', ', '.join(lines('malformed')), 'serves the same bytes')
row('memory of sharc serve at most', ' '.join(lines('memory')), 'bounded')
if lines('opened'):
    n, ms = lines('opened')[0].split()
    p = dict(re.findall(r'p([0-9.]+) ([0-9.]+)', lines('lookups')[0]))
    row('index of %s lines' % n, 'opened in %s ms' % ms, 'below 1000 ms')
    row('  closest look-up over HTTP, 500/s', 'p50 %s ms, p99 %s ms' % (p['50'], p['99']), 'below 1 ms')
PY
