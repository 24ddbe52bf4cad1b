#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A full disk: the crawl waits with a message and goes on when there is room; told
# to stop instead, it ends with a valid archive that is resumed later. Needs a
# small file system of its own, in a name space of mounts; skipped where that is
# not allowed. TAP.
set -u
if [ "${1:-}" != inside ]; then
    unshare --mount true 2>/dev/null && exec unshare --mount "$0" inside
    unshare --user --map-root-user --mount true 2>/dev/null && exec unshare --user --map-root-user --mount "$0" inside
    echo "ok 1 - a full disk # SKIP no name spaces of mounts here"
    echo 1..1
    exit 0
fi
. "$(dirname "$0")/crawl-lib.bash"
tidy() { umount "$dir/disk/c/index" "$dir/disk" 2>/dev/null; }
mkdir "$dir/disk"
if ! mount -t tmpfs -o size=3m sharc-test "$dir/disk" 2>"$dir/log"; then
    skip "a full disk" "cannot mount: $(head -n 1 "$dir/log")"
    finish
fi
cat >"$dir/routes.py" <<'PY'
import hashlib
def noise(seed, n): # does not pack
    return b"".join(hashlib.sha256(b"%d %d" % (seed, i)).digest() for i in range(n // 32))
def answer(host, target, headers):
    if target == "/": return 200, {}, "".join("<a href='/p%d'>p</a>" % i for i in range(40))
    if target.startswith("/p"): return 200, {"Content-Type": "application/octet-stream", "ETag": '"%s"' % target[1:]}, noise(int(target[2:]), 100000)
PY
start_site
args=(--delay 1ms --no-sitemaps --no-probe --strategy bfs)
begin() { # begin ARCHIVE
    "$sharc" crawl --allow-private "${args[@]}" -a "$dir/$1" "$site/" >"$dir/out" 2>"$dir/err" 9>&- &
    crawl=$!
}
ended() { wait "$crawl"; code=$?; crawl=; cat "$dir/out" "$dir/err" >"$dir/log"; }

begin disk/a
until_said "waiting until there is room"
point $? "it says that the disk is full, and waits: $(grep room "$dir/err")"
[ "$(grep -c "waiting until" "$dir/err")" = 1 ]
point $? "once"
kill -0 $crawl 2>/dev/null
point $? "it is still there"
mount -o remount,size=40m "$dir/disk"
ended
[ $code = 0 ] && grep -q "continuing" "$dir/err"
point $? "when there is room it goes on by itself (exit code $code)"
[ "$(ask disk/a "SELECT count(*) FROM page WHERE status = 200")" = 41 ]
point $? "nothing is lost: $(ask disk/a "SELECT count(*) FROM page WHERE status = 200") of 41 pages"
twice=$(python3 -c '
import json, sys, collections
print([t for t, n in collections.Counter(json.loads(l)["target"] for l in open(sys.argv[1])).items() if n > 1])' "$dir/requests")
[ "$twice" = "[]" ]
point $? "nothing was asked for twice: $twice"
sound disk/a "after the wait"

rm -rf "$dir/disk/a"
mount -o remount,size=3m "$dir/disk"
begin disk/b
until_said "waiting until there is room"
kill -INT $crawl
ended
[ $code = 3 ] || [ $code = 11 ]
point $? "told to stop meanwhile it stops (exit code $code)"
mount -o remount,size=40m "$dir/disk"
run 0 "with room the same command goes on" "${args[@]}" -a "$dir/disk/b" "$site/"
[ "$(field resumed)" = True ] && [ "$(ask disk/b "SELECT count(*) FROM page WHERE status = 200")" = 41 ] && [ "$(ask disk/b "SELECT count(*) FROM capture")" = 1 ]
point $? "nothing is lost"
sound disk/b "stopped and resumed"

# --- no room for the index, at the very end -----------------------------------------------
rm -rf "$dir/disk/b"
mkdir -p "$dir/disk/c/index"
mount -t tmpfs -o size=4k sharc-test "$dir/disk/c/index"
begin disk/c
until_said "index.*waiting until there is room"
point $? "the index is waited for, too: $(grep room "$dir/err" | sed "s,$dir/,,")"
mount -o remount,size=4m "$dir/disk/c/index"
ended
[ $code = 0 ] && [ "$(ask disk/c "SELECT count(*) FROM capture")" = 1 ] && [ "$(grep -c / "$dir/disk/c/index/index.cdxj")" -ge 41 ]
point $? "and written when there is room (exit code $code)"
sound disk/c "with an index that came late"

# --- no room for a catalogue at all ---------------------------------------------------------
umount "$dir/disk/c/index"
rm -rf "$dir"/disk/*
mount -o remount,size=96k "$dir/disk"
for fill in 20 60 80; do
    rm -rf "$dir"/disk/*
    head -c ${fill}k /dev/zero >"$dir/disk/fill"
    begin disk/d
    ended
    [ $code = 3 ] && grep -q 'full' "$dir/err"
    point $? "a disk with $((96 - fill)) KB left is called full (exit code $code)"
done
finish
