/* SPDX-License-Identifier: Apache-2.0
 *
 * Clock and chance of archived scripts. The clock stands at the time of the capture until the page is loaded and
 * runs from there, so that a page asks for the same addresses each time and what moves still moves. A script that
 * waits for the clock before that is not kept waiting: after a thousand looks each one counts a millisecond.
 * In a worker it runs from the first look on. There this comes so early that some of what pages have is not yet made.
 */
#include "view_int.h"

#include "sharc/base_rng.h"

static const char script[] =
    "const D = Date, M = Math, O = Object, R = Reflect, pnow = performance.now.bind(performance);\n"
    "const page = typeof document === 'object';\n"
    "let base = t0, looks = 0, began = -1;\n"
    "const start = () => { base += M.max(0, looks - 1000); began = pnow(); };\n"
    "const now = () => { if (began < 0 && !page) start();\n"
    "  return began < 0 ? base + M.max(0, ++looks - 1000) : base + M.floor(pnow() - began); };\n"
    "const set = (o, n, f) => O.defineProperty(o, n, {value: f, writable: true, configurable: true});\n"
    "if (page) addEventListener('load', start, {once: true, capture: true});\n"
    "const P = new Proxy(D, {apply: () => new D(now()).toString(),\n"
    "  construct: (t, a, n) => R.construct(t, a.length ? a : [now()], n === P ? D : n)});\n"
    "set(D, 'now', {now() { return now(); }}.now);\n"
    "set(D.prototype, 'constructor', P);\n"
    "set(self, 'Date', P);\n"
    "let a = s0, b = s1, c = s2, d = 1;\n"
    "const draw = () => { const t = (a + b | 0) + d | 0; d = d + 1 | 0; a = b ^ b >>> 9; b = c + (c << 3) | 0;\n"
    "  c = (c << 21 | c >>> 11) + t | 0; return t >>> 0; };\n"
    "for (let i = 0; i < 12; i++) draw();\n"
    "set(M, 'random', {random() { return ((draw() >>> 5) * 67108864 + (draw() >>> 6)) / 9007199254740992; }}.random);\n"
    "if (typeof Crypto === 'function') {\n"
    "  const C = Crypto.prototype, fill = C.getRandomValues;\n"
    "  set(C, 'getRandomValues', {getRandomValues(x) { fill.call(this, x);\n"
    "    const u = new Uint8Array(x.buffer, x.byteOffset, x.byteLength);\n"
    "    for (let i = 0; i < u.length; i++) u[i] = draw() >>> 13; return x; }}.getRandomValues);\n"
    "  if (C.randomUUID) set(C, 'randomUUID', {randomUUID() {\n"
    "    const u = Array.from({length: 16}, () => draw() >>> 13 & 255); u[6] = u[6] & 15 | 64; u[8] = u[8] & 63 | "
    "128;\n"
    "    const h = u.map(x => (x + 256).toString(16).slice(1)).join('');\n"
    "    return h.slice(0, 8) + '-' + h.slice(8, 12) + '-' + h.slice(12, 16) + '-' + h.slice(16, 20) + '-' + "
    "h.slice(20);\n"
    "  }}.randomUUID);\n"
    "}\n"
    "try { O.defineProperty(Performance.prototype, 'timeOrigin', {get: () => t0, configurable: true}); } catch {}\n"
    "const F = Intl.DateTimeFormat.prototype, get = O.getOwnPropertyDescriptor(F, 'format').get, parts = "
    "F.formatToParts;\n"
    "O.defineProperty(F, 'format', {get() { const f = get.call(this); return x => f(x === undefined ? now() : x); },\n"
    "  configurable: true});\n"
    "set(F, 'formatToParts', {formatToParts(x) { return parts.call(this, x === undefined ? now() : x); "
    "}}.formatToParts);\n"
    "if (typeof Temporal === 'object') {\n"
    "  const T = Temporal, N = T.Now, at = () => T.Instant.fromEpochMilliseconds(now());\n"
    "  const zoned = z => at().toZonedDateTimeISO(z === undefined ? N.timeZoneId() : z);\n"
    "  set(N, 'instant', at); set(N, 'zonedDateTimeISO', zoned);\n"
    "  set(N, 'plainDateTimeISO', z => zoned(z).toPlainDateTime());\n"
    "  set(N, 'plainDateISO', z => zoned(z).toPlainDate()); set(N, 'plainTimeISO', z => zoned(z).toPlainTime());\n"
    "}\n";

void sharc__view_freeze(sharc_time when, struct sharc_buf *out)
{
    struct sharc_rng rng;
    sharc_rng_init(&rng, (uint64_t)when);
    sharc_buf_printf(out, "(() => {\nconst t0 = %lld", (long long)(when / SHARC_MSEC));
    for (int i = 0; i < 3; i++) sharc_buf_printf(out, ", s%d = %u", i, (unsigned)(sharc_rng_u64(&rng) >> 33));
    sharc_buf_printf(out, ";\n%s})();", script);
}
