#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# sharc serve on an archive that is being written: what a second crawl brings is seen without a restart,
# nothing that was there is missing meanwhile, and a killed crawl does no harm. TAP.
set -u
. "$(dirname "$0")/crawl-lib.bash"
serving=
tidy() { [ -z "$serving" ] || { kill "$serving" && wait "$serving"; } 2>/dev/null; }
start_living --pages 30 --seed 4 --hottest 1s
run 0 "a first capture" --delay 1ms -a "$dir/a" "$site"

"$sharc" serve -q --port 0 --follow 100ms --ready-file "$dir/serve-ready" --log "$dir/access" "$dir/a" >"$dir/out" 2>"$dir/serve-log" &
serving=$!
while alive "$serving" && ! [ -s "$dir/serve-ready" ]; do sleep 0.05; done
pages=$(sed -n 1p "$dir/serve-ready") replay=$(sed -n 2p "$dir/serve-ready")
mementos() { curl -s "${replay}timemap/cdxj/$site" | wc -l; }
[ "$(mementos)" -ge 1 ]
point $? "it is served"
first=$(curl -s -o /dev/null -w '%{redirect_url}' "${replay}web/2020id_/$site")
curl -s "$first" | sha256sum >"$dir/before"

# ask_on FILE: ask for the first capture until FILE is there; each wrong answer is a line of $dir/wrong
: >"$dir/wrong"
ask_on() {
    while [ ! -e "$1" ]; do
        curl -s "$first" | sha256sum | cmp -s - "$dir/before" || echo wrong >>"$dir/wrong"
        curl -s -o /dev/null -w '%{http_code}\n' "${replay}web/2030id_/${site}" | grep -v 302 >>"$dir/wrong"
        [ "$(curl -s -o /dev/null -w '%{http_code}' "${pages}web/*/$site")" = 200 ] || echo calendar >>"$dir/wrong"
    done
}
sleep 1.1 # another second, another timestamp
ask_on "$dir/enough" &
asking=$!
run 0 "a second capture while readers read" --delay 5ms -a "$dir/a" "$site"
while alive "$serving" && ! [ "$(mementos)" -ge 2 ]; do sleep 0.1; done
had=$(mementos)
[ "$had" -ge 2 ]
point $? "its captures are seen"

sleep 1.1
"$sharc" crawl -q --allow-private --delay 50ms --fresh -a "$dir/a" "$site" >"$dir/log" 2>&1 &
crawl=$!
while alive "$crawl" && ! ls "$dir"/a/warcs/*.open >/dev/null 2>&1; do sleep 0.05; done
sleep 0.5
kill -9 $crawl
wait $crawl 2>/dev/null
crawl=
sleep 0.5
[ "$(mementos)" = "$had" ]
point $? "a file that a killed crawl left open is not served"
run 0 "the next crawl finishes it" --delay 1ms -a "$dir/a" "$site"
while alive "$serving" && ! [ "$(mementos)" -gt "$had" ]; do sleep 0.1; done
[ "$(mementos)" -gt "$had" ]
point $? "and then it is seen"

touch "$dir/enough"
wait $asking
cp "$dir/wrong" "$dir/log"
[ ! -s "$dir/wrong" ]
point $? "all the while every answer was right"
! grep -E '" 5[0-9][0-9] ' "$dir/access" >"$dir/log"
point $? "and none was an error of the server"
kill $serving
wait $serving
[ $? = 0 ]
point $? "it ends well"
serving=
cat "$dir/serve-log" >"$dir/log"
[ ! -s "$dir/serve-log" ]
point $? "and has complained about nothing"
finish
