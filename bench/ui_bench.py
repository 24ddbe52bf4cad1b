# SPDX-License-Identifier: Apache-2.0
"""How long the web interface's questions take: ui_bench.py SHARC ARCHIVE [QUESTION...].

Makes a catalogue of 10 captures of 100,000 pages in ARCHIVE where there is none (bench/ui_catalogue.py). Every question goes
to a server of its own, so that no answer is kept from before, and is asked twice. Prints CPU time and time of both, in milliseconds, and
the digest of the answer, by which two programs can be compared."""
import hashlib
import os
import shutil
import subprocess
import sys
import time
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
QUESTIONS = {
    'archive': 'archive', 'captures': 'captures?grades=1', 'verdict': 'capture?capture=10', 'schedule': 'schedule?capture=10',
    'pages': 'pages?capture=10', 'points': 'points?a=9&b=10', 'graph': 'graph?capture=10', 'calendar': 'calendar?site=ui.example', 'steps': 'steps?site=ui.example', 'subsites': 'subsites?site=ui.example',
    'series': 'series?capture=10', 'pair': 'pair?a=9&b=10',
}


def cpu_of(pid):
    tasks = '/proc/%d/task' % pid
    return sum(int(open(os.path.join(tasks, task, 'schedstat')).read().split()[0]) for task in os.listdir(tasks)) / 1e6


def ask(server, address):
    cpu, begun = cpu_of(server.pid), time.monotonic()
    with urllib.request.urlopen(address) as answer:
        body = answer.read()
    return cpu_of(server.pid) - cpu, (time.monotonic() - begun) * 1000, body


def measure(sharc, archive, name):
    server = subprocess.Popen([sharc, 'serve', '--port', '0', archive], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        base = next(word for line in server.stdout for word in line.split() if word.startswith('http://'))
        address = base.rstrip('/.') + '/api/' + QUESTIONS[name]
        first, second = ask(server, address), ask(server, address)
        print('%-10s %8.0f %8.0f %8.0f %8.0f  %9d  %s' % (name, *first[:2], *second[:2], len(first[2]),
                                                         hashlib.sha256(first[2]).hexdigest()[:16]), flush=True)
    finally:
        server.terminate()
        server.wait()


def main():
    sharc, archive = sys.argv[1:3]
    if not os.path.exists(os.path.join(archive, 'catalogue.db')) and not os.path.exists(os.path.join(archive, 'sharc.yaml')):
        subprocess.run([sharc, '-q', 'import', '--archive', archive], check=True)
        os.mkdir(os.path.join(archive, 'warcs'))
        shutil.copy(os.path.join(HERE, '../tests/data/garden.warc.gz'), os.path.join(archive, 'warcs'))  # serve wants a file
        subprocess.run([sys.executable, os.path.join(HERE, 'ui_catalogue.py'), os.path.join(archive, 'catalogue.db')], check=True)
    print('load %s\n%-10s %8s %8s %8s %8s  %9s  %s' % (os.getloadavg()[0], 'question', 'CPU', 'time', 'CPU 2', 'time 2', 'bytes', 'digest'))
    for name in sys.argv[3:] or QUESTIONS:
        measure(sharc, archive, name)


if __name__ == '__main__':
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main()
