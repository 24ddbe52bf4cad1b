#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# npm's warcio judges what we write: records of every shape, and repaired
# copies. warcio is installed into a cache folder outside the tree; without npm
# (or without a registry) the tests are skipped and counted. Where the shared
# judge is at hand, it judges too, by stricter rules.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/sharc-tests/warcio
version=2.4.11
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
n=0 bad=0
point() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' "$dir/log" | tail -n 20; bad=1; fi; }
skip() { n=$((n + 1)); echo "ok $n - $1 # SKIP $2"; }

have_warcio() {
    [ ! -d "$cache/node_modules/warcio" ] || return 0
    command -v npm >/dev/null && command -v node >/dev/null || return 1
    mkdir -p "$cache" && (cd "$cache" && timeout 300 npm install --no-save --ignore-scripts --no-audit --no-fund "warcio@$version")
}

# The sample program is linked with the library that was built.
pc=$SHARC_BUILD/meson-private/sharc.pc
cc -std=c17 -D_GNU_SOURCE -I"$root/include" "$here/warc-sample.c" "$SHARC_BUILD/src/libsharc.a" \
    $(sed -n "s/^Libs.private: //p" "$pc") -o "$dir/sample" >"$dir/log" 2>&1 &&
    "$dir/sample" "$dir/warcs" >>"$dir/log" 2>&1
point $? "records of every shape are written"

"$SHARC" verify "$dir"/warcs/* >"$dir/log" 2>&1
point $? "sharc verify finds nothing"

# One member for all, then one record cut off: repaired copies are for others to read.
gz=$(ls "$dir"/warcs/*.warc.gz | head -n 1)
zcat "$gz" | gzip -n >"$dir/joined.warc.gz"
head -c -100 "$gz" >"$dir/cut.warc.gz"
"$SHARC" verify --repair "$dir/joined.warc.gz" "$dir/cut.warc.gz" >"$dir/log" 2>&1
[ -e "$dir/joined.repaired.warc.gz" ] && [ -e "$dir/cut.repaired.warc.gz" ]
point $? "repaired copies are written"
cmp <(zcat "$gz") <(zcat "$dir/joined.repaired.warc.gz") >"$dir/log" 2>&1
point $? "the repaired copy has the same bytes"

if have_warcio >"$dir/log" 2>&1; then
    node "$here/warcio-check.mjs" "$cache" "$dir"/warcs/* "$dir"/*.repaired.warc.gz >"$dir/log" 2>&1
    point $? "warcio reads all records and agrees with all digests"
    cp "$root/tests/data/garden.warc.gz" "$dir"
    (cd "$dir" && "$cache/node_modules/.bin/warcio" cdx-index garden.warc.gz | LC_ALL=C sort >garden.cdxj) 2>"$dir/log" &&
        [ "$(wc -l <"$dir/garden.cdxj")" = 11 ] &&
        "$SHARC" verify --index "$dir/garden.cdxj" "$dir/garden.warc.gz" >"$dir/log" 2>&1
    point $? "sharc verify agrees with the index that warcio makes"
    judge=${SHARC_SHARED:-$root/../shared}/judges/warc-judge.mjs
    if [ -e "$judge" ]; then
        node "$judge" --modules "$cache" --version 1.1 --require-digests "$dir"/warcs/* "$dir"/*.repaired.warc.gz >"$dir/log" 2>&1
        point $? "the shared judge has no complaint"
    else
        skip "the shared judge has no complaint" "it is not here"
    fi
else
    skip "warcio reads all records and agrees with all digests" "npm cannot install warcio"
    skip "sharc verify agrees with the index that warcio makes" "npm cannot install warcio"
    skip "the shared judge has no complaint" "npm cannot install warcio"
fi
echo "1..$n"
exit $bad
