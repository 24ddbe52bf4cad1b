#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Pages that stay as they are and embed what does not, in all the ways there are (parts-site.py): no such page is proved
# as a whole; and crawl, quality and the certificate say the same of it, also when a page came to embed
# something else at a second look, when it shows something that is not there, or is another page by its own word. TAP.
set -u
. "$(dirname "$0")/crawl-lib.bash"

cp "$here/parts-site.py" "$dir/routes.py"
start_site
run 0 "the crawl ends" --for evidence --delay 0 --tries 1 --controls none -a "$dir/a" "$site/"
stop_site
"$sharc" certify -q "$dir/a" -o "$dir/certificate" >"$dir/log" 2>&1
point $? "certified"
"$sharc" verify -q --certificate "$dir/certificate/certificate.json" "$dir"/a/warcs/*.warc.gz >"$dir/log" 2>&1
point $? "and verified"
"$sharc" quality "$dir/a" latest --composite --json >"$dir/quality" 2>"$dir/log"
cp -r "$dir/a" "$dir/rebuilt"
"$sharc" verify -q --rebuild "$dir/rebuilt" >"$dir/log" 2>&1
"$sharc" quality "$dir/rebuilt" latest --composite --json >"$dir/quality-rebuilt" 2>>"$dir/log"
ask a "SELECT u.text FROM grade g JOIN url u ON u.id = g.url" >"$dir/graded"
cat >"$dir/wholes.py" <<'PY'
import importlib.util, json, sys
d = sys.argv[1]
spec = importlib.util.spec_from_file_location("routes", d + "/routes.py")
site = importlib.util.module_from_spec(spec)
spec.loader.exec_module(site)
certificate = json.load(open(d + "/certificate/certificate.json"))
crawl = json.load(open(d + "/summary"))["sites"][0]
pages = {p["url"].split("/", 3)[3]: p for p in certificate["pages"]}
whole = lambda n: pages[n].get("whole", {"grade": pages[n]["grade"]})["grade"] <= 2
n, counts = certificate["counts"], lambda q: (q["judged"], q["coherence"]["inducible"]["pages"], q["composites"]["whole_pages"], q["composites"]["whole_pages_proved"])
what = sys.argv[2]
if what == "parts":
    wrong = [x for x in site.NAMES if x not in site.HARMLESS | site.SCRIPTS and whole("w/" + x)]
    lost = [x for x in ["w/" + x for x in site.HARMLESS] + ["whole"] if not whole(x)]
    changed = [x for x in site.NAMES if pages["w/" + x]["grade"] > 2]
    print("proved as a whole though a part changed:", wrong, "not proved though none did:", lost, "not proved as pages:", changed)
    sys.exit(bool(wrong or lost or changed or whole("")))
said = {"certify": (n["pages"], n["together"], sum(n["whole_pages"].values()), n["whole_pages"]["identical"] + n["whole_pages"]["volatile"]),
        "crawl": (crawl["judged"], crawl["coherent"], crawl["whole_pages"], crawl["whole_pages_proved"]),
        "quality": counts(json.load(open(d + "/quality"))["captures"][0]), "rebuilt": counts(json.load(open(d + "/quality-rebuilt"))["captures"][0])}
graded = {u.split("/", 3)[3] for u in open(d + "/graded").read().split()}
aside = {x["url"].split("/", 3)[3]: x["reason"] for x in certificate["not_fetched"] if x["reason"] in ("canonical", "soft-404")}
print(said, "aside:", aside, "in one only:", graded ^ set(pages))
sys.exit(len(set(said.values())) > 1 or graded != set(pages) or aside.get("alias") != "canonical" or aside.get("no-such-frame") != "soft-404")
PY
python3 "$dir/wholes.py" "$dir" parts >"$dir/log" 2>&1
point $? "no page is proved as a whole when what it embeds has changed, was shut out, or is not there"
python3 "$dir/wholes.py" "$dir" numbers >"$dir/log" 2>&1
point $? "crawl, quality, certify and a rebuilt catalogue count the same pages"
finish
