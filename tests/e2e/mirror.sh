#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A mirror of ours in headless Chromium, from the disk and without network: page,
# style and images must show, and links must lead to the other pages. Skips what
# this machine does not have: node, npm and its registry, chromium.
set -u
. "$(dirname "$0")/crawl-lib.bash"

"$sharc" export -q --to mirror -o "$dir/garden" "$here"/../data/garden.warc.gz >"$dir/log" 2>&1
point $? "makes a mirror"
python3 "$here"/mirror-site.py >"$dir/hard.warc.gz" && "$sharc" verify "$dir/hard.warc.gz" >"$dir/log" 2>&1 &&
    "$sharc" export -q --to mirror -o "$dir/hard" "$dir/hard.warc.gz" >"$dir/log" 2>&1
point $? "makes one of a hard site"

browser_missing
look() { # NAME FILE WHAT
    if [ -n "$missing" ]; then skip "$3" "missing:$missing"; return; fi
    node "$here"/mirror-check.mjs "$modules" "$headless" 600 "$1" "$dir/$1/$2" >"$dir/log" 2>&1
    code=$?
    if [ $code = 2 ]; then skip "$3" "the browser could not be started"; else point $code "$3"; fi
}
look garden garden.example/index.html "the browser shows the page, its style and its images, and follows its links"
look hard hard.example/home.html "charset, base, guards, srcset, SVG, srcdoc, redirects, revisits and queries are right"
finish
