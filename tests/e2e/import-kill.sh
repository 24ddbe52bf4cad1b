#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# import-kill.sh: kill an import at random moments, again and again, and start it
# anew; at the end the catalogue must hold exactly what an undisturbed import
# gives, no row lost and none doubled. $KILLS (100) kills. TAP.
set -u
sharc=${SHARC:-build/release/src/sharc}
kills=${KILLS:-100}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# Several files of one run, so that kills hit all stages: between files, between
# batches, while captures are finished.
mkdir "$dir/warcs"
"$(dirname "$0")/make-archive.py" "$dir/warcs" 8 60

# Everything but numbers that depend on the order of commits.
dump() { # dump ARCHIVE > sorted rows
    local k
    "$sharc" export --table captures --archive "$1" --to csv | cut -d, -f2- | sort
    for k in $("$sharc" export --table captures --archive "$1" --to csv | tail -n +2 | cut -d, -f1); do
        "$sharc" export --table pages --archive "$1" --capture "$k" --to csv | sort
        "$sharc" export --table links --archive "$1" --capture "$k" --to csv | sort
        "$sharc" export --table skipped --archive "$1" --capture "$k" --to csv | sort
    done
}

start=$(date +%s%N)
"$sharc" import -q --archive "$dir/calm" "$dir/warcs" >/dev/null || { echo "not ok 1 - undisturbed import"; echo 1..1; exit 1; }
took=$((($(date +%s%N) - start) / 1000)) # microseconds
echo "ok 1 - undisturbed import"

# A kill within the time that a whole import takes; those that finish start over
# on a new archive, so that every kill hits work.
killed=0 finished=0 archives=1 bad=0
while [ "$killed" -lt "$kills" ]; do
    "$sharc" import -q --archive "$dir/killed-$archives" "$dir/warcs" >/dev/null 2>"$dir/err" &
    pid=$!
    sleep "$(awk -v t="$took" -v r="$RANDOM" 'BEGIN { printf "%.6f", t * r / 32767 / 1e6 * 0.7 }')"
    if kill -9 "$pid" 2>/dev/null; then killed=$((killed + 1)); fi
    wait "$pid" 2>/dev/null
    code=$?
    if [ "$code" = 0 ]; then
        finished=$((finished + 1)) archives=$((archives + 1))
    elif [ "$code" != 137 ]; then
        bad=1
        sed 's/^/# /' "$dir/err"
        break
    fi
done
echo "# $killed kills, $finished imports finished in between"
if [ "$bad" = 0 ]; then echo "ok 2 - every start after a kill works"; else echo "not ok 2 - every start after a kill works"; fi

dump "$dir/calm" >"$dir/calm.rows"
wrong=0
for a in $(seq 1 "$archives"); do
    [ -d "$dir/killed-$a" ] || continue
    "$sharc" import -q --archive "$dir/killed-$a" "$dir/warcs" >/dev/null
    dump "$dir/killed-$a" >"$dir/killed.rows"
    cmp -s "$dir/calm.rows" "$dir/killed.rows" && continue
    wrong=1
    diff "$dir/calm.rows" "$dir/killed.rows" | head -20 | sed 's/^/# /'
done
if [ "$wrong" = 0 ]; then echo "ok 3 - no row lost, none doubled"; else echo "not ok 3 - no row lost, none doubled"; fi
if "$sharc" verify -q "$dir/killed-1" >"$dir/verify" 2>&1; then
    echo "ok 4 - verify finds nothing"
else
    echo "not ok 4 - verify finds nothing"
    head -20 "$dir/verify" | sed 's/^/# /'
fi
echo 1..4
