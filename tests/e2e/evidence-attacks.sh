#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Small edits between visit and revisit, each on a page of its own, on a site that is quiet and on one whose every page
# differs on each request (attack-site.py): a look-alike letter, a space in <pre>, swapped links, a nested <g>, only the
# charset, a body that ends early, a part of a body. No edited page is proved; pages that nobody edited are; and the
# certificate says the same of each. TAP.
set -u
. "$(dirname "$0")/crawl-lib.bash"

attack() { # attack NOISE NAME LEAST
    stop_site
    cp "$here/attack-site.py" "$dir/routes.py"
    export NOISE=$1
    start_site
    run 0 "$2: the crawl ends" --for evidence --delay 0 --focus 0 --no-probe --controls 10% -a "$dir/$2" "$site/"
    "$sharc" certify -q "$dir/$2" -o "$dir/$2.certificate" >"$dir/log" 2>&1
    point $? "$2: certified"
    ask "$2" "SELECT u.text, g.reason FROM grade g JOIN url u ON u.id = g.url" >"$dir/$2.grades"
    python3 - "$dir/routes.py" "$dir/$2.grades" "$3" "$dir/$2.certificate/certificate.json" >"$dir/log" 2>&1 <<'PY'
import importlib.util, json, sys
spec = importlib.util.spec_from_file_location("routes", sys.argv[1])
site = importlib.util.module_from_spec(spec)
spec.loader.exec_module(site)
grades = {u.split("/", 3)[3]: int(r) for u, r in (line.split() for line in open(sys.argv[2]))}
proved = lambda path: 1 <= grades.get(path, 0) <= 5
identical = lambda path: 1 <= grades.get(path, 0) <= 2
wrong = [x for x in site.NAMES if x not in site.HARMLESS and (identical if x in site.HIDDEN else proved)("a/" + x)]
lost = [(x, grades.get("a/" + x)) for x in sorted(site.HARMLESS) if not proved("a/" + x)]
plain = sum(proved("p/%d" % i) for i in range(site.PLAIN))
missing = [x for x in site.NAMES if "a/" + x not in grades]
certified = {p["url"].split("/", 3)[3]: p["grade"] <= 2 for p in json.load(open(sys.argv[4]))["pages"]}
differ = [p for p in grades if proved(p) != certified.get(p)]
print("certify says otherwise:", differ)
print("proved though edited:", wrong, "not proved though harmless:", lost, "not graded:", missing, "plain pages proved:", plain)
print("SUMMARY %d attacks, %d proved; %d more hides in a volatile word; %d of %d others proved" % (len(site.NAMES) - len(site.HARMLESS) - len(site.HIDDEN), len(wrong), len(site.HIDDEN), plain, site.PLAIN))
sys.exit(bool(wrong or missing or differ or plain < int(sys.argv[3])))
PY
    point $? "$2: no edited page is proved ($(sed -n 's/^SUMMARY //p' "$dir/log"))"
    [ -z "${SHOW:-}" ] || cat "$dir/log"
}
attack 0 quiet 140
attack 1 noisy 120
finish
