#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The PostgreSQL of the tests dies with whoever asked for it, however that ends. TAP;
# skipped without PostgreSQL.
set -u
pg=$(cd "$(dirname "$0")/../.." && pwd)/tools/pg-temp
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
n=0
point() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' "$dir/log" | tail -n 5; fi; }

"$pg" run true 2>"$dir/log"
case $? in
0) point 0 "a command runs" ;;
77) echo "ok 1 - the server of the tests # SKIP $(head -n 1 "$dir/log")"; echo 1..1; exit 0 ;;
*) point 1 "a command runs" ;;
esac

is_gone() { # is_gone DIR: the files, and every process that works in them
    for _ in $(seq 200); do
        [ ! -e "$1" ] && ! pgrep -f -- "-D $1/data" >/dev/null && return 0
        sleep 0.1
    done
    echo "$1 is still there" >"$dir/log"
    return 1
}
report='echo "$SHARC_TEST_PG_DIR" >"$0.new" && mv "$0.new" "$0"; exec sleep 1000'
wait_for() { while [ ! -e "$1" ]; do sleep 0.1; done; }

"$pg" run bash -c '[ -d "$SHARC_TEST_PG_DIR" ] && echo "$SHARC_TEST_PG_DIR" >"$0"; exit 5' "$dir/plain" 2>"$dir/log"
[ $? = 5 ] && is_gone "$(cat "$dir/plain")"
point $? "it is gone with its command, whose exit code is kept"

for signal in TERM KILL; do
    setsid "$pg" run bash -c "$report" "$dir/$signal" 2>"$dir/log" &
    runner=$!
    wait_for "$dir/$signal"
    kill -$signal -- -$runner
    wait $runner 2>/dev/null
    is_gone "$(cat "$dir/$signal")"
    point $? "it is gone when its process group gets SIG$signal"
done

mkdir "$dir/early"
chmod 755 "$dir" "$dir/early" # the server may run as another user
TMPDIR=$dir/early setsid "$pg" run true 2>"$dir/log" &
runner=$!
made=
while [ ! -d "$made/data" ]; do made=$(echo "$dir"/early/sharc-pg.*); done
kill -KILL -- -$runner
wait $runner 2>/dev/null
is_gone "$made"
point $? "it is gone when the group is killed while it is being made"

sleep 1000 &
owner=$!
out=$("$pg" start $owner 2>"$dir/log")
[ -d "${out% *}" ]
point $? "it is started for a process"
kill -KILL $owner
wait $owner 2>/dev/null
is_gone "${out% *}"
point $? "it is gone when that process is killed"

mkdir "$dir/mine"
: >"$dir/mine/port"
"$pg" stop "$dir/mine"
[ -e "$dir/mine/port" ]
point $? "a directory that it has not made is left alone"
echo "1..$n"
