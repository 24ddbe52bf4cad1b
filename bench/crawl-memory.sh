#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# crawl-memory.sh [URLS]: what a crawl costs that knows very much.
#
#   memory   nginx names URLS (1,000,000) pages in sitemaps of 50,000; the crawl
#            reads them all, visits some pages, and is stopped. Peak resident memory.
#   links    one page with 5,000 links, one with 50,000: CPU time of a crawl that
#            knows them and fetches nothing else; ten times the links, ten times
#            the time.
#
# Prints rows of a Markdown table. SHARC names the binary. Needs nginx and python3.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
sharc=${SHARC:-$root/build/release/src/sharc}
urls=${1:-1000000}
dir=$(mktemp -d)
trap '[ ! -s "$dir/pid" ] || kill "$(cat "$dir/pid")"; rm -rf "$dir"' EXIT
port=$((20000 + RANDOM % 10000))
site=http://127.0.0.1:$port
mkdir -p "$dir/www"
python3 - "$dir/www" "$site" "$urls" <<'PY'
import os, sys
www, site, urls = sys.argv[1], sys.argv[2], int(sys.argv[3])
maps = []
for first in range(0, urls, 50000):
    maps.append("/map-%d.xml" % first)
    with open(www + maps[-1], "w") as f:
        f.write('<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">')
        for i in range(first, min(first + 50000, urls)):
            f.write("<url><loc>%s/section-%d/article-%07d.html</loc></url>" % (site, i % 997, i))
        f.write("</urlset>")
with open(www + "/robots.txt", "w") as f:
    f.write("".join("Sitemap: %s%s\n" % (site, m) for m in maps))
open(www + "/index.html", "w").write("<p>begin")
open(www + "/page.html", "w").write("<p>a page of the site")
for n in (5000, 50000):
    os.mkdir("%s/links-%d" % (www, n))
    with open("%s/links-%d/index.html" % (www, n), "w") as f:
        f.write("".join("<a href='article-%07d.html'>an article</a>\n" % i for i in range(n)))
PY
for t in body proxy fastcgi uwsgi scgi; do mkdir "$dir/$t"; done
cat >"$dir/nginx.conf" <<CONF
worker_processes 1; pid $dir/pid; error_log $dir/error.log; daemon on;
events { worker_connections 256; }
http { access_log off; keepalive_requests 1000000; types { text/html html; application/xml xml; text/plain txt; }
 client_body_temp_path $dir/body; proxy_temp_path $dir/proxy; fastcgi_temp_path $dir/fastcgi; uwsgi_temp_path $dir/uwsgi; scgi_temp_path $dir/scgi;
 server { listen 127.0.0.1:$port; root $dir/www; location /section- { rewrite ^ /page.html break; } } }
CONF
chmod 755 "$dir" && nginx -c "$dir/nginx.conf" -e "$dir/error.log"

echo "| crawl | URLs known | pages | peak MB | bytes each | CPU s |"
echo "|---|---|---|---|---|---|"
peak() { # peak NAME STRATEGY SECONDS OPTION...: stopped so long after the sitemaps were read
    local name=$1 strategy=$2 seconds=$3 pid
    shift 3
    "$sharc" crawl -q --json --allow-private --no-probe --strategy "$strategy" -a "$dir/$name" "$site/" "$@" >"$dir/summary" 2>"$dir/err" &
    pid=$!
    while kill -0 $pid 2>/dev/null && ! grep -q '"kind":"visit"' "$dir/$name/logs/crawl.log" 2>/dev/null; do sleep 0.5; done
    for _ in $(seq "$seconds"); do ! kill -0 $pid 2>/dev/null || sleep 1; done
    grep -E 'VmHWM' /proc/$pid/status >"$dir/hwm" 2>/dev/null || true
    awk '{ printf "%.1f", ($14 + $15) / 100 }' /proc/$pid/stat >"$dir/cpu" 2>/dev/null || true
    kill -INT $pid 2>/dev/null || true
    wait $pid || true
    python3 - "$dir" "$name" "$strategy" "$urls" <<'PY'
import json, sys
dir, name, strategy, urls = sys.argv[1:]
s = json.load(open(dir + "/summary"))["sites"][0]
kb = int(open(dir + "/hwm").read().split()[1])
print("| %s, %s | %s | %d | %.0f | %.0f | %s |" % (name, strategy, urls, s["pages"], kb / 1000, kb * 1024 / int(urls), open(dir + "/cpu").read()))
PY
    rm -rf "${dir:?}/$name"
}
peak visits sharc-online 10 --delay 20ms --no-features
peak evidence sharc-focus 10 --delay 20ms
cpu() {
    python3 - "$@" <<'PY'
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
u = resource.getrusage(resource.RUSAGE_CHILDREN)
print("%.2f %d" % (u.ru_utime + u.ru_stime, u.ru_maxrss))
PY
}
for n in 5000 50000; do
    read -r seconds kb < <(cpu "$sharc" crawl -q --allow-private --delay 0 --no-probe --no-sitemaps --depth 1 --limit-pages 1 -a "$dir/links-$n" "$site/links-$n/")
    echo "| one page with $n links | $n | 1 | $((kb / 1000)) | - | $seconds |"
done
