#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Limits of the machine: few open files, small files, a temporary directory that
# cannot be written to. A crawl says what is wrong, or does without. TAP.
set -u
. "$(dirname "$0")/crawl-lib.bash"
cat >"$dir/routes.py" <<'PY'
import hashlib
def noise(seed, n): # does not pack
    return b"".join(hashlib.sha256(b"%d %d" % (seed, i)).digest() for i in range(n // 32))
def answer(host, target, headers):
    if target == "/large": return 200, {}, "".join("<a href='/l%d'>l</a>" % i for i in range(3))
    if target == "/small": return 200, {}, "".join("<a href='/s%d'>s</a>" % i for i in range(8))
    if target[1] in "ls": return 200, {"Content-Type": "application/octet-stream"}, noise(int(target[2:]), 2000000 if target[1] == "l" else 400000)
PY
start_site
args=(--allow-private --delay 0 --no-sitemaps --no-probe)

(ulimit -n 16; exec "$sharc" crawl -q "${args[@]}" -a "$dir/few" "$site/small") >"$dir/log" 2>&1 9>&-
code=$?
[ $code != 0 ] && grep -q 'only 16 files may be open.*ulimit -n' "$dir/log"
point $? "too few open files are named at once (exit code $code): $(head -n 1 "$dir/log")"

# In blocks of 1,024 bytes. SIGXFSZ would end the program without a word.
(ulimit -f 1000; exec "$sharc" crawl "${args[@]}" -a "$dir/small" "$site/small") >"$dir/log" 2>&1 9>&-
code=$?
[ $code != 0 ] && [ $code -lt 128 ] && grep -q '\.warc\.gz.*File too large' "$dir/log"
point $? "a WARC file that may not grow is an error with a sentence (exit code $code): $(grep -i 'too large' "$dir/log" | head -n 1 | sed "s,$dir/,,")"
run 0 "without the limit the same command goes on" "${args[@]}" -a "$dir/small" "$site/small"
[ "$(ask small "SELECT count(*) FROM page WHERE status = 200")" = 9 ]
point $? "nothing is lost: $(ask small "SELECT count(*) FROM page WHERE status = 200") of 9 pages"
(ulimit -f 1000; exec "$sharc" crawl "${args[@]}" --tries 1 -a "$dir/large" "$site/large") >"$dir/log" 2>&1 9>&-
code=$?
[ $code -lt 128 ] && [ "$(grep -c 'cannot write a body to a temporary file: File too large' "$dir/log")" = 1 ]
point $? "a body that may not be kept is mentioned once (exit code $code)"

# Large bodies wait in the archive's own directory.
TMPDIR=/nowhere strace -f -e trace=openat -o "$dir/opened" "$sharc" crawl -q "${args[@]}" -a "$dir/spool" "$site/large" >"$dir/log" 2>&1 9>&-
if [ $? = 0 ] && command -v strace >/dev/null; then
    grep -q "\"$dir/spool\".*O_TMPFILE" "$dir/opened" && ! grep -q '"/tmp".*O_TMPFILE' "$dir/opened"
    point $? "large bodies wait in the archive's directory"
else
    skip "large bodies wait in the archive's directory" "strace cannot look"
fi
finish
