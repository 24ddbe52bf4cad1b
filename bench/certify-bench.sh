#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What a certificate costs beside sharc verify on the same WARC files: an evidence capture of a synthetic site
# (PAGES, 20000), certified, checked, and verified; CPU and wall-clock seconds, the least of RUNS (3) runs that
# alternate, and how many times those of sharc verify. Wall clocks mean something on a quiet machine only. The capture is kept in ${SHARC_BENCH_DATA:-~/.cache/sharc-bench}/certify-PAGES.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
sharc=${SHARC:?run me through bench/run}
pages=${PAGES:-20000}
data=${SHARC_BENCH_DATA:-${XDG_CACHE_HOME:-$HOME/.cache}/sharc-bench}/certify-$pages
if [ ! -e "$data/done" ]; then
    rm -rf "$data"
    mkdir -p "$data"
    "$sharc" lab serve --quiet --pages "$pages" --ready-file "$data/url" >/dev/null &
    site=$!
    trap 'kill $site' EXIT
    while [ ! -s "$data/url" ]; do sleep 0.1; done
    "$sharc" crawl -q --allow-private --for evidence --delay 0 --archive "$data/a" "$(cat "$data/url")" >/dev/null
    kill $site && wait $site || true
    trap - EXIT
    touch "$data/done"
fi
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
"$sharc" certify -q "$data/a" -o "$out" >/dev/null
python3 - "$sharc" "$data/a" "$out" "${RUNS:-3}" "$here" <<'PY'
import glob, os, sys, time
sharc, archive, out, runs = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
warcs = glob.glob(archive + '/warcs/*.warc.gz')
commands = [('sharc verify', [sharc, 'verify', '-q'] + warcs), ('sharc certify', [sharc, 'certify', '-q', archive, '-o', out]),
            ('sharc verify --certificate', [sharc, 'verify', '--certificate', out + '/certificate.json', archive + '/warcs'])]
best = {}
for _ in range(runs):  # in turns: what else the machine does meets all of them
    for name, command in commands:
        began = time.monotonic()
        pid = os.fork()
        if pid == 0:
            null = os.open('/dev/null', os.O_RDWR)
            os.dup2(null, 1)
            os.execv(command[0], command)
        _, status, usage = os.wait4(pid, 0)
        if status: sys.exit('%s: %d' % (name, status))
        row = (usage.ru_utime + usage.ru_stime, time.monotonic() - began, usage.ru_maxrss / 1024)
        best[name] = tuple(map(min, best.get(name, row), row))
print('%d files, %.0f MB' % (len(warcs), sum(map(os.path.getsize, warcs)) / 1e6))
verify = best['sharc verify']
print('| | CPU s | times verify | wall s | times verify | MB |\n|---|---:|---:|---:|---:|---:|')
for name, (cpu, wall, rss) in best.items():
    print('| `%s` | %.2f | %.2f | %.2f | %.2f | %.0f |' % (name, cpu, cpu / verify[0], wall, wall / verify[1], rss))
PY
