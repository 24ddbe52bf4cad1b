# SPDX-License-Identifier: Apache-2.0
"""Fill a catalogue with synthetic captures: quality_catalogue.py CATALOGUE PAGES [CAPTURES]. Two captures by default, of which the
first has revisits. With a number, each has, and a grade for every page."""
import random
import sqlite3
import sys

from catalogue_rows import digest as digest_of, key, packed

DAY = 86400 * 1000000
START = 1777000000 * 1000000  # spring of 2026
db = sqlite3.connect(sys.argv[1])
pages, hosts = int(sys.argv[2]), 50
count, graded = (int(sys.argv[3]), True) if len(sys.argv) > 3 else (2, False)
rng = random.Random(1)
db.execute('PRAGMA synchronous=OFF')
db.execute('PRAGMA journal_mode=WAL')
base = db.execute('SELECT coalesce(max(id), 0) + 1 FROM url').fetchone()[0]
host_base = db.execute('SELECT coalesce(max(id), 0) + 1 FROM host').fetchone()[0]
site = db.execute("INSERT INTO site (name) VALUES ('big.example')").lastrowid

for h in range(hosts):
    name = 'h%d.big.example' % h
    db.execute('INSERT INTO host (id, key, mark, name) VALUES (?, ?, ?, ?)', (host_base + h, *key('host ' + name), name))
per_host = pages // hosts
shared = min(40, per_host // 2)  # the first URLs of a host are its styles and images


def host_of(i):
    return i // per_host % hosts


def urls():
    for i in range(pages):
        text = 'http://h%d.big.example/folder%d/page%d.html' % (host_of(i), i % 20, i)
        yield (base + i, *key(text), host_base + host_of(i), text, 'http://(example,big,h%d,)/folder%d/page%d.html' % (host_of(i), i % 20, i))


db.executemany('INSERT INTO url (id, key, mark, host, text, surt) VALUES (?, ?, ?, ?, ?, ?)', urls())
sets = 2000
set_base = db.execute('SELECT coalesce(max(id), 0) + 1 FROM link_set').fetchone()[0]
for s in range(sets):
    h = s % hosts
    first = base + h * per_host
    embeds = {first + rng.randrange(shared) for _ in range(8)}
    links = {(e, 1) for e in embeds} | {(first + rng.randrange(per_host), 0) for _ in range(52)}
    db.execute('INSERT INTO link_set (id, key, mark, links, data) VALUES (?, ?, ?, ?, ?)',
               (set_base + s, *key('set %d' % s), len(links), packed(links)))
captures = [db.execute('INSERT INTO capture (site, key, started, ended, state, source) VALUES (?, ?, ?, ?, 2, ?)',
                       (site, 'big-%d' % c, START + c * 7 * DAY, START + (c * 7 + 2) * DAY, 'crawl')).lastrowid for c in range(count)]
digest = [digest_of('%d' % i) for i in range(4096)]
step = DAY // pages


def visits(c):
    for i in range(pages):
        part = i % per_host < shared
        changed = c and rng.random() < 0.1
        at = START + c * 7 * DAY + (pages - i) * step
        yield (captures[c], base + i, at, 50000, 1000, at - DAY * (1 + i % 300) if i % 4 else None,
               None if part else set_base + host_of(i) + hosts * (i % (sets // hosts)), 1e-7, 200,
               digest[(i + (7 if changed else 0)) % 4096], 'image/png' if part else 'text/html')


def revisits(c):
    for i in range(pages):
        at = START + c * 7 * DAY + DAY + i * step
        yield (captures[c], base + i, 2, at, 50000, 1000, 200, 0, digest[(i + (3 if rng.random() < 0.02 else 0)) % 4096])


for c in range(count):
    db.executemany('INSERT INTO page (capture, url, visit, took, size, modified, link_set, planned_rate, status, digest, mime, record, hopeless)'
                   ' VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0)', visits(c))
for c in range(count if graded else 1):
    db.executemany('INSERT INTO look (capture, url, kind, visit, took, size, status, change, digest) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)', revisits(c))
if graded:
    reasons = [1] * 85 + [4] * 8 + [7] * 2 + [12] * 4 + [10]
    for c in captures:
        db.executemany('INSERT INTO grade (capture, url, reason) VALUES (?, ?, ?)', ((c, base + i, reasons[(i * 7919 + c) % 100]) for i in range(pages)))
db.commit()
