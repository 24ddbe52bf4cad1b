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

"$SHARC" export -q --to mirror -o "$dir/garden" tests/data/garden.warc.gz >"$dir/log" 2>&1
point $? "makes a mirror"
python3 tests/e2e/mirror-site.py >"$dir/hard.warc.gz" && "$SHARC" verify "$dir/hard.warc.gz" >"$dir/log" 2>&1 &&
    "$SHARC" export -q --to mirror -o "$dir/hard" "$dir/hard.warc.gz" >"$dir/log" 2>&1
point $? "makes one of a hard site"

have_playwright() {
    [ ! -d "$cache/node_modules/playwright-core" ] || return 0
    mkdir -p "$cache" && (cd "$cache" && timeout 300 npm install --no-save --ignore-scripts --no-audit --no-fund "playwright-core@$version")
}

missing=
for tool in node npm chromium; do command -v $tool >/dev/null || missing="$missing $tool"; done
if [ -z "$missing" ] && ! have_playwright >"$dir/log" 2>&1; then missing=" playwright-core"; fi
look() { # NAME FILE WHAT
    if [ -n "$missing" ]; then skip "$3" "missing:$missing"; return; fi
    node tests/e2e/mirror-check.mjs "$cache" "$(command -v chromium-headless-shell || command -v chromium)" 600 "$1" "$dir/$1/$2" >"$dir/log" 2>&1
    code=$?
    if [ $code = 2 ]; then skip "$3" "the browser could not be started"; else point $code "$3"; fi
}
look garden garden.example/index.html "the browser shows the page, its style and its images, and follows its links"
look hard hard.example/home.html "charset, base, guards, srcset, SVG, srcdoc, redirects, revisits and queries are right"
echo "1..$n"
exit $bad
