#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The fetcher against nginx on loopback, one page of 10 kB, one thread: requests
# per CPU second of the client and per second of wall time (client and server
# share the machine), beside libcurl alone (multi_perform, bytes thrown away).
# N (100000): requests of the quick cases.
set -eu
n=${N:-100000}
dir=$(mktemp -d)
mkdir "$dir/www"
head -c 10000 /dev/zero | tr '\0' x >"$dir/www/page.html"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$dir/key.pem" -out "$dir/cert.pem" \
    -subj /CN=localhost -days 2 2>/dev/null
port=$((20000 + RANDOM % 20000))
cat >"$dir/nginx.conf" <<END
worker_processes 1;
daemon off;
pid $dir/pid;
error_log $dir/error.log;
events { worker_connections 8192; }
http {
    access_log off;
    keepalive_requests 1000000;
    root $dir/www;
    client_body_temp_path $dir; proxy_temp_path $dir; fastcgi_temp_path $dir; uwsgi_temp_path $dir; scgi_temp_path $dir;
    ssl_certificate $dir/cert.pem;
    ssl_certificate_key $dir/key.pem;
    server { listen 127.0.0.1:$port; }
    server { listen 127.0.0.1:$((port + 1)) ssl http2; }
}
END
chmod -R a+rX "$dir"
nginx -c "$dir/nginx.conf" 2>/dev/null &
server=$!
trap 'kill $server; wait $server || true; rm -rf "$dir"' EXIT
plain=http://127.0.0.1:$port/page.html tls=https://127.0.0.1:$((port + 1))/page.html
for _ in $(seq 50); do curl -s -o /dev/null "$plain" && break; sleep 0.1; done

row() { # row NAME FLAGS...
    local name=$1
    shift
    printf '%-46s %s\n' "$name" "$("$BENCH/fetch_loop" "$@")"
}
printf '%-46s %8s %8s %8s %7s\n' '' 'req/CPU s' 'req/s' 'bytes' 'MiB'
for _ in 1 2 3; do
    row 'libcurl alone, 64 connections' -b -n "$n" "$plain"
    row 'sharc, 64 connections' -n "$n" "$plain"
done
row 'sharc, 1 connection' -c 1 -n $((n / 2)) "$plain"
row 'sharc, 8 connections, 2,000 transfers waiting' -c 8 -w 2000 -n $((n / 2)) "$plain"
row 'sharc, 2,000 connections' -c 2000 -n "$n" "$plain"
row 'sharc, a new connection each' -x -n $((n / 4)) "$plain"
row 'sharc, TLS, 64 connections' -n $((n / 2)) "$tls"
row 'sharc, TLS, HTTP/2' -2 -n $((n / 2)) "$tls"
row 'sharc, TLS, a new connection each' -x -n $((n / 50)) "$tls"
