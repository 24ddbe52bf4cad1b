#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A server that answers once too often: behind /k/3 comes the answer to a question that nobody asked, when the next request
# on that connection is there already, and HTTP/1.1 does not number answers. It may be archived under that
# request's URL; it is never proved to be that page, since revisits have connections of their own. TAP.
set -u
. "$(dirname "$0")/crawl-lib.bash"
cat >"$dir/server.py" <<'PY'
import socket, sys, threading, time
mode, ready = sys.argv[1:]
def page(path):
    links = "".join('<a href="/k/%d">%d</a>' % (i, i) for i in range(12)) if path == "/" else "x" * 50
    body = ("<!DOCTYPE html><title>%s</title>%s" % (path, links)).encode()
    return b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n" % len(body) + body
def serve(c):
    pending, unasked = b"", False
    while True:
        while b"\r\n\r\n" not in pending:
            piece = c.recv(65536)
            if not piece: return
            pending += piece
        request, pending = pending.split(b"\r\n\r\n", 1)
        path = request.split(b" ")[1].decode()
        if unasked and mode == "apart":
            c.sendall(page("/unasked"))
            time.sleep(0.05)
        own = page(path) if path == "/" or path.startswith("/k/") else b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
        c.sendall(page("/unasked") + own if unasked and mode == "together" else own)
        unasked = path == "/k/3"
def one(c):
    try: serve(c)
    except OSError: pass
    c.close()
s = socket.create_server(("127.0.0.1", 0), backlog=64)
with open(ready, "w") as f: f.write("%d\n" % s.getsockname()[1])
while True:
    c = s.accept()[0]
    c.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    threading.Thread(target=one, args=(c,), daemon=True).start()
PY
cat >"$dir/judge.py" <<'PY'
"""judge.py ARCHIVE: pages whose archived visit is that of another one, and which of them are called proved."""
import glob, gzip, re, sqlite3, sys
proved = {u for (u,) in sqlite3.connect(sys.argv[1] + "/catalogue.db").execute(
    "SELECT u.text FROM grade g JOIN url u ON u.id = g.url WHERE g.reason BETWEEN 1 AND 5")}
text = b"".join(gzip.open(f).read() for f in sorted(glob.glob(sys.argv[1] + "/warcs/*.warc.gz")))
wrong, seen = set(), set()
for record in re.split(rb"(?=WARC/1\.1\r\n)", text):
    head, _, block = record.partition(b"\r\n\r\n")
    title = re.search(rb"<title>(.*?)</title>", block)
    if b"WARC-Type: response" not in head or not title: continue
    url = re.search(rb"WARC-Target-URI: (\S+)", head).group(1).decode()
    seen.add(url)
    if "/" + url.split("/", 3)[3] != title.group(1).decode(): wrong.add(url)
print("of another page:", sorted(wrong), "called proved:", sorted(wrong & proved), "proved:", len(proved), "of", len(seen))
sys.exit(2 if len(seen) != 13 or len(proved) < 13 - len(wrong) else bool(wrong & proved) or ("none" in sys.argv and bool(wrong)))
PY
for mode in apart together; do
    for delay in 0 20ms; do
        rm -f "$dir/ready"
        python3 "$dir/server.py" $mode "$dir/ready" 2>>"$dir/log" &
        server=$!
        while alive "$server" && ! [ -s "$dir/ready" ]; do sleep 0.05; done
        run 0 "$mode, --delay $delay: captured" --for evidence --no-probe --focus 0 --controls none --delay $delay \
            -a "$dir/$mode$delay" "http://127.0.0.1:$(cat "$dir/ready")/"
        { kill $server && wait $server; } 2>/dev/null
        server=
        python3 "$dir/judge.py" "$dir/$mode$delay" "$([ $mode = apart ] || echo none)" >"$dir/log" 2>&1
        point $? "$mode, --delay $delay: no answer of another page is called proved ($(tail -n 1 "$dir/log"))"
    done
done
finish
