#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# An archive whose files are in an object store (Debian's Swift by its S3 interface): crawled into it, killed with -9
# and resumed, the store away and back, a full spool, a wrong secret; then read from there by verify, serve, index,
# export, certify and another archive's import, and byte by byte by curl. Skipped where Swift is not installed. TAP.
set -u
. "$(dirname "$0")/crawl-lib.bash"
s3=$here/../../tools/s3-temp
started=$("$s3" start $$ 2>"$dir/log")
case $? in
0) ;;
77) skip "an object store" "$(head -n 1 "$dir/log")"; finish ;;
*) point 1 "an object store starts"; finish ;;
esac
store=${started% *} url=${started#* }
tidy() { [ -z "${serving:-}" ] || kill "$serving" 2>/dev/null; "$s3" stop "$store"; }
export AWS_ACCESS_KEY_ID=AKTEST AWS_SECRET_ACCESS_KEY=testsecret TMPDIR=$dir
unset AWS_PROFILE AWS_REGION AWS_ENDPOINT_URL
empty=e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
other_tool() { curl -sS --fail --aws-sigv4 aws:amz:us-east-1:s3 --user AKTEST:testsecret -H "x-amz-content-sha256: $empty" "$@"; }
http=http://${url#*@} # of the bucket

cat >"$dir/routes.py" <<'PY'
import hashlib, os, time
def noise(seed, n): # does not pack
    return b"".join(hashlib.sha512(b"%d %d" % (seed, i)).digest() for i in range(n // 64))
def answer(host, target, headers):
    if target == "/": return 200, {}, "".join("<a href='/p%d'>p</a>" % i for i in range(40))
    # On hold, fewer pages come than a part of an upload has bytes.
    while target in ("/p%d" % i for i in range(4, 40)) and os.path.exists(os.path.dirname(__file__) + "/hold"): time.sleep(0.05)
    if target.startswith("/p"): return 200, {"Content-Type": "application/octet-stream", "ETag": '"%s"' % target[1:]}, noise(int(target[2:]), 512000)
PY
start_site
make_archive() { mkdir "$dir/$1" && echo "files: $url/${2:-$1}" >"$dir/$1/sharc.yaml"; }
crawl_into() { # crawl_into ARCHIVE OPTION...: takes the place of the shell
    local a=$1
    shift
    exec "$sharc" crawl --allow-private --delay 1ms --no-sitemaps --no-probe --strategy bfs "$@" -a "$dir/$a" "$site/" >"$dir/out" 2>"$dir/err" 9>&-
}
files_here() { find "$dir/$1/warcs" -type f | wc -l; }
pages() { ask "$1" "SELECT count(*) FROM page WHERE status = 200"; }
state_there() { compgen -G "$dir/$1/warcs/*.upload" >/dev/null; }

# --- killed in the middle, and resumed
make_archive a
crawl_into a &
crawl=$!
while alive "$crawl" && ! state_there a; do sleep 0.05; done
state_there a
point $? "parts are uploaded while the file is written"
kill -9 $crawl
{ wait $crawl; } 2>/dev/null
crawl=
[ "$(other_tool "$http?list-type=2&prefix=a%2F" | grep -c "<Contents>")" = 0 ]
point $? "killed before its end, no object is there"
cat "$dir"/a/warcs/*.upload >"$dir/state"
open_before=$(other_tool "$http?prefix=a%2F&uploads=" | grep -o "<UploadId>[^<]*" | head -n 1)
(crawl_into a)
code=$?
cat "$dir/out" "$dir/err" >"$dir/log"
[ $code = 0 ] && [ "$(pages a)" = 41 ] && [ "$(files_here a)" = 0 ]
point $? "resumed, all files are in the store and none is left here (exit code $code, $(pages a) of 41 pages)"
[ -n "$open_before" ] && [ "$(other_tool "$http?prefix=a%2F&uploads=" | grep -c "<UploadId>")" = 0 ] && [ "$(sed 's/.*"id":"//; s/".*//' "$dir/state")" = "${open_before#<UploadId>}" ]
point $? "the upload that was cut off has been completed"
"$sharc" verify "$dir/a" >"$dir/log" 2>&1
point $? "the catalogue and the objects agree: $(tail -n 1 "$dir/log")"
"$sharc" verify "$url/a" >"$dir/log" 2>&1
point $? "each object is a sound archive file"
twice=$(ask a "SELECT u.text FROM page p JOIN url u ON u.id = p.url GROUP BY 1 HAVING count(*) > 1")
[ -z "$twice" ]
point $? "nothing is doubled: $twice"

# --- read from there
name=$(other_tool "$http?list-type=2&prefix=a%2Fwarcs%2F" | grep -o "<Key>[^<]*" | sed 's/<Key>//' | head -n 1)
other_tool -o "$dir/copy.warc.gz" "$http/$name" && "$sharc" verify "$dir/copy.warc.gz" >"$dir/log" 2>&1
point $? "another tool gets the same bytes"
"$sharc" index "$url/$name" 2>"$dir/log" | cmp - <("$sharc" index "$dir/copy.warc.gz" | sed "s/copy.warc.gz/$(basename "$name")/") 2>>"$dir/log"
point $? "an index of the object is an index of the file"
"$sharc" serve --port 0 --ready-file "$dir/ready2" "$dir/a" >"$dir/serve" 2>&1 9>&- &
serving=$!
while alive "$serving" && ! [ -s "$dir/ready2" ]; do sleep 0.05; done
replay=$(sed -n 's/^replay *//p' "$dir/serve")
curl -sSL -o "$dir/page" "${replay}web/2030id_/$site/p7" 2>"$dir/log"
python3 -c '
import sys
exec(open(sys.argv[1]).read())
sys.exit(open(sys.argv[2], "rb").read() != noise(7, 512000))' "$dir/routes.py" "$dir/page" 2>>"$dir/log"
point $? "replay shows a page from the store, byte by byte"
kill $serving
wait $serving 2>/dev/null
serving=
"$sharc" export -q -o "$dir/out.wacz" "$dir/a" >"$dir/log" 2>&1 && "$sharc" verify "$dir/out.wacz" >>"$dir/log" 2>&1
point $? "a capture is exported from there"
"$sharc" import -q -a "$dir/imported" "$url/a/warcs" >"$dir/log" 2>&1 && [ "$(pages imported)" = 41 ]
point $? "objects are imported into another archive: $(pages imported) of 41 pages"

# --- the store goes away and comes back; the spool is full
make_archive b
: >"$dir/hold"
crawl_into b --spool 16777216 &
crawl=$!
while alive "$crawl" && ! compgen -G "$dir/b/warcs/*.open" >/dev/null; do sleep 0.05; done
"$s3" away "$store"
rm "$dir/hold"
until_said "waiting until there is room"
point $? "without the store the crawl waits when the spool is full: $(grep -m 1 "wait here" "$dir/err" | cut -c 1-120)"
"$s3" back "$store"
wait $crawl
code=$?
crawl=
cat "$dir/out" "$dir/err" >"$dir/log"
[ $code = 0 ] && [ "$(pages b)" = 41 ] && [ "$(files_here b)" = 0 ]
point $? "and goes on when it is back (exit code $code, $(pages b) of 41 pages, $(files_here b) files here)"
[ "$(other_tool "$http?list-type=2&prefix=b%2Fwarcs%2F" | grep -o "<Contents>" | wc -l)" -ge 2 ]
point $? "files were closed early, so that they could go"
"$sharc" verify "$dir/b" >"$dir/log" 2>&1
point $? "all of it is sound: $(tail -n 1 "$dir/log")"

# --- what is wrong is told
make_archive c
(AWS_SECRET_ACCESS_KEY=wrong-secret crawl_into c)
code=$?
cat "$dir/out" "$dir/err" >"$dir/log"
[ $code != 0 ] && grep -q AWS_SECRET_ACCESS_KEY "$dir/err" && ! grep -q "wrong-secret" "$dir/err" "$dir/out"
point $? "a wrong secret is told before the crawl, and not shown (exit code $code)"
# Objects that the catalogue does not know, and an upload that nobody goes on with.
other_tool -X POST -o "$dir/upload" "$http/a/warcs/orphan.warc.gz?uploads=" 2>>"$dir/log"
curl -sS --fail --aws-sigv4 aws:amz:us-east-1:s3 --user AKTEST:testsecret -H "x-amz-content-sha256: $(sha256sum "$dir/copy.warc.gz" | cut -c 1-64)" -T "$dir/copy.warc.gz" "$http/a/warcs/stray.warc.gz" >/dev/null
"$sharc" verify "$dir/a" >"$dir/log" 2>&1
code=$?
[ $code = 1 ] && grep -q "stray.warc.gz" "$dir/log"
point $? "verify names an object that the catalogue does not know"
grep -q "orphan.warc.gz" "$dir/log"
point $? "and an upload that nobody goes on with"

# --- evidence whose files are in the store: all that is said of it is read from there
stop_site
start_living --pages 12 --seed 5
make_archive e
code=0
for _ in 1 2; do "$sharc" crawl -q --allow-private --delay 1ms --for evidence -a "$dir/e" "$site" >"$dir/log" 2>&1 || { code=$?; break; }; done
stop_living
[ $code = 0 ] && [ "$(files_here e)" = 0 ]
point $? "two captures for evidence go into the store"
"$sharc" certify "$dir/e" >"$dir/log" 2>&1
point $? "certify reads their files there"
certificate=$(find "$dir/e/certificates" -name certificate.json | head -n 1)
"$sharc" verify --certificate "$certificate" "$dir/e" >"$dir/log" 2>&1
point $? "verify --certificate checks it against them: $(tail -n 1 "$dir/log" | cut -c 1-100)"
"$sharc" quality "$dir/e" >"$dir/here" 2>"$dir/log" && "$sharc" quality "$url/e/warcs/" 2>>"$dir/log" | cmp - "$dir/here" >>"$dir/log" 2>&1
point $? "quality says the same of the archive and of the objects alone"
"$sharc" quality --composite "$dir/e" latest >"$dir/log" 2>&1
point $? "and judges whole pages"
"$sharc" report -o "$dir/report.html" "$dir/e" >"$dir/log" 2>&1 && grep -q "<html" "$dir/report.html"
point $? "a report is made"
"$sharc" diff --archive "$dir/e" 1 2 >"$dir/log" 2>&1
point $? "captures are compared"
"$sharc" export -q --to mirror -o "$dir/mirror" "$dir/e" >"$dir/log" 2>&1 && [ -n "$(find "$dir/mirror" -name '*.html' | head -n 1)" ]
point $? "a mirror is made"
for command in "report -o $url/e/report.html" "export -o $url/e/out.wacz" "export --to mirror -o $url/e/mirror"; do
    (cd "$dir" && "$sharc" $command "$dir/e") >"$dir/log" 2>&1 # $command: several words
    code=$?
    [ $code != 0 ] && [ "$(grep -c "cannot be written to an object store; name a local file" "$dir/log")" = 1 ] && [ -z "$(find "$dir" -maxdepth 1 -name "s3*:*")" ]
    point $? "${command%% -o*} -o s3://… is refused, and leaves nothing here (exit code $code)"
done

# --- the catalogue is made again from the objects: with the old one, without it, and not at all without the store
pages_of() { ask "$1" "SELECT u.text, p.status, w.name, p.warc_offset FROM page p JOIN url u ON u.id = p.url JOIN warc w ON w.id = p.warc ORDER BY 1, 3, 4"; }
pages_of e >"$dir/pages"
rebuild() { # rebuild WHAT
    "$sharc" verify --rebuild "$dir/e" >"$dir/log" 2>&1 && [ -s "$dir/pages" ] && [ "$(ask e "SELECT count(*) FROM capture")" = 2 ] &&
        pages_of e | cmp - "$dir/pages" >>"$dir/log" 2>&1
    point $? "$1: $(grep -m 1 rebuilt "$dir/log" | cut -c 1-100)"
}
rebuild "the catalogue is made again from the objects"
mv "$dir/e/catalogue.db" "$dir/old.db"
rebuild "and without the old one"
if [ -n "$headless" ]; then
    "$sharc" view --text "$dir/e" "$site" >"$dir/log" 2>&1 && grep -q "0 missing" "$dir/log"
    point $? "a page is viewed in a browser"
else
    skip "a page is viewed in a browser" "no Chromium"
fi
"$s3" away "$store"
"$sharc" verify --rebuild "$dir/e" >"$dir/log" 2>&1
code=$?
[ $code != 0 ] && ! grep -q "rebuilt from\|any more" "$dir/log" && pages_of e | cmp - "$dir/pages" >>"$dir/log" 2>&1
point $? "without the store the catalogue stays as it is (exit code $code)"
"$s3" back "$store"
finish
