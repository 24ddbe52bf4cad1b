# SPDX-License-Identifier: Apache-2.0
"""serve-api.py PAGES URL DIRECTORY: asks every path of /api/openapi.json of the server at PAGES, and holds each answer against
the schema there: no member is missing, unknown or of another type. Then what the numbers must be to each other. One line
for each thing that is wrong; exit 1 when there is one."""
import json
import sys
import urllib.error
import urllib.parse
import urllib.request

pages, url, directory = sys.argv[1:4]
wrong = []


def get(path, **parameters):
    query = urllib.parse.urlencode(parameters)
    try:
        with urllib.request.urlopen(pages + path.lstrip('/') + ('?' + query if query else '')) as r:
            return r.status, r.headers, json.load(r)
    except urllib.error.HTTPError as e:
        body = e.read().decode()
        expect(directory not in body, '%s?%s tells where the archive is: %s' % (path, query, body))
        return e.code, e.headers, json.loads(body)


def expect(condition, text):
    if not condition:
        wrong.append(text)


def is_of(value, kind):
    kinds = kind if isinstance(kind, list) else [kind]
    known = {'string': str, 'integer': int, 'number': (int, float), 'boolean': bool, 'array': list, 'object': dict,
             'null': type(None)}
    return any(isinstance(value, known[k]) and not (k in ('integer', 'number') and isinstance(value, bool)) for k in kinds)


def hold(where, schema, answer):
    for name in schema['required']:
        expect(name in answer, '%s: %s is missing' % (where, name))
    for name, value in answer.items():
        expect(name in schema['properties'], '%s: nobody has heard of %s' % (where, name))
        if name in schema['properties']:
            expect(is_of(value, schema['properties'][name]['type']), '%s: %s is %r' % (where, name, value))


status, head, openapi = get('/api/openapi.json')
expect(status == 200 and openapi['openapi'] == '3.1.0', 'openapi.json')
values = {'capture': 'latest', 'a': '1', 'b': 'latest', 'url': url}
for path, about in openapi['paths'].items():
    if 'get' not in about:
        continue
    operation = about['get']
    answers = operation['responses']
    needed = {p['name']: values[p['name']] for p in operation['parameters'] if p['required']}
    status, head, answer = get(path, **needed)
    expect(status == 200, '%s: %d %s' % (path, status, answer))
    expect('Content-Security-Policy' in head and head['Content-Type'] == 'application/json', '%s: headers' % path)
    if status == 200:
        hold(path, answers['200']['content']['application/json']['schema'], answer)
    error = answers['default']['content']['application/json']['schema']
    for name in needed:  # without it, and with what is none
        status, _, answer = get(path, **{k: v for k, v in needed.items() if k != name})
        expect(status == 400, '%s without %s: %d' % (path, name, status))
        hold(path + ' without ' + name, error, answer)
        if path != '/api/coherence':
            status, _, answer = get(path, **{**needed, name: 'no such thing'})
            expect(status in (400, 404), '%s with a wrong %s: %d' % (path, name, status))
    for p in operation['parameters']:
        if p['schema']['type'] == 'integer':
            for bad in ('x', '-1', '99999999999999999999'):
                status, _, answer = get(path, **{**needed, p['name']: bad})
                expect(status in (400, 404), '%s with %s=%s: %d' % (path, p['name'], bad, status))
status, _, answer = get('/api/nothing')
expect(status == 404 and 'error' in answer, 'an unknown path')

# --- numbers -------------------------------------------------------------------------------
_, _, archive = get('/api/archive')
_, _, captures = get('/api/captures')
expect(captures['total'] == archive['captures'] == len(captures['captures']) == 2, 'captures: %r' % captures['total'])
_, _, capture = get('/api/capture', capture='latest')
_, _, all_pages = get('/api/pages', capture='latest', limit=1000)
expect(all_pages['total'] == all_pages['matched'] == len(all_pages['pages']) == capture['pages'],
       'pages: %r' % [all_pages['total'], all_pages['matched'], len(all_pages['pages']), capture['pages']])
grades = {g['word']: g['pages'] for g in capture['verdict']['grades']}
expect(sum(grades.values()) >= all_pages['total'], 'grades: %r' % grades)
for facet, of in (('status', lambda p: '%dxx' % (p['status'] // 100) if p['status'] else 'failed'),
                  ('mime', lambda p: p['mime'] or 'unknown'), ('grade', lambda p: p['grade'])):
    counted = {}
    for p in all_pages['pages']:
        counted[of(p)] = counted.get(of(p), 0) + 1
    expect(all_pages['facets'][facet] == counted, 'facet %s: %r, not %r' % (facet, all_pages['facets'][facet], counted))
    for word, count in counted.items():
        if word == 'unknown':
            continue
        _, _, some = get('/api/pages', capture='latest', limit=1000, **{facet: word})
        expect(some['facets'][facet] == counted, 'facet %s does not count beside its own filter' % facet)
        expect(all(of(p).startswith(word) for p in some['pages']) and some['matched'] >= count, 'filter %s=%s' % (facet, word))
for sort, key in (('url', lambda p: p['url']), ('size', lambda p: p['size'] if p['size'] is not None else -1), ('time', lambda p: p['when'])):
    _, _, up = get('/api/pages', capture='latest', limit=1000, sort=sort)
    _, _, down = get('/api/pages', capture='latest', limit=1000, sort='-' + sort)
    expect([key(p) for p in up['pages']] == sorted(key(p) for p in up['pages']), 'sort=' + sort)
    expect(up['pages'] == down['pages'][::-1], 'sort=-' + sort)
joined, offset = [], 0
while offset < all_pages['total']:
    _, _, part = get('/api/pages', capture='latest', limit=7, offset=offset)
    joined += part['pages']
    offset += 7
expect(joined == all_pages['pages'], 'paging')
_, _, found = get('/api/pages', capture='latest', q=all_pages['pages'][3]['url'])
expect(all_pages['pages'][3]['url'] in [p['url'] for p in found['pages']], 'q')
status, _, _ = get('/api/pages', capture='latest', sort='colour')
expect(status == 400, 'an unknown order')
_, _, pair = get('/api/pair', a='1', b='latest', limit=1000)
expect(pair['matched'] == sum(pair['counts'].values()) == len(pair['pages']), 'pair: %r' % pair['counts'])
_, _, page = get('/api/page', url=url)
expect(len(page['versions']) == 2 and page['versions'][0]['visit']['when'] < page['versions'][1]['visit']['when'], 'versions')
_, _, skipped = get('/api/skipped', capture='latest', limit=1000)
expect(skipped['matched'] == sum(skipped['reasons'].values()), 'skipped: %r' % skipped['reasons'])
_, _, series = get('/api/series', capture='latest')
expect(series['captures'] == 2 and series['pages'] > 0, 'series: %r' % series)
status, _, none = get('/api/archive', archive=1)
expect(status == 404, 'an archive that is not served')
for w in wrong:
    print(w, file=sys.stderr)
sys.exit(1 if wrong else 0)
