#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# many-sites.sh: one process, many sites, and a heavy page of many of them at the same time.
#
# SITES (500) host names on one nginx on loopback are crawled with DELAY (1) seconds between
# requests for TIME (40) seconds, then the crawl is asked to stop (SIGINT). Of these sites the
# first HEAVY per cent (50) lead early to a page with LINKS (30000) links: all of them ask for it in
# the same second or two. The others have ordinary pages only.
#
# From the server's log: requests due and sent, the worst second, the latest request of a light
# site, the shortest pause of all. From /proc: CPU time a request, peak memory, memory a site,
# and how long the stop took. Prints one line each. MEMORY sets --memory.
#   SHARC=build/release/src/sharc bench/many-sites.sh
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
sharc=${SHARC:-$root/build/release/src/sharc}
sites=${SITES:-500} delay=${DELAY:-1} time=${TIME:-40} heavy=${HEAVY:-50} links=${LINKS:-30000}
pages=${PAGES:-1000} strategy=${STRATEGY:-bfs}
dir=$(mktemp -d)
server=
crawl=
trap '[ -z "$crawl" ] || kill -9 $crawl 2>/dev/null || true; [ -z "$server" ] || { kill $server; wait $server || true; }; rm -rf "$dir"' EXIT
ulimit -n "$(ulimit -Hn)"
chmod 755 "$dir"
mkdir "$dir/light" "$dir/heavy"
port=$((20000 + RANDOM % 10000))
for t in body proxy fastcgi uwsgi scgi; do mkdir "$dir/$t"; done
cat >"$dir/nginx.conf" <<END
daemon off; master_process off; pid $dir/pid; error_log $dir/error.log; worker_rlimit_nofile $(ulimit -n);
events { worker_connections 16000; }
http {
    log_format short '\$msec \$host \$status \$uri'; access_log $dir/access.log short buffer=64k flush=1s;
    keepalive_requests 1000000; keepalive_timeout 300s; sendfile on;
    client_body_temp_path $dir/body; proxy_temp_path $dir/proxy; fastcgi_temp_path $dir/fastcgi; uwsgi_temp_path $dir/uwsgi; scgi_temp_path $dir/scgi;
    types { text/html html; text/plain txt; }
    map \$host \$kind { default light; ~^heavy heavy; }
    server { listen 127.0.0.1:$port backlog=8192; root $dir/\$kind; }
}
END
python3 - "$dir" "$pages" "$links" <<'PY'
import sys
dir, pages, links = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
words = "The quick brown fox jumps over the lazy dog, and an ordinary page has some text. " * 20
for kind in ("light", "heavy"):
    www = dir + "/" + kind
    first = "<a href=/all.html>everything</a>" if kind == "heavy" else "<a href=/p0.html>one more</a>"
    with open(www + "/index.html", "w") as f:
        f.write("<!DOCTYPE html><title>Many</title><a href=/a.html>a</a><a href=/b.html>b</a><a href=/c.html>c</a>" + first)
        f.write("".join("<a href=/p%d.html>%d</a>\n" % (i, i) for i in range(1, pages)))
    for name in ["a", "b", "c"] + ["p%d" % i for i in range(pages)]:
        open("%s/%s.html" % (www, name), "w").write("<!DOCTYPE html><title>%s</title><p>%s<a href=/>home</a>" % (name, words))
    open(www + "/robots.txt", "w").write("User-agent: *\nDisallow:\n")
with open(dir + "/heavy/all.html", "w") as f:
    f.write("<!DOCTYPE html><title>Everything</title>")
    f.write("".join("<a href='/library/module-%d.html#item-%06d'>x</a><a href='/library/module-%d/function-%06d.html'>an entry</a>\n"
                    % (i % 97, i, i % 97, i) for i in range(links)))
PY
nginx -c "$dir/nginx.conf" -e "$dir/error.log" 2>/dev/null &
server=$!
for _ in $(seq 100); do curl -s -o /dev/null "http://127.0.0.1:$port/" && break; sleep 0.1; done
heavies=$((sites * heavy / 100))
# Names that every resolver knows, each with connections of its own: with --connect-to libcurl would take all of them for one host.
{ seq -f "http://heavy%.0f.localhost:$port/" 1 "$heavies"; seq -f "http://light%.0f.localhost:$port/" 1 $((sites - heavies)); } | shuf --random-source=<(seq 1000000) >"$dir/seeds"
sed -i '/^$/d' "$dir/seeds"
"$sharc" crawl -q --json -a "$dir/archive" --strategy "$strategy" --delay "${delay}s" --sites "$sites" --no-sitemaps --no-probe \
    ${MEMORY:+--memory "$MEMORY"} --allow-private --contact https://example.org/ --seeds "$dir/seeds" ${OPTIONS:-} >"$dir/out" 2>"$dir/err" &
crawl=$!
cpu() { awk '{ print ($14 + $15) / 100 }' "/proc/$1/stat"; }
for _ in $(seq 600); do grep -q '\.localhost ' "$dir/access.log" && break; sleep 0.1; done
if [ -n "${PERF:-}" ]; then perf record -q -g -o "$PERF" -p $crawl -- sleep "$time" 2>/dev/null; else sleep "$time"; fi
used=$(cpu $crawl)
hwm=$(awk '/VmHWM/ { print $2 }' /proc/$crawl/status) rss=$(awk '/VmRSS/ { print $2 }' /proc/$crawl/status)
kill -INT $crawl
asked=$(date +%s.%N)
code=0
wait $crawl || code=$?
ended=$(date +%s.%N)
crawl=
sleep 1.2 # nginx flushes its log
[ $code -eq 0 ] || [ $code -eq 11 ] || { echo "# exit code $code"; tail -n 3 "$dir/err"; }
python3 - "$dir/access.log" "$sites" "$delay" "$asked" "$used" "$hwm" "$rss" "$ended" <<'PY'
import sys, collections
log, sites, delay, asked, used, hwm, rss, ended = sys.argv[1], int(sys.argv[2]), *map(float, sys.argv[3:])
times = collections.defaultdict(list)
for line in open(log):
    t, host, status, uri = line.split()
    if host.endswith(".localhost"): times[host].append(float(t))
start = min(t[0] for t in times.values())
sent = sum(1 for ts in times.values() for t in ts if t <= asked)
per = collections.Counter(int(t - start) for ts in times.values() for t in ts if t <= asked)
seconds = int(asked - start)
due = sum(int((asked - ts[0]) / delay) + 1 for ts in times.values())
gaps = [(b - a, h) for h, ts in times.items() for a, b in zip(ts, ts[1:]) if b <= asked]
late = max([g for g, h in gaps if h.startswith("light")] + [asked - ts[-1] for h, ts in times.items() if h.startswith("light")], default=0)
print("sites asked: %d of %d, the last one began %.1f s after the first" % (len(times), sites, max(t[0] for t in times.values()) - start))
print("requests: %d of %d due (%.1f %%); worst second %d of %d" % (sent, due, 100 * sent / due, min(per[s] for s in range(3, seconds)), sites / delay))
print("pauses: shortest %.3f s, longest of a light site %.3f s, too early %d" % (min(g for g, h in gaps), late, sum(g < delay - 0.002 for g, h in gaps)))
print("CPU: %.1f s, %.0f us a request" % (used, 1e6 * used / sent))
print("memory: peak %.0f MB, %.0f kB a site; at the end %.0f MB" % (hwm / 1000, hwm / sites, rss / 1000))
print("stop: %.1f s" % (ended - asked))
print("rate by second: " + " ".join(str(per[s]) for s in range(seconds)))
PY
