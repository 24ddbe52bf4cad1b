// SPDX-License-Identifier: Apache-2.0
// ui_frames.mjs MODULES CHROMIUM PAGES [VIEW...]: how smoothly the pictures of the web interface follow a finger, and how soon a view can be used.
// PAGES: what sharc serve serves, with a catalogue of bench/ui_bench.py. Every view is dragged for three seconds while Chromium writes
// its trace; beside it, in the same run, a page with an empty canvas of the same size is. Printed: time and CPU time of the whole browser until the view can be
// used, frames drawn a second, the share of them of what the empty page has, the longest frame, and CPU milliseconds of the main thread a frame, with those of
// the empty page. MODULES has playwright-core (tests/e2e/ui.sh installs it).
import fs from "node:fs";
import path from "node:path";
import os from "node:os";
import { createRequire } from "node:module";

const [modules, executablePath, base, ...chosen] = process.argv.slice(2);
const { chromium } = createRequire(path.join(path.resolve(modules), "x.cjs"))("playwright-core");
const views = {
  calendar: ["calendar?site=ui.example&zoom=1&row=9000", "main canvas.drag"],
  graph: ["graph?site=ui.example&capture=10&against=none&fold=0", "main canvas"],
  pair: ["pair?site=ui.example&a=9&b=10", "main canvas"],
  schedule: ["capture?site=ui.example&capture=10", "main canvas"],
};
const seconds = 3;
const empty = `<canvas width=1100 height=560 style="background:#eee"></canvas><script>
const g=document.querySelector("canvas").getContext("2d");let on=0;
onpointerdown=()=>on=1;onpointerup=()=>on=0;let x=0;onpointermove=(e)=>{x=e.clientX;if(on)requestAnimationFrame(()=>{g.clearRect(0,0,1100,560);g.fillRect(x,10,20,20)})}</script>`;

/* Frames that the compositor drew, and how long the main thread worked, by the trace. */
function judge(events) {
  const drawn = events.filter((e) => e.name === "DrawFrame" && e.ph !== "E").map((e) => e.ts).sort((a, b) => a - b);
  const gaps = drawn.slice(1).map((t, i) => (t - drawn[i]) / 1000);
  const mains = new Set(events.filter((e) => e.name === "thread_name" && e.args.name === "CrRendererMain").map((e) => `${e.pid} ${e.tid}`));
  const work = events.filter((e) => /(^|::)RunTask$/.test(e.name) && e.ph === "X" && mains.has(`${e.pid} ${e.tid}`)).reduce((s, e) => s + (e.tdur ?? e.dur ?? 0) / 1000, 0);
  return { fps: drawn.length / seconds, longest: Math.max(0, ...gaps), work: work / Math.max(1, drawn.length) };
}
/* CPU milliseconds of this process's children and theirs, living and ended: the browser. */
function cpu() {
  const stats = new Map();
  for (const pid of fs.readdirSync("/proc").filter((n) => /^[0-9]+$/.test(n))) {
    try {
      const f = fs.readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /, "").split(" ").map(Number);
      stats.set(Number(pid), { parent: f[1], ticks: f[11] + f[12] + f[13] + f[14] });
    } catch { /* it has ended */ }
  }
  const below = (pid) => { for (let p = stats.get(pid)?.parent; p; p = stats.get(p)?.parent) if (p === process.pid) return true; return false; };
  return [...stats].reduce((s, [pid, x]) => s + (below(pid) ? x.ticks * 10 : 0), 0);
}
async function drag(browser, page, selector) {
  await page.$eval(selector, (e) => e.scrollIntoView({ block: "center" }));
  const box = await (await page.$(selector)).boundingBox();
  const file = path.join(os.tmpdir(), `ui-frames-${process.pid}.json`);
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await browser.startTracing(page, { path: file, categories: ["devtools.timeline", "disabled-by-default-devtools.timeline.frame", "devtools.timeline.frame", "toplevel", "disabled-by-default-lighthouse", "__metadata"] });
  await page.mouse.down();
  const end = Date.now() + seconds * 1000;
  for (let i = 0; Date.now() < end; i++) {
    await page.mouse.move(box.x + box.width / 2 + 40 * Math.sin(i / 9), box.y + box.height / 2 + box.height * 0.4 * Math.sin(i / 23));
    await new Promise((f) => setTimeout(f, 8));
  }
  await page.mouse.up();
  await browser.stopTracing();
  const events = JSON.parse(fs.readFileSync(file, "utf8")).traceEvents;
  fs.unlinkSync(file);
  return judge(events);
}

const browser = await chromium.launch({ executablePath, timeout: 90000, args: ["--no-sandbox"] });
const context = await browser.newContext({ viewport: { width: 1200, height: 900 } });
const row = (...cells) => console.log(cells.map((c, i) => (i ? String(c).padStart(11) : String(c).padEnd(10))).join(" "));
console.log(`load ${os.loadavg()[0].toFixed(1)}`);
row("view", "usable ms", "CPU ms", "frames/s", "of empty", "longest ms", "main ms/f", "of empty");
for (const name of chosen.length ? chosen : Object.keys(views)) {
  const [address, selector] = views[name];
  const blank = await context.newPage();
  await blank.setContent(empty);
  const plain = await drag(browser, blank, "canvas");
  await blank.close();
  const page = await context.newPage();
  const begun = Date.now(), used = cpu();
  await page.goto(`${base}ui/${address}`);
  await page.waitForSelector(`${selector}, .error`, { timeout: 600000 });
  if (await page.$(".error")) throw new Error(`${name}: ${await page.$eval(".error", (e) => e.textContent)}`);
  await page.waitForFunction(() => !document.querySelector("[aria-busy]"), null, { timeout: 600000 });
  const usable = Date.now() - begun, work = cpu() - used;
  const own = await drag(browser, page, selector);
  await page.close();
  row(name, usable, work, own.fps.toFixed(1), (own.fps / plain.fps).toFixed(2), own.longest.toFixed(0), own.work.toFixed(2), plain.work.toFixed(2));
}
await browser.close();
