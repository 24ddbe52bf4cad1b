#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The JSON API of sharc serve over an archive of two captures: every path of its OpenAPI document is asked and held
# against it. And the token. TAP.
set -u
. "$(dirname "$0")/crawl-lib.bash"
serving=
tidy() { [ -z "$serving" ] || { kill "$serving" && wait "$serving"; } 2>/dev/null; }
# serve OPTION...: sets pages and replay
serve() {
    rm -f "$dir/ready"
    "$sharc" serve -q --port 0 --ready-file "$dir/ready" "$@" "$dir/a" >"$dir/out" 2>"$dir/serve-log" &
    serving=$!
    while alive "$serving" && ! [ -s "$dir/ready" ]; do sleep 0.05; done
    pages=$(sed -n 1p "$dir/ready") replay=$(sed -n 2p "$dir/ready")
}
stop_serving() {
    kill "$serving"
    wait "$serving"
    serving=
}
status_of() { curl -s -o "$dir/body" -w '%{http_code}' "$@"; }

start_living --pages 30 --seed 5
run 0 "captures a site for evidence" --delay 1ms --for evidence -a "$dir/a" "$site"
run 0 "captures it once more" --delay 1ms --for evidence --exclude '*/a*' -a "$dir/a" "$site"
stop_living
serve
python3 "$here/serve-api.py" "$pages" "$site" "$dir" >"$dir/log" 2>&1
point $? "every path answers as its OpenAPI document says, the numbers agree, and no error tells where the archive is"
[ "$(status_of "${replay}api/archive")" = 404 ]
point $? "the replay port does not answer for the API"
lines=$(curl -s "${pages}cdx?url=${site}*" | wc -l)
curl -s "${pages}cdx?url=${site}*&showNumPages=true&pageSize=7" >"$dir/log"
grep -q "^{\"pages\": *$(((lines + 6) / 7)), *\"pageSize\": *7, *\"lines\": *$lines}" "$dir/log"
point $? "the index counts its pages"
stop_serving

serve
bad=
for from in cross-site same-site; do # archived pages are of the same site, on another port
    for path in api/live api/trial; do
        [ "$(status_of -m 5 -H 'Accept: text/event-stream' -H "Sec-Fetch-Site: $from" "$pages$path")" = 403 ] || bad="$bad $from:$path"
    done
done
echo "$bad" >"$dir/log"
[ -z "$bad" ]
point $? "pages of others cannot make the server work"
stop_serving

echo "0123456789abcdef-token" >"$dir/token"
serve --token-file "$dir/token"
bad=
for path in api/archive api/openapi.json api/coherence?url="$site" "cdx?url=$site" files/ metrics; do
    [ "$(status_of "$pages$path")" = 401 ] || bad="$bad $path"
    [ "$(status_of -H 'Authorization: Bearer wrong' "$pages$path")" = 401 ] || bad="$bad wrong:$path"
    [ "$(status_of -H 'Authorization: Bearer 0123456789abcdef-tokeX' "$pages$path")" = 401 ] || bad="$bad similar:$path"
    [ "$(status_of -H 'Authorization: Bearer 0123456789abcdef-token' "$pages$path")" = 200 ] || bad="$bad right:$path"
done
[ "$(status_of "$pages")" = 200 ] || bad="$bad start"
[ "$(status_of -L "${replay}web/2030/$site")" = 200 ] || bad="$bad replay"
echo "$bad" >"$dir/log"
[ -z "$bad" ]
point $? "the token guards what programs ask for, and pages for people stay open"
review() { curl -s -X POST -o "$dir/body" -w '%{http_code}' "$@" "${pages}api/review?capture=1&url=$site&state=rejected&note=two%20%3Cwords%3E"; }
bad=
[ "$(review)" = 401 ] || bad="$bad none"
[ "$(review -H 'Authorization: Bearer 0123456789abcdef-token')" = 200 ] || bad="$bad put"
[ "$(status_of -H 'Authorization: Bearer 0123456789abcdef-token' "${pages}api/review?capture=1&url=$site&state=open")" = 405 ] || bad="$bad get"
curl -s -H 'Authorization: Bearer 0123456789abcdef-token' "${pages}api/reviews?capture=1" >"$dir/log"
grep -q '"rejected": 1' "$dir/log" && grep -q 'two <words>' "$dir/log" || bad="$bad list"
[ -z "$bad" ]
point $? "a review is taken with the token only, and stays in the catalogue$bad"
stop_serving
serve
[ "$(review)" = 403 ]
point $? "without a token nothing is written"
stop_serving
echo short >"$dir/token"
"$sharc" serve -q --port 0 --for 1s --token-file "$dir/token" "$dir/a" >"$dir/log" 2>&1
[ $? != 0 ] && grep -q 'at least 16' "$dir/log"
point $? "a short token is refused"

# --- the fleet: one worker that works, one that was killed, jobs that wait for different reasons
cat >"$dir/routes.py" <<'PY'
def answer(host, target, headers):
    if target == "/": return 200, {}, "".join("<a href='/p%d'>p</a>" % i for i in range(500))
    return 200, {}, "page " + target
PY
start_site
submit() { # submit HOST OPTION...
    local host=$1
    shift
    "$sharc" crawl -q --queue --allow-private --strategy bfs --no-probe --no-sitemaps --delay 200ms "$@" -a "$dir/a" "http://$host:$port/" >>"$dir/log" 2>&1
}
submit 127.0.0.1 --collection news && submit 127.0.0.2 --collection news && submit 127.0.0.3 --collection later --due 2031-01-01 --schedule weekly
point $? "three jobs are queued beside the archive that is served"
"$sharc" worker --sites 1 --name killed --lease 1s -a "$dir/a" >"$dir/worker-log" 2>&1 9>&- &
crawl=$!
while alive "$crawl" && ! grep -q "begun" "$dir/worker-log"; do sleep 0.05; done
kill -9 $crawl
{ wait $crawl; } 2>/dev/null
while ! "$sharc" jobs -a "$dir/a" | grep -q abandoned; do sleep 0.05; done
"$sharc" worker --sites 1 --name alive --lease 20s -a "$dir/a" >"$dir/worker-log" 2>&1 9>&- &
crawl=$!
while alive "$crawl" && ! grep -q "taken over" "$dir/worker-log"; do sleep 0.05; done
serve
python3 - "${pages}api/fleet" >"$dir/log" 2>&1 <<'PY'
import json, sys, time, urllib.request
def ask(): return json.load(urllib.request.urlopen(sys.argv[1]))
f = ask()
for _ in range(600):  # until pages of the job are committed
    if any(w["pages_per_minute"] > 0 for w in f["workers"]): break
    time.sleep(0.1)
    f = ask()
print(json.dumps(f, indent=1))
workers = {w["name"]: w for w in f["workers"]}
assert set(workers) == {"killed", "alive"}, workers
assert workers["killed"]["state"] == "silent" and workers["killed"]["running"] == 0, workers
alive = workers["alive"]
assert alive["state"] == "working" and alive["running"] == 1 and alive["sites"] == 1 and 0 <= alive["seconds_ago"] <= 20, alive
assert alive["pages_per_minute"] > 0, alive
queue = {(q["collection"], q["state"]): q for q in f["queue"]}
assert set(queue) == {("news", "running"), ("news", "queued"), ("later", "queued")}, queue
assert queue["news", "queued"]["jobs"] == queue["news", "queued"]["due"] == 1 and queue["later", "queued"]["due"] == 0, queue
assert queue["news", "running"]["abandoned"] == 0 and queue["later", "queued"]["first_due"].startswith("2031-01-01"), queue
jobs = {j["site"].split(":")[0]: j for j in f["jobs"]}
assert len(f["jobs"]) == 3 and f["more"] == 0
assert "alive" in jobs["127.0.0.1"]["why"] and jobs["127.0.0.1"]["claims"] == 2 and jobs["127.0.0.1"]["capture"], jobs
assert "waits for a free worker" in jobs["127.0.0.2"]["why"], jobs
assert "not due before 2031" in jobs["127.0.0.3"]["why"] and jobs["127.0.0.3"]["schedule"] == "weekly", jobs
one = json.load(urllib.request.urlopen(sys.argv[1] + "?limit=1"))
assert len(one["jobs"]) == 1 and one["more"] == 2 and one["jobs"][0]["state"] == "running", one
PY
point $? "the fleet is shown: who lives, who is silent, what runs, what waits and why"
kill -TERM $crawl
wait $crawl
crawl=
curl -s "${pages}api/fleet" >"$dir/log"
! grep -q '"alive"' <(python3 -c 'import json, sys; print([json.dumps(w["name"]) for w in json.load(open(sys.argv[1]))["workers"]])' "$dir/log")
point $? "a worker that ends of its own accord is not missed"

# --- all at once: each waits for its turn, and nobody is sent away
# Different each time, so that none is known from before.
for i in $(seq 60); do echo "url = \"${pages}api/pages?capture=1&limit=$i\""; echo 'output = "/dev/null"'; echo 'write-out = "%{http_code}\n"'; done >"$dir/many"
curl -s --parallel --parallel-immediate --parallel-max 60 --config "$dir/many" | sort | uniq -c >"$dir/log"
[ "$(tr -d ' ' <"$dir/log")" = 60200 ]
point $? "questions that come all at once are answered one after the other"

# --- a catalogue that is gone, and one that is none
cp "$dir/a/catalogue.db" "$dir/kept.db"
bad=
rm -f "$dir"/a/catalogue.db*
[ "$(status_of "${pages}api/captures")" = 404 ] || bad="$bad gone:$(cat "$dir/body")"
! grep -qF "$dir" "$dir/body" || bad="$bad gone-path"
printf '%4096s' nonsense >"$dir/a/catalogue.db"
for path in "api/captures" "api/capture?capture=1" "api/page?url=$site"; do
    [ "$(status_of "$pages$path")" = 503 ] || bad="$bad nonsense:$(cat "$dir/body")"
    ! grep -qF "$dir" "$dir/body" && ! grep -q "catalogue.db" "$dir/body" && grep -q "sharc status" "$dir/body" || bad="$bad nonsense-path:$(cat "$dir/body")"
done
cp "$dir/kept.db" "$dir/a/catalogue.db"
[ "$(status_of "${pages}api/captures")" = 200 ] || bad="$bad back:$(cat "$dir/body")"
echo "$bad" >"$dir/log"
[ -z "$bad" ]
point $? "a catalogue that cannot be read is told as such, without its path, and answers when it is back"
stop_serving
finish
