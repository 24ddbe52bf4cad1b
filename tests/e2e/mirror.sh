#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A mirror of ours in headless Chromium, from the disk and without network: page,
# style and images must show, and links must lead to the other pages. Skips what
# this machine does not have: node, npm and its registry, chromium.
set -u
cd "$(dirname "$0")/../.."
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cache=${XDG_CACHE_HOME:-$HOME/.cache}/sharc-tests/playwright-core
version=1.57.0
n=0 bad=0
point() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; tail -n 20 "$dir/log" | cut -c1-2000 | sed 's/^/# /'; bad=1; fi; }
skip() { n=$((n + 1)); echo "ok $n - $1 # SKIP $2"; }

"$SHARC" export -q --to mirror -o "$dir/mirror" tests/data/garden.warc.gz >"$dir/log" 2>&1
point $? "makes a mirror"

have_playwright() {
    [ ! -d "$cache/node_modules/playwright-core" ] || return 0
    mkdir -p "$cache" && (cd "$cache" && timeout 300 npm install --no-save --ignore-scripts --no-audit --no-fund "playwright-core@$version")
}

shows="the browser shows the page, its style and its images, and follows its links"
missing=
for tool in node npm chromium; do command -v $tool >/dev/null || missing="$missing $tool"; done
if [ -n "$missing" ]; then
    skip "$shows" "missing:$missing"
elif ! have_playwright >"$dir/log" 2>&1; then
    skip "$shows" "npm could not install"
else
    node tests/e2e/mirror-check.mjs "$cache" "$(command -v chromium)" "$dir/mirror/garden.example/index.html" 90 >"$dir/log" 2>&1
    code=$?
    if [ $code = 2 ]; then skip "$shows" "the browser could not be started"; else point $code "$shows"; fi
fi
echo "1..$n"
exit $bad
