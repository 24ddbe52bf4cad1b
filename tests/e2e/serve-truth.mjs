// SPDX-License-Identifier: Apache-2.0
// serve-truth.mjs MODULES CHROMIUM TIMEOUT PAGES TRUTH ORIGIN LEAST [DIR]: what the bar says of every page of a captured
// site of the lab, against the log of the lab, which knows every version. LEAST: how many of the pages must be proven in
// a coherent state. Screenshots to DIR. Exit 0: nothing said is wrong, 1: something is, 2: no browser.
import fs from "node:fs";
import path from "node:path";
import { createRequire } from "node:module";

const [modules, executablePath, seconds, pages, log, origin, least, dir] = process.argv.slice(2);
const require = createRequire(path.join(path.resolve(modules), "x.cjs"));
const timeout = Number(seconds) * 1000;
let browser;
try {
  const { chromium } = require("playwright-core");
  browser = await chromium.launch({ executablePath, timeout, args: ["--no-sandbox"] });
} catch (e) {
  console.error(String(e));
  process.exit(2);
}
const problems = [];
const micros = (iso) => Date.parse(iso.slice(0, 19) + "Z") * 1000 + Number((/\.(\d+)/.exec(iso)?.[1] ?? "0").padEnd(6, "0").slice(0, 6));

// path -> versions by time: from when on, and what
const truth = new Map();
for (const line of fs.readFileSync(log, "utf8").split("\n")) {
  if (!line) continue;
  const v = JSON.parse(line);
  if (!v.sha256 || !v.path) continue;
  if (!truth.has(v.path)) truth.set(v.path, []);
  truth.get(v.path).push({ from: micros(v.time), sha256: v.sha256, status: v.status });
}
const versionAt = (p, t) => truth.get(p)?.findLast((v) => v.from <= t);
const instantsOf = (paths) => paths.flatMap((p) => truth.get(p).map((v) => v.from));
const pathOf = (url) => url.slice(origin.length);
const isSame = (part, t) => `sha256:${versionAt(pathOf(part.url), t)?.sha256}` === part.digest;

const counts = {};
let shown = 0, loads = 0;
const context = await browser.newContext();
context.setDefaultTimeout(timeout);
const page = await context.newPage();

/* Everything that was said about one address, against the truth. */
function judge(said, what) {
  const archived = said.parts.filter((p) => p.state !== "missing" && p.status === 200);
  const [from, to] = said.instant.map(micros);
  const all = (t) => archived.every((p) => isSame(p, t));
  const known = archived.every((p) => truth.has(pathOf(p.url)));
  if (!known) problems.push(`${what}: a part that the lab does not know`);
  const between = instantsOf(archived.map((p) => pathOf(p.url))).filter((t) => t > from && t <= to);
  // of its own download it is not known at which instant it was there
  const span = [from, to, ...between, ...between.map((t) => t - 1)];
  if (said.state === "proven" && !(said.instant[0] === said.instant[1] || said.parts.length > 1 ? span.every(all) : span.some(all)))
    problems.push(`${what}: proven, but ${archived.filter((p) => !isSame(p, from)).map((p) => p.url)} was not so at ${said.instant}`);
  if (said.state === "proven" && said.parts.some((p) => p.state === "missing")) problems.push(`${what}: proven, and a part is missing`);
  if (said.state === "mixed" && span.every(all)) problems.push(`${what}: mixed, but all was so at ${said.instant}`);
  // either the page was another one then, or there is no instant for all of it
  if (said.state === "contradicted" && span.some((t) => isSame(said.parts[0], t)) && instantsOf(archived.map((p) => pathOf(p.url))).some(all))
    problems.push(`${what}: contradicted, and yet it existed`);
  for (const p of archived) {
    const t = micros(p.t);
    if (p.state === "refuted" && span.every((t) => isSame(p, t))) problems.push(`${what}: ${p.url} refuted, but it was so`);
    if (p.proven)
      for (const v of [...truth.get(pathOf(p.url)).map((v) => v.from), ...p.proven.map(micros)])
        if (v >= micros(p.proven[0]) && v <= micros(p.proven[1]) && !isSame(p, v))
          problems.push(`${what}: ${p.url} is said to have been so from ${p.proven}, it was not at ${v}`);
    if (p.t && !truth.get(pathOf(p.url)).some((v) => v.from <= t + 1e6 && `sha256:${v.sha256}` === p.digest))
      problems.push(`${what}: ${p.url} never was what is shown`);
  }
}

/* One address in the browser: the bar and the API say the same, and what the frame loads is what was judged. */
async function visit(mapping, time, url) {
  const answers = [];
  const note = (r) => answers.push(r);
  page.on("response", note);
  await page.goto(`${pages}view/${mapping}/${time}/${url}`);
  const frame = await (await page.$("iframe")).contentFrame();
  await frame.waitForLoadState("load");
  page.off("response", note);
  const [, , , at] = new URL(page.url()).pathname.split("/");
  const said = await (await fetch(`${pages}api/coherence?mapping=${mapping}&at=${at}&url=${encodeURIComponent(url)}`)).json();
  const what = `/${mapping}/${at}/${url}`;
  const bar = (await page.textContent(".bar summary")).replace(/\s+/g, " ");
  if (!(await page.$(`.bar.v-${said.state}`)) || !bar.includes(said.state) || !bar.includes(said.text))
    problems.push(`${what}: the bar says ${bar}, the API ${said.state} ${said.text}`);
  judge(said, what);
  counts[`${mapping} ${said.state}`] = (counts[`${mapping} ${said.state}`] ?? 0) + 1;
  for (const r of answers) {
    const asked = /^\/\w+\/\d+(?:im_|cs_|js_|if_|oe_)\/(http.*)$/.exec(new URL(r.url()).pathname + new URL(r.url()).search);
    const part = asked && said.parts.find((p) => p.url === asked[1]);
    if (!part) continue;
    loads++;
    const memento = /\/web\/(\d+)\/[^>]*>; rel="memento"/.exec(r.headers().link ?? "");
    if (part.state === "missing" ? r.status() !== 404 : !memento || memento[1] !== part.timestamp)
      problems.push(`${what}: ${asked[1]} was judged as of ${part.timestamp}, and shown as of ${memento?.[1]}`);
  }
  // links keep mapping and instant
  const links = await frame.$$eval("a[href]", (all) => all.map((a) => new URL(a.href).pathname));
  for (const l of links) if (!l.startsWith(`/view/${mapping}/${at}/`)) problems.push(`a link of ${page.url()} leads to ${l}`);
  if (!links.length) problems.push(`${what}: no links`);
  shown++;
  return said;
}

/* Two limits, moved by keys and by the mouse: what lies beyond them is refused, and said to be. */
async function limits(url) {
  const { timestamp } = await (await fetch(`${pages}api/coherence?url=${encodeURIComponent(url)}`)).json();
  await page.goto(`${pages}view/web/${timestamp}/${url}`);
  await page.focus(".bar summary");
  await page.keyboard.press("Enter");
  await page.focus("#limit-from");
  for (let i = 0; i < 24; i++) await page.keyboard.press("ArrowRight");
  const wanted = await page.inputValue("#from");
  await page.keyboard.press("Enter");
  await page.waitForURL(/~/);
  if (!decodeURI(page.url()).includes(`${timestamp}~${wanted}..+1000y~/`)) problems.push(`the limit ${wanted} leads to ${page.url()}`);
  if (!(await page.textContent(".bar summary")).includes("parts within")) problems.push("the bar does not name the limits");
  await page.click(".bar summary");
  const box = await (await page.$("#limit-to")).boundingBox();
  const left = await (await page.$("#limit-from")).boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(left.x + left.width / 2 + 3, box.y + 40, { steps: 5 });
  await page.mouse.up();
  await page.waitForURL((u) => !u.href.includes("1000y"));
  const within = /~([^~]*)~/.exec(decodeURI(page.url()))[1];
  await refused(timestamp, url, within);
  await page.goto(`${pages}view/web/${timestamp}/${url}?within=%2B1y..%2B2y`);
  if (!(await refused(timestamp, url, "+1y..+2y"))) problems.push("limits that nothing is within refuse nothing");
}

/* How many pieces are refused: as many as lie beyond the limits, in the digits of the address. */
async function refused(timestamp, url, within) {
  const said = await (await fetch(`${pages}api/coherence?at=${timestamp}&url=${encodeURIComponent(url)}&within=${encodeURIComponent(within)}`)).json();
  const frame = await (await page.$("iframe")).contentFrame();
  await frame.waitForLoadState("load");
  const red = await page.$$eval(".t-outside", (all) => all.length);
  const grain = timestamp.length > 14 ? 1e3 : 1e6, units = { ms: 1e3, s: 1e6, m: 6e7, h: 3.6e9, d: 8.64e10, y: 3.15576e13 };
  const [low, high] = within.split("..").map((side) => parseFloat(side) * units[/[a-z]+/.exec(side)[0]]);
  const zero = micros(timestamp.replace(/^(....)(..)(..)(..)(..)(..)(.*)$/, "$1-$2-$3T$4:$5:$6.$7"));
  const beyond = said.parts.filter((p) => p.t && ((d) => d < low || d > high)(Math.floor(micros(p.t) / grain) * grain - zero));
  if (red !== said.refused || red !== beyond.length)
    problems.push(`within ${within} the bar refuses ${red} pieces, the API ${said.refused}, and ${beyond.length} lie beyond`);
  for (const p of said.parts.filter((p) => p.outside && p.url !== url)) {
    const answer = await fetch(frame.url().replace(/mp_\/.*/, `im_/${p.url}`));
    if (answer.status !== 404 || !(await answer.text()).includes("outside the limits")) problems.push(`${p.url} is shown outside the limits`);
  }
  return red;
}

try {
  const urls = [...truth.keys()].filter((p) => p === "/" || p.endsWith("/") || p.endsWith(".html")).map((p) => origin + p);
  for (const url of urls) {
    const first = await fetch(`${pages}api/coherence?url=${encodeURIComponent(url)}`);
    if (first.status !== 200) continue; // not captured
    const { t0, timestamp } = await first.json();
    await visit("web", timestamp, url);
    const said = await visit("coherent", timestamp.slice(0, 14), url);
    const before = new Date(micros(t0) / 1000 - 1500).toISOString().replace(/\D/g, "");
    await visit("near", before, url);
    if ((await fetch(`${pages}api/coherence?mapping=asof&at=${before}&url=${encodeURIComponent(url)}`)).status === 200)
      await visit("asof", before, url);
    if (said.state === "proven" && said.instant[0] !== said.instant[1]) problems.push(`${url}: a coherent state has one instant`);
  }
  await limits(urls[0]);
  if (dir) {
    await page.click(".bar summary");
    for (const [scheme, width] of [["light", 1100], ["dark", 1100], ["light", 360], ["dark", 360]]) {
      await page.emulateMedia({ colorScheme: scheme });
      await page.setViewportSize({ width, height: 800 });
      await page.screenshot({ path: `${dir}/verdict-${scheme}-${width}.png` });
    }
  }
} catch (e) {
  problems.push(String(e.stack ?? e));
}
await browser.close();
console.error(JSON.stringify(counts), `${shown} shown, ${loads} parts loaded`);
if ((counts["coherent proven"] ?? 0) < Number(least)) problems.push(`only ${counts["coherent proven"] ?? 0} pages are proven in a coherent state`);
if (loads < shown) problems.push(`only ${loads} parts were loaded`);
for (const p of problems.slice(0, 30)) console.error(p);
process.exit(problems.length ? 1 : 0);
