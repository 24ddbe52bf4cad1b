#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# url.sh: parsing and resolving beside Node's URL (ada), on the same pairs in
# one run. Needs bench_url in $BENCH; without node it says so and ends.
set -eu
command -v node >/dev/null || { echo "no node: the peer is not measured"; exit 0; }
pairs=$(mktemp)
trap 'rm -f "$pairs"' EXIT
"$BENCH/bench_url" --dump "$pairs"
ours=$("$BENCH/bench_url" --peer)
peer=$(node - "$pairs" <<'JS'
const rows = require('fs').readFileSync(process.argv[2], 'utf8').trim().split('\n').map(l => l.split('\t'));
let sink = 0;
function measure(name, one) {
  for (const r of rows) sink += one(r); // warm
  const before = process.cpuUsage();
  for (let i = 0; i < 5; i++) for (const r of rows) sink += one(r);
  const used = process.cpuUsage(before);
  console.log(`${name}\t${(used.user + used.system) * 1e3 / (5 * rows.length)}`);
}
measure('parse: absolute, ASCII', r => new URL(r[0]).href.length);
measure('resolve: base parsed too', r => new URL(r[2], new URL(r[1])).href.length);
JS
)
printf '%-32s %10s %10s %8s\n' 'ns per URL' sharc node ratio
while IFS=$'\t' read -r name ns; do
    mine=$(sed -n "s/^$name  *\([0-9]*\) ns.*/\1/p" <<<"$ours")
    awk -v n="$name" -v a="$mine" -v b="$ns" 'BEGIN { printf "%-32s %10.0f %10.0f %7.1fx\n", n, a, b, b / a }'
done <<<"$peer"
