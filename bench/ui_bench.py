# SPDX-License-Identifier: Apache-2.0
"""How long the web interface's questions take: ui_bench.py SHARC ARCHIVE [QUESTION...].

Makes a catalogue of 10 captures of 100,000 pages in ARCHIVE where there is none (bench/ui_catalogue.py), and lets sharc import make what
it keeps beside the rows. With SHARC_TEST_PG=postgresql://… (tools/pg-temp run) everything is asked of a copy in that PostgreSQL instead.
Every question goes to a server of its own, so that no answer is kept from before, and is asked twice. Prints CPU time (with PostgreSQL: its
own and, resolution 10 ms, that of the database behind it) and time of both in milliseconds, and the digest of the answer, by which two
programs can be compared."""
import hashlib
import os
import shutil
import subprocess
import sys
import time
import urllib.parse
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
PAGE = urllib.parse.quote('http://ui.example/news/8/page40.html', safe='')
QUESTIONS = {
    'archives': 'archives', 'archive': 'archive', 'captures': 'captures?grades=1', 'verdict': 'capture?capture=10',
    'schedule': 'schedule?capture=10', 'pages': 'pages?capture=10',
    'worst': 'pages?capture=10&sort=-risk', 'filtered': 'pages?capture=10&q=page1&mime=text/html&sort=-size&offset=2000',
    'skipped': 'skipped?capture=10', 'points': 'points?a=9&b=10', 'graph': 'graph?capture=10', 'against': 'graph?capture=10&against=9',
    'calendar': 'calendar?site=ui.example', 'steps': 'steps?site=ui.example', 'subsites': 'subsites?site=ui.example',
    'series': 'series?capture=10', 'pair': 'pair?a=9&b=10', 'page': 'page?url=' + PAGE, 'week': 'week?url=' + PAGE,
    'reviews': 'reviews?capture=10', 'words': 'words', 'live': 'live', 'trial': 'trial',
    # With a row for every page, which no view asks for at once:
    'schedule-all': 'schedule?capture=10&most=0', 'points-all': 'points?a=9&b=10&most=0', 'points-far': 'points?a=1&b=10',
    'pair-far': 'pair?a=1&b=10', 'graph-all': 'graph?capture=10&fold=0', 'week-site': 'week?site=ui.example',
}


def cpu_of(pid):
    tasks = '/proc/%d/task' % pid
    return sum(int(open(os.path.join(tasks, task, 'schedstat')).read().split()[0]) for task in os.listdir(tasks)) / 1e6


def database_cpu(postmaster):
    """Of a PostgreSQL: processes that ended, and those that have not."""
    if not postmaster:
        return 0
    ticks = 0
    for pid in filter(str.isdigit, os.listdir('/proc')):
        try:
            fields = open('/proc/%s/stat' % pid).read().rsplit(')', 1)[1].split()
        except OSError:
            continue
        if int(pid) == postmaster:
            ticks += sum(map(int, fields[11:15]))
        elif int(fields[1]) == postmaster:
            ticks += int(fields[11]) + int(fields[12])
    return ticks * 1000 / os.sysconf('SC_CLK_TCK')


def ask(server, postmaster, address):
    cpu, database, begun = cpu_of(server.pid), database_cpu(postmaster), time.monotonic()
    with urllib.request.urlopen(address) as answer:
        body = answer.read()
    took = (time.monotonic() - begun) * 1000
    if postmaster:
        time.sleep(0.2)  # until the process behind it has ended
    return cpu_of(server.pid) - cpu, database_cpu(postmaster) - database, took, body


def measure(sharc, archive, postmaster, name):
    server = subprocess.Popen([sharc, 'serve', '--port', '0', archive], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        base = next(word for line in server.stdout for word in line.split() if word.startswith('http://'))
        address = base.rstrip('/.') + '/api/' + QUESTIONS[name]
        ask(server, postmaster, base.rstrip('/.') + '/api/words')  # the first request of all loads what every request needs
        first, second = ask(server, postmaster, address), ask(server, postmaster, address)
        print('%-12s %6.0f %6.0f %7.0f %6.0f %6.0f %7.0f  %8d  %s' % (name, *first[:3], *second[:3], len(first[3]),
                                                                    hashlib.sha256(first[3]).hexdigest()[:16]), flush=True)
    finally:
        server.terminate()
        server.wait()


def keep(sharc, archive):
    subprocess.run([sharc, 'import', '-q', '--archive', archive, os.path.join(archive, 'warcs')], check=True)


def begin(sharc, archive):
    """Make the tables, and a file, without which there is nothing to serve."""
    subprocess.run([sharc, 'import', '-q', '--archive', archive], stderr=subprocess.DEVNULL, check=False)
    os.makedirs(os.path.join(archive, 'warcs'))
    shutil.copy(os.path.join(HERE, '../tests/data/garden.warc.gz'), os.path.join(archive, 'warcs'))


def make(sharc, archive):
    begin(sharc, archive)
    subprocess.run([sys.executable, os.path.join(HERE, 'ui_catalogue.py'), os.path.join(archive, 'catalogue.db')], check=True)
    keep(sharc, archive)


def make_copy(sharc, archive, copy, url):
    os.makedirs(copy)
    with open(os.path.join(copy, 'sharc.yaml'), 'w') as f:
        f.write('store: %s\n' % url)
    begin(sharc, copy)
    subprocess.run([sys.executable, os.path.join(HERE, 'ui_catalogue.py'), os.path.join(archive, 'catalogue.db'), '--copy', url], check=True)
    keep(sharc, copy)


def main():
    sharc, archive = sys.argv[1:3]
    url, postmaster = os.environ.get('SHARC_TEST_PG'), 0
    if not os.path.exists(os.path.join(archive, 'catalogue.db')):
        make(sharc, archive)
    else:  # made by an earlier sharc, perhaps: brought up to date
        subprocess.run([sharc, 'import', '-q', '--archive', archive], check=True)
        keep(sharc, archive)
    if url:
        copy = archive.rstrip('/') + '-pg'
        shutil.rmtree(copy, ignore_errors=True)
        make_copy(sharc, archive, copy, url)
        directory = subprocess.run(['psql', '-qtA', url, '-c', 'SHOW data_directory'], check=True, capture_output=True, text=True).stdout.strip()
        postmaster = int(open(os.path.join(directory, 'postmaster.pid')).readline())
        archive = copy
    print('load %.1f\n%-12s %6s %6s %7s %6s %6s %7s  %8s  %s' % (os.getloadavg()[0], 'question', 'CPU', 'db', 'time', 'CPU 2', 'db 2', 'time 2', 'bytes', 'digest'))
    for name in sys.argv[3:] or QUESTIONS:
        measure(sharc, archive, postmaster, name)


if __name__ == '__main__':
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main()
