#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Answers as no well-behaved server sends them (wire-site.py): heads before the head, cut chunks, lengths that lie, bytes behind
# the end of a coding, validators that lie, redirects that turn. What was edited, or did not come whole, is not proved;
# what is the same in another form is. The certificate says the same of each page, and so does an import of the files
# without the closing record, which could only make grades worse. TAP.
set -u
. "$(dirname "$0")/crawl-lib.bash"
cp "$here/wire-site.py" "$dir/wire.py"
python3 "$dir/wire.py" "$dir/ready" 2>>"$dir/log" &
wire=$!
tidy() { kill "$wire" 2>/dev/null; }
while alive "$wire" && ! [ -s "$dir/ready" ]; do sleep 0.05; done
site=http://127.0.0.1:$(cat "$dir/ready")
run 0 "the crawl ends" --for evidence --delay 0 --focus 0 --no-probe --controls none --tries 1 -a "$dir/a" "$site/"
"$sharc" certify -q "$dir/a" -o "$dir/certificate" >"$dir/log" 2>&1
point $? "certified"
"$sharc" verify -q --certificate "$dir/certificate/certificate.json" "$dir"/a/warcs/*.warc.gz >"$dir/log" 2>&1
point $? "and verified"
# The same files without what the crawler itself said at the end.
python3 - "$dir"/a/warcs/*.warc.gz >"$dir/bare.warc.gz" <<'PY'
import sys, zlib
for path in sys.argv[1:]:
    rest = open(path, "rb").read()
    while rest:
        d = zlib.decompressobj(31)
        text = d.decompress(rest)
        if b"\r\nsharc-kind: verdict\r\n" not in text.partition(b"\r\n\r\n")[0] + b"\r\n": sys.stdout.buffer.write(rest[:len(rest) - len(d.unused_data)])
        rest = d.unused_data
PY
"$sharc" import -q -a "$dir/bare" "$dir/bare.warc.gz" >"$dir/log" 2>&1
point $? "imported without the closing record"
for archive in a bare; do ask $archive "SELECT u.text, g.reason FROM grade g JOIN url u ON u.id = g.url" >"$dir/$archive.grades"; done
cat >"$dir/judge.py" <<'PY'
import json, sys
d = sys.argv[1]
sys.path.insert(0, d)
import wire
grades = lambda name: {u.split("/", 3)[3][2:]: int(r) for u, r in (line.split() for line in open(d + "/" + name + ".grades")) if "/a/" in u}
crawl, bare = grades("a"), grades("bare")
certified = {p["url"].split("/", 3)[3][2:]: p["grade"] for p in json.load(open(d + "/certificate/certificate.json"))["pages"] if "/a/" in p["url"]}
if sys.argv[2] == "proved":
    wrong = [(n, crawl[n]) for n, (what, *_) in wire.ANSWERS.items() if what != wire.SAME and 1 <= crawl[n] <= 5]
    lost = [(n, crawl[n]) for n, (what, *_) in wire.ANSWERS.items() if what == wire.SAME and crawl[n] != 1]
    print("proved though edited or broken:", wrong, "not identical though the same:", lost)
    print("SUMMARY %d edited, %d broken, %d the same" % tuple(sum(w == k for w, *_ in wire.ANSWERS.values()) for k in (wire.EDITED, wire.BROKEN, wire.SAME)))
    sys.exit(bool(wrong or lost))
differ = [n for n in wire.ANSWERS if (1 <= crawl[n] <= 5) != (certified[n] <= 2)]
alone = [(n, crawl[n], bare.get(n)) for n in wire.ANSWERS if crawl[n] != bare.get(n)]
print("certify and crawl differ:", differ, "with and without the closing record:", alone)
sys.exit(bool(differ or alone))
PY
python3 "$dir/judge.py" "$dir" proved >"$dir/log" 2>&1
point $? "no edited or broken answer is proved, each in another form is identical ($(sed -n 's/^SUMMARY //p' "$dir/log"))"
python3 "$dir/judge.py" "$dir" agree >"$dir/log" 2>&1
point $? "crawl and certificate agree, and an import without the closing record gives the same reasons"
finish
