#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# sharc view: archived pages in the user's own Chromium, exactly as they were, while a trap listens, for TCP and
# UDP, at the address where they once were. TAP; skips all of it where there is no Chromium that starts.
set -u
. "$(dirname "$0")/crawl-lib.bash"
trap_pid= viewing=
tidy() {
    [ -z "$viewing" ] || kill -9 "$viewing" 2>/dev/null
    [ -z "$trap_pid" ] || { exec 8>&-; wait "$trap_pid"; } 2>/dev/null
}
if ! command -v chromium >/dev/null || ! "$sharc" view "$here/../data/garden.warc.gz" http://garden.example/ --text >"$dir/log" 2>&1; then
    if command -v chromium >/dev/null; then point 1 "Chromium shows a page"; else skip "Chromium shows a page" "no chromium"; fi
    finish
fi
export TMPDIR=$dir/tmp # whatever is left behind is seen
mkdir "$TMPDIR"
nothing_left() { [ -z "$(ls -A "$TMPDIR")" ]; }
mkfifo "$dir/trap-stdin"
"$here/view-trap" "$dir/visits" "$dir/trap-ready" <"$dir/trap-stdin" 2>>"$dir/log" &
trap_pid=$!
exec 8>"$dir/trap-stdin"
while alive "$trap_pid" && ! [ -s "$dir/trap-ready" ]; do sleep 0.05; done
port=$(cat "$dir/trap-ready") site=http://127.0.0.1:$(cat "$dir/trap-ready")
python3 "$here/view-site.py" "$port" >"$dir/site.warc.gz" && "$sharc" verify -q "$dir/site.warc.gz" >"$dir/log" 2>&1
point $? "makes a WARC of a site"
# view PATH OPTION...: sets code; stdout in out, stderr in log
view() {
    local path=$1
    shift
    "$sharc" view "$dir/site.warc.gz" "$site$path" --wait 10min "$@" >"$dir/out" 2>"$dir/log"
    code=$?
}
# says PYTHON: of the JSON that was printed, d
says() { python3 -c 'import json, sys
d = json.load(open(sys.argv[1])); urls = {r["url"][len(sys.argv[2]):]: r for r in d["requests"] if r["url"].startswith(sys.argv[2])}
assert eval(sys.argv[3]), json.dumps(d, indent=1)[:3000]' "$dir/out" "$site" "$1" >>"$dir/log" 2>&1; }

# --- exactly as it was ---------------------------------------------------------------------------
view /exact.html --text --json --no-isolation
[ $code = 0 ] && python3 - "$dir/out" "$port" >>"$dir/log" 2>&1 <<'END'
import json, sys
d = json.load(open(sys.argv[1]))
out = json.loads(d['text'][d['text'].index('{'):d['text'].rindex('}') + 1])
t = 1793534400000
want = {'clock': [t, '2026-11-01T12:00:00.000Z', 'Sun Nov 01 2026', '11/1/2026'], 'origin': t, 'dates': True, 'location': True,
        'cookies': 'a=1; b=2', 'made': 'made by a script', 'far': 'of another origin', 'preflight': 'of another origin',
        'told': 'caf\xe9, twice', 'posted': 'red roses', 'other': 'status 404', 'range': 'WAVE', 'beyond': 416,
        'moved': '/made/1-2.txt', 'missing': 404, 'claims': 'says gzip and is none', 'worker': ['made by a script', t],
        'shared': ['made by a script', t], 'frame': ['http://localhost:' + sys.argv[2], t],
        'service': 'by the service worker at %d' % t, 'through': 'made by a script', 'audio': 30, 'size': 8,
        'styled': 'rgb(0, 102, 51)', 'inline': 'blocked by the policy'}
wrong = {k: (out.get(k), want[k]) for k in want if out.get(k) != want[k]}
assert not wrong, wrong
assert d['at_rest'] and d['timestamp'] == '20261101120000' and not d['isolated']
open(sys.argv[1] + '.chance', 'w').write(json.dumps([out['chance'], out['uuid']]))
END
point $? "scripts, workers, frames of other origins, cookies, POST, ranges, policies and clocks are as they were"
mv "$dir/out.chance" "$dir/chance"
view /exact.html --text --json --no-isolation
python3 - "$dir/out" "$dir/chance" >>"$dir/log" 2>&1 <<'END'
import json, sys
d = json.load(open(sys.argv[1]))
out = json.loads(d['text'][d['text'].index('{'):d['text'].rindex('}') + 1])
assert [out['chance'], out['uuid']] == json.load(open(sys.argv[2])), out
END
point $? "chance falls the same way each time"

# --- which captures ---------------------------------------------------------------------------------
view /plain.html --json --text
says '"it is day 11" in d["text"] and "Pläin 11" in d["text"] and "written" in d["text"] and d["timestamp"] == "20261111120000"'
point $? "without a time the newest capture is shown, with the parts of its time"
says 'urls["/red.png"]["revisit"] and urls["/red.png"]["timestamp"] == "20261111120001" and urls["/red.png"]["size"] > 60'
point $? "a revisit has the bytes of its original"
says 'urls["/lost.png"]["outcome"] == "missing" and urls["/lost.png"]["status"] == 404 and d["missing"] >= 1'
point $? "what is missing is listed"
says 'urls["/lazy.png"]["outcome"] == "archived"'
point $? "images that are loaded when they are seen are loaded"
view /plain.html --json --text --at 2026-11-03
says '"it is day 1\n" in d["text"] + "\n" and "Pläin 1\n" in d["text"] and d["timestamp"] == "20261101120000"'
point $? "--at chooses the nearest capture, and its parts by its own time"
view /plain.html --json --at 2026-11-10T00:00:00Z --mapping latest --screenshot "$dir/page.png" --pdf "$dir/page.pdf" --size 900x600
says 'd["timestamp"] == "20261101120000" and d["mapping"] == "latest" and urls["/red.png"]["timestamp"] == "20261101120000"'
point $? "--mapping latest shows nothing from later"
[ $code = 0 ] && python3 -c 'import struct, sys
b = open(sys.argv[1], "rb").read(); w, h = struct.unpack(">II", b[16:24])
assert b[:8] == b"\x89PNG\r\n\x1a\n" and w == 900 and h > 3000, (w, h)
assert open(sys.argv[2], "rb").read(5) == b"%PDF-"' "$dir/page.png" "$dir/page.pdf" 2>>"$dir/log"
point $? "a screenshot has the whole page, and it can be printed"
view /plain.html --text --at 2025 --mapping latest
[ $code = 6 ] && grep -q 'no capture of it at or before that time' "$dir/log" && grep -q 'nearest captures of it: 20261101120000 (200), 20261111120000 (200)' "$dir/log"
point $? "where there is none, the nearest ones are named"
view /no-such-page --text
[ $code = 6 ] && grep -q 'there is no capture of it' "$dir/log" && grep -q 'this archive has, for example, http' "$dir/log"
point $? "a page that is not there: others of its host are named"
view /dir --json
[ $code = 0 ] && says 'd["url"].endswith("/dir/") and urls["/dir/red.png"]["outcome"] == "archived"'
point $? "a page is shown under the address of its capture"

# --- no way out -----------------------------------------------------------------------------------------
: >"$dir/visits"
for how in "--no-isolation --browser $(command -v chromium)" ""; do # the first is the browser with all its services
    view /leaks.html --text --json $how
    says '"tried 34" in d["text"] and len([u for u in urls if u.startswith("/leak-")]) > 10'
    point $? "a page tries in 34 ways to reach its old address ${how:+--no-isolation}"
done
head -n 5 "$dir/visits" | cut -c 1-80 >"$dir/log"
[ ! -s "$dir/visits" ]
point $? "nobody came to the original address, by TCP or UDP"
cat >"$dir/open-browser" <<'END'
#!/bin/bash
for a; do shift; case $a in --proxy-server*|--host-resolver*|--*webrtc*) ;; *) set -- "$@" "$a" ;; esac; done
exec chromium "$@"
END
chmod +x "$dir/open-browser"
view /leaks.html --text --no-isolation --browser "$dir/open-browser"
head -n 5 "$dir/visits" | cut -c 1-80 >"$dir/log"
grep -q UDP "$dir/visits"
point $? "the trap would have noticed"
nothing_left
point $? "nothing is left behind"

# --- pages that do not want to end ----------------------------------------------------------------------------
view /forever.html --json --text --wait 10s
[ $code = 0 ] && says 'not d["at_rest"] and "Forever" in d["text"]'
point $? "a page that never comes to rest is shown when the time is over"
view /again.html --json --text --wait 10s --screenshot "$dir/again.png"
[ $code = 0 ] && says 'not d["at_rest"] and "Again" in d["text"]'
point $? "and so is one that loads itself again and again"
view /odd.html --json --text
[ $code = 0 ] && says '"Odd" in d["text"] and d["requests"][0]["status"] == 999'
point $? "a status that is in no standard is shown"
[ $code = 0 ] && says '"waited" in d["text"] and "false" in d["text"] and d["at_rest"]'
point $? "a page that waits for the clock, and asks the reader, goes on"
view /attached --text
[ $code = 5 ] && grep -q 'is a download' "$dir/log"
point $? "a download is called one"

# --- a window on a display --------------------------------------------------------------------------------------
if ! command -v Xvfb >/dev/null; then
    skip "a window shows the page, and ends it when it is closed" "no Xvfb"
else
    mkdir "$dir/screen"
    python3 "$here/view-site.py" "$port" more >"$dir/more.warc.gz"
    Xvfb -displayfd 7 -screen 0 1280x800x24 -nolisten tcp -fbdir "$dir/screen" 7>"$dir/display" 2>"$dir/xvfb-log" &
    xvfb=$!
    while alive "$xvfb" && ! [ -s "$dir/display" ]; do sleep 0.05; done
    env -u WAYLAND_DISPLAY DISPLAY=":$(cat "$dir/display")" "$sharc" view -q "$dir/more.warc.gz" "$site/window.html" >"$dir/log" 2>&1 &
    window=$!
    python3 - "$dir/screen/Xvfb_screen0" "$window" <<'END'
# The screen is an XWD file: the length of its head, 24 numbers more, and the pixels, blue first. Waits for the page's colour.
import os, struct, sys, time
while os.path.exists('/proc/%s/stat' % sys.argv[2]) and open('/proc/%s/stat' % sys.argv[2]).read().split()[2] != 'Z':
    data = open(sys.argv[1], 'rb').read()
    head = struct.unpack('>25I', data[:100])
    if data[head[0] + 12 * head[19]:].count(bytes((52, 171, 18))) > 300000:
        sys.exit(0)
    time.sleep(0.2)
sys.exit(1)
END
    shown=$?
    kill "$window"
    wait "$window"
    code=$?
    [ $shown = 0 ] && [ $code = 11 ]
    point $? "a window shows the page, until a signal ends it"
    kill "$xvfb"
    wait "$xvfb"
    nothing_left
    point $? "and nothing is left behind"
fi

# --- of all pages ------------------------------------------------------------------------------------------------
few="plain.html day.txt plain.js red.png green.png frames.html inner.html outer.html dot.png dir/ dir/red.png paper.html"
python3 "$here/view-site.py" "$port" $few >"$dir/few.warc.gz"
python3 "$here/view-site.py" "$port" $few hangs.html >"$dir/hangs.warc.gz"
series() { # series FILE OPTION...: sets code
    "$sharc" view --screenshots "$@" -o "$dir/shots" --wait 5s --json >"$dir/out" 2>"$dir/log"
    code=$?
}
# count WHAT N: totals of the last series
count() { [ "$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' "$dir/out" "$1")" = "$2" ]; }
"$sharc" view --screenshots "$dir/hangs.warc.gz" -o "$dir/shots" --wait 5s --tabs 2 >"$dir/out" 2>"$dir/log" &
viewing=$!
while alive "$viewing" && ! [ -s "$dir/shots/screenshots.jsonl" ]; do sleep 0.05; done
kill -INT "$viewing"
wait "$viewing"
[ $? = 11 ] && grep -q 'begin again to go on' "$dir/log" && nothing_left
point $? "a series that is stopped says how to go on"
viewing=
before=$(wc -l <"$dir/shots/screenshots.jsonl")
printf '{"url": "http://x/", "timest' >>"$dir/shots/screenshots.jsonl" # as when the machine goes down
series "$dir/hangs.warc.gz" --warc "$dir/shots.warc.gz"
[ $code = 1 ] && count pages 7 && count kept "$before" && count failed 2 && count records 5 && grep -q 'hangs.html: the page does not answer' "$dir/log"
point $? "it goes on, and one page that hangs does not stop it"
[ "$(ls "$dir"/shots/*.png | wc -l)" = 5 ] && [ "$(grep -c . "$dir/shots/screenshots.jsonl")" = 7 ] && "$sharc" verify "$dir/shots.warc.gz" >"$dir/log" 2>&1 &&
    "$sharc" index "$dir/shots.warc.gz" 2>>"$dir/log" | grep -q 'urn:view:http://127.0.0.1.*image/png' &&
    gzip -dc "$dir/shots.warc.gz" | grep -aq 'Sharc-Shows: 2026-11-11T12:00:00Z'
point $? "pictures are files, and resource records in a WARC that is in order"
rm "$dir"/shots/*plain.html*.png
series "$dir/few.warc.gz" # without the page that keeps a processor busy
[ $code = 1 ] && count kept 4 && count taken 1 && count failed 1
point $? "what is not there, and what failed, is tried again"

# --- ends -----------------------------------------------------------------------------------------------------------
view /exact.html --text --browser "$dir/no-such-program"
[ $code = 6 ] && grep -q 'no-such-program: No such file' "$dir/log"
point $? "a browser that is not there is named"
PATH=/nonexistent "$sharc" view "$dir/site.warc.gz" "$site/exact.html" --text >"$dir/out" 2>"$dir/log"
[ $? = 6 ] && grep -q 'no Chromium was found in PATH.*--browser' "$dir/log"
point $? "without any, it says what to do"
printf '#!/bin/sh\necho "cannot open my eyes" >&2\nexit 3\n' >"$dir/dead-browser"
chmod +x "$dir/dead-browser"
view /exact.html --text --browser "$dir/dead-browser"
[ $code = 6 ] && grep -q 'has ended (exit code 3): cannot open my eyes' "$dir/log"
point $? "a browser that ends at once: its last words are told"
nothing_left
point $? "and nothing is left behind"
first_child() { cut -d ' ' -f 1 "/proc/$1/task/$1/children" 2>/dev/null; }
# begin [OPTION...]: a page that is open for ever; sets viewing and browser
begin() {
    "$sharc" view "$dir/site.warc.gz" "$site/forever.html" --text --wait 1d "$@" >"$dir/out" 2>"$dir/log" &
    viewing=$!
    browser=
    while alive "$viewing"; do
        guard=$(first_child "$viewing") browser=
        [ -z "$guard" ] || browser=$(first_child "$guard")
        [ -z "$browser" ] || [ -z "$(ls -A "$TMPDIR"/sharc-view-*/profile 2>/dev/null)" ] || break
        sleep 0.05
    done
}
gone() { # gone PID...: wait until none of them lives
    for _ in $(seq 600); do
        local left=
        for p; do [ ! -d "/proc/$p" ] || left=1; done
        [ -n "$left" ] || return 0
        sleep 0.05
    done
    return 1
}
begin
kill -9 "$browser"
wait "$viewing"
code=$?
[ $code = 6 ] && grep -q 'the browser has ended (signal 9)' "$dir/log" && gone "$guard" && nothing_left
point $? "the browser is killed: that is told, nothing is left behind"
begin
kill -INT "$viewing"
wait "$viewing"
code=$?
[ $code = 11 ] && gone "$guard" "$browser" && nothing_left
point $? "Ctrl-C ends both, nothing is left behind"
begin
kill -9 "$viewing"
wait "$viewing" 2>/dev/null
gone "$guard" "$browser" && ! ls -d "$TMPDIR"/sharc-view-* >>"$dir/log" 2>&1
point $? "sharc itself is killed: the browser ends, nothing of it is left behind"
rm -rf "$TMPDIR"/* # the index that sharc had made of the WARC
begin
kill -9 "$guard"
wait "$viewing"
gone "$browser" && nothing_left
point $? "the guard is killed: the browser ends, nothing is left behind"
viewing=

# --- with a window -----------------------------------------------------------------------------------------------------
printf '#!/bin/sh\nexec chromium --ozone-platform=headless "$@"\n' >"$dir/window-browser"
chmod +x "$dir/window-browser"
env -u WAYLAND_DISPLAY -u DISPLAY "$sharc" view "$dir/site.warc.gz" "$site/plain.html" >"$dir/out" 2>"$dir/log"
[ $? = 2 ] && grep -q 'there is no display' "$dir/log"
point $? "without a display it says what else there is"
DISPLAY=:99 "$sharc" view "$dir/site.warc.gz" "$site/plain.html" --browser "$dir/window-browser" >"$dir/out" 2>"$dir/log" &
viewing=$!
while alive "$viewing" && ! grep -q 'close the window' "$dir/log"; do sleep 0.05; done
kill -0 "$viewing" && grep -q 'plain.html as captured 2026-11-11 12:00:00; close the window' "$dir/log"
point $? "with a display the window stays"
kill -TERM "$viewing"
wait "$viewing"
[ $? = 11 ] && nothing_left
point $? "until it is ended"
viewing=
finish
