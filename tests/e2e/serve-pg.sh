#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# sharc serve on an archive whose catalogue is in PostgreSQL: while a crawl writes to it and is killed, while the database
# is away and comes back, and after the server itself was killed. What it says is what it says with SQLite. Skipped without
# PostgreSQL. TAP.
set -u
. "$(dirname "$0")/crawl-lib.bash"
pg=$here/../../tools/pg-temp
database= serving= asking=
tidy() {
    [ -z "$asking" ] || kill "$asking" 2>/dev/null
    [ -z "$serving" ] || { kill "$serving" && wait "$serving"; } 2>/dev/null
    [ -z "$database" ] || "$pg" stop "$database"
}
if ! out=$("$pg" start $$ 2>"$dir/log"); then
    skip "serving with PostgreSQL" "$(head -n 1 "$dir/log")"
    finish
fi
database=${out% *} url=${out#* }
serve() { # serve ARCHIVE: sets pages and replay
    rm -f "$dir/serve-ready"
    "$sharc" serve -q --port 0 --threads 8 --follow 100ms --ready-file "$dir/serve-ready" --log "$dir/access" "$1" >"$dir/out" 2>>"$dir/serve-log" 9>&- &
    serving=$!
    while alive "$serving" && ! [ -s "$dir/serve-ready" ]; do sleep 0.05; done
    pages=$(sed -n 1p "$dir/serve-ready") replay=$(sed -n 2p "$dir/serve-ready")
}
status_of() { curl -s -o "$dir/body" -w '%{http_code}' "$@"; }
# grades: of the first capture, as the API tells them
grades() { curl -s "${pages}api/capture?capture=1" | python3 -c '
import json, sys
d = json.load(sys.stdin)
print(json.dumps([d["pages"], d["verdict"]["grades"]], sort_keys=True))' 2>>"$dir/log"; }
says() { curl -s "${pages}api/coherence?url=$site/p1" | python3 -c '
import json, sys
d = json.load(sys.stdin)
print(d["state"], d["parts"][0]["reason"], (d["grade"] or {}).get("grade"), (d["grade"] or {}).get("checked"))' 2>>"$dir/log"; }
cat >"$dir/routes.py" <<'PY'
def answer(host, target, headers):
    if target == "/": return 200, {}, "<link rel=stylesheet href=/s.css>" + "".join("<a href='/p%d'>p</a>" % i for i in range(30))
    if target == "/s.css": return 200, {"Content-Type": "text/css"}, "p {}"
    if target.startswith("/p"): return 200, {}, "<link rel=stylesheet href=/s.css><p>page %s" % target
PY
start_site
mkdir "$dir/pg"
echo "store: $url" >"$dir/pg/sharc.yaml"
args=(--delay 1ms --for evidence --focus 0 --no-sitemaps --no-probe)
run 0 "a capture with SQLite" "${args[@]}" -a "$dir/lite" "$site/"
run 0 "one with PostgreSQL" "${args[@]}" -a "$dir/pg" "$site/"
serve "$dir/lite"
lite="$(grades) $(says)"
kill "$serving"; wait "$serving"
serve "$dir/pg"
post="$(grades) $(says)"
printf '%s\n%s\n' "$lite" "$post" >"$dir/log"
[ "$lite" = "$post" ] && [ -n "$(says)" ]
point $? "grades and verdicts are those of the catalogue, in either"

# --- a crawl is killed while readers read ---------------------------------------------------------
first=$(curl -s -o /dev/null -w '%{redirect_url}' "${replay}web/2020id_/$site/p1")
curl -s "$first" | sha256sum >"$dir/before"
: >"$dir/wrong"
(while [ ! -e "$dir/enough" ]; do
    curl -s "$first" | sha256sum | cmp -s - "$dir/before" || echo replay
    [ "$(curl -s -o /dev/null -w '%{http_code}' "${pages}api/archive")" = 200 ] || echo api
    [ "$(curl -s -o /dev/null -w '%{http_code}' "${pages}api/coherence?url=$site/p1")" = 200 ] || echo verdict
done >"$dir/wrong") 9>&- &
asking=$!
"$sharc" crawl -q --allow-private --delay 50ms --for evidence --focus 0 --no-sitemaps --no-probe -a "$dir/pg" "$site/" >"$dir/out2" 2>"$dir/log" 9>&- &
crawl=$!
while alive "$crawl" && ! [ "$(psql -At "$url" -c "SELECT count(*) FROM capture c JOIN page p ON p.capture = c.id WHERE c.ended IS NULL" 2>/dev/null || echo 0)" -gt 3 ]; do sleep 0.05; done
kill -9 $crawl
wait $crawl 2>/dev/null
crawl=
[ "$(grades) $(says)" = "$lite" ]
point $? "a crawl that was killed changes nothing of what is said about the capture before it"
touch "$dir/enough"
wait $asking
asking=
cp "$dir/wrong" "$dir/log"
[ ! -s "$dir/wrong" ]
point $? "all the while every answer was right"

# --- the database is away ---------------------------------------------------------------------------
kill -QUIT "$(head -n 1 "$database/data/postmaster.pid")"
while psql -At "$url" -c "SELECT 1" >/dev/null 2>&1; do sleep 0.05; done
curl -s "$first" | sha256sum | cmp -s - "$dir/before"
point $? "pages are shown without the database"
code=$(status_of "${pages}api/capture?capture=1")
{ echo "$code"; cat "$dir/body"; } >"$dir/log"
[ "$code" = 503 ] && grep -q '"error"' "$dir/body"
point $? "what only the catalogue knows is answered with 503 and the reason"
code=$(status_of "${pages}api/coherence?url=$site/p1")
{ echo "$code"; cat "$dir/body"; } >"$dir/log"
[ "$code" = 200 ] && grep -q '"grade": null' "$dir/body"
point $? "verdicts rest on the files alone, and name no grade"
"$pg" restart "$database" >/dev/null 2>&1
while alive "$serving" && ! [ "$(grades) $(says)" = "$lite" ]; do sleep 0.2; done # verdicts ask again after half a minute
[ "$(grades) $(says)" = "$lite" ]
point $? "and when it is back everything is as before"

# --- the server itself is killed -----------------------------------------------------------------------
kill -9 "$serving"
wait "$serving" 2>/dev/null
serving=
serve "$dir/pg"
[ "$(grades) $(says)" = "$lite" ] && curl -s "${replay}${first#*//*/}" | sha256sum | cmp -s - "$dir/before"
point $? "killed and started again it says the same"
kill "$serving"; wait "$serving"
[ $? = 0 ]
point $? "it ends well"
serving=
finish
