#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Archive files: sharc beside zcat, a bare libdeflate loop and npm warcio, on
# some 400 MB of gzip-per-record WARC. The set is made once, from Debian's
# rendered documentation on a local nginx fetched by wget, and kept in
# ${SHARC_BENCH_DATA:-~/.cache/sharc-bench} (2.5 GB with its plain copy).
# --set only makes the set. Needs nginx, wget, apt; warcio is optional.
set -eu
data=${SHARC_BENCH_DATA:-${XDG_CACHE_HOME:-$HOME/.cache}/sharc-bench}
packages="python3.11-doc postgresql-doc-15 libboost1.74-doc linux-doc-6.1 cppreference-doc-en-html qtbase5-doc-html
  qtdeclarative5-doc-html libgtk-3-doc openjdk-17-doc libstdc++-12-doc libeigen3-doc rust-doc wx3.2-doc scala-doc"
raw_target=2100000000

unpack_packages() {
    mkdir -p "$data/deb" "$data/root"
    for p in $packages; do
        [ ! -e "$data/deb/$p.done" ] || continue
        (cd "$data/deb" && apt-get download "$p" >/dev/null 2>&1 && dpkg -x "$p"_*.deb "$data/root" && rm -f "$p"_*.deb) ||
            echo "# $p cannot be had: left out" >&2
        touch "$data/deb/$p.done"
    done
}

# nginx on a free port, stopped by its process id.
serve() {
    port=$((20000 + RANDOM % 20000))
    mkdir -p "$data/nginx"
    cat >"$data/nginx/conf" <<EOF
daemon off; master_process off; pid $data/nginx/pid; error_log $data/nginx/error.log;
events {}
http {
  access_log off; charset utf-8; client_body_temp_path $data/nginx/t; proxy_temp_path $data/nginx/t;
  fastcgi_temp_path $data/nginx/t; uwsgi_temp_path $data/nginx/t; scgi_temp_path $data/nginx/t;
  types { text/html html htm; text/css css; text/javascript js; image/png png; image/svg+xml svg; text/plain txt; }
  server { listen 127.0.0.1:$port; root $data/root/usr/share; disable_symlinks off; }
}
EOF
    nginx -c "$data/nginx/conf" &
    nginx_pid=$!
    for _ in $(seq 50); do
        wget -q -O /dev/null "http://127.0.0.1:$port/" 2>/dev/null || [ $? -eq 8 ] && return 0
        sleep 0.1
    done
    echo "nginx does not start" >&2
    return 1
}

make_set() {
    [ ! -e "$data/bench.warc.gz" ] || return 0
    unpack_packages
    serve
    # Text first, then pictures, until there are enough bytes.
    (cd "$data/root/usr/share" && find . -type f \( -name '*.html' -o -name '*.css' -o -name '*.js' -o -name '*.png' \
        -o -name '*.svg' -o -name '*.txt' \) -printf '%s %p\n') | LC_ALL=C sort -k2 |
        awk -v most=$raw_target -v base="http://127.0.0.1:$port/" '
            { n = $1; sub(/^[0-9]+ \.\//, ""); if ($0 ~ /[ %?#]/) next; total += n + 1200; if (total > most) exit; print base $0 }' \
            >"$data/urls"
    (cd "$data" && wget -q -i urls -O /dev/null --warc-file=making || true)
    kill "$nginx_pid"
    mv "$data/making.warc.gz" "$data/bench.warc.gz"
    rm -rf "$data/root" "$data/deb"
}

make_set
[ -e "$data/bench.warc" ] || gzip -dc "$data/bench.warc.gz" >"$data/bench.warc"
[ "${1:-}" != --set ] || exit 0

here=$(cd "$(dirname "$0")" && pwd)
sharc=${SHARC:?run me through bench/run} loop=$BENCH/warc_loop
gz=$data/bench.warc.gz raw=$data/bench.warc
gz_bytes=$(stat -c %s "$gz") raw_bytes=$(stat -c %s "$raw")
cpu=$(mktemp)
trap 'rm -f "$cpu"' EXIT
row() { "$here/measure" --bytes "$1" ${base:+--baseline "$base"} "${@:2}" 2>"$cpu"; }

echo "set: $("$loop" bare "$gz"), $gz_bytes bytes compressed"
echo
echo '| task | CPU s | wall s | MB/s | × zcat | MB memory |'
echo '|---|---|---|---|---|---|'
base=
row "$gz_bytes" 'zcat' zcat "$gz"
base=$(cat "$cpu")
! command -v libdeflate-gunzip >/dev/null || row "$gz_bytes" 'libdeflate-gunzip -c' libdeflate-gunzip -c "$gz"
row "$gz_bytes" 'bare loop, libdeflate per member' "$loop" bare "$gz"
row "$gz_bytes" 'sharc reader, WARC heads' "$loop" heads "$gz"
row "$gz_bytes" 'sharc reader, WARC and HTTP heads' "$loop" http "$gz"
row "$gz_bytes" 'sharc reader, responses only, HTTP heads' "$loop" responses "$gz"
row "$gz_bytes" 'sharc reader, all payload bytes' "$loop" payload "$gz"
row "$gz_bytes" 'sharc reader, WARC and HTTP heads, through a pipe' sh -c "cat '$gz' | '$loop' http -"
row "$gz_bytes" 'sharc verify --no-digests' "$sharc" verify --no-digests "$gz"
row "$gz_bytes" 'sharc verify' "$sharc" verify "$gz"
modules=${XDG_CACHE_HOME:-$HOME/.cache}/sharc-tests/warcio
if [ -d "$modules/node_modules/warcio" ]; then
    row "$gz_bytes" --runs 1 'warcio.js index' node "$modules/node_modules/warcio/dist/cli.js" index "$gz"
fi
base=
row "$raw_bytes" 'plain file: cat' cat "$raw"
row "$raw_bytes" 'plain file: sharc reader, WARC and HTTP heads' "$loop" http "$raw"
row "$raw_bytes" 'plain file: sharc reader, all payload bytes' "$loop" payload "$raw"

# Two cores, four files: the set cut into four.
if [ ! -e "$data/part3.warc.gz" ]; then
    python3 - "$gz" "$data" <<'EOF'
import os, sys
size = os.path.getsize(sys.argv[1])
with open(sys.argv[1], 'rb') as f:
    def border(at):   # the next member that begins a WARC record
        import zlib
        f.seek(at)
        block = f.read(4 << 20)
        i = -1
        while True:
            i = block.index(b'\x1f\x8b\x08', i + 1)
            try:
                if zlib.decompressobj(31).decompress(block[i:i + 4096], 5) == b'WARC/':
                    return at + i
            except zlib.error:
                pass
    cuts = [0] + [border(size * k // 4) for k in (1, 2, 3)] + [size]
    for k in range(4):
        f.seek(cuts[k])
        with open('%s/part%d.warc.gz' % (sys.argv[2], k), 'wb') as out:
            left = cuts[k + 1] - cuts[k]
            while left:
                left -= out.write(f.read(min(left, 1 << 20)))
EOF
fi
row "$gz_bytes" 'sharc verify --threads 1, four files' "$sharc" verify --threads 1 "$data"/part?.warc.gz
row "$gz_bytes" 'sharc verify --threads 2, four files' "$sharc" verify --threads 2 "$data"/part?.warc.gz
