#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# rebuild.sh: what a crawl put into its catalogue comes back from its WARC files
# alone. A small site on loopback is captured with revisits; then the catalogue is
# made anew, and the pages of both are compared. TAP.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
sharc=${SHARC:-$root/build/release/src/sharc}
dir=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$dir"' EXIT
n=0
point() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; cut -c 1-200 "$dir/log" | head -n 10 | sed 's/^/# /'; fi; }

mkdir -p "$dir/site/news"
for i in $(seq 12); do
    echo "<title>News $i</title><a href=/>home</a> <a href=/news/$((i % 12 + 1)).html>next</a> item $i" >"$dir/site/news/$i.html"
done
{ echo '<title>Home</title><a href=/gone>gone</a><img src=/dot.png>'; for i in 1 4 8; do echo "<a href=/news/$i.html>$i</a>"; done; } >"$dir/site/index.html"
printf 'dot' >"$dir/site/dot.png"
python3 -u - "$dir/site" >"$dir/server" 2>/dev/null <<'PY' &
import functools, http.server, sys
handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=sys.argv[1])
server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), handler)
print(server.server_address[1])
server.serve_forever()
PY
server=$!
for _ in $(seq 100); do [ -s "$dir/server" ] && break; sleep 0.05; done
url=http://127.0.0.1:$(cat "$dir/server")/

"$sharc" crawl -q -d 0 --allow-private --for evidence -a "$dir/archive" "$url" >"$dir/log" 2>&1
point $? "a capture with revisits"
"$sharc" verify -q "$dir/archive" >"$dir/log" 2>&1
point $? "its catalogue agrees with its files"

# Without what only the crawler knows: its rates, durations to the microsecond, which
# dates of modification it trusts.
pages() {
    "$sharc" export -a "$dir/archive" --table page --to json | python3 -c '
import json, sys
keep = """url visit slot size warc_offset warc_length status digest text_digest etag parent redirect hops record
hopeless mime title minhash change revisit revisit_slot revisit_size revisit_warc_offset revisit_warc_length revisit_status
revisit_change revisit_digest""".split()
print("\n".join(sorted(json.dumps({k: r[k] for k in keep}) for r in json.load(sys.stdin))))'
}
links() { "$sharc" export -a "$dir/archive" --table link --to json | python3 -c '
import json, sys
print("\n".join(sorted("%(from_url)s %(link_kind)s %(to_url)s" % r for r in json.load(sys.stdin))))'; }
pages >"$dir/pages"
links >"$dir/links"
rm "$dir/archive/catalogue.db"
"$sharc" verify -q --rebuild "$dir/archive" >"$dir/log" 2>&1
point $? "the catalogue is made anew from the files"
pages >"$dir/pages.new"
diff "$dir/pages" "$dir/pages.new" >"$dir/log"
point $? "all $(wc -l <"$dir/pages") pages are as they were"
links >"$dir/links.new"
diff "$dir/links" "$dir/links.new" >"$dir/log"
point $? "all $(wc -l <"$dir/links") links are as they were"
echo "1..$n"
