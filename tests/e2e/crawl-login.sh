#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A site behind a login: a cookie file and a header open it. They go to their site,
# not to the host that it redirects to or takes images from, and nothing that is
# written holds their values.
set -u
. "$(dirname "$0")/crawl-lib.bash"

cat >"$dir/routes.py" <<END
def answer(host, target, headers):
    name, _, port = host.partition(":")
    with open("$dir/seen", "a") as seen:
        print(name, target, headers.get("Cookie", "-"), headers.get("X-Key", "-"), headers.get("Authorization", "-"), file=seen)
    if target == "/robots.txt":
        return 200, {"Content-Type": "text/plain"}, "User-agent: *\nDisallow:\n"
    other = "http://127.0.0.2:%s" % port
    if name == "127.0.0.2":
        return 200, {}, "<title>elsewhere</title><p>" + target
    if headers.get("Cookie") != "id=SECRETCOOKIE" or headers.get("X-Key") != "SECRETKEY":
        return 403, {}, "<title>no</title>members only"
    if target == "/":
        return 200, {"Set-Cookie": "other=1"}, "<title>in</title><a href=/members>m</a><a href=/away>a</a><img src=%s/i.png>" % other
    if target == "/members":
        return 200, {}, "<title>members</title><p>hello"
    if target == "/away":
        return 302, {"Location": other + "/landing"}, ""
END
start_site
printf '# Netscape HTTP Cookie File\n\n#HttpOnly_127.0.0.1\tFALSE\t/\tFALSE\t0\tid\tSECRETCOOKIE\n127.0.0.1\tFALSE\t/\tFALSE\t1000000000\told\tSECRETOLD\n127.0.0.2\tFALSE\t/\tTRUE\t0\tsecure\tSECRETHTTPS\n' >"$dir/cookies.txt"

run 1 "without cookies the site stays closed" -a "$dir/closed" --delay 0 "$site/"
: >"$dir/seen"
run 0 "with a cookie and a header it opens" -a "$dir/open" --delay 0 --include 'host:127.0.0.2' \
    --cookies "$dir/cookies.txt" --header 'X-Key: SECRETKEY' --header "127.0.0.1:$port=Authorization: Basic SECRETBASIC" "$site/"
grep -q '1 of 3 cookies have expired' "$dir/log"
point $? "an expired cookie is mentioned"
[ "$(ask open "SELECT count(*) FROM page p JOIN url u ON u.id = p.url WHERE u.text = '$site/members'")" = 1 ]
point $? "the page for members is captured"
grep -q '^127.0.0.1 /members id=SECRETCOOKIE SECRETKEY Basic SECRETBASIC$' "$dir/seen"
point $? "the site gets its cookie and both headers"
grep -q '^127.0.0.2 /landing - - -$' "$dir/seen" && grep -q '^127.0.0.2 /i.png - - -$' "$dir/seen" && ! grep '^127.0.0.2.*SECRET' "$dir/seen" >"$dir/log"
point $? "the host of the redirect and of the image gets nothing"
mkdir "$dir/plain"
for f in "$dir"/open/warcs/*.gz; do gzip -dc "$f" >"$dir/plain/$(basename "$f" .gz)"; done
! grep -rla SECRET "$dir/plain" "$dir/open" "$dir/summary" >"$dir/log"
point $? "no file of the archive and no summary holds a secret"
grep -qa '^Cookie: \[withheld by sharc\]' "$dir"/plain/* && grep -qa '^X-Key: \[withheld by sharc\]' "$dir"/plain/*
point $? "archived requests say that something was withheld"
"$sharc" verify "$dir/open" >"$dir/log" 2>&1
point $? "the archive is valid"

# Settings do what options do, and keep secrets out of the list of processes.
mkdir "$dir/set"
printf 'crawl:\n  cookies: [%s]\n  header: ["X-Key: SECRETKEY"]\n' "$dir/cookies.txt" >"$dir/set/sharc.yaml"
run 0 "settings open it, too" -a "$dir/set" --delay 0 "$site/"

for wrong in '--header=SECRET' '--header=Host: SECRET' '--header=.com=X: SECRET' "--cookies=$dir/routes.py" "--cookies=$dir/none"; do
    "$sharc" crawl -q -a "$dir/bad" --allow-private "$wrong" "$site/" >"$dir/log" 2>&1
    code=$?
    [ $code != 0 ] && [ "$(wc -l <"$dir/log")" = 1 ] && ! grep -q SECRET "$dir/log"
    point $? "${wrong%%SECRET*} is refused in one sentence without its value (exit code $code)"
done
"$sharc" crawl -q -a "$dir/pw" --allow-private "ftp://u:SECRET@127.0.0.1/" >"$dir/log" 2>&1
[ $? != 0 ] && ! grep -q SECRET "$dir/log"
point $? "a seed's password is not repeated"
run 0 "a seed without scheme on an address is http" -a "$dir/typed" --delay 0 --cookies "$dir/cookies.txt" --header 'X-Key: SECRETKEY' "127.0.0.1:$port"
run 0 "all of 127.0.0.0/8 is this machine: no --contact" -a "$dir/loop" --delay 0 "http://127.0.0.2:$port/x"
finish
