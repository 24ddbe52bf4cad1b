# SPDX-License-Identifier: Apache-2.0
"""Fill a catalogue with a series of synthetic captures, for measuring pictures and the user interface.

  ui_catalogue.py CATALOGUE [PAGES [CAPTURES]]    an empty catalogue of SQLite that sharc made (100000, 10)
  ui_catalogue.py CATALOGUE --copy URL            copy it into an empty one of PostgreSQL, over psql

The site has a root, folders of three depths, images, news that change often and an archive that does not. Every
capture is graded, and three in a hundred pages come and go."""
import csv
import io
import random
import sqlite3
import struct
import subprocess
import sys

from catalogue_rows import digest, key, packed

DAY = 86400 * 1000000
START = 1777000000 * 1000000  # spring of 2026
TABLES = ['site', 'host', 'url', 'capture', 'content', 'link_set', 'page', 'look', 'grade', 'skipped', 'rate']
IDENTICAL, CHANGED = 1, 12  # numbers of change_grade.h


def copy(path, url):
    db = sqlite3.connect(path)
    for table in TABLES:
        names = [r[1] for r in db.execute('PRAGMA table_info(%s)' % table)]
        p = subprocess.Popen(['psql', '-q', url, '-c', 'COPY %s (%s) FROM STDIN (FORMAT csv)' % (table, ','.join(names))],
                             stdin=subprocess.PIPE, text=True)
        out = csv.writer(p.stdin)
        for row in db.execute('SELECT %s FROM %s' % (','.join(names), table)):
            out.writerow(['\\x' + v.hex() if isinstance(v, bytes) else v for v in row])
        p.stdin.close()
        if p.wait():
            sys.exit('%s cannot be copied' % table)
        if table in ('site', 'host', 'url', 'capture', 'content', 'link_set'):
            subprocess.run(['psql', '-q', url, '-c', "SELECT setval(pg_get_serial_sequence('%s', 'id'), (SELECT max(id) FROM %s))"
                            % (table, table)], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(['psql', '-q', url, '-c', 'ANALYZE'], check=True)


def text_of(i):
    if i == 0:
        return 'http://ui.example/'
    part = ('news', 'archive', 'docs', 'shop', 'people')[i % 5]
    name = 'img%d.png' % i if i % 7 == 3 else 'page%d.html' % i
    return 'http://ui.example/%s/%d/%s' % (part, i // 5 % 40, name)


def parent_of(i):
    return None if i == 0 else max(0, (i - 1) // 12)


def rate_of(i):
    return (0.4, 0.001, 0.03, 0.08, 0.01)[i % 5] * (1 if i % 7 != 3 else 0.1)


def fill(path, pages, captures):
    db = sqlite3.connect(path)
    rng = random.Random(1)
    db.execute('PRAGMA synchronous=OFF')
    db.execute('PRAGMA journal_mode=WAL')
    site = db.execute("INSERT INTO site (name) VALUES ('ui.example')").lastrowid
    host = db.execute('INSERT INTO host (key, mark, name) VALUES (?, ?, ?)', (*key('host ui.example'), 'ui.example')).lastrowid
    urls = [text_of(i) for i in range(pages)]
    db.executemany('INSERT INTO url (id, key, mark, host, text, surt) VALUES (?, ?, ?, ?, ?, ?)',
                   ((i + 1, *key(u), host, u, u.replace('ui.example/', '(example,ui,)/')) for i, u in enumerate(urls)))
    sets = 4000
    for s in range(sets):
        links = {(1 + rng.randrange(pages), 0) for _ in range(40)} | {(1 + rng.randrange(pages), 1) for _ in range(5)}
        db.execute('INSERT INTO link_set (id, key, mark, links, data) VALUES (?, ?, ?, ?, ?)',
                   (s + 1, *key('set %d' % s), len(links), packed(links)))
    for s in range(4096):
        db.execute('INSERT INTO content (id, key, mark, title, minhash, words, images, tables, out_links) VALUES'
                   ' (?, ?, ?, ?, ?, 300, 5, 0, 40)',
                   (s + 1, *key('content %d' % s), 'Page %d' % s, struct.pack('<128I', *(rng.getrandbits(32) for _ in range(128)))))
    version = [0] * pages
    there = [rng.random() > 0.03 for _ in range(pages)]
    step = DAY // (2 * pages)
    for c in range(captures):
        start = START + c * 7 * DAY
        capture = db.execute('INSERT INTO capture (site, key, strategy, purpose, source, started, ended, state, reference_from,'
                             ' reference_to) VALUES (?, ?, ?, ?, ?, ?, ?, 2, ?, ?)',
                             (site, 'ui-%d' % (c + 1), 'sharc-selective', 'evidence', 'crawl', start, start + DAY,
                              start + pages * step, start + pages * step + step)).lastrowid
        rows, looks, grades = [], [], []
        for i in range(pages):
            if c and rng.random() < rate_of(i):
                version[i] += 1
            if i and rng.random() < 0.003:
                there[i] = not there[i]
            if not there[i]:
                continue
            image, at = i % 7 == 3, start + (i * 7919 % pages) * step
            status = 404 if i % 997 == 5 else 200
            body = '%d %d' % (i, version[i])
            rows.append((capture, i + 1, at, i, 50000, 2000 + i % 5000, at - DAY * (1 + i % 300) if i % 4 else None,
                         1 + parent_of(i) if i else None, None if image else (i + version[i]) % 4096 + 1,
                         None if image else (i * 31 + version[i] // 3) % sets + 1, rate_of(i) / (7 * 86400), status, 1 if i % 50 == 0 and i else 0,
                         digest(body), None if image else digest('t' + body), 'image/png' if image else 'text/html'))
            changed = rng.random() < rate_of(i) / 7
            looks.append((capture, i + 1, 2, start + 2 * pages * step - (i * 7919 % pages) * step, 50000, 2000, 200, 2 if changed else 0,
                          digest(body + ('x' if changed else ''))))
            grades.append((capture, i + 1, CHANGED if changed else IDENTICAL, at + 50000, looks[-1][3]))
        db.executemany('INSERT INTO page (capture, url, visit, slot, took, size, modified, parent, content, link_set, planned_rate,'
                       ' status, hopeless, digest, text_digest, mime, record) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,0)', rows)
        db.executemany('INSERT INTO look (capture, url, kind, visit, took, size, status, change, digest) VALUES (?,?,?,?,?,?,?,?,?)', looks)
        db.executemany('INSERT INTO grade (capture, url, reason, known_from, known_to) VALUES (?,?,?,?,?)', grades)
        db.executemany('INSERT INTO skipped (capture, url, reason) VALUES (?, ?, ?)',
                       ((capture, i + 1, 'robots' if i % 2 else 'scope') for i in range(0, pages, 97)))
    db.commit()
    db.execute('ANALYZE')
    db.commit()


if __name__ == '__main__':
    if len(sys.argv) > 3 and sys.argv[2] == '--copy':
        copy(sys.argv[1], sys.argv[3])
    elif len(sys.argv) > 1:
        fill(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 100000, int(sys.argv[3]) if len(sys.argv) > 3 else 10)
    else:
        sys.exit(__doc__)
