#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What could a second pyramid save after a bulk edit? second_pyramid.py DATASET...

A capture visits all pages of a recorded history, coldest first by the plain history of the two
years before, and revisits them in reverse; it lasts DAYS. When the revisits show that nearly all
pages have changed, they are visits as well: turn round, and revisit once more what was just
revisited. "at once": turn when four fifths of the last hundredth of the pages had changed, as
soon as the budget allows a larger set than what is proved so far. "at the end": finish the
revisits, and turn only when fewer pages are proved than the budget can revisit. Pages count that
existed together at one instant: those of the first pyramid, or of the second. The budget is in
requests, as a share of those of the capture. "new": another capture from the start right after.
Prints a Markdown table: means over captures that meet a bulk edit.
"""
import bisect
import gzip
import json
import os
import sys

DAY = 86400
MEMORY = 730 * DAY
STARTS, APART = 36, 20 * DAY
BUDGETS = (0, 0.25, 0.5)


def rows(path):
    with gzip.open(path, 'rt', encoding='utf-8') as f:
        next(f)
        for line in f:
            yield line.rstrip('\n').split('\t')


def load(folder):
    life = [(int(r[3]), int(r[4]) if r[4] else float('inf')) for r in rows(os.path.join(folder, 'pages.tsv.gz'))]
    changes = [[] for _ in life]
    for page, when in rows(os.path.join(folder, 'changes.tsv.gz')):
        changes[int(page) - 1].append(int(when))
    with open(os.path.join(folder, 'site.json'), encoding='utf-8') as f:
        return life, changes, json.load(f)['end']


def changed(times, after, until):
    i = bisect.bisect_right(times, after)
    return i < len(times) and times[i] <= until


def coldest_first(life, changes, start, end):
    def rate(page):
        since = max(start - MEMORY, life[page][0])
        seen = bisect.bisect_right(changes[page], start) - bisect.bisect_right(changes[page], since)
        return (seen + 0.1) / (start - since + 30 * DAY)
    return sorted((p for p in range(len(life)) if life[p][0] <= start and life[p][1] > end), key=rate)


def pyramid(order, changes, start, slot):
    """Pages that a plain capture proves."""
    n = len(order)
    return sum(not changed(changes[p], start + i * slot, start + (2 * n - 2 - i) * slot) for i, p in enumerate(order))


def capture(life, changes, start, length):
    order = coldest_first(life, changes, start, start + 2.1 * length)
    n = len(order)
    slot = length / (2 * n - 2)
    turn = start + (n - 1) * slot
    back = order[::-1]
    lost, edit, recent, span = [], None, 0, max(20, n // 100)
    for i, page in enumerate(back):
        lost.append(changed(changes[page], start + (n - 1 - i) * slot, turn + i * slot))
        recent += lost[i] - (lost[i - span] if i >= span else 0)
        if edit is None and i + 1 >= span and recent >= 0.8 * span:
            edit = i
    proved = n - sum(lost)
    if edit is None:
        return None

    def second(first, count):  # revisits first … first + count - 1 are visits, and are revisited in reverse
        end = first + count - 1
        return sum(not changed(changes[back[i]], turn + i * slot, turn + (2 * end - i) * slot)
                   for i in range(first, first + count))
    at_once, at_end = [], []
    for budget in BUDGETS:
        count, before = min(n, int((1 + 2 * budget) * n / 2)), edit - sum(lost[:edit])
        at_once.append(max(before, second(0, count)) if count > max(edit, before) else proved)
        count = min(n, int(2 * budget * n))
        at_end.append(max(proved, second(n - count, count)) if count > proved else proved)
    return [proved] + at_once + at_end[1:] + [max(proved, pyramid(order, changes, start + length, slot))], n


def main(folders):
    head = ['site', 'days', 'captures with a bulk edit', 'pages', 'proved', 'at once, no budget', '25 %', '50 %',
            'at the end, 25 %', '50 %', 'new, 100 %']
    print('| ' + ' | '.join(head) + ' |\n|---' + '|---:' * (len(head) - 1) + '|')
    for folder in folders:
        life, changes, end = load(folder)
        for days in (1, 3, 7, 14, 30):
            made = [capture(life, changes, end - int(2.1 * days * DAY) - k * APART, days * DAY) for k in range(STARTS)]
            hit = [m for m in made if m]
            means = [round(sum(m[0][i] for m in hit) / len(hit)) for i in range(len(hit[0][0]))] if hit else []
            print('| ' + ' | '.join(str(c) for c in [
                os.path.basename(folder.rstrip('/')), days, '%d of %d' % (len(hit), len(made)),
                round(sum(m[1] for m in hit) / len(hit)) if hit else '-'] + (means or ['-'] * 7)) + ' |')


if len(sys.argv) < 2:
    sys.exit(__doc__)
main(sys.argv[1:])
