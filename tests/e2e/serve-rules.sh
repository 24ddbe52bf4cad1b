#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What other replay tools were asked to mend, asked of sharc serve: ranges, leaks, revisits, redirects in a circle, charsets,
# similar URLs, statuses, Memento, the bar. Once of a WARC file alone, once with an index in whole seconds, once of a
# WACZ. TAP.
set -u
. "$(dirname "$0")/crawl-lib.bash"
serving=
tidy() { [ -z "$serving" ] || { kill "$serving" && wait "$serving"; } 2>/dev/null; }
# rules WHAT PATH...
rules() {
    local what=$1
    shift
    rm -f "$dir/ready"
    "$sharc" serve -q --port 0 --ready-file "$dir/ready" "$@" >"$dir/out" 2>"$dir/serve-log" &
    serving=$!
    while alive "$serving" && ! [ -s "$dir/ready" ]; do sleep 0.05; done
    python3 "$here/serve-rules.py" ask "$(sed -n 1p "$dir/ready")" "$(sed -n 2p "$dir/ready")" >"$dir/said" 2>&1
    local code=$?
    grep -v '^ok' "$dir/said" >"$dir/log"
    point $code "$what: $(grep -c '^ok' "$dir/said") rules hold"
    kill "$serving"
    wait "$serving"
    serving=
}
python3 "$here/serve-rules.py" write "$dir/rules.warc.gz" >"$dir/log" 2>&1
point $? "makes a WARC of what tools have stumbled over"
rules "a WARC file" "$dir/rules.warc.gz"
mkdir "$dir/indexed"
cp "$dir/rules.warc.gz" "$dir/indexed"
"$sharc" index -q -o "$dir/indexed/index.cdxj" "$dir/indexed/rules.warc.gz" >"$dir/log" 2>&1
point $? "makes an index of it"
rules "the file and its index" "$dir/indexed"
"$sharc" export -q -o "$dir/rules.wacz" "$dir/rules.warc.gz" >"$dir/log" 2>&1
point $? "makes a WACZ of it"
rules "a WACZ" "$dir/rules.wacz"
finish
