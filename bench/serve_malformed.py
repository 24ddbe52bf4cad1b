# SPDX-License-Identifier: Apache-2.0
"""serve_malformed.py PORT PORT COUNT: so many requests that are none, or make no sense, half to each port, a connection each. Every
connection must be answered or closed. Prints how many were, and what they were answered with."""
import collections
import random
import socket
import sys

PIECES = [b'GET ', b'POST ', b'HEAD ', b'/web/', b'/view/', b'/coherent/', b'2026', b'99999999999999', b'*', b'id_', b'/', b'http://site.example/page-000000001.html',
          b'%', b'%00', b'%zz', b'%f0%9f', b' HTTP/1.1', b' HTTP/9.9', b'\r\n', b'\r\n\r\n', b'\n', b'\0', b'Host: 127.0.0.1\r\n', b'Host: \r\n',
          b'Range: bytes=', b'-', b'9999999999999999999', b'Accept-Datetime: ', b'/timemap/link/', b'/timegate/', b'/cdx?url=', b'&filter=~url:(((',
          b'/api/pages?capture=', b'/api/coherence?url=', b'&limit=-1', b'/files/', b'/files/../../etc/passwd', b'\xff\xfe', b'Transfer-Encoding: chunked\r\n',
          b'Content-Length: -1\r\n', b'Content-Length: 99999999999\r\n', b'?', b'~-1d..+1d~', b'\t', b':', b'A' * 5000, b'a=' * 3000]


def main():
    ports, count = [int(p) for p in sys.argv[1:3]], int(sys.argv[3])
    rng, answers = random.Random(15), collections.Counter()
    for i in range(count):
        text = b''.join(rng.choice(PIECES) for _ in range(rng.randrange(12)))
        if i % 3 == 0:
            text = b'GET /' + text
        if i % 2:
            text += b' HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'
        with socket.create_connection(('127.0.0.1', ports[i % 2]), timeout=60) as s:
            try:
                s.sendall(text)
                s.shutdown(socket.SHUT_WR)
                head = s.recv(65536)
                while s.recv(65536):
                    pass
            except (ConnectionResetError, BrokenPipeError):
                head = b''
            answers[head[9:12].decode('latin-1') if head.startswith(b'HTTP/1.') else 'closed'] += 1
    print('%d connections ended' % sum(answers.values()))
    if answers['500']:
        print('%d answered with 500' % answers['500'])


main()
