#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Crawling a documentation tree from nginx on loopback without any delay: sharc
# beside wget (with WARC), wget2 and httrack (mirrors only). Pages are counted
# in the server's log, so every tool is judged by what it really fetched; CPU is
# user and system time of the tool. The tree (Debian packages, unpacked) is kept
# in ${SHARC_BENCH_DATA:-~/.cache/sharc-bench}/tree. Arguments: names of rows.
# GZIP=on lets the server compress, for those who ask.
set -eu
data=${SHARC_BENCH_DATA:-${XDG_CACHE_HOME:-$HOME/.cache}/sharc-bench}
packages=${PACKAGES:-"cppreference-doc-en-html postgresql-doc-15 python3.11-doc"}
tree=$data/tree
sharc=${SHARC:?run me through bench/run}

make_tree() {
    [ ! -e "$tree/done" ] || return 0
    rm -rf "$tree"
    mkdir -p "$tree/www" "$tree/deb"
    for p in $packages; do
        (cd "$tree/deb" && apt-get download "$p" >/dev/null 2>&1 && dpkg -x "$p"_*.deb root) || echo "# $p cannot be had: left out" >&2
    done
    mv "$tree/deb/root/usr/share" "$tree/www/share"
    # One page that leads to each book, then everything under one roof.
    (cd "$tree/www" && { echo '<!DOCTYPE html><title>Books</title>'
        find share -name index.html | LC_ALL=C sort | awk '{ n = split($0, p, "/"); if (!best || n <= best + 2) print "<p><a href=\"" $0 "\">" $0 "</a>"; if (!best || n < best) best = n }'
    } >index.html)
    rm -rf "$tree/deb"
    chmod -R a+rX "$tree"
    touch "$tree/done"
}

make_tree
dir=$(mktemp -d)
chmod 755 "$dir"
port=$((20000 + RANDOM % 20000))
cat >"$dir/nginx.conf" <<END
daemon off; master_process off; pid $dir/pid; error_log $dir/error.log;
events { worker_connections 1024; }
http {
    log_format short '\$status \$uri'; access_log $dir/access.log short buffer=64k flush=1s;
    charset utf-8; keepalive_requests 1000000; gzip ${GZIP:-off}; gzip_types text/css text/javascript;
    client_body_temp_path $dir; proxy_temp_path $dir; fastcgi_temp_path $dir; uwsgi_temp_path $dir; scgi_temp_path $dir;
    types { text/html html htm; text/css css; text/javascript js; image/png png; image/svg+xml svg; text/plain txt; }
    server { listen 127.0.0.1:$port; root $tree/www; disable_symlinks off; }
}
END
nginx -c "$dir/nginx.conf" 2>/dev/null &
server=$!
trap 'kill $server; wait $server || true; rm -rf "$dir"' EXIT
url=http://127.0.0.1:$port/
for _ in $(seq 50); do curl -s -o /dev/null "$url" && break; sleep 0.1; done

wanted=" $* "
run() { # run NAME COMMAND...: in an empty directory
    local name=$1
    shift
    [ "$wanted" = "  " ] || [[ "$wanted" == *" $name "* ]] || return 0
    sleep 1.2 # the server's log is written once a second
    : >"$dir/access.log"
    rm -rf "$dir/work"
    mkdir "$dir/work"
    (cd "$dir/work" && /usr/bin/time -o "$dir/time" -f '%U %S %e %M' "$@" >"$dir/out" 2>&1) || echo "# $name: exit code $?"
    sleep 1.2
    grep -E '^[0-9.]+ [0-9.]+ [0-9.]+ [0-9]+$' "$dir/time" | awk -v name="$name" -v log_file="$dir/access.log" -v disk="$(du -sm "$dir/work" | cut -f1)" '
        BEGIN { while ((getline line < log_file) > 0) { split(line, f, " "); total++; if (f[1] == 200 && !(f[2] in seen)) { seen[f[2]]; pages++ } } }
        { cpu = $1 + $2; printf "%-24s %7d %7d %8.2f %9.0f %8.2f %9.3f %7.0f %7d\n", name, pages, total, $3, pages / $3, cpu, 1000 * cpu / pages, $4 / 1024, disk }'
}

printf '%-24s %7s %7s %8s %9s %8s %9s %7s %7s\n' '' pages requests 'wall s' 'pages/s' 'CPU s' 'ms/page' 'MiB' 'MB disk'
run sharc "$sharc" crawl -q -a archive --delay 0 --connections 8 --tries 1 --allow-private "$url"
run sharc-1 "$sharc" crawl -q -a archive --delay 0 --tries 1 --allow-private "$url"
run wget-warc wget -q -r -l inf --no-parent --warc-file=wget --delete-after "$url"
run wget wget -q -r -l inf --no-parent "$url"
run wget2 wget2 -q -r -l inf --no-parent "$url"
run httrack httrack "$url" -O mirror -q -%! -A100000000 -%c0 -c8 -C0 -I0
