#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The server goes away in the middle of a capture and comes back: the crawl waits,
# tries again, and goes on; if it stays away, the capture is left as it is and the
# same command takes it up. Nothing that could not be reached counts as missing. TAP.
set -u
. "$(dirname "$0")/crawl-lib.bash"
cat >"$dir/routes.py" <<'PY'
def answer(host, target, headers):
    if target == "/": return 200, {}, "".join("<a href='/p%d'>p</a>" % i for i in range(40))
    if target.startswith("/p"):
        if headers.get("If-None-Match") == '"%s"' % target[1:]: return 304, {"ETag": '"%s"' % target[1:]}, ""
        return 200, {"ETag": '"%s"' % target[1:]}, "<p>page %s" % target
PY
start_site
kept=$port
args=(--delay 30ms --for evidence --no-sitemaps --no-probe --contact ops@example.org)
until_asked() { while alive "$crawl" && ! [ "$(asked "$1")" -gt 0 ]; do sleep 0.05; done; }

# --- a short failure --------------------------------------------------------------------
"$sharc" crawl --allow-private "${args[@]}" -a "$dir/short" "$site/" >"$dir/out" 2>"$dir/err" 9>&- &
crawl=$!
until_asked /p2
stop_site
while alive "$crawl" && ! grep -q " -2 " "$dir/short/logs/crawl.log"; do sleep 0.05; done
sleep 0.3
start_site "$kept"
wait $crawl
code=$?
crawl=
cat "$dir/out" "$dir/err" >"$dir/log"
[ $code = 0 ]
point $? "a failure for a moment is waited out (exit code $code)"
[ "$(ask short "SELECT count(*) FROM page WHERE status = 200")" = 41 ] && [ "$(ask short "SELECT count(*) FROM skipped WHERE reason IN ('failed', 'unreachable')")" = 0 ]
point $? "nothing is lost, nothing counts as missing"
ask short "SELECT u.text, l.change FROM look l JOIN url u ON u.id = l.url WHERE l.status NOT IN (200, 304)" >"$dir/log"
[ ! -s "$dir/log" ]
point $? "no revisit failed"
sound short "short"

# --- a long one --------------------------------------------------------------------------
: >"$dir/requests"
"$sharc" crawl --allow-private "${args[@]}" --tries 1 -a "$dir/long" "$site/" >"$dir/out" 2>"$dir/err" 9>&- &
crawl=$!
until_asked /p2
stop_site
wait $crawl
code=$?
crawl=
cat "$dir/out" "$dir/err" >"$dir/log"
[ $code = 7 ]
point $? "a server that stays away: exit code $code"
grep -q "run the same command again to resume" "$dir/err" && grep -q "suspended" "$dir/out"
point $? "it says so, and how to go on"
[ "$(ask long "SELECT count(*) FROM page WHERE status <> 200")" = 0 ]
point $? "no page counts as gone"
sound long "long"
start_site "$kept"
run 0 "the same command goes on" "${args[@]}" -a "$dir/long" "$site/"
[ "$(ask long "SELECT count(*) FROM capture")" = 1 ] && [ "$(field resumed)" = True ]
point $? "with the same capture"
# One try each: what was cut off in its middle has had it.
ask long "SELECT u.text, reason, detail FROM skipped s JOIN url u ON u.id = s.url WHERE detail NOT LIKE '%connection was lost%'" >"$dir/log"
got=$(ask long "SELECT count(*) FROM page WHERE status = 200")
[ "$got" -ge 40 ] && [ ! -s "$dir/log" ]
point $? "and nothing is missing in the end that could not be reached: $got of 41 pages"
sound long "resumed"

# --- nobody there at all ------------------------------------------------------------------
stop_site
run 7 "a server that never answers" "${args[@]}" --tries 1 -a "$dir/never" "$site/"
[ "$(field state)" = suspended ]
point $? "is no site without pages: $(field state), $(field why)"
grep -q "is not finished: it cannot be reached: no connection could be made (Connection refused); run the same command again to resume" "$dir/log"
point $? "and a sentence says so in the end"
# said WHAT WORDS ARGUMENT...: a crawl that waits says for whom, why and how long; then it is interrupted.
said() {
    local what=$1 words=$2
    shift 2
    "$sharc" crawl --allow-private "$@" >"$dir/out" 2>"$dir/err" 9>&- &
    crawl=$!
    until_said "$words"
    local found=$?
    kill -INT $crawl
    wait $crawl
    local code=$?
    crawl=
    cat "$dir/err" >"$dir/log"
    [ $found = 0 ] && [ $code = 11 ]
    point $? "$what"
}
said "a refused connection is told at once, with the next attempt" \
    "127.0.0.1:$kept cannot be reached: no connection could be made (Connection refused); trying again in 10 s (attempt 2 of 4)" \
    "${args[@]}" -a "$dir/refused" "$site/"
said "so is a name without an address" "nowhere.invalid cannot be reached: the host name has no address" \
    "${args[@]}" -a "$dir/noname" http://nowhere.invalid/
cat >"$dir/routes.py" <<'PY'
def answer(host, target, headers):
    if target == "/robots.txt": return 500, {"Retry-After": "90"}, "out of order"
    return 200, {}, "<p>page"
PY
start_site "$kept"
said "and a robots.txt that cannot be had" "does not deliver its robots.txt: the server says 500; trying again in 1 min 30 s" \
    "${args[@]}" -a "$dir/robots" "$site/"
run 7 "a robots.txt that cannot be had in the end" "${args[@]}" --tries 1 -a "$dir/robots" "$site/" --fresh
grep -q "its robots.txt could not be fetched: the server says 500" "$dir/log"
point $? "is named"
if command -v openssl >/dev/null; then
    openssl req -x509 -newkey rsa:2048 -nodes -keyout "$dir/key.pem" -out "$dir/cert.pem" -days 2 -subj /CN=localhost 2>"$dir/log"
    cat >"$dir/tls.py" <<'PY'
import http.server, ssl, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.send_header("Content-Length", "4"); self.end_headers(); self.wfile.write(b"page")
    def log_message(self, *_): pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[1] + "/cert.pem", sys.argv[1] + "/key.pem")
server.socket = context.wrap_socket(server.socket, server_side=True)
server.handle_error = lambda *_: None
open(sys.argv[1] + "/tls-port", "w").write(str(server.server_address[1]))
server.serve_forever()
PY
    python3 "$dir/tls.py" "$dir" 2>>"$dir/log" 9>&- &
    living=$!
    while alive "$living" && ! [ -s "$dir/tls-port" ]; do sleep 0.05; done
    tls=https://127.0.0.1:$(cat "$dir/tls-port")/
    run 7 "a certificate that nobody vouches for" "${args[@]}" -a "$dir/tls" "$tls"
    grep -q "the secure connection was refused.*self-signed certificate.*--ca-file names certificates to trust" "$dir/log"
    point $? "is named at once, with the cure"
    run 0 "which helps" "${args[@]}" -a "$dir/tls" "$tls" --insecure
    kill $living
    wait $living 2>/dev/null
    living=
else
    skip "a certificate that nobody vouches for" "no openssl"
fi
finish
