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
    for _ in $(seq 600); do [ -s "$dir/ready" ] && break; sleep 0.05; done
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
python3 "$here/serve-api.py" "$pages" "$site" >"$dir/log" 2>&1
point $? "every path answers as its OpenAPI document says, and the numbers agree"
[ "$(status_of "${replay}api/archive")" = 404 ]
point $? "the replay port does not answer for the API"
lines=$(curl -s "${pages}cdx?url=${site}*" | wc -l)
curl -s "${pages}cdx?url=${site}*&showNumPages=true&pageSize=7" >"$dir/log"
grep -q "^{\"pages\": *$(((lines + 6) / 7)), *\"pageSize\": *7, *\"lines\": *$lines}" "$dir/log"
point $? "the index counts its pages"
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
finish
