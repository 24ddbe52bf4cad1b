#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Signed WACZ files: made with keys and certificates of openssl's and a time-stamp authority
# on loopback, checked by sharc, by openssl, by WebCrypto as the specification has it, and by
# the code of ReplayWeb.page, which is installed into a cache folder outside the tree.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/sharc-tests/wacz-sign
dir=$(mktemp -d)
server=
leave() { exec 9>&-; [ -z "$server" ] || wait "$server"; rm -rf "$dir"; }
trap leave EXIT
n=0 bad=0
alive() { kill -0 "$1" 2>/dev/null; }
point() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; tail -n 20 "$dir/log" | cut -c 1-1000 | sed 's/^/# /'; bad=1; fi; }
skip() { n=$((n + 1)); echo "ok $n - $1 # SKIP $2"; }
sharc() { "$SHARC" "$@" >"$dir/log" 2>&1; }
says() { grep -qF -- "$1" "$dir/log"; }
umask 077
cd "$dir" || exit 1
cp "$root/tests/data/garden.warc.gz" .

mkdir authority
mkfifo stdin
"$here/stamp-server" authority ready <stdin 2>log &
server=$!
exec 9>stdin # closing it ends the server
while alive "$server" && ! [ -s ready ]; do sleep 0.05; done
tsa=http://127.0.0.1:$(cat ready)

# --- anonymous ---------------------------------------------------------------------------

for curve in P-384 P-256; do
    openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:$curve -aes256 -pass pass:sesame -out $curve.key 2>log
    openssl pkey -in $curve.key -passin pass:sesame -pubout -out $curve.pub 2>>log
done
echo sesame >password
sharc export -o anonymous.wacz --sign P-384.key --password-file password garden.warc.gz
point $? "signs with an encrypted key"
sharc verify --key P-384.pub anonymous.wacz && says "the key is the one that you named"
point $? "and finds the signature right, and of that key"
! sharc export -o no.wacz --sign P-384.key garden.warc.gz && says "name a file that holds its password" && [ ! -e no.wacz ]
point $? "asks for the password of an encrypted key, and writes nothing"
echo sesam >wrong
! sharc export -o no.wacz --sign P-384.key --password-file wrong garden.warc.gz && says "the password is wrong" && [ ! -e no.wacz ]
point $? "says when it is wrong"
sharc export -o p256.wacz --sign P-256.key --password-file password garden.warc.gz && sharc verify --key P-256.pub p256.wacz
point $? "signs with P-256, too"

# --- as a domain -------------------------------------------------------------------------

openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out domain.key 2>log
openssl req -new -key domain.key -subj /CN=archive.example -out domain.csr 2>>log
echo subjectAltName=DNS:archive.example >domain.ext
openssl x509 -req -in domain.csr -CA authority/ca.pem -CAkey authority/ca.key -CAcreateserial -days 90 -extfile domain.ext -out domain.pem 2>>log
cat domain.pem authority/ca.pem >chain.pem
sharc export -o domain.wacz --sign domain.key --chain chain.pem --stamp "$tsa/" garden.warc.gz
point $? "signs as a domain, with a time stamp from a server"
sharc verify domain.wacz && says "signed for archive.example" && says "CN=Test Time" && says "was not checked: use --trusted"
point $? "and says whose it is, and that nobody vouches for that"
sharc verify --trusted authority/ca.pem domain.wacz && says "the certificates are ones that you trust"
point $? "unless the root is trusted"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout other.key -out other.pem -subj /CN=Other -days 9 2>log
! sharc verify --trusted other.pem domain.wacz && says "not trusted"
point $? "and refuses certificates that lead to another root"
! sharc export -o no.wacz --sign domain.key --chain other.pem --stamp "$tsa/" garden.warc.gz && says "another key" && [ ! -e no.wacz ]
point $? "signs with no certificate of another key"

for case in "refuse|refused" "old|other bytes" "page|text/html" "broken|status 500" "cut|not a reply"; do
    ! sharc export -o no.wacz --sign domain.key --chain chain.pem --stamp "$tsa/${case%%|*}" garden.warc.gz &&
        says "${case#*|}" && [ ! -e no.wacz ]
    point $? "writes nothing when the authority's answer is not right: ${case%%|*}"
done
! sharc export -o no.wacz --sign domain.key --chain chain.pem --stamp http://127.0.0.1:1/ garden.warc.gz && says 127.0.0.1:1 && [ ! -e no.wacz ]
point $? "nor when there is no authority"

# --- a capture of an archive --------------------------------------------------------------

sharc import -q -a garden garden.warc.gz && sharc export garden --capture latest -o capture.wacz --sign P-384.key --password-file password &&
    sharc verify --key P-384.pub capture.wacz && says "the key is the one that you named"
point $? "signs the export of a capture"

# --- other judges -------------------------------------------------------------------------

for f in anonymous p256 domain capture; do python3 -m zipfile -e $f.wacz $f.files; done
member() { python3 -c 'import json, sys; sys.stdout.write(json.load(open(sys.argv[1] + ".files/datapackage-digest.json"))["signedData"][sys.argv[2]])' "$1" "$2"; }

member domain hash >hash
member domain signature >signature.text
base64 -d signature.text >signature.der
member domain domainCert >domain.chain
member domain timeSignature | base64 -d >stamp.tsr
member domain timestampCert >stamp.chain
openssl x509 -pubkey -noout -in domain.chain >domain.pub 2>log &&
    openssl dgst -sha256 -verify domain.pub -signature signature.der hash >>log 2>&1
point $? "openssl verifies the domain's signature of the hash"
openssl ts -verify -data signature.text -in stamp.tsr -CAfile authority/ca.pem >log 2>&1
point $? "openssl verifies the time stamp of the signature"
openssl verify -CAfile authority/ca.pem -untrusted domain.chain domain.chain >log 2>&1
point $? "openssl verifies the chain"
[ "$(openssl x509 -noout -subject -in stamp.chain)" = "subject=O = Test, CN = Test Time" ] && [ "$(grep -c BEGIN stamp.chain)" = 2 ]
point $? "the chain of the time stamp begins with its signer"

spec="WebCrypto verifies the anonymous signatures by the specification"
replay="the code of ReplayWeb.page verifies the anonymous signature"
if ! command -v node >/dev/null; then
    skip "$spec" "no node"; skip "$replay" "no node"
else
    node "$here/wacz-sign-check.mjs" anonymous.files p256.files capture.files >log 2>&1
    point $? "$spec"
    have_wabac() {
        [ ! -e "$cache/.complete" ] || return 0
        command -v npm >/dev/null || return 1
        mkdir -p "$cache" && (cd "$cache" && exec 8>.lock && flock 8 &&
            npm install --no-save --ignore-scripts --no-audit --no-fund sucrase@3.35.0 base64-js@1.5.1 @peculiar/x509@1.12.3 &&
            npm pack --silent @webrecorder/wabac@2.27.3 && tar xzf webrecorder-wabac-2.27.3.tgz package/src/wacz/certutils.ts &&
            touch .complete)
    }
    if have_wabac >log 2>&1; then
        node "$here/wacz-sign-check.mjs" --wabac "$cache" anonymous.files capture.files >log 2>&1
        point $? "$replay"
        python3 - <<'P'
import json
name = "anonymous.files/datapackage-digest.json"
d = json.load(open(name))
d["signedData"]["hash"] = d["signedData"]["hash"][:-1] + "x"
json.dump(d, open(name, "w"))
P
        ! node "$here/wacz-sign-check.mjs" --wabac "$cache" anonymous.files >log 2>&1 && says "not verified"
        point $? "and refuses it for another hash"
    else
        skip "$replay" "npm could not install"; skip "and refuses it for another hash" "npm could not install"
    fi
fi
echo "1..$n"
exit $bad
