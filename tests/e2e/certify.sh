#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A capture is certified, signed and stamped; the certificate is checked elsewhere, with nothing but the
# WARC files and the public key; then single bytes are changed, in every section of the certificate, in its
# signature, in its stamp, in the WARC files: $FLIPS (1000) random ones, and each must be found and named with its
# place. $SEED. TAP.
set -u
. "$(dirname "$0")/crawl-lib.bash"
flips=${FLIPS:-1000}
cd "$dir"

start_living --pages "${PAGES:-24}" --seed 5 --hottest 1s --noise token:0.5
export SHARC=$(realpath "$sharc")
"$sharc" crawl -q --json --allow-private --delay 5ms --for evidence --operator "an archive" -a a "$site" >summary 2>log
point $? "a capture"
stop_living
openssl genpkey -algorithm ed25519 -out key.pem 2>>log && openssl pkey -in key.pem -pubout -out key.pub 2>>log
"$sharc" certify a -o c --key key.pem --operator "City Archive" --contact "archive@example.org" >out 2>>log
point $? "its certificate"

# An authority for time stamps of our own.
cat >tsa.cnf <<'CNF'
[ req ]
distinguished_name = dn
prompt = no
[ dn ]
CN = A test authority
[ ext ]
extendedKeyUsage = critical,timeStamping
[ tsa ]
default_tsa = t
[ t ]
serial = tsa.serial
crypto_device = builtin
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
accuracy = secs:1
ess_cert_id_alg = sha256
CNF
openssl req -x509 -newkey rsa:2048 -nodes -keyout tsa.key -out tsa.pem -days 30 -config tsa.cnf -extensions ext >>log 2>&1
echo 01 >tsa.serial
openssl ts -query -data c/certificate.json -sha256 -cert -out q.tsq >>log 2>&1 &&
    openssl ts -reply -config tsa.cnf -queryfile q.tsq -signer tsa.pem -inkey tsa.key -out r.tsr >>log 2>&1
"$sharc" certify a -o c --stamp r.tsr >>log 2>&1
point $? "its time stamp"

# What people read says what machines read.
python3 - <<'PY' >>log 2>&1
import html, json, os, re
c = json.load(open('c/certificate.json'))
t = open('c/certificate.html', encoding='utf-8').read()
text = html.unescape(re.sub('<[^>]*>', ' ', t))
g = c['counts']['grades']
assert '%d of %d pages were found the same before and after' % (g['identical'] + g['volatile'], len(c['pages'])) in text
assert all(s in text for s in c['does_not_say'])
assert all(f['sha256'] in text for f in c['files'])
assert not re.search(r'<script|src=|href=|url\(|@import', t), 'it needs something else'
import subprocess
if 'cairo' in subprocess.run([os.environ['SHARC'], 'version'], capture_output=True, text=True).stdout:
    assert open('c/certificate.pdf', 'rb').read(5) == b'%PDF-'
PY
point $? "the page for people says the same, and needs nothing else"

# The crawler and the certificate agree.
python3 - <<'PY' >>log 2>&1
import json
s, c = json.load(open('summary'))['sites'][0], json.load(open('c/certificate.json'))
print(json.dumps(s)[:3000], c['counts'], c['interval'])
assert s['judged'] == c['counts']['pages'] and s['coherent'] == c['counts']['together'], 'counts'
PY
point $? "the certificate counts what the crawl counted"

# Elsewhere: no catalogue, no settings, no archive.
mkdir -p far/home && cp a/warcs/*.warc.gz c/certificate.json c/certificate.json.sig c/certificate.json.tsr far && cp key.pub tsa.pem far/home
check() { (cd far && env -i PATH="$PATH" HOME="$dir/far/home" "$sharc" verify --certificate certificate.json --key home/key.pub --trusted home/tsa.pem "$@"); }
check >log 2>&1
point $? "it holds elsewhere, by the WARC files and the public key alone"
check --json >json 2>>log
python3 - <<'PY' >>log 2>&1
import json
j, c = json.load(open('json')), json.load(open('far/certificate.json'))
assert j['holds'] and j['signature'] == 'right' and j['stamp'] == 'right' and j['stamp_trusted'] and j['key'] == 'given', j
assert j['rows'] == len(c['pages']) == c['root']['rows'] == j['derived']['pages'] > 20, j
assert sum(c['counts']['grades'].values()) == len(c['pages'])
PY
point $? "and says what was checked"

# Without sharc.
(cd far && openssl pkeyutl -verify -pubin -inkey home/key.pub -rawin -in certificate.json -sigfile certificate.json.sig) >log 2>&1
point $? "openssl checks the signature"
(cd far && openssl ts -verify -data certificate.json -in certificate.json.tsr -CAfile home/tsa.pem) >log 2>&1
point $? "openssl checks the time stamp"
python3 - <<'PY' >log 2>&1
import hashlib, json
t = open('far/certificate.json', 'rb').read()
c = json.loads(t)
assert json.dumps(c, separators=(',', ':'), sort_keys=True, ensure_ascii=False).encode() == t
for f in c['files']: assert hashlib.sha256(open('far/' + f['name'], 'rb').read()).hexdigest() == f['sha256']
leaf = lambda r: hashlib.sha256(b'\0' + json.dumps(r, separators=(',', ':'), sort_keys=True, ensure_ascii=False).encode()).digest()
def root(l):
    if len(l) == 1: return l[0]
    k = 1
    while k * 2 < len(l): k *= 2
    return hashlib.sha256(b'\1' + root(l[:k]) + root(l[k:])).digest()
assert root([leaf(r) for r in c['pages']]).hex() == c['root']['sha256']
PY
point $? "form, digests of the files and root are what others compute"

# The ten commands of docs/evidence.md, as they stand there.
mkdir ten && cp far/*.warc.gz far/certificate.json* ten && cp key.pub ten && cp tsa.pem ten/authority.pem
awk '/^```sh$/ { on = 1; next } /^```$/ { on = 0 } on' "$here/../../docs/evidence.md" >ten/commands
[ "$(wc -l <ten/commands)" = 10 ]
point $? "docs/evidence.md has ten commands"
if command -v jq >/dev/null; then
    mkdir bin && ln -s "$SHARC" bin/sharc
    (cd ten && PATH=$dir/bin:$PATH bash -e -o pipefail commands) >log 2>&1
    point $? "they find everything right"
    [ "$(cut -d' ' -f1 ten/body.txt)" = "$(jq -r .visit.payload ten/page.json | cut -d: -f2)" ] &&
        grep -q "WARC-Record-ID: <$(jq -r .visit.record ten/page.json)>" ten/visit.record &&
        [ "$(jq -r .url ten/page.json)" = "$(jq -r '[.pages[] | select(.visit.original | not)] | max_by(.known.to).url' c/certificate.json)" ]
    point $? "record and body are those of the row"
else
    skip "they find everything right" "no jq"
fi

# One page alone.
url=$(python3 -c 'import json; print(max(json.load(open("c/certificate.json"))["pages"], key=lambda r: len(r.get("whole", {}).get("embeds", [])))["url"])')
"$sharc" certify a -o c --page "$url" >out 2>log && mkdir one && cp c/page-*.json one/page.json
point $? "a page with its proof"
(cd one && "$sharc" verify --certificate page.json --key ../key.pub) >log 2>&1
point $? "holds alone, by the public key"
sed -e 's/"status":200/"status":201/' one/page.json >one/other.json
! "$sharc" verify --certificate one/other.json --key key.pub >log 2>&1 && grep -q /rows/ log
point $? "and not when it was changed"

# A key with certificates, and an authority that is asked over HTTP.
openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -days 30 -subj /CN=Root >>log 2>&1
openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout sign.pem -out sign.csr -subj "/CN=City Archive" >>log 2>&1
openssl x509 -req -in sign.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 10 -out sign.crt >>log 2>&1
cat sign.crt ca.pem >chain.pem && cat ca.pem tsa.pem >trusted.pem && chmod 600 sign.pem
cat >authority.py <<'PY'
import http.server, subprocess
class Authority(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        open('ask.tsq', 'wb').write(self.rfile.read(int(self.headers['Content-Length'])))
        subprocess.run('openssl ts -reply -config tsa.cnf -queryfile ask.tsq -signer tsa.pem -inkey tsa.key -out answer.tsr', shell=True, check=True)
        body = open('answer.tsr', 'rb').read()
        self.send_response(200)
        self.send_header('Content-Type', 'application/timestamp-reply')
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)
s = http.server.HTTPServer(('127.0.0.1', 0), Authority)
open('authority.port.new', 'w').write(str(s.server_port))
import os
os.rename('authority.port.new', 'authority.port')
s.handle_request()
PY
python3 authority.py >>log 2>&1 &
authority=$!
while alive "$authority" && ! [ -s authority.port ]; do sleep 0.05; done
"$sharc" certify --json a -o x --key sign.pem --chain chain.pem --stamp "http://127.0.0.1:$(cat authority.port)/" >x.json 2>>log
point $? "a certificate with a chain, stamped by an authority over HTTP"
kill $authority 2>/dev/null
"$sharc" verify --json --certificate x/certificate.json --trusted trusted.pem a/warcs >y.json 2>>log
point $? "holds by the authorities that are trusted"
python3 - <<'PY' >>log 2>&1
import json
x, y, c = json.load(open('x.json')), json.load(open('y.json')), json.load(open('x/certificate.json'))
assert list(x) == ['certificate', 'capture', 'sha256', 'root', 'signed', 'files', 'bytes', 'pages', 'downloads', 'grades', 'reasons', 'whole_pages', 'whole', 'together', 'from', 'to'], list(x)
assert x['signed'] and x['root'] == 'sha256:' + c['root']['sha256'] and x['pages'] == len(c['pages']), x
assert 'City Archive' in y['subject'] and y['key'] == 'of a chain' and y['stamp'] == 'right' and y['stamp_trusted'], y
PY
point $? "and both say so in JSON"
! "$sharc" verify --certificate x/certificate.json --trusted tsa.pem a/warcs >log 2>&1 && grep -q /issued/chain log
point $? "and not by others"

# In a signed WACZ.
openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out ec.pem 2>>log && openssl pkey -in ec.pem -pubout -out ec.pub 2>>log
"$sharc" export -q a --capture latest -o site.wacz --sign ec.pem >out 2>log && mkdir packed && (cd packed && unzip -q ../site.wacz 'certificate/*')
point $? "a signed WACZ carries a certificate"
"$sharc" verify --certificate packed/certificate/certificate.json --key ec.pub site.wacz >log 2>&1 && "$sharc" verify --key ec.pub site.wacz >>log 2>&1
point $? "which holds by the WARC in it, and the WACZ is sound"
"$sharc" verify --json --certificate site.wacz --key ec.pub >json 2>log && grep -q '"statement": *"right"' json
point $? "and it holds in the WACZ itself, statement and all"
cat >repack.py <<'PY'
# The WACZ once more, with one entry replaced by a file's bytes, or with one byte of it changed.
import sys, zipfile
old, new, entry, how = sys.argv[1:5]
with zipfile.ZipFile(old) as a, zipfile.ZipFile(new, 'w') as b:
    for i in a.infolist():
        data = a.read(i)
        if i.filename == entry: data = open(how, 'rb').read() if how != 'flip' else data[:300] + bytes([data[300] ^ 1]) + data[301:]
        b.writestr(i, data)
PY
head -c 64 /dev/zero >zeros
for entry in certificate.json:flip certificate.json.sig:zeros statement.json:flip statement.json.sig:zeros certificate.json:c/certificate.json; do
    python3 repack.py site.wacz bad.wacz "certificate/${entry%%:*}" "${entry#*:}"
    ! "$sharc" verify --certificate bad.wacz --key ec.pub >log 2>&1 && grep -q "^bad.wacz/certificate/${entry%%:*}: " log
    point $? "another certificate/${entry%%:*} in a WACZ is named (${entry#*:})"
done
python3 - <<'PY' >log 2>&1
import json
a, b = (json.load(open(p)) for p in ('c/certificate.json', 'packed/certificate/certificate.json'))
assert a['counts'] == b['counts'] and a['interval'] == b['interval'], (a['counts'], b['counts'])
PY
point $? "and says what the archive's own says"

# Another key, a missing file, a file too many.
openssl genpkey -algorithm ed25519 -out other.pem 2>>log && openssl pkey -in other.pem -pubout -out other.pub 2>>log
! "$sharc" verify --certificate far/certificate.json --key other.pub far >log 2>&1 && grep -q 'certificate.json.sig' log
point $? "another key is not the one that signed"
mkdir less && cp far/certificate.json* less
! (cd less && "$sharc" verify --certificate certificate.json) >log 2>&1 && grep -q '/files/0/name: there is no file' log
point $? "a missing file is named"

cp c/statement.json c/statement.json.sig far
check >log 2>&1
point $? "with the statement beside it, it holds"

cat >flip.py <<'PY'
import json, os, random, subprocess, sys
sharc, flips, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
rng = random.Random(seed)
os.chdir('far')
text = open('certificate.json', 'rb').read()
doc = json.loads(text)
warcs = [f['name'] for f in doc['files']]
def check():
    p = subprocess.run([sharc, 'verify', '--json', '--certificate', 'certificate.json', '--key', 'home/key.pub', '--trusted', 'home/tsa.pem'],
                       capture_output=True, text=True)
    return p.returncode, p.stdout + p.stderr
def flip(name, at, wants):
    old = open(name, 'rb').read()
    new = bytearray(old)
    new[at] ^= 1 << rng.randrange(8)
    open(name, 'wb').write(new)
    code, out = check()
    open(name, 'wb').write(old)
    try: j = json.loads(out)
    except ValueError: j = {'list': [], 'holds': True}
    good = code == 1 and not j['holds'] and any(wants(f) for f in j['list'])
    if not good: print('missed:', name, at, hex(old[at]), hex(new[at]), code, out[:1500])
    return good
def in_file(name, at): return lambda f: f['file'] == name and f.get('offset') == at
def named(f): return f['file'] == 'certificate.json' and ('path' in f or 'offset' in f)
bad = n = 0
# Every member of the certificate, each of its sections ten times.
order, at = [], 1
for name in sorted(doc):
    begin = text.index(('"%s":' % name).encode(), at)
    end = begin + len(json.dumps({name: doc[name]}, separators=(',', ':'), sort_keys=True, ensure_ascii=False).encode()) - 2
    order.append((name, begin, end))
    at = end
for name, begin, end in order:
    for _ in range(10):
        n += 1
        bad += not flip('certificate.json', rng.randrange(begin, end), named)
for _ in range(20):
    n += 1
    bad += not flip('certificate.json.sig', rng.randrange(64), lambda f: f['file'] == 'certificate.json.sig')
for _ in range(20):
    n += 1
    bad += not flip('certificate.json.tsr', rng.randrange(os.path.getsize('certificate.json.tsr')), lambda f: f['file'] == 'certificate.json.tsr')
for name in 'statement.json', 'statement.json.sig':
    for _ in range(20):
        n += 1
        bad += not flip(name, rng.randrange(os.path.getsize(name)), lambda f: f['file'] == name)
# Heads of compressed members, which no checksum covers, and anywhere.
for p in doc['pages'][:10]:
    v = p['visit']
    for k in range(10):
        n += 1
        at = v['offset'] + k
        bad += not flip(warcs[v['file']], at, in_file(warcs[v['file']], at))
while n < flips:
    n += 1
    if rng.random() < 0.4:
        bad += not flip('certificate.json', rng.randrange(len(text)), named)
    else:
        w = rng.choice(warcs)
        at = rng.randrange(os.path.getsize(w))
        bad += not flip(w, at, in_file(w, at))
print(n, 'bytes changed,', bad, 'not found')
sys.exit(bad > 0)
PY
python3 flip.py "$(realpath "$sharc")" "$flips" "${SEED:-3}" >log 2>&1
point $? "$flips changed bytes are found, each with its place"
check >log 2>&1
point $? "and put back, it holds again"
finish
