#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# archive-kill.sh: an archive whose crawl runs, and whose crawl was killed. While it
# runs, --rebuild is refused and verify finds nothing wrong; after kill -9, verify says
# what the open file is and what cures it, and both cures work. A file that was begun
# and not written down does not stay outside the catalogue. TAP.
set -u
. "$(dirname "$0")/crawl-lib.bash"
start_living --pages 30 --seed 5 --requests "$dir/requests"

requests() { cat "$dir/requests" 2>/dev/null | wc -l; }
# begin ARCHIVE DELAY [COUNT]: a crawl, stopped (SIGSTOP) when it has made so many requests and committed some.
begin() {
    local from
    from=$(requests)
    "$sharc" crawl -q --allow-private --delay "$2" -a "$dir/$1" "$site" >"$dir/out" 2>&1 &
    crawl=$!
    while alive $crawl; do
        kill -STOP $crawl
        [ "$(requests)" -ge $((from + ${3:-8})) ] && [ -n "$(ask "$1" "SELECT 1 FROM warc WHERE done > 0")" ] && break
        kill -CONT $crawl
        sleep 0.05
    done
}
kill_it() { { kill -9 $crawl; wait $crawl; } 2>/dev/null; crawl=; }
verify() { "$sharc" verify "$@" >"$dir/log" 2>&1; code=$?; }

# --- while it runs -------------------------------------------------------------------
begin running 200ms
before=$(ask running "SELECT count(*) FROM capture")
verify --rebuild "$dir/running"
[ $code = 6 ] && [ "$(wc -l <"$dir/log")" = 1 ] && grep -q "another crawl is running on this archive: process $crawl since " "$dir/log"
point $? "--rebuild beside a crawl is refused with one sentence that names the process (exit code $code)"
[ "$before" = 1 ] && [ ! -e "$dir/running/catalogue.db.rebuilt" ]
point $? "and touches nothing"
verify "$dir/running"
[ $code = 0 ] && grep -q "process $crawl is writing to this archive; 1 file that it has open was not checked" "$dir/log"
point $? "verify finds nothing wrong, and says what it did not check (exit code $code)"

# --- killed --------------------------------------------------------------------------
kill_it
cp -a "$dir/running" "$dir/rebuilt"
cp -a "$dir/running" "$dir/lost"
verify "$dir/running"
[ $code = 1 ] && grep -q "unfinished file: its crawl was killed before it closed the file; what it wrote is in warcs/.*\.open" "$dir/log"
point $? "after kill -9 verify says what the open file is (exit code $code)"
! grep -q "restore the file" "$dir/log" && grep -q "unfinished file: run sharc crawl --archive ARCHIVE, which closes it and resumes" "$dir/log"
point $? "and what cures it"
run 0 "the crawl is resumed" --delay 1ms -a "$dir/running" "$site"
sound running "resumed"

verify --rebuild "$dir/rebuilt"
[ $code = 0 ] && grep -q "closed what a killed crawl left open: [0-9]* records" "$dir/log"
point $? "--rebuild closes it, too (exit code $code)"
! ls "$dir"/rebuilt/warcs/*.open >"$dir/log" 2>&1
point $? "no file is left open"
run 0 "and the crawl can still be resumed" --delay 1ms -a "$dir/rebuilt" "$site"
[ "$(ask rebuilt "SELECT count(*) FROM capture")" = 1 ]
point $? "as the same capture"
sound rebuilt "rebuilt and resumed"

# --- a file that was not written down --------------------------------------------------
# Killed in the instant between a file's first record and its row.
python3 - "$dir/lost/catalogue.db" <<'PY' >"$dir/log" 2>&1
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
for table in ("page", "look", "skipped", "journal", "warc", "capture"):
    db.execute("DELETE FROM " + table)
db.commit()
PY
point $? "the catalogue knows of no file"
verify "$dir/lost"
[ $code = 1 ] && grep -q "warcs/.*: unfinished file: " "$dir/log"
point $? "verify finds the file all the same (exit code $code)"
name=$(basename "$dir"/lost/warcs/*.open .open)
run 0 "a crawl" --delay 1ms -a "$dir/lost" "$site"
[ "$(ask lost "SELECT count(*) FROM warc WHERE name = 'warcs/$name' AND size = done")" = 1 ]
point $? "brings it into the catalogue"
sound lost "then"

# --- a file that somebody put there ------------------------------------------------------
cp "$dir/lost/warcs/$name" "$dir/running/warcs/put.warc.gz"
verify "$dir/running"
[ $code = 1 ] && grep -q "warcs/put.warc.gz: file not in the catalogue: is in the archive, but not in the catalogue" "$dir/log"
point $? "a file that was put into warcs/ is found (exit code $code)"
"$sharc" import -q "$dir/running" >"$dir/log" 2>&1
verify "$dir/running"
! grep -q "put.warc.gz: file not in the catalogue" "$dir/log"
point $? "and import cures it"
stop_living
finish
