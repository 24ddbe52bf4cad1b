#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A living site is watched, the watch killed with kill -9 and taken up again by the same archive, controlled while it
# runs, stopped; then judged by the site's own logs: delays were kept, every stored body was served, what was seen
# before a kill is there after it, and noise was counted as no change. The systemd unit is checked. TAP.
set -u
. "$(dirname "$0")/crawl-lib.bash"
delay=0.1
clock_noted

start_living --pages 20 --seed 5 --hottest 4s --layouts 0 --noise token:0.5 --requests "$dir/requests" --truth "$dir/truth.jsonl"
watch_it() { exec "$sharc" watch --json --allow-private --delay 100ms --budget 540/min --reach prefix --shortest 500ms --longest 1h -a "$dir/a" "$@"; }
looks() { ask a "SELECT u.text, l.visit, l.shown FROM watch_look l JOIN url u ON u.id = l.url ORDER BY 1, 2"; }
wait_for() { while alive "$crawl" && ! [ "$(wc -l <"$dir/requests")" -ge "$1" ]; do sleep 0.1; done; }
end() { wait $crawl 2>/dev/null; code=$?; crawl=; cat "$dir/out" >>"$dir/log"; }

lost=0 from=0
: >"$dir/before"
# Twenty kills at least, and more on a machine so slow that they leave little to lose.
for turn in $(seq 80); do
    (if [ $turn = 1 ]; then watch_it "$site"; else watch_it; fi) >"$dir/out" 2>&1 &
    crawl=$!
    wait_for $((from + 4 + RANDOM % 12)) # robots.txt and lists come first
    sleep 0.0$((RANDOM % 10))
    kill -9 $crawl
    end
    looks >"$dir/now"
    comm -23 "$dir/before" "$dir/now" >>"$dir/log"
    [ -z "$(comm -23 "$dir/before" "$dir/now")" ] || lost=1
    cp "$dir/now" "$dir/before"
    from=$(wc -l <"$dir/requests")
    [ $turn -lt 20 ] || [ "$(wc -l <"$dir/now")" -le 30 ] || break
done
[ $lost = 0 ] && [ "$(wc -l <"$dir/now")" -gt 30 ]
point $? "after $turn kills every look that was committed is there ($(wc -l <"$dir/now") looks)"
! grep -q 'saved plan cannot be used' "$dir/log"
point $? "and so is what was planned"
[ "$(cut -d' ' -f1,2 "$dir/now" | sort | uniq -d | wc -l)" = 0 ] && [ "$(wc -l <"$dir/now")" -le "$(wc -l <"$dir/requests")" ]
point $? "and none is there twice, or was never made"

(watch_it) >"$dir/out" 2>&1 &
crawl=$!
wait_for $((from + 5))
"$sharc" watch -a "$dir/a" --set pause >>"$dir/log" 2>&1
point $? "a running watch is paused"
sleep 0.5
asked=$(wc -l <"$dir/requests")
sleep 2
[ "$(wc -l <"$dir/requests")" = "$asked" ]
point $? "no request is made while it is paused"
kill -9 $crawl
end
(watch_it) >"$dir/out" 2>&1 &
crawl=$!
sleep 2
[ "$(wc -l <"$dir/requests")" = "$asked" ]
point $? "it is still paused after a kill and a restart"
"$sharc" watch -a "$dir/a" --set resume --set "look=$site" --set budget=480/min >>"$dir/log" 2>&1
point $? "it goes on, with a wish and a new budget"
wait_for $((asked + 15))
grep -q '"why":"wanted"' "$dir/out"
point $? "the page that was wished for was looked at"
kill -TERM $crawl
end
[ $code = 11 ]
point $? "a signal ends it (exit code $code)"
"$sharc" status --json "$dir/a" >"$dir/status" 2>>"$dir/log" && grep -q '"requests_per_hour": 28800' "$dir/status" && grep -q '"due"' "$dir/status"
point $? "status knows the new budget and what is due"
"$sharc" verify "$dir/a" >>"$dir/log" 2>&1
point $? "files, index and rows agree"
"$sharc" quality --watched --json "$dir/a" >"$dir/quality" 2>>"$dir/log" && python3 - "$dir/quality" >>"$dir/log" 2>&1 <<'PY'
import json, sys
w, = json.load(open(sys.argv[1]))["watches"]
a = w["all"]
print(a)
sys.exit(not (0 < a["fresh_seen"] <= a["fresh_expected"] <= 1 and 0 < a["complete"] <= 1
              and 0 < a["exact_seen"] <= a["exact_expected"] <= 1 and 0 < a["together_seen"] <= a["together_possible"] <= 1
              and sum(p["looks"] for p in w["periods"]) == a["looks"] > 30))
PY
point $? "quality says how fresh, complete and coherent the archive was"
stop_living

python3 - "$dir" "$delay" >>"$dir/log" 2>&1 <<'PY'
import json, sys
from datetime import datetime
dir, delay = sys.argv[1], float(sys.argv[2])
t = [datetime.fromisoformat(json.loads(l)["time"].replace("Z", "+00:00")).timestamp() for l in open(dir + "/requests")]
gaps = [b - a for a, b in zip(t, t[1:])]
print("shortest gap", min(gaps))
sys.exit(min(gaps) < delay * 0.95)
PY
point $? "the delay was kept, also over kills"
"$sharc" lab judge "$dir/a" --truth "$dir/truth.jsonl" >"$dir/judged" 2>&1
grep -q ', 0 never served' "$dir/judged"
point $? "every stored body is one that the site served ($(sed -n 's/^Bodies: //p' "$dir/judged"))"

# Looks that say "changed" (3) and the page was not edited between the look before and this one.
python3 - "$dir" "$site" >"$dir/noise" 2>>"$dir/log" <<'PY'
import json, sqlite3, sys
from datetime import datetime
dir, site = sys.argv[1:]
edits = {}
for l in open(dir + "/truth.jsonl"):
    r = json.loads(l)
    if r["cause"] == "served": continue
    when = datetime.fromisoformat(r["time"].replace("Z", "+00:00")).timestamp()
    edits.setdefault(r["path"], []).append(when)
wrong = changed = 0
last = {}
for url, visit, took, shown in sqlite3.connect(dir + "/a/catalogue.db").execute(
        "SELECT u.text, l.visit, l.took, l.shown FROM watch_look l JOIN url u ON u.id = l.url ORDER BY l.visit"):
    path, t = "/" + url[len(site):].lstrip("/"), visit / 1e6
    between = [e for e in edits.get(path, []) if last.get(path, 0) - 1 < e < t + max(took, 0) / 1e6 + 1]
    if shown == 3:
        changed += 1
        wrong += not between
    if shown != 6: last[path] = t
print(changed, wrong)
PY
read -r changed wrong <"$dir/noise"
said="of ${changed:-no} looks that say changed ${wrong:-?} are at pages that were not edited"
if clock_was_set; then skip "$said" "the clock of this machine was set"; else
    [ "${changed:-0}" -gt 0 ] && [ "${wrong:-1}" = 0 ]
    point $? "$said"
fi

if command -v systemd-analyze >/dev/null; then
    mkdir "$dir/units"
    sed "s|/usr/bin/sharc|$sharc|; /^Documentation/d" "$here/../../contrib/sharc-watch@.service" >"$dir/units/sharc-watch@.service"
    systemd-analyze verify "$dir/units/sharc-watch@x.service" >"$dir/unit" 2>&1
    code=$?
    cat "$dir/unit" >>"$dir/log"
    [ $code = 0 ] && ! grep -q sharc-watch "$dir/unit"
    point $? "systemd understands the unit"
else
    skip "systemd understands the unit" "there is no systemd-analyze"
fi
finish
