# SPDX-License-Identifier: Apache-2.0
# record TYPE ID FIELDS BLOCK: one WARC record on stdout; \r\n as in printf.
http='WARC-Target-URI: http://example.com/\r\nContent-Type: application/http\r\n'
record() {
    block=$(printf "$4x") && block=${block%x}
    printf "WARC/1.1\\r\\nWARC-Type: $1\\r\\nWARC-Record-ID: <urn:x:$2>\\r\\nWARC-Date: 2026-11-15T12:00:00Z\\r\\n$3"
    printf 'Content-Length: %d\r\n\r\n%s\r\n\r\n' ${#block} "$block"
}
