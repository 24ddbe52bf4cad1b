#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Signals and settings while a crawl runs: the first signal finishes the downloads
# under way, the second aborts them; either way the archive is whole and the same
# command goes on. Settings are taken up while running, and bad ones refused. TAP.
set -u
. "$(dirname "$0")/crawl-lib.bash"
cat >"$dir/routes.py" <<'PY'
import os, time
stuck = os.path.join(os.path.dirname(os.path.abspath(__file__)), "stuck")
def answer(host, target, headers):
    if target == "/slow": # answers when the test lets it
        while os.path.exists(stuck): time.sleep(0.02)
        return 200, {}, "slow at last"
    if target == "/":
        return 200, {}, "<a href='/slow'>s</a>" + "".join("<a href='/p%d'>p</a>" % i for i in range(60))
    if target.startswith("/p"): return 200, {"ETag": '"%s"' % target[1:]}, "<p>page %s" % target
PY
start_site
# begin ARCHIVE ARGUMENT...: a crawl in the background.
begin() {
    local a=$1
    shift
    "$sharc" crawl --allow-private --strategy bfs --no-sitemaps --no-probe -a "$dir/$a" "$site/" "$@" >"$dir/out" 2>"$dir/err" 9>&- &
    crawl=$!
}
ended() { wait "$crawl"; code=$?; crawl=; cat "$dir/out" "$dir/err" >"$dir/log"; }
until_asked() { while alive "$crawl" && ! [ "$(asked "$1")" -gt "${2:-0}" ]; do sleep 0.05; done; }

# --- the first signal ---------------------------------------------------------------
touch "$dir/stuck"
begin stop --delay 1ms
until_asked /robots.txt
sleep 0.3 # /slow is under way: its request is logged only when it is answered
kill -INT $crawl
until_said "finishing the downloads under way"
point $? "the first signal says that it finishes the downloads under way"
sleep 0.3
kill -0 $crawl 2>/dev/null
point $? "it waits for them"
rm "$dir/stuck"
ended
[ $code = 11 ]
point $? "stopped: exit code $code"
[ "$(ask stop "SELECT p.status FROM page p JOIN url u ON u.id = p.url WHERE u.text LIKE '%/slow'")" = 200 ]
point $? "the download under way was kept"
grep -q "run the same command again to resume" "$dir/err"
point $? "it says how to go on"
before=$(ask stop "SELECT count(*) FROM page")
[ "$before" -lt 62 ]
point $? "after $before of 62 pages"
sound stop "stopped"
run 0 "the same command finishes it" --delay 1ms --strategy bfs --no-sitemaps --no-probe -a "$dir/stop" "$site/"
[ "$(field resumed)" = True ] && [ "$(field pages)" = 62 ] && [ "$(asked /slow)" = 1 ] && [ "$(asked /)" = 1 ]
point $? "and asks for nothing twice"
sound stop "resumed"

# --- the second signal --------------------------------------------------------------
touch "$dir/stuck"
: >"$dir/requests"
begin abort --delay 1ms
until_asked /robots.txt
sleep 0.3
kill -INT $crawl
until_said "finishing the downloads under way"
kill -INT $crawl
ended
[ $code = 11 ] && grep -q abort "$dir/err"
point $? "the second signal aborts them: exit code $code"
rm "$dir/stuck"
sound abort "aborted"
[ -z "$(ask abort "SELECT status FROM page p JOIN url u ON u.id = p.url WHERE u.text LIKE '%/slow'")" ]
point $? "what was aborted is no page"
run 0 "the same command finishes it" --delay 1ms --strategy bfs --no-sitemaps --no-probe -a "$dir/abort" "$site/"
[ "$(field pages)" = 62 ]
point $? "with all pages, also what was aborted"
sound abort "finished"

# --- SIGTERM, during a long pause -----------------------------------------------------
: >"$dir/requests"
begin term --delay 1h
until_asked /robots.txt
kill -TERM $crawl
ended
[ $code = 11 ]
point $? "SIGTERM ends a long pause: exit code $code"
sound term "terminated"

# --- settings -------------------------------------------------------------------------
: >"$dir/requests"
begin set --delay 1h
until_asked /robots.txt
run 6 "a second crawl on the archive is refused" -a "$dir/set" "$site/"
grep -q "another crawl is running on this archive" "$dir/log" && [ "$(wc -l <"$dir/log")" = 1 ]
point $? "with one clear sentence"
for bad_setting in delay delay= delay=soon delay=-1s connections=0 connections=many limit-pages=-5 limit-bytes=5Q colour=red "exclude=regex:(" =5s; do
    "$sharc" crawl -a "$dir/set" --set "$bad_setting" >"$dir/log" 2>&1
    code=$?
    [ $code = 2 ] && [ "$(wc -l <"$dir/log")" -le 2 ]
    point $? "--set $bad_setting is refused (exit code $code): $(head -n 1 "$dir/log")"
done
"$sharc" crawl -a "$dir/set" --set "exclude=glob:*/p5*" --set limit-pages=1000 >"$dir/log" 2>&1
point $? "--set takes two settings at a time"
"$sharc" crawl -a "$dir/set" --set delay=1ms >"$dir/log" 2>&1
point $? "--set delay=1ms is taken"
ended
[ $code = 0 ]
point $? "and ends the pause of an hour that had begun: exit code $code"
[ "$(grep -c "setting taken" "$dir/err")" = 3 ] && grep -q "setting: delay=1ms" "$dir/set/logs/progress-statistics.log"
point $? "what was changed is said and logged"
[ "$(asked /p1)" = 1 ] && [ "$(asked /p52)" = 0 ] && [ "$(why set /p52)" = excluded ]
point $? "pages that were shut out meanwhile were not fetched, and have their reason"
: >"$dir/requests"
begin live --delay 60ms
until_asked /p3
"$sharc" crawl -a "$dir/live" --set "exclude=glob:*/p5*" --set limit-pages=50 >"$dir/log" 2>&1
ended
[ "$(asked /p52)" = 0 ] && [ "$(why live /p52)" = excluded ]
point $? "pages that were waiting already are shut out too"
[ "$(ask live "SELECT count(*) FROM page")" = 50 ] && [ "$(ask live "SELECT count(*) FROM skipped WHERE reason = 'limit-pages'")" -ge 1 ]
point $? "and a lower limit of pages holds ($(ask live "SELECT count(*) FROM page"))"
"$sharc" crawl -a "$dir/set" --set delay=1s >"$dir/log" 2>&1
code=$?
[ $code = 6 ]
point $? "--set on an archive where nothing runs: exit code $code, $(head -n 1 "$dir/log")"
finish
