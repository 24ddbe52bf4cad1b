#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# status.sh: sharc status beside a crawl that runs, after it was killed, and after the
# command that status prints has resumed it. It changes nothing. TAP.
set -u
. "$(dirname "$0")/crawl-lib.bash"
start_living --pages 25 --seed 5 --requests "$dir/requests"
requests() { cat "$dir/requests" 2>/dev/null | wc -l; }
# value PATH...: of $dir/status, the output of --json.
value() { python3 -c '
import json, sys
v = json.load(open(sys.argv[1]))
for k in sys.argv[2:]: v = v[int(k) if k.isdigit() else k]
print(json.dumps(v) if isinstance(v, (dict, list, bool)) or v is None else v)' "$dir/status" "$@" 2>>"$dir/log"; }
ask_status() { "$sharc" status --json "$dir/a" >"$dir/status" 2>"$dir/log"; code=$?; }

run 0 "a capture that ends" --delay 1ms -a "$dir/a" "$site"
ask_status
[ $code = 0 ] && [ "$(value captures complete)" = 1 ] && [ "$(value running)" = null ] && [ "$(value index state)" = current ]
point $? "it is complete, nothing runs, the index is up to date"

# until_stopped WHAT...: let the crawl run until WHAT is so, and stop it there.
until_stopped() {
    while alive $crawl; do
        kill -STOP $crawl
        ask_status
        "$@" && return
        kill -CONT $crawl
        sleep 0.1
    done
}
visits() { [ "$(requests)" -ge $((from + 8)) ] && [ "$(value list 0 pages)" -gt 2 ]; }
revisits() { [ "$(value list 0 phase)" = revisits ]; }

# --- while a crawl runs ------------------------------------------------------------------
from=$(requests)
"$sharc" crawl -q --allow-private --delay 150ms --for evidence -a "$dir/a" "$site" >"$dir/out" 2>&1 &
crawl=$!
until_stopped visits
[ $code = 0 ] && [ "$(value running work)" = crawl ] && [ "$(value running process)" = $crawl ]
point $? "the crawl that runs is named with its process"
python3 - "$(value running since)" <<'PY' >"$dir/log" 2>&1
import datetime, sys
since = datetime.datetime.fromisoformat(sys.argv[1].replace("Z", "+00:00"))
age = (datetime.datetime.now(datetime.timezone.utc) - since).total_seconds()
print(age)
sys.exit(not 0 <= age < 3600)
PY
point $? "and since when"
[ "$(value list 0 running)" = true ] && [ "$(value list 0 phase)" = visits ] && [ "$(value list 0 unfinished)" = false ] &&
    [ "$(value captures unfinished)" = 0 ]
point $? "its capture is in its visits, and not unfinished"
[ "$(value warcs open files)" = 1 ] && [ "$(value warcs open bytes)" -gt 0 ]
point $? "its file is open"
"$sharc" status "$dir/a" >"$dir/text" 2>"$dir/log"
grep -q "^running    crawl, process $crawl, since 20" "$dir/text" && grep -q "visits, [0-9]* URLs" "$dir/text"
point $? "people read the same"
python3 -c 'import sys; sys.exit(any(len(l.rstrip("\n")) > 80 for l in open(sys.argv[1]) if "/tmp" not in l))' "$dir/text"
point $? "within 80 columns"
kill -CONT $crawl
until_stopped revisits
[ "$(value list 0 phase)" = revisits ] && [ "$(value list 0 revisited)" -gt 0 ]
point $? "then it is in its revisits"
[ "$(ask a "SELECT count(*) FROM capture")" = 2 ]
point $? "the catalogue can be asked all the while"

# --- killed ---------------------------------------------------------------------------------
{ kill -9 $crawl; wait $crawl; } 2>/dev/null
crawl=
sum() { (cd "$dir/a" && find . -type f ! -name '*-shm' ! -name '*-wal' -exec sha256sum {} + | sort); }
sum >"$dir/before"
ask_status
[ $code = 0 ] && [ "$(value running)" = null ] && [ "$(value captures unfinished)" = 1 ] && [ "$(value list 0 unfinished)" = true ]
point $? "after kill -9 its capture is unfinished, and that is no error (exit code $code)"
sum >"$dir/after"
cmp "$dir/before" "$dir/after" >"$dir/log" 2>&1
point $? "asking changed nothing"
resume=$(value list 0 resume)
"$sharc" status "$dir/a" >"$dir/log" 2>&1
grep -qxF "           $resume" "$dir/log" && grep -q "its crawl was killed" "$dir/log"
point $? "the command that resumes it is printed: ${resume##*/a }"
(PATH=$(dirname "$sharc"):$PATH eval "$resume") >"$dir/log" 2>&1
point $? "and finishes it"
ask_status
[ "$(value captures complete)" = 2 ] && [ "$(value captures unfinished)" = 0 ] && [ "$(value warcs open files)" = 0 ]
point $? "after that nothing is unfinished"
sound a "then"
stop_living
finish
