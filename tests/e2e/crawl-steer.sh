#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A crawl that runs is steered: limits lifted, scope widened and tightened, settings
# read again; every change is logged, and holds when the crawl is killed and taken up
# again. TAP.
set -u
. "$(dirname "$0")/crawl-lib.bash"
cat >"$dir/routes.py" <<'PY'
def answer(host, target, headers):
    if target == "/robots.txt": return None
    if target == "/": return 200, {}, "".join("<a href='/%s/%d'>p</a>" % (s, i) for i in range(20) for s in ("a", "b"))
    if target.startswith(("/a/", "/b/")): return 200, {}, "<p>page %s <a href='/deep%s'>d</a>" % (target, target)
    if target.startswith("/deep/"): return 200, {}, "<p>deep %s" % target
PY
start_site
args=(--allow-private --no-sitemaps --no-probe --strategy bfs)
begin() { # begin ARCHIVE ARGUMENT...: a crawl in the background, once it has asked for a page
    local a=$1
    shift
    : >"$dir/requests"
    "$sharc" crawl --json "${args[@]}" -a "$dir/$a" "$@" "$site/" >"$dir/summary" 2>"$dir/err" </dev/null 9>&- &
    crawl=$!
    while alive "$crawl" && ! grep -q '"/a/' "$dir/requests"; do sleep 0.02; done
}
end() { # end CODE WHAT
    wait $crawl
    local code=$?
    crawl=
    cp "$dir/err" "$dir/log"
    [ $code = "$1" ]
    point $? "$2 (exit code $code)"
}
set_it() {
    "$sharc" crawl -a "$dir/$1" --set "$2" >"$dir/log" 2>&1
    point $? "set $2"
}
pages() { ask "$1" "SELECT count(*) FROM page WHERE status = 200"; }

# --- a limit that was reached is lifted ----------------------------------------------
begin lift --delay 2s --limit-pages 4 --depth 1
set_it lift limit-pages=8
set_it lift delay=0
end 0 "a limit of pages is lifted"
[ "$(pages lift)" = 8 ] && [ "$(ask lift "SELECT count(*) FROM skipped WHERE reason = 'limit-pages'")" = 33 ]
point $? "there are 8 pages ($(pages lift)), and reasons for all others"
[ "$(grep -c 'sharc:limit-pages .*urls:33' "$dir/lift/logs/crawl.log")" = 1 ] && [ "$(grep -c -- ' -5003 ' "$dir/lift/logs/crawl.log")" = 1 ]
point $? "one line of crawl.log tells of them"
grep -q 'sharc:set/limit-pages=8' "$dir/lift/logs/crawl.log" && log_is_heritrix lift
point $? "the change is in crawl.log"
[ "$(ask lift "SELECT params FROM capture" | grep -c '"setting":"limit-pages=8"')" = 1 ]
point $? "and with the capture in the catalogue"
sound lift "lifted"

"$sharc" crawl -a "$dir/lift" --set delay=1s >"$dir/log" 2>&1
[ $? = 6 ] && grep -q "no crawl is running" "$dir/log" && [ -z "$(ls "$dir/lift/.control")" ]
point $? "afterwards there is nothing to be set, and nothing is left for the next one"

# --- killed, and taken up again -----------------------------------------------------------
begin kill --delay 2s --limit-pages 4 --depth 1
set_it kill limit-pages=12
set_it kill 'exclude=*/b/*'
until_said "setting taken: exclude"
point $? "taken"
kill -9 $crawl
wait $crawl 2>/dev/null
crawl=
run 0 "the same command goes on" "${args[@]}" --delay 0 -a "$dir/kill" --limit-pages 4 --depth 1 "$site/"
grep -q "keeping the earlier setting: limit-pages=12" "$dir/log" && grep -q 'keeping the earlier setting: exclude=\*/b/\*' "$dir/log"
point $? "with what was set before"
[ "$(pages kill)" -gt 4 ] && [ "$(pages kill)" -le 12 ] && [ "$(why kill /b/19)" = excluded ]
point $? "limit and scope are those ($(pages kill) pages)"
sound kill "killed"

# --- the archive's settings are read again ---------------------------------------------------
mkdir "$dir/again"
printf 'crawl:\n  delay: 1s\n  depth: 1\n  limit-pages: 30\n' >"$dir/again/sharc.yaml"
begin again
printf 'crawl:\n  dellay: 0\n' >"$dir/again/sharc.yaml"
kill -HUP $crawl
until_said 'unknown setting: "dellay"'
point $? "settings that are wrong are told with their line, and not taken"
printf 'crawl:\n  delay: 0\n  limit-pages: 30\n  exclude: ["*/b/*"]\n' >"$dir/again/sharc.yaml"
kill -HUP $crawl
until_said "the scope rules have changed"
point $? "when they are right they are"
end 0 "and the crawl goes on"
[ "$(ask again "SELECT count(*) FROM page p JOIN url u ON u.id = p.url WHERE u.text LIKE '%/deep/a/%'")" -ge 5 ] && [ "$(why again /b/19)" = excluded ]
point $? "deeper than before, and without what is excluded now"
sound again "read again"
begin reload --delay 2s --limit-pages 6 --depth 1
set_it reload reload
until_said "nothing has changed"
point $? "nothing has changed, and that is said"
set_it reload delay=0
end 0 "after which it ends"
finish
