#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A recorded site of a million pages, for measuring: copies of a smaller one, side by side.

    many_pages.py DATASET COPIES TO

Every page of DATASET that lives at its end is written COPIES times, below /c1/, /c2/ and so on,
with its changes of the last 400 days; each copy lives some minutes later than the one before.
Page 1 leads to the first page of every copy. Then, for example:

    sharc sim --dataset TO --days 30 --rates near --focus-bfs -s sharc-focus
"""
import gzip
import json
import os
import sys

DAYS, LATER = 400, 600


def rows(folder, name):
    with gzip.open(os.path.join(folder, name), 'rt', encoding='utf-8') as f:
        head = next(f).rstrip('\n').split('\t')
        for line in f:
            yield dict(zip(head, line.rstrip('\n').split('\t')))


def table(folder, name, head, lines):
    with gzip.open(os.path.join(folder, name), 'wt', encoding='utf-8', compresslevel=1) as f:
        f.write('\t'.join(head) + '\n')
        f.writelines('\t'.join(map(str, line)) + '\n' for line in lines)


def main(source, copies, to):
    os.makedirs(to)
    site = json.load(open(os.path.join(source, 'site.json'), encoding='utf-8'))
    end = int(site['end'])
    pages = [p for p in rows(source, 'pages.tsv.gz') if not p['deleted']]
    number = {p['id']: k for k, p in enumerate(pages)}
    changes = [(int(c['time']), number[c['id']]) for c in rows(source, 'changes.tsv.gz')
               if c['id'] in number and int(c['time']) > end - DAYS * 86400]
    links = [(number[v['from']], number[v['to']], v['kind']) for v in rows(source, 'links.tsv.gz')
             if v['from'] in number and v['to'] in number]
    n = len(pages)

    def page_rows():
        for c in range(copies):
            for k, p in enumerate(pages):
                yield ([1 + c * n + k, '/' if c + k == 0 else '/c%d%s' % (c, p['url']), p['mime'], p['created'], ''] +
                       [p[x] for x in ('size', 'title_words', 'text_words', 'images', 'tables', 'outlinks',
                                       'absences')])

    moved = sorted((t + LATER * c, 1 + c * n + k) for c in range(copies) for t, k in changes)
    table(to, 'pages.tsv.gz', ['id', 'url', 'mime', 'created', 'deleted', 'size', 'title_words', 'text_words',
                               'images', 'tables', 'outlinks', 'absences'], page_rows())
    table(to, 'changes.tsv.gz', ['id', 'time'], ((p, t) for t, p in moved))
    table(to, 'links.tsv.gz', ['from', 'to', 'kind'],
          [(1, 1 + c * n, 'spanning') for c in range(1, copies)] +
          [(1 + c * n + a, 1 + c * n + b, kind) for c in range(copies) for a, b, kind in links])
    table(to, 'absences.tsv.gz', ['id', 'from', 'to'], [])
    site.update(name='many-pages', end=end + LATER * copies, pages=n * copies, changes=len(moved))
    with open(os.path.join(to, 'site.json'), 'w', encoding='utf-8') as f:
        json.dump(site, f)


if __name__ == '__main__':
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
