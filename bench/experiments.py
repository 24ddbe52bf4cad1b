#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Make the tables of docs/experiments.md: experiments.py SHARC DATASETS [PART...]

Runs `sharc sim` and `sharc rates` over the papers' tables and over all recorded sites,
windows and strategies. DATASETS is a directory of datasets (docs/datasets.md). When it holds
the six of docs/experiments.md, each part is replaced there between its two marks, and every
figure of every paper table goes to docs/experiments-papers.md; with any others, such as
those in the directory datasets of this tree, the parts about recorded sites are printed.
One seed, so one command gives one document. Parts: papers reference strategies targets forms signals rates
prediction knowledge promises continuous; all of them if none is named. Of the part
"promises" FILE of SHARC_PROMISES=FILE gets every case as a line of JSON, and
SHARC_PROMISES_FIRST=12 makes the starts before the last twelve.
"""
import concurrent.futures
import csv
import io
import json
import os
import re
import statistics
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(ROOT, 'docs', 'experiments.md')
PAPERS = os.path.join(ROOT, 'docs', 'experiments-papers.md')
SIX = ['hot-lists', 'kubernetes-docs', 'mdn-translated', 'openbsd-www', 'php-web', 'telegram-web']
SITES, WINDOWS = [], {}  # filled by find_sites
RATES = ['oracle', 'history', 'age', 'near', 'predicted', 'combined', 'sitemap']


def find_sites():
    """The datasets below DATASETS, and the windows that their time has room for."""
    SITES.extend(s for s in sorted(os.listdir(DATASETS))
                 if any(os.path.exists(os.path.join(DATASETS, s, 'pages.tsv' + z)) for z in ('', '.gz')))
    for site in SITES:
        WINDOWS[site] = [7, 30] if site == 'hot-lists' else [7, 30, 365]  # hardly a page of hot-lists lives a year
        if site in SIX:
            continue
        with open(os.path.join(DATASETS, site, 'site.json'), encoding='utf-8') as f:
            about = json.load(f)
        days = (about['end'] - about['start']) / 86400
        WINDOWS[site] = [d for d in WINDOWS[site] if 2 * d <= days] or [max(1, int(days / 2))]


def call(*args):
    return subprocess.run([SHARC, 'sim', '-q', *args], check=True, capture_output=True, text=True).stdout


def crawl(site, days, strategies, *args):
    found = json.loads(call('--json', '--dataset', os.path.join(DATASETS, site), '--days', str(days), '--no-bound',
                            '--strategy', strategies, *args))
    return found, {r['strategy']: r for r in found['results']}


def table(head, rows):
    out = ['| ' + ' | '.join(head) + ' |', '|---' + '|---:' * (len(head) - 1) + '|']
    out += ['| ' + ' | '.join(str(c) for c in row) + ' |' for row in rows]
    return '\n'.join(out) + '\n'


def combinations():
    return [(s, d) for s in SITES for d in WINDOWS[s]]


def papers():
    """Every figure into its own page; columns and rankings here."""
    names = ['4.4a', '4.4b', '4.5a', '4.5b', '4.6a', '4.6b', '5.1', '5.2', '5.9', '5.10', '5.11', '5.12', '5.13', '5.14']
    pages, rows = [], []
    for name in names:
        figures = list(csv.DictReader(io.StringIO(call('--table', name, '--csv'))))
        columns = {}
        for f in figures:
            c = columns.setdefault(f['strategy'], {'paper': 0, 'sharc': 0, 'any': f['tree_independent'] == 'yes'})
            c['paper'] += float(f['paper'])
            c['sharc'] += float(f['sharc'])
        for strategy, c in columns.items():
            rows.append([name, strategy, '%.4g' % c['paper'], '%.4g' % c['sharc'],
                         '%+.1f %%' % (100 * (c['sharc'] / c['paper'] - 1)), 'any' if c['any'] else ''])
        pages.append('## Table %s\n\n' % name + table(
            ['pages', 'skew', 'slow-down', 'τ', 'strategy', 'paper', 'sharc', '±', 'deviation', 'tree'],
            [[f['pages'], f['skew'], f['slowdown'], f['tau'], f['strategy'], f['paper'],
              '%.4g' % float(f['sharc']), '%.2g' % float(f['ci']), '%+.1f %%' % (100 * float(f['deviation'])),
              'any' if f['tree_independent'] == 'yes' else ''] for f in figures]))
    with open(PAPERS, 'w', encoding='utf-8') as f:
        f.write('# The papers\' tables of synthetic sites, figure by figure\n\nMade by `bench/experiments.py`; '
                '[experiments.md](experiments.md) explains the deviations. "any": the tree does not matter.\n\n'
                + '\n'.join(pages))
    return '### The papers\' columns, summed over their rows\n\n' + table(
        ['table', 'strategy', 'paper', 'sharc', 'deviation', 'tree'], rows)


def reference_rows():
    """Rows of the independent simulator's table; none if the file is not there."""
    path = os.path.join(DATASETS, 'REFERENCE.md')
    if not os.path.exists(path):
        return []
    with open(path, encoding='utf-8') as f:
        lines = [[c.strip() for c in line.strip().strip('|').split('|')] for line in f if re.match(r'\| [a-z]', line)]
    return lines[1:]


def reference():
    """The figures of the independent simulator."""
    rows = []
    for c in reference_rows():
        site, days = c[0], int(c[1])
        found, r = crawl(site, days, 'bfs,sharc-offline,bfs-fifo,bfs-lifo,sharc-selective-offline,sharc-focus')
        fixed = crawl(site, days, 'sharc-focus', '--focus-bfs', '--focus-pages', '5%')[1]['sharc-focus']
        own = r['sharc-focus']

        def count(name):
            return round(r[name]['incoherence'])
        rows.append([site, days, '%s / %d' % (c[2], found['pages']), '%s / %d' % (c[4], count('bfs-fifo')),
                     '%s / %d' % (c[5], count('bfs-lifo')), '%s / %d' % (c[6], count('sharc-selective-offline')),
                     '%s / %d' % (c[10], round(fixed['incoherence'])), count('sharc-focus'),
                     '%.1f %%' % (100 * own['second_looks'] / (own['requests'] - own['second_looks'])),
                     '%s / %.3f' % (c[12], r['bfs']['average_blur']),
                     '%s / %.3f' % (c[13], r['sharc-offline']['average_blur'])])
    return '### Beside the independent simulator (reference / sharc)\n\n' + table(
        ['site', 'days', 'pages', 'bfs-fifo', 'bfs-lifo', 'oracle', 'focus 5 %', 'sharc-focus', 'extra requests',
         'blur bfs', 'blur oracle'], rows)


def strategies():
    out = ['### Every strategy on every site\n\nOracle rates, nothing known beforehand. In each cell the blur per page '
           'and the incoherent pages.\n']
    for site in SITES:
        results = {d: crawl(site, d, 'all') for d in WINDOWS[site]}
        names = [r['strategy'] for r in results[WINDOWS[site][0]][0]['results']]
        rows = []
        for name in names:
            row = [name]
            for d in WINDOWS[site]:
                r = results[d][1][name]
                row += ['%.4f' % r['average_blur'], '%d' % round(r['incoherence'])]
            rows.append(row)
        head = [site]
        for d in WINDOWS[site]:
            head += ['%d d, %d pages: blur' % (d, results[d][0]['pages']), 'incoherent']
        out.append(table(head, rows))
    return '\n'.join(out)


def targets():
    """Rates that know no future, against the best simple ones of the independent simulator."""
    rows, sums = [], [0] * 8
    first = ('sharc-focus', '--rates', 'near', '--focus-bfs')
    captures = [('sharc-selective-offline', '--rates', 'combined'),
                ('sharc-focus', '--rates', 'combined', '--known', '100%'), first + ('--focus-pages', '5%'),
                first + ('--focus', '10%'), first + ('--focus', '15%'), first + ('--focus', '20%')]

    def incoherent(site, days, strategy, *args):
        return round(crawl(site, days, strategy, *args)[1][strategy]['incoherence'])
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        made = [[pool.submit(incoherent, c[0], int(c[1]), *capture) for capture in captures] for c in reference_rows()]
    for c, all_found in zip(reference_rows(), made):
        site, days, lifo, oracle, focus = c[0], int(c[1]), int(c[5]), int(c[6]), int(c[11])
        simple = min(int(x) for x in c[7:10])
        found = [f.result() for f in all_found]
        figures = [simple] + found[:2] + [focus] + found[2:]
        counts = 2 * oracle <= lifo
        if counts:
            sums = [a + b for a, b in zip(sums, figures)]
        rows.append([site, days, 'yes' if counts else ''] + figures)
    rows.append(['sum of the rows with yes', '', ''] + sums)
    rows.append(['against best simple, focus age', '', '', ''] +
                ['%+.1f %%' % (100 * (x / sums[0] - 1)) for x in sums[1:3]] + [''] +
                ['%+.1f %%' % (100 * (x / sums[3] - 1)) for x in sums[4:]])
    return '### Rates that know no future: incoherent pages\n\n' + table(
        ['site', 'days', 'oracle halves bfs-lifo', 'best simple', 'combined', 'combined, at most 10 % second looks',
         'focus age, 5 % of pages', 'focus near, 5 % of pages', 'at most 10 % more requests', 'at most 15 %',
         'at most 20 %'], rows)


def forms():
    """A first capture against breadth-first in both forms, and against ages at equal cost."""
    head = ['site', 'days', 'bfs-lifo in the same time', 'at the delay of 2.5 % more requests',
            'at the delay of 10 % more', 'focus near, 2.5 % more requests', 'focus age, 2.5 %',
            'focus near, at most 10 %', 'focus age, at most 10 %']
    rows, sums = [], [0] * (len(head) - 2)
    for site, days in combinations():
        def both(source, *cost):
            r = crawl(site, days, 'bfs-lifo,sharc-focus', '--rates', source, '--focus-bfs', *cost)[1]
            return [round(r['bfs-lifo']['incoherence_same_time']), round(r['bfs-lifo']['incoherence_same_delay']),
                    round(r['sharc-focus']['incoherence'])]
        less, more = both('near', '--focus-pages', '5%'), both('near', '--focus', '10%')
        age, age_more = both('age', '--focus-pages', '5%'), both('age', '--focus', '10%')
        figures = [less[0], less[1], more[1], less[2], age[2], more[2], age_more[2]]
        sums = [a + b for a, b in zip(sums, figures)]
        rows.append([site, days] + figures)
    rows.append(['sum', ''] + sums)
    return '### A first capture, in the same time and at the same delay: incoherent pages\n\n' + table(head, rows)


def signals():
    """What it is worth that a site says itself what has changed, honestly and otherwise."""
    first = ('--rates', 'near', '--focus-bfs')
    known = ('--rates', 'combined', '--known', '100%')
    how = [(first, None), (first, 'lastmod'), (first, 'lastmod:0.5,1'), (first, 'lastmod:1,0.667'),
           (first, 'lastmod:1,0'), (known, None), (known, 'lastmod')]
    rows, sums = [], [0] * len(how)
    for site in SITES:
        for days in [d for d in WINDOWS[site] if d != 7] or WINDOWS[site]:
            lost, cost = [], []
            for args, says in how:
                found, by = crawl(site, days, 'sharc-focus', *args, *(('--signals', says) if says else ()))
                lost.append(round(by['sharc-focus']['incoherence']))
                cost.append('%+.1f %%' % (100 * (by['sharc-focus']['requests'] / (2 * found['pages'] - 1) - 1)))
            sums = [a + b for a, b in zip(sums, lost)]
            rows.append([site, days] + lost[:5] + [cost[1]] + lost[5:] + [cost[6]])
    rows.append(['sum', ''] + sums[:5] + [''] + sums[5:] + [''])
    return '### Signals: incoherent pages of sharc-focus, at most 10 % more requests\n\n' + table(
        ['site', 'days', 'first capture', 'honest sitemap', 'half of the changes', 'a third false', 'all stamped now',
         'requests, honest', 'recurring capture', 'honest sitemap', 'requests'], rows)


def prediction():
    """Ten-fold cross-validation of all learners, and what held-out predictions are worth."""
    parts = []
    for days in sorted({w[-1] for w in WINDOWS.values()}, reverse=True):
        sites = [os.path.join(DATASETS, s) for s in SITES if WINDOWS[s][-1] == days]
        out = subprocess.run([SHARC, 'rates', 'evaluate', '-q', '--days', str(days), '--worth', '--markdown', *sites],
                             check=True, capture_output=True, text=True).stdout
        parts.append('Last %d days:\n\n%s' % (days, out))
    return '### Prediction from features\n\n' + '\n'.join(parts)


def rates():
    rows = []
    for site, days in combinations():
        row = [site, days]
        for source in RATES:
            row.append(round(crawl(site, days, 'sharc-selective-offline', '--rates', source)[1]
                             ['sharc-selective-offline']['incoherence']))
        rows.append(row)
    return '### What rates are worth: incoherent pages of sharc-selective-offline\n\n' + table(
        ['site', 'days'] + RATES, rows)


def knowledge():
    rows = []
    for site, days in combinations():
        best = crawl(site, days, 'sharc-selective-offline,sharc-offline')[1]
        row = [site, days, round(best['sharc-selective-offline']['incoherence'])]
        blurs = ['%.4f' % best['sharc-offline']['average_blur']]
        for known in ('0', '50%', '90%'):
            r = crawl(site, days, 'sharc-selective-online,sharc-online', '--known', known, '--runs', '5')[1]
            row.append('%.1f' % r['sharc-selective-online']['incoherence'])
            blurs.append('%.4f' % r['sharc-online']['average_blur'])
        rows.append(row + blurs)
    return '### What knowledge is worth\n\nsharc-selective-online against offline (incoherent pages), sharc-online ' \
        'against offline (blur), by the share of pages known beforehand; mean of 5 choices.\n\n' + table(
            ['site', 'days', 'offline', '0', '50 %', '90 %', 'blur offline', '0', '50 %', '90 %'], rows)


PROMISED = ['bfs-lifo', 'sharc-selective-offline']
STARTS, APART = 12, {7: 28, 30: 30, 365: 60}  # captures of each length, and the days between their ends


def promised(site, days, k, *args):
    """What was promised for the window that ends k steps before the end, and what came."""
    with open(os.path.join(DATASETS, site, 'site.json'), encoding='utf-8') as f:
        about = json.load(f)
    to = about['end'] - k * APART[days] * 86400
    if to - days * 86400 < about['start'] + 30 * 86400:
        return []
    found = json.loads(call('--json', '--dataset', os.path.join(DATASETS, site), '--from', '@%d' % (to - days * 86400),
                            '--to', '@%d' % to, '--no-bound', '-t', '1', '--promises', *args))
    cases = [{'site': site, 'days': days, 'k': k, 'windows': found['promises']['windows'], 'pages': found['pages'],
              'rates': found['rates'], 'strategy': r['strategy'], 'came': r['incoherence'],
              'expected': found['pages'] - r['expected_coherence'], 'median': r['promised_incoherence'],
              'low': r['promised_incoherence_low'], 'high': r['promised_incoherence_high'],
              'blur': r['average_blur'], 'blur_low': r['promised_blur_low'], 'blur_median': r['promised_blur'],
              'blur_high': r['promised_blur_high']} for r in found['results']]
    if os.environ.get('SHARC_PROMISES'):
        with open(os.environ['SHARC_PROMISES'], 'a', encoding='utf-8') as f:
            f.writelines(json.dumps(c) + '\n' for c in cases)
    return cases


def promise_row(cases):
    """Cases, the share that held, and the medians of promised to measured losses and of losses."""
    held = sum(c['low'] <= c['came'] <= c['high'] for c in cases)
    blurs = sum(c['blur_low'] <= c['blur'] <= c['blur_high'] for c in cases)

    def middle(values):
        return statistics.median(list(values))
    return [len(cases), '%d %%' % round(100 * held / len(cases)), '%d %%' % round(100 * blurs / len(cases)),
            '%d' % middle(c['came'] for c in cases), '%d' % middle(c['median'] for c in cases),
            '%d to %d' % (middle(c['low'] for c in cases), middle(c['high'] for c in cases)),
            '%.2f' % middle((c['median'] + .5) / (c['came'] + .5) for c in cases),
            '%.2f' % middle((c['expected'] + .5) / (c['came'] + .5) for c in cases)]


def promises():
    """Intervals against what came: constants were chosen on earlier starts, and are judged on the last."""
    first = int(os.environ.get('SHARC_PROMISES_FIRST', 0))
    rows, every, sites = [], {s: [] for s in PROMISED}, []
    for site, days in combinations():
        if days not in APART:
            continue
        cases = [c for k in range(first, first + STARTS)
                 for c in promised(site, days, k, '--rates', 'combined', '--strategy', ','.join(PROMISED))]
        for strategy in PROMISED:
            mine = [c for c in cases if c['strategy'] == strategy]
            every[strategy] += mine
            if mine:
                rows.append([site, days, strategy] + promise_row(mine))
    for strategy in PROMISED:
        for site in SITES:
            mine = [c for c in every[strategy] if c['site'] == site]
            if mine:
                sites.append([site, '', strategy] + promise_row(mine))
    sites += [['all', '', s] + promise_row(c) for s, c in every.items() if c]
    return '### What is promised, and what comes\n\n' + table(
        ['site', 'days', 'strategy', 'captures', 'losses within', 'blur within', 'lost', 'promised', 'interval',
         'promised / lost', 'rates alone / lost'], rows + sites)


SCENES = (('hot-lists', 14), ('hot-lists', 14, '5min'), ('telegram-web', 14), ('php-web', 60), ('openbsd-www', 30),
          ('kubernetes-docs', 14), ('mdn-translated', 7))


def continuous():
    out = ['### Continuous capture\n\nAt 10 to 100 % of the resources; `sharc sim --continuous --measure '
           'completeness,freshness,coherence,exact,blur`, for recorded sites with `--dataset DIR --days N`. *Coherence* '
           'and *exact* are the two forms of query coherence: at any common instant, and at the instant asked for.\n']
    scenes = SCENES if SITES == SIX else [(s, 14) for s in SITES]
    measures = 'completeness,freshness,coherence,exact,blur'
    for title, args in [('Pages with habits', ())] + [('%s, last %d days' % s[:2], s) for s in scenes]:
        where = ['--dataset', os.path.join(DATASETS, args[0]), '--days', str(args[1])] if args else []
        if len(args) > 2:
            title += ', chosen every five minutes (`--step %s`)' % args[2]
            where += ['--step', args[2]]
        out.append('%s:\n\n%s' % (title, call('--continuous', '--markdown', '--measure', measures, *where)))
    return '\n'.join(out)


PARTS = (papers, reference, strategies, targets, forms, signals, rates, prediction, knowledge, promises, continuous)


def main(wanted):
    for make in PARTS:
        name = make.__name__
        if wanted and name not in wanted:
            continue
        if SITES != SIX and name in ('papers', 'reference', 'targets'):
            continue  # not about these sites
        made = make()
        if SITES != SIX:
            print(made)
            continue
        with open(PAGE, encoding='utf-8') as f:
            text = f.read()
        begin, end = '<!-- begin %s -->\n' % name, '<!-- end %s -->' % name
        before, rest = text.split(begin, 1)
        with open(PAGE, 'w', encoding='utf-8') as f:
            f.write(before + begin + '\n' + made + '\n' + end + rest.split(end, 1)[1])
        print('%s: done' % name, file=sys.stderr)


if len(sys.argv) < 3:
    sys.exit(__doc__)
SHARC, DATASETS = sys.argv[1:3]
find_sites()
if not SITES:
    sys.exit('%s: holds no dataset; name a directory of datasets' % DATASETS)
main(sys.argv[3:])
