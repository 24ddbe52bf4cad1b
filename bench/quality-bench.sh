#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# sharc quality on a catalogue of a million pages: CPU seconds and memory of each form. The
# catalogue is made by quality_catalogue.py: 1,000,000 URLs of 50 hosts visited and revisited in one
# capture and visited in a second, 60 links a page, eight of them to what it embeds, most of that
# shared by all pages of a host. PAGES=N makes it smaller.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
sharc=${SHARC:?run me through bench/run}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
pages=${PAGES:-1000000}
"$sharc" import -q --archive "$dir/a" "$here/../tests/data/garden.warc.gz" >/dev/null
python3 "$here/quality_catalogue.py" "$dir/a/catalogue.db" "$pages"
# What every crawl and import leaves behind: sums that are kept, of which quality takes the parts of the site.
"$sharc" import -q --archive "$dir/a" "$here/../tests/data/garden.warc.gz" >/dev/null
measure() { # measure WHAT ARGUMENT...
    local what=$1
    shift
    /usr/bin/python3 - "$what" "$sharc" quality "$@" <<'PY'
import resource, subprocess, sys
r = subprocess.run(sys.argv[2:], stdout=subprocess.DEVNULL)
u = resource.getrusage(resource.RUSAGE_CHILDREN)
print('%-46s %6.2f s CPU %6.0f MB' % (sys.argv[1], u.ru_utime + u.ru_stime, u.ru_maxrss / 1024), '' if r.returncode == 0 else 'FAILED')
PY
}
measure "a capture" "$dir/a" 3
measure "a capture, with what its pages embed" "$dir/a" 3 --composite
measure "two captures, with what their pages embed" "$dir/a" --composite
measure "answers for a moment" "$dir/a" --at 2026-05-01
measure "answers for a moment, by page, as CSV" "$dir/a" --at 2026-05-01 --by page --csv
