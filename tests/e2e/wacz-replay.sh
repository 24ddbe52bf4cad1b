#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A WACZ of ours in an independent replay engine: headless Chromium must show the
# page with its style and its images. Skips what this machine does not have: node,
# npm and its registry, chromium, or the judges beside the source tree.
set -u
cd "$(dirname "$0")/../.."
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
n=0 bad=0
point() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; tail -n 20 "$dir/log" | cut -c1-2000 | sed 's/^/# /'; bad=1; fi; }
skip() { n=$((n + 1)); echo "ok $n - $1 # skip $2"; }
finish() { echo "1..$n"; exit $bad; }

judges=${SHARC_SHARED:-../shared}/judges
shows="the replay engine shows the page, its style and its images"
other="and another page, found by the list of pages"
"$SHARC" export -q -o "$dir/garden.wacz" tests/data/garden.warc.gz >"$dir/log" 2>&1
point $? "packs a WACZ"

missing=
for tool in node npm chromium; do command -v $tool >/dev/null || missing="$missing $tool"; done
[ -f "$judges/replay-judge.mjs" ] || missing="$missing judges"
if [ -n "$missing" ]; then skip "$shows" "missing:$missing"; skip "$other" "missing:$missing"; finish; fi

# The packages, once per list of versions, outside the tree.
cache=${XDG_CACHE_HOME:-$HOME/.cache}/sharc-tests/judges-$(sha256sum "$judges/package-lock.json" | cut -c1-12)
if [ ! -f "$cache/.complete" ]; then
    mkdir -p "$cache"
    exec 9>"$cache/.lock"
    flock 9
    [ -f "$cache/.complete" ] || { cat "$judges/package.json" >"$cache/package.json"
        cat "$judges/package-lock.json" >"$cache/package-lock.json"
        (cd "$cache" && npm ci --ignore-scripts --omit=optional --no-audit --no-fund) >"$dir/log" 2>&1 && touch "$cache/.complete"; }
    flock -u 9
fi
if [ ! -f "$cache/.complete" ]; then skip "$shows" "npm could not install"; skip "$other" "npm could not install"; finish; fi

# On a busy machine the browser needs its time; a judge that could not run is no verdict.
judge() {
    node "$judges/replay-judge.mjs" --modules "$cache" --archive "$dir/garden.wacz" --timeout 90 "$@" >"$dir/log" 2>&1
    code=$?
    if [ $code = 2 ]; then skip "$name" "the judge could not run"; else point $code "$name"; fi
}
name=$shows
judge --url http://garden.example/ --ts 20261101100001 --text "A small garden" --min-images 2 \
    --css 'h1:color=rgb(0, 102, 51)' --no-missing
name=$other
judge --url http://garden.example/about.html --text "Two roses and a leaf" --css 'h1:color=rgb(0, 102, 51)' --no-missing
finish
