# SPDX-License-Identifier: Apache-2.0
# For the stories about sharc crawl: TAP, a server whose pages the story makes
# up, questions to the catalogue and the log. Sourced; sets dir, here and a trap.
here=$(cd "$(dirname "$0")" && pwd)
sharc=${SHARC:-$here/../../build/release/src/sharc}
dir=$(mktemp -d)
# The browser of the stories: the headless shell of Chromium starts with a sixth of the work.
headless=$(command -v chromium-headless-shell || command -v chromium)
modules=${XDG_CACHE_HOME:-$HOME/.cache}/sharc-tests/ui # packages for stories with a browser
server= n=0 bad=0 site_in=()
: >"$dir/log"
leave() {
    stop_site
    [ -z "${living:-}" ] || { kill "$living" && wait "$living"; } 2>/dev/null
    [ -z "${crawl:-}" ] || kill -9 "$crawl" 2>/dev/null
    ! declare -F tidy >/dev/null || tidy
    rm -rf "$dir"
}
trap leave EXIT

point() { # point CODE WHAT: a test; what the log holds when it failed
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else
        echo "not ok $n - $2"
        tail -n 20 "$dir/log" | cut -c 1-300 | sed 's/^/# /'
        bad=1
    fi
}
# What a story waits for comes when the machine is ready, however slow it is; in vain only if the process that is to
# bring it has ended. alive PID; until_said WORDS: the crawl that runs said so, in $dir/err.
alive() { kill -0 "$1" 2>/dev/null; }
until_said() {
    while alive "$crawl" && ! grep -q "$1" "$dir/err"; do sleep 0.05; done
    grep -q "$1" "$dir/err" || { cp "$dir/err" "$dir/log"; return 1; }
}
# Somebody has set the clock of this machine since clock_noted: what two processes that began before and after that say
# of the time cannot be compared.
clock_offset() { python3 -c 'import time; print(time.time() - time.monotonic())'; }
clock_noted() { clock_at=$(clock_offset); }
clock_was_set() { python3 -c 'import sys; sys.exit(abs(float(sys.argv[1]) - float(sys.argv[2])) < 0.5)' "$clock_at" "$(clock_offset)"; }
skip() { n=$((n + 1)); echo "ok $n - $1 # SKIP $2"; }
finish() { echo "1..$n"; exit $bad; }
# browser_missing: sets missing to what this machine lacks for a story with a browser: node, npm and its registry, chromium. The
# packages are installed once, outside the tree.
browser_missing() {
    local tool
    missing=
    for tool in node npm chromium; do command -v $tool >/dev/null || missing="$missing $tool"; done
    [ -z "$missing" ] && [ ! -d "$modules/node_modules/axe-core" ] || return 0
    mkdir -p "$modules"
    (
        flock 7
        [ -d "$modules/node_modules/axe-core" ] ||
            (cd "$modules" && timeout 300 npm install --no-save --ignore-scripts --no-audit --no-fund playwright-core@1.57.0 axe-core@4.10.3)
    ) 7>"$modules/.lock" >"$dir/log" 2>&1 || missing=" playwright-core"
}

# start_site [PORT]: the pages of $dir/routes.py; sets port and site. site_in: a command to run the server in.
start_site() {
    rm -f "$dir/ready"
    [ -p "$dir/stdin" ] || mkfifo "$dir/stdin"
    "${site_in[@]}" "$here/site-server" "$dir/routes.py" "$dir/requests" "$dir/ready" "${1:-0}" <"$dir/stdin" 2>>"$dir/log" &
    server=$!
    exec 9>"$dir/stdin" # closing it ends the server
    while alive "$server" && ! [ -s "$dir/ready" ]; do sleep 0.05; done
    port=$(cat "$dir/ready")
    site=http://127.0.0.1:$port
}
stop_site() {
    [ -n "$server" ] || return 0
    exec 9>&-
    { kill "$server" && wait "$server"; } 2>/dev/null
    server=
}
# start_living OPTION...: sharc lab serve; sets living and site.
start_living() {
    rm -f "$dir/ready"
    "$sharc" lab serve --quiet --ready-file "$dir/ready" "$@" >"$dir/log" 2>&1 &
    living=$!
    while alive "$living" && ! [ -s "$dir/ready" ]; do sleep 0.05; done
    site=$(cat "$dir/ready")
}
stop_living() {
    kill "$living"
    wait "$living"
    living=
}

# ask ARCHIVE SQL: rows of its catalogue, columns divided by blanks.
ask() { python3 -c '
import sqlite3, sys
for row in sqlite3.connect(sys.argv[1] + "/catalogue.db", timeout=30).execute(sys.argv[2]): print(*row)' "$dir/$1" "$2" 2>>"$dir/log"; }
# why ARCHIVE PATH: the reasons for which a URL of the site was skipped.
why() { ask "$1" "SELECT DISTINCT s.reason FROM skipped s JOIN url u ON u.id = s.url WHERE u.text = '$site$2' OR u.text = '$2'" | paste -sd, -; }
# asked TARGET [HOST]: how often the server was asked for it.
asked() { python3 -c '
import json, sys
print(sum(r["target"] == sys.argv[2] and (len(sys.argv) < 4 or r["host"].startswith(sys.argv[3])) for r in map(json.loads, open(sys.argv[1]))))' "$dir/requests" "$@"; }
# field NAME: of the last --json summary, of its first site.
field() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["sites"][0].get(sys.argv[2]))' "$dir/summary" "$1"; }
# run CODE WHAT ARGUMENT...: a crawl with its summary in $dir/summary.
run() {
    local want=$1 what=$2
    shift 2
    "$sharc" crawl --json --allow-private "$@" >"$dir/summary" 2>"$dir/log"
    local code=$?
    [ $code = "$want" ]
    point $? "$what (exit code $code)"
}
# sound ARCHIVE WHAT: its files and its catalogue bear every check we have.
sound() {
    "$sharc" verify "$dir/$1"/warcs/*.warc.gz >"$dir/log" 2>&1
    point $? "$2: the WARC files are valid"
    "$sharc" verify "$dir/$1" >"$dir/log" 2>&1
    point $? "$2: the catalogue agrees with them"
    ! ls "$dir/$1"/warcs/*.open >"$dir/log" 2>&1
    point $? "$2: no file is left open"
    rm -f "$dir/fresh.cdxj"*
    "$sharc" index -o "$dir/fresh.cdxj" "$dir/$1"/warcs/*.warc.gz >"$dir/log" 2>&1 && cmp "$dir/$1/index/index.cdxj" "$dir/fresh.cdxj" >>"$dir/log" 2>&1
    point $? "$2: the index is that of its files"
}
# log_is_heritrix ARCHIVE: every line has the fields that Heritrix's scripts read.
log_is_heritrix() { python3 "$here/crawl-log-check" "$dir/$1/logs/crawl.log" >"$dir/log" 2>&1; }
