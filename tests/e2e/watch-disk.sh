#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A full disk: the watch waits with a message and goes on when there is room, nothing is lost and nothing doubled.
# Needs a small file system of its own, in a name space of mounts; skipped where that is not allowed. TAP.
set -u
if [ "${1:-}" != inside ]; then
    unshare --mount true 2>/dev/null && exec unshare --mount "$0" inside
    unshare --user --map-root-user --mount true 2>/dev/null && exec unshare --user --map-root-user --mount "$0" inside
    echo "ok 1 - a full disk # SKIP no name spaces of mounts here"
    echo 1..1
    exit 0
fi
. "$(dirname "$0")/crawl-lib.bash"
tidy() { umount "$dir/disk" 2>/dev/null; }
mkdir "$dir/disk"
if ! mount -t tmpfs -o size=3m sharc-test "$dir/disk" 2>"$dir/log"; then
    skip "a full disk" "cannot mount: $(head -n 1 "$dir/log")"
    finish
fi
cat >"$dir/routes.py" <<'PY'
import hashlib, itertools
turn = itertools.count()
def noise(seed, n): # does not pack
    return b"".join(hashlib.sha256(b"%d %d" % (seed, i)).digest() for i in range(n // 32))
def answer(host, target, headers): # another version at each request
    if target.startswith("/p"): return 200, {"Content-Type": "application/octet-stream"}, noise(next(turn), 100000)
PY
start_site
echo "2026-12-25 a holiday" >"$dir/holidays"
"$sharc" watch --allow-private --delay 50ms --budget 1000/min --shortest 200ms --holidays "$dir/holidays" --zone Europe/Berlin -a "$dir/disk/a" \
    "$site/p1" "$site/p2" "$site/p3" >"$dir/out" 2>"$dir/err" 9>&- &
crawl=$!
until_said "waiting until there is room"
point $? "it says that the disk is full, and waits: $(grep -m 1 room "$dir/err")"
asked=$(wc -l <"$dir/requests")
sleep 1
[ "$(wc -l <"$dir/requests")" -le $((asked + 3)) ] && kill -0 $crawl 2>/dev/null
point $? "it is still there, and asks for nothing meanwhile"
mount -o remount,size=60m "$dir/disk"
until_said "room on the disk again"
point $? "when there is room it goes on by itself"
asked=$(wc -l <"$dir/requests")
while alive "$crawl" && ! [ "$(wc -l <"$dir/requests")" -gt $((asked + 5)) ]; do sleep 0.1; done
kill -TERM $crawl
wait $crawl
code=$?
crawl=
cat "$dir/out" "$dir/err" >"$dir/log"
[ $code = 11 ]
point $? "and is ended by a signal (exit code $code)"
looks=$(ask disk/a "SELECT count(*) FROM watch_look")
asked=$(grep -c '"target": *"/p' "$dir/requests")
controls=$(sed -n 's/.* \([0-9]*\) control download.*/\1/p' "$dir/out" "$dir/err" | tail -n 1)
[ "$looks" -gt 0 ] && [ $((looks + ${controls:-0})) = "$asked" ]
point $? "every answer became one look or one control ($looks looks, ${controls:-0} controls, $asked answers)"
"$sharc" verify "$dir/disk/a" >"$dir/log" 2>&1
point $? "files, index and rows agree"
finish
