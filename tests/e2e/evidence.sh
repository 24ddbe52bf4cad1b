#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Living sites captured for evidence while they are edited: nothing that was edited is called
# proved, and noise does not hide the pages that were not. Small sites; make evidence-campaign
# does the same with a hundred thousand pairs. Last, grades are forged: the judge must notice.
# TAP.
set -u
. "$(dirname "$0")/crawl-lib.bash"

# mix NAME LEAST OPTION...: no false proof, pairs of both kinds, LEAST per cent of the unedited proved.
mix() {
    local name=$1 least=$2
    shift 2
    # In virtual time, so that a busy machine edits no page between the two downloads of a control.
    "$sharc" lab run --quiet --json --strategy sharc-focus --virtual --delay 1s --pages 150 --skew 0 --layouts 0 \
        --counters 0 --sitemaps 0 --hottest 2500s --keep "$dir/$name" "$@" >"$dir/$name.json" 2>"$dir/log"
    local code=$?
    python3 - "$dir/$name.json" "$least" >>"$dir/log" 2>&1 <<'PY'
import json, sys
e = json.load(open(sys.argv[1]))["results"][0]["evidence"]
unedited = e["pairs"] - e["edited"]
share = 100 * (1 - e["missed_proofs"] / unedited)
print(e["pairs"], "pairs,", e["edited"], "edited,", e["false_proofs"], "false,", "%.1f %% proved" % share, e["missed"])
print(e["edits"])
sys.exit(not (e["graded"] and e["pairs"] > 150 and e["edited"] > 0 and share >= float(sys.argv[2])))
PY
    local judged=$?
    [ $code = 0 ] && [ $judged = 0 ]
    point $? "$name: nothing false, $least % of the unedited pages proved ($(grep -o '[0-9]* pairs.*proved' "$dir/log"))"
}

mix price 100 --edits price
mix small 100 --edits price,word,negation,link,title,alt,value,meta,hidden,comment,image,style
mix token 90 --edits price,title,value --noise token,nonce
mix both 90 --edits price --noise token,stamp
mix twins 0 --edits place,price --noise token:0.5,shuffle:0.3
mix liars 0 --edits price,title --faults weak:0.2,frozen:0.3,always-304:0.3,fixed:0.2
mix caches 0 --edits price --faults stale:0.3,gzip:0.5

# --- a judge that cannot fail is none ------------------------------------------------------------
archive=$dir/price/sharc-focus-1/archive truth=$dir/price/sharc-focus-1/truth.jsonl
"$sharc" lab judge "$archive" --truth "$truth" >"$dir/log" 2>&1
point $? "what the capture says is true"
python3 -c 'import sqlite3, sys
db = sqlite3.connect(sys.argv[1]); db.execute("UPDATE grade SET reason = 1"); db.commit()' "$archive/catalogue.db"
"$sharc" lab judge "$archive" --truth "$truth" >"$dir/log" 2>&1
[ $? = 1 ] && grep -Eq '^price +[1-9][0-9]* +[1-9]' "$dir/log"
point $? "forged grades are found out, by kind of edit"
finish
