#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What secured a download is recorded: chains of certificates that a real nginx presents, of its own authority, of three
# links, expired, for another host, and far too long; new connections, connections used again, sessions
# resumed. Each chain stands once in each WARC file; certificates list them, and say what weakens
# them; a swapped chain, a missing one and a false "verified" are told. warcio reads the files. TAP.
set -u
. "$(dirname "$0")/crawl-lib.bash"
cache=${XDG_CACHE_HOME:-$HOME/.cache}/sharc-tests/warcio
nginx=
tidy() { [ -z "$nginx" ] || { kill "$nginx" && wait "$nginx"; } 2>/dev/null; }
if ! command -v nginx >/dev/null; then
    skip "captures by https" "nginx is not installed"
    finish
fi
cd "$dir"

# --- an authority, a second one below it, and their certificates ---------------------------------------------
cat >ca.cnf <<'CNF'
[ req ]
distinguished_name = dn
prompt = no
[ dn ]
CN = unused
[ ca ]
basicConstraints = critical,CA:TRUE
[ host ]
subjectAltName = IP:127.0.0.1,DNS:localhost
[ other ]
subjectAltName = DNS:elsewhere.example
CNF
key() { openssl ecparam -name prime256v1 -genkey -noout -out "$1.key" 2>>log; }
issue() { # issue NAME SUBJECT SIGNER EXTENSION [OPTION...]
    local name=$1 subject=$2 signer=$3 extension=$4
    shift 4
    key "$name"
    openssl req -utf8 -new -key "$name.key" -subj "$subject" -config ca.cnf -out "$name.csr" >>log 2>&1
    openssl x509 -req -in "$name.csr" -CA "$signer.crt" -CAkey "$signer.key" -CAcreateserial -extfile ca.cnf -extensions "$extension" "$@" -out "$name.crt" >>log 2>&1
}
key root
openssl req -x509 -new -key root.key -days 3650 -subj "/O=A test/CN=Root" -config ca.cnf -extensions ca -out root.crt >>log 2>&1
issue middle "/O=A test/CN=Middle" root ca -days 3650
issue good "/CN=good ä/O=A \"test\"" middle host -days 30
issue other "/CN=elsewhere.example" middle other -days 30
issue old "/CN=old" middle host -not_before 20200101000000Z -not_after 20200201000000Z 2>/dev/null || true
if [ ! -s old.crt ]; then # openssl 3.0 sets dates with its "ca" command only
    mkdir -p db && : >db/index && echo 01 >db/serial
    cat >db.cnf <<'CNF'
[ ca ]
default_ca = d
[ d ]
database = db/index
serial = db/serial
new_certs_dir = db
default_md = sha256
policy = p
[ p ]
CN = supplied
CNF
    openssl ca -batch -config db.cnf -cert middle.crt -keyfile middle.key -in old.csr -out old.crt -notext \
        -startdate 20200101000000Z -enddate 20200201000000Z -extfile ca.cnf -extensions host >>log 2>&1
fi
cat good.crt middle.crt root.crt >good.pem
cat other.crt middle.crt >other.pem
cat old.crt middle.crt >old.pem
cp good.crt long.pem
for _ in $(seq 40); do cat middle.crt >>long.pem; done

# --- the server -----------------------------------------------------------------------------------------------
pages=24
mkdir www
printf '<title>Start</title>' >www/index.html
for i in $(seq $pages); do
    echo "<a href=/p$i.html>$i</a>" >>www/index.html
    printf '<title>Page %d</title><p>The words of page %d.</p>' $i $i >www/p$i.html
done
# Below the ports that connections of other tests are given.
first=$((20000 + RANDOM % 12000))
server() { # server PORT CERTIFICATE KEY OPTION...
    echo "server { listen 127.0.0.1:$1 ssl ${4:-}; root $dir/www; ssl_certificate $dir/$2.pem; ssl_certificate_key $dir/$3.key; ${5:-} }"
}
{
    echo "daemon off; master_process off; pid $dir/pid; error_log $dir/error.log;"
    echo "events { worker_connections 256; }"
    echo "http { access_log off; types { text/html html; } keepalive_requests 1000;"
    echo "client_body_temp_path $dir; proxy_temp_path $dir; fastcgi_temp_path $dir; uwsgi_temp_path $dir; scgi_temp_path $dir;"
    server $first good good http2 "ssl_protocols TLSv1.2 TLSv1.3;"
    server $((first + 1)) old old
    server $((first + 2)) other other
    server $((first + 3)) long good
    # Every request has a connection of its own, and the session goes on.
    server $((first + 4)) good good "" "keepalive_timeout 0; ssl_protocols TLSv1.2; ssl_session_cache builtin:100; ssl_session_tickets on;"
    echo "}"
} >nginx.conf
nginx -c "$dir/nginx.conf" 2>>log &
nginx=$!
while alive "$nginx" && ! [ -e pid ]; do sleep 0.1; done

capture() { # capture ARCHIVE SITE OPTION...: for evidence, and its certificate
    local a=$1 site=$2
    shift 2
    "$sharc" crawl -q --json --allow-private --delay 0 --connections 2 --for evidence --no-probe -a "$a" "$@" "https://127.0.0.1:$((first + site))/" >summary 2>>log &&
        "$sharc" certify "$a" -o "$a.c" >out 2>>log
}
holds() { "$sharc" verify --certificate "$1.c/certificate.json" "$1/warcs" >verified 2>>log; }
says() { python3 -c '
import json, sys
c = json.load(open(sys.argv[1] + ".c/certificate.json"))
w = {x["what"]: x["value"] for x in c["weakened"]}
h = c["servers"]["hosts"][0]
chains = c["servers"]["chains"]
downloads = [d for p in c["pages"] for d in [p.get("visit"), p.get("revisit")] + p.get("others", []) if d]
used = {d["tls"]["chain"] for d in downloads}
n = sum(u["downloads"] for u in h["tls"])
assert eval(sys.argv[2]), (w, h, n, c["capture"]["downloads"], downloads[0], chains)' "$1" "$2" 2>>log; }
chain_records() { zcat "$1"/warcs/*.warc.gz | grep -ac '^WARC-Target-URI: urn:sharc:tls-chain:'; }

capture good 0 --http2 --ca-file root.crt && holds good
point $? "a capture by https and HTTP/2, and its certificate"
says good 'h["protocols"] == ["h2", "http/1.1"]'
point $? "by HTTP/2 and HTTP/1.1 …"
zcat good/warcs/*.warc.gz | tr -d '\r' | awk -F': ' '
    $1 == "WARC-Type" { type = $2 } $1 == "WARC-Protocol" && $2 ~ /^h/ && type ~ /^re(sponse|visit)$/ { print type, $2 }' | sort -u >protocols
printf 'response h2\nrevisit http/1.1\n' | cmp - protocols >>log 2>&1
point $? "… the latter for revisits: their ends are certain"
says good 'not any(k.startswith("tls") for k in w)'
point $? "nothing about TLS weakens it"
says good 'len(chains) == 1 and len(chains[0]["certificates"]) == 3 and used == {chains[0]["chain"]} and chains[0]["record"] == "there"'
point $? "one chain of three certificates, which every download names"
says good 'n == c["capture"]["downloads"] == sum(u["verified"] for u in h["tls"]) and all(u["version"] == "TLSv1.3" and u["cipher"].startswith("TLS_") and u["names_host"] for u in h["tls"])'
point $? "all of them verified, with version and cipher"
says good 'chains[0]["certificates"][0]["subject"] == "O=A \\\"test\\\",CN=good ä" and chains[0]["certificates"][0]["issuer"] == chains[0]["certificates"][1]["subject"] == "CN=Middle,O=A test" and chains[0]["certificates"][2]["from"][:2] == "20"'
point $? "whom they name, who issued them, since when they are valid"
for c in good middle root; do openssl x509 -in $c.crt -outform DER | sha256sum | cut -d' ' -f1; done >prints
says good '[x["sha256"] for x in chains[0]["certificates"]] == open("prints").read().split()'
point $? "their SHA-256 are those of openssl"
python3 - >>log 2>&1 <<'PY'
import gzip, hashlib, json, re, glob, subprocess
text = gzip.open(glob.glob('good/warcs/*.warc.gz')[0]).read()
block = re.search(rb'WARC-Target-URI: urn:sharc:tls-chain:sha256:([0-9a-f]{64})\r\n(?:[^\r]+\r\n)*?Content-Length: (\d+)\r\n\r\n', text)
pem = text[block.end():block.end() + int(block[2])]
assert hashlib.sha256(pem).hexdigest().encode() == block[1]
assert b'sharc-tls-chain: sha256:' + block[1] + b'\r\n' in text
open('recorded.pem', 'wb').write(pem)
PY
point $? "the record has the digest by which it is named"
openssl verify -CAfile root.crt -untrusted recorded.pem recorded.pem >>log 2>&1
point $? "openssl verifies what it holds"
[ "$(chain_records good)" = 1 ]
point $? "it stands there once"
grep -q "CN=good" good.c/certificate.html
point $? "the page for people names it"
sound good "by https"

capture resumed 4 --ca-file root.crt && holds resumed
point $? "connections of their own for every request"
says resumed 'len(chains) == 1 and len(chains[0]["certificates"]) == 3 and sum(u["resumed"] for u in h["tls"]) > 10 and sum(u["verified"] for u in h["tls"]) == n and h["tls"][0]["version"] == "TLSv1.2"'
point $? "resumed sessions name the chain that was presented when they began"

"$sharc" crawl -q --allow-private --delay 0 --tries 1 -a strict "https://127.0.0.1:$((first + 1))/" --ca-file root.crt >out 2>>log
[ -z "$(ls strict/warcs 2>/dev/null)" ]
point $? "an expired certificate is not accepted, and nothing is recorded"
capture old 1 --insecure && holds old
point $? "unless nobody checks"
says old 'w["insecure"] and w["tls-not-verified"] == str(n) == w["tls-outside-validity"] and sum(u["verified"] for u in h["tls"]) == 0 and chains[0]["certificates"][0]["to"] == "2020-02-01T00:00:00Z"'
point $? "then the certificate says so, and when it had expired"
capture other 2 --insecure && holds other
says other 'w["tls-other-host"] == str(n) and not h["tls"][0]["names_host"]'
point $? "a chain of another host is called one"
capture long 3 --insecure && holds long
says long 'len(chains[0]["certificates"]) == 16 and chains[0]["cut"] and w["tls-chain-cut"] == str(n)'
point $? "of a chain without end the first 16 are kept"

# --- forged -----------------------------------------------------------------------------------------------------
# forge NAME PYTHON: the records of good, changed: a list of [head, block].
forge() {
    mkdir -p "$1/warcs"
    python3 - "$1" "$2" >>log 2>&1 <<'PY'
import base64, glob, gzip, hashlib, re, sys
path = glob.glob('good/warcs/*.warc.gz')[0]
data, records = gzip.open(path).read(), []
while data:
    head, rest = data.split(b'\r\n\r\n', 1)
    n = int(re.search(rb'Content-Length: (\d+)', head)[1])
    records.append([head, rest[:n]])
    data = rest[n + 4:]
chains = [r for r in records if b'urn:sharc:tls-chain:' in r[0]]
assert len(chains) == 1
exec(sys.argv[2])
out = b''
for head, block in records:
    head = re.sub(rb'Content-Length: \d+', b'Content-Length: %d' % len(block), head)
    if b'WARC-Type: metadata' in head:
        head = re.sub(rb'WARC-Block-Digest: \S+', b'WARC-Block-Digest: sha256:' + hashlib.sha256(block).hexdigest().encode(), head)
    out += gzip.compress(head + b'\r\n\r\n' + block + b'\r\n\r\n')
open(sys.argv[1] + '/warcs/' + path.split('/')[-1], 'wb').write(out)
PY
}
named() { "$sharc" verify --certificate good.c/certificate.json "$1/warcs" >verified 2>>log; [ $? != 0 ] && grep -q "$2" verified; }
forge missing 'records.remove(chains[0])' && named missing "$(basename good/warcs/*.warc.gz)"
point $? "a chain that was taken out is found"
forge swapped 'chains[0][1] = open("other.pem", "rb").read()' && named swapped "$(basename good/warcs/*.warc.gz)"
point $? "one that was swapped is found"
"$sharc" import -q --archive forged missing/warcs/*.warc.gz >>log 2>&1
point $? "an import does not need them"

# --- elsewhere ----------------------------------------------------------------------------------------------------
"$sharc" export -q good --capture latest -o good.wacz >>log 2>&1 && unzip -p good.wacz 'archive/*.warc.gz' >inside.warc.gz && zcat inside.warc.gz | grep -aq '^WARC-Target-URI: urn:sharc:tls-chain:'
point $? "an export to WACZ keeps the chain"
"$sharc" export -q --to warc -o one.warc.gz --include "https://127.0.0.1:$first/p1.html" good/warcs/*.warc.gz >>log 2>&1 && [ "$(zcat one.warc.gz | grep -ac '^WARC-Target-URI: urn:sharc:tls-chain:')" = 1 ]
point $? "so does one of a single page"
"$sharc" import -q --archive imported good/warcs/*.warc.gz >>log 2>&1 && [ "$(ask imported "SELECT count(*) FROM url WHERE text LIKE 'urn:%'")" = 0 ]
point $? "an import takes it for no page"
"$sharc" verify good/warcs/*.warc.gz one.warc.gz >>log 2>&1
point $? "sharc verify has no complaint"
if [ -d "$cache/node_modules/warcio" ]; then
    node "$here/warcio-check.mjs" "$cache" good/warcs/*.warc.gz long/warcs/*.warc.gz one.warc.gz >>log 2>&1
    point $? "warcio reads all records and agrees with all digests"
else
    skip "warcio reads all records and agrees with all digests" "warcio is not installed"
fi
finish
