#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# sharc crawl against a server that does everything wrong (hostile-server): the
# crawl ends, the archive is valid and holds the bytes as they came, memory stays
# bounded, and each case is logged for what it is.
set -u
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
server=
trap 'exec 9>&-; [ -z "$server" ] || wait "$server"; rm -rf "$dir"' EXIT
n=0 bad=0
: >"$dir/log"
alive() { kill -0 "$1" 2>/dev/null; }
point() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; tail -n 20 "$dir/log" | cut -c1-400 | sed 's/^/# /'; bad=1; fi; }
finish() { echo "1..$n"; exit $bad; }
for tool in python3 openssl; do command -v $tool >/dev/null || { echo "1..0 # skip $tool is missing"; exit 0; }; done

mkfifo "$dir/in"
"$here/hostile-server" --life 300 --log "$dir/requests" <"$dir/in" >"$dir/ports" 2>"$dir/log" &
server=$!
exec 9>"$dir/in" # closing it ends the server
while alive "$server" && ! [ -s "$dir/ports" ]; do sleep 0.1; done
port() { sed -n "s/.*\"$1\": \([0-9]*\).*/\1/p" "$dir/ports"; }
ca=$(sed -n 's/.*"ca": "\([^"]*\)".*/\1/p' "$dir/ports")
[ -n "$(port main)" ]
point $? "the server says where it is"

# crawl NAME ARGUMENTS...: into its own archive; quick to give up, no pause.
crawl() {
    local name=$1
    shift
    "$SHARC" crawl -q -a "$dir/$name" --delay 0 --tries 1 --max-time 2s --max-body 4M "$@" >"$dir/log" 2>&1
}
# logged NAME CODE PATH [TEXT]: a line of crawl.log with that code for that path, and that text.
logged() { awk -v code="$2" -v path="$3" -v text="${4:-}" '
    { u = $4; sub(/^https?:\/\/[^\/]*/, "", u) } $2 == code && u == path && index($0, text) { found = 1 } END { exit !found }' "$dir/$1/logs/crawl.log" ||
    { echo "no line with $2 for $3 and \"${4:-}\"" >"$dir/log"; grep -F "$3 " "$dir/$1/logs/crawl.log" >>"$dir/log"; return 1; }; }
asked() { grep -cE "^[0-9.]+ $1 GET $2 " "$dir/requests"; }

main=http://127.0.0.1:$(port main)/
crawl main --allow-private --limit-pages 300 "$main"
code=$?
[ $code = 0 ]
point $? "the crawl ends (exit code $code)"
peak=$(awk '$1 ~ /^[0-9]/ && NF >= 13 { if ($9 + 0 > most) most = $9 + 0 } END { print most + 0 }' "$dir/main/logs/progress-statistics.log" 2>/dev/null)
"$SHARC" verify "$dir"/main/warcs/*.warc.gz >"$dir/log" 2>&1
point $? "the archive is valid"
while read -r code path text; do
    logged main "$code" "$path" "$text"
    point $? "$path is logged as $code${text:+ with \"$text\"}"
done <<'END'
200 /ok
200 /gzip
200 /short midFetchTrunc
200 /bad-chunk midFetchTrunc
200 /cut-chunk midFetchTrunc
200 /reset-body midFetchTrunc
200 /endless lenTrunc
200 /endless-chunked lenTrunc
200 /drip timeTrunc
200 /stall timeTrunc
200 /bomb
200 /bomb-twice
200 /links
200 /charset
200 /future
200 /etag-lies
200 /miscounted
302 /to-private
302 /to-self
302 /loop
-4 /silent
-3 /reset
-3 /close
-5 /big-head
-5 /many-heads
-5 /no-colon
-5 /garbage
-5 /bad-length
END
# ask SQL: of the catalogue of the first crawl.
ask() { python3 -c 'import sqlite3, sys; print(*[r[0] for r in sqlite3.connect(sys.argv[1]).execute(sys.argv[2])])' "$dir/main/catalogue.db" "$1" 2>"$dir/log"; }
reason=$(ask "SELECT s.reason FROM skipped s JOIN url u ON u.id = s.url WHERE u.text LIKE '%/forbidden'")
[ "$(asked main /forbidden)" = 0 ] && [ "$reason" = robots ]
point $? "what robots.txt forbids was never asked for, and the catalogue says why (\"$reason\")"
known=$(ask "SELECT count(*) FROM url WHERE text LIKE '%/l/%'")
[ "$known" = 100000 ]
point $? "a page with 100,000 links is taken whole ($known)"
[ "$(asked main '/loop.*')" -le 30 ]
point $? "the endless redirect was left"
crawl traps --allow-private --no-sitemaps "$main"calendar "$main"repeat/a
months=$(asked main '/calendar.*')
[ "$months" -gt 5 ] && [ "$months" -lt 200 ]
point $? "the endless calendar was left ($months months)"
[ "$(asked main '/repeat/.*')" -lt 10 ]
point $? "paths that repeat themselves were left"
! grep -qE '10\.0\.0\.1|169\.254' "$dir/main"/logs/crawl.log || ! grep -E '^[^ ]+ +200 .*(10\.0\.0\.1|169\.254)' "$dir/main/logs/crawl.log" >"$dir/log"
point $? "nobody's intranet was visited"

# The bytes in the archive are those that the server sent.
cat >"$dir/bytes.py" <<'PY'
import glob, gzip, sys, urllib.request
main, names, held = sys.argv[1], sys.argv[3:], {}
for path in glob.glob(sys.argv[2] + "/*.warc.gz"):
    data = gzip.open(path).read()
    at = 0
    while at < len(data):
        end = data.index(b"\r\n\r\n", at)
        head = dict(l.split(b": ", 1) for l in data[at:end].split(b"\r\n")[1:])
        size = int(head[b"Content-Length"])
        if head[b"WARC-Type"] == b"response":
            held.setdefault(head[b"WARC-Target-URI"].decode(), data[end + 4:end + 4 + size])
        at = end + 4 + size + 4
wrong = [n for n in names if held.get(main + n) != urllib.request.urlopen(main + "bytes/" + n).read()]
print("not as sent:", wrong)
sys.exit(bool(wrong))
PY
python3 "$dir/bytes.py" "$main" "$dir/main/warcs" ok gzip chunks lf-only folded no-reason http10 short bad-chunk cut-chunk not-gzip cut-gzip bomb charset to-private >"$dir/log" 2>&1
point $? "the archive holds the bytes as they came"
crawl late --delay 200ms --depth 0 --strategy bfs --no-probe --no-sitemaps --allow-private "$main"late "$main"ok "$main"late?2 "$main"gzip
python3 "$dir/bytes.py" "$main" "$dir/late/warcs" ok gzip >"$dir/log" 2>&1 && ! zcat "$dir"/late/warcs/*.warc.gz 2>/dev/null | grep -a 'of another page' >"$dir/log"
point $? "an answer that came before the question is not in the archive"
[ "$peak" -gt 0 ] && [ "$peak" -lt 400000 ]
point $? "memory stayed bounded ($peak kB)"

# Validators that lie: where the word of a server is asked for, a revisit tells what it says, and what the bytes say.
crawl evidence --for evidence --proof attested --strategy bfs-fifo --depth 0 --allow-private "$main"etag-lies "$main"etag-new "$main"future "$main"charset "$main"ok
while read -r code path text; do
    logged evidence "$code" "$path" "$text"
    point $? "the second look at $path is logged as $code with \"$text\""
done <<'END'
304 /etag-lies duplicate:server-not-modified
200 /etag-new duplicate:digest
200 /future duplicate:digest
END
"$SHARC" verify "$dir"/evidence/warcs/*.warc.gz >"$dir/log" 2>&1
point $? "the archive with second looks is valid"

crawl robots5xx --allow-private --limit-time 2s "http://127.0.0.1:$(port robots5xx)/"
[ "$(asked robots5xx '/')" = 0 ] && [ "$(asked robots5xx '/robots.txt')" -ge 1 ]
point $? "no page without robots.txt, when the server fails to give it"

# A storm is waited out for minutes; the first signal ends that at once.
timeout -s INT 4 "$SHARC" crawl -q -a "$dir/storm" --delay 0 --allow-private "http://127.0.0.1:$(port storm)/" >"$dir/log" 2>&1
[ "$(asked storm '/.*')" -ge 2 ] && [ "$(asked storm '/.*')" -le 4 ]
point $? "a storm of 503 is left alone"

crawl busy --allow-private --tries 3 --limit-pages 3 "http://127.0.0.1:$(port busy)/"
logged busy 200 / && awk '$2 == "busy" && $4 == "/" { if (last && $1 - last < 0.99) exit 1; last = $1 }' "$dir/requests"
point $? "a server that is busy for a second is asked again after one"

for site in tls tls-self tls-host tls-old; do
    crawl $site --allow-private --ca-file "$ca" --limit-pages 2 "https://127.0.0.1:$(port $site)/ok"
    case $site in
    tls) logged $site 200 /ok ;;
    tls-self) logged $site -2 /ok self-signed || logged $site -2 /robots.txt self-signed ;;
    tls-host) logged $site -2 /ok "subject name" || logged $site -2 /robots.txt "subject name" ;;
    tls-old) logged $site -2 /ok expired || logged $site -2 /robots.txt expired ;;
    esac
    point $? "$site is told for what it is"
done

before=$(wc -l <"$dir/requests")
crawl private --contact https://example.org/ "$main"
[ "$(wc -l <"$dir/requests")" = "$before" ]
point $? "without --allow-private loopback is not asked for anything"
finish
