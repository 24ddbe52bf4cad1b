#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Politeness of many sites at once, judged by the server's log: SITES (200) host
# names on one nginx, each crawled with DELAY (1) seconds between requests for
# TIME (20) seconds. Prints the requests, the shortest pause that any site saw,
# and how much of the time allowed was used.
set -eu
sharc=${SHARC:?run me through bench/run}
sites=${SITES:-200} delay=${DELAY:-1} time=${TIME:-20}
dir=$(mktemp -d)
mkdir "$dir/www"
port=$((20000 + RANDOM % 20000))
cat >"$dir/nginx.conf" <<END
daemon off; master_process off; pid $dir/pid; error_log $dir/error.log;
events { worker_connections 4096; }
http {
    log_format short '\$msec \$host \$status \$uri'; access_log $dir/access.log short;
    client_body_temp_path $dir; proxy_temp_path $dir; fastcgi_temp_path $dir; uwsgi_temp_path $dir; scgi_temp_path $dir;
    types { text/html html; text/plain txt; }
    server { listen 127.0.0.1:$port; root $dir/www; }
}
END
{ echo '<!DOCTYPE html><title>Many</title>'; seq 500 | sed 's|.*|<a href=/p&.html>&</a>|'; } >"$dir/www/index.html"
for i in $(seq 500); do echo "<!DOCTYPE html><title>$i</title><a href=/>home</a>" >"$dir/www/p$i.html"; done
printf 'User-agent: *\nDisallow:\n' >"$dir/www/robots.txt"
nginx -c "$dir/nginx.conf" 2>/dev/null &
server=$!
trap 'kill $server; wait $server || true; rm -rf "$dir"' EXIT
for _ in $(seq 50); do curl -s -o /dev/null "http://127.0.0.1:$port/" && break; sleep 0.1; done
: >"$dir/access.log"
seq -f 'http://site%.0f.example/' "$sites" >"$dir/seeds"
/usr/bin/time -f '%U %S %e %M' -o "$dir/time" "$sharc" crawl -q -a "$dir/archive" --delay "${delay}s" --limit-time "${time}s" \
    --allow-private --contact https://example.org/ --connect-to "::127.0.0.1:$port" --seeds "$dir/seeds" >"$dir/out" 2>&1 ||
    { code=$?; echo "# exit code $code"; tail -n 3 "$dir/out"; }
awk -v delay="$delay" -v sites="$sites" '
    NF == 4 && $3 ~ /^[0-9]+$/ && $2 ~ /^site/ {
        n++; if ($2 in last) { gap = $1 - last[$2]; if (!least || gap < least) least = gap; if (gap < delay - 0.001) early++; sum += gap; gaps++ }
        last[$2] = $1; seen[$2]
    }
    END { for (h in seen) hosts++
        printf "%d requests to %d of %d sites; shortest pause %.3f s (asked: %s), mean %.3f s, too early: %d\n", n, hosts, sites, least, delay, gaps ? sum / gaps : 0, early }' "$dir/access.log"
tail -n 1 "$dir/time" | awk '{ printf "%.2f s CPU in %.2f s, %.0f MiB\n", $1 + $2, $3, $4 / 1024 }'
