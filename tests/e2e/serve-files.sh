#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Archive files of others, good and broken, served: every line of the index is answered with the status and the bytes of the record that
# it names, and nothing ends the server. Files of our own making first, then those of other projects beside the source tree, if
# they are there. TAP.
set -u
. "$(dirname "$0")/crawl-lib.bash"
serving=
tidy() { [ -z "$serving" ] || { kill "$serving" && wait "$serving"; } 2>/dev/null; }
# files WHAT LINES DIR: at least so many lines are there
files() {
    local what=$1 least=$2 code got
    rm -f "$dir/ready"
    "$sharc" serve -q --port 0 --ready-file "$dir/ready" "$3" >"$dir/out" 2>"$dir/serve-log" &
    serving=$!
    for _ in $(seq 600); do [ -s "$dir/ready" ] && break; kill -0 "$serving" 2>/dev/null || break; sleep 0.05; done
    python3 "$here/serve-files.py" ask "$(sed -n 1p "$dir/ready")" "$(sed -n 2p "$dir/ready")" "$3" >"$dir/log" 2>&1
    code=$?
    got=$(sed -n 's/^\([0-9]*\) lines.*/\1/p' "$dir/log")
    [ $code = 0 ] && [ "${got:-0}" -ge "$least" ]
    point $? "$what: every line of the index is answered with its record"
    kill "$serving"
    wait "$serving"
    code=$?
    serving=
    cp "$dir/serve-log" "$dir/log"
    [ $code = 0 ]
    point $? "$what: the server ends as it should"
}
mkdir "$dir/odd" "$dir/broken" "$dir/one" "$dir/two"
python3 "$here/serve-files.py" write "$dir/odd" >"$dir/log" 2>&1
point $? "writes odd files"
mv "$dir/odd/cut.warc.gz" "$dir/odd/empty.warc.gz" "$dir/odd/noise.warc.gz" "$dir/broken"
mv "$dir/odd/members.warc.gz" "$dir/one"
files "odd WARC and ARC files" 25 "$dir/odd"
files "the same, a gzip member each" 22 "$dir/one"
files "cut, empty and senseless files" 20 "$dir/broken"
suite=${SHARC_SHARED:-$here/../../../shared}/suites/warcio/data
if [ -d "$suite" ]; then
    for f in "$suite"/*; do
        rm -rf "$dir/two"
        mkdir "$dir/two"
        name=$(basename "$f" .bad)
        cp "$f" "$dir/two/$name"
        files "$name" 0 "$dir/two"
    done
else
    skip "files of other projects" "they are not beside the source tree"
fi
finish
