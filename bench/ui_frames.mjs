// SPDX-License-Identifier: Apache-2.0
// ui_frames.mjs MODULES CHROMIUM PAGES [VIEW...]: how smoothly the pictures of the web interface follow a finger, and how soon a view can be used.
// PAGES: what sharc serve serves, with a catalogue of bench/ui_catalogue.py. Every view is dragged for three seconds while Chromium writes
// its trace; beside it, in the same run, a page with an empty canvas of the same size is. Printed: frames drawn a second, the share of them of what the
// empty page has, the longest frame, and milliseconds of the main thread a frame. MODULES has playwright-core (tests/e2e/ui.sh installs it).
import fs from "node:fs";
import path from "node:path";
import os from "node:os";
import { createRequire } from "node:module";

const [modules, executablePath, base, ...chosen] = process.argv.slice(2);
const { chromium } = createRequire(path.join(path.resolve(modules), "x.cjs"))("playwright-core");
const views = {
  calendar: ["calendar?zoom=1", "main canvas.drag"],
  graph: ["graph?capture=10&against=none&fold=0", "main canvas"],
  pair: ["pair?a=9&b=10", "main canvas"],
  schedule: ["capture?capture=10", "main canvas"],
};
const seconds = 3;
const empty = `data:text/html,<canvas width=1100 height=560 style="background:#eee"></canvas><script>
const g=document.querySelector("canvas").getContext("2d");let on=0;
onpointerdown=()=>on=1;onpointerup=()=>on=0;let x=0;onpointermove=(e)=>{x=e.clientX;if(on)requestAnimationFrame(()=>{g.clearRect(0,0,1100,560);g.fillRect(x,10,20,20)})}</script>`;

/* Frames that the compositor drew, and how long the main thread worked, by the trace. */
function judge(events) {
  const drawn = events.filter((e) => e.name === "DrawFrame" && e.ph !== "E").map((e) => e.ts).sort((a, b) => a - b);
  const gaps = drawn.slice(1).map((t, i) => (t - drawn[i]) / 1000);
  const mains = new Set(events.filter((e) => e.name === "thread_name" && e.args.name === "CrRendererMain").map((e) => `${e.pid} ${e.tid}`));
  const work = events.filter((e) => e.name === "RunTask" && mains.has(`${e.pid} ${e.tid}`)).reduce((s, e) => s + (e.tdur ?? e.dur ?? 0) / 1000, 0);
  return { fps: drawn.length / seconds, longest: Math.max(0, ...gaps), work: work / Math.max(1, drawn.length) };
}
async function drag(browser, page, selector) {
  const box = await (await page.$(selector)).boundingBox();
  const file = path.join(os.tmpdir(), `ui-frames-${process.pid}.json`);
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await browser.startTracing(page, { path: file, categories: ["devtools.timeline", "disabled-by-default-devtools.timeline.frame", "devtools.timeline.frame", "toplevel", "__metadata"] });
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
console.log(`load ${os.loadavg()[0].toFixed(1)}\n${"view".padEnd(10)} usable ms  frames/s  of empty  longest ms  main ms a frame`);
for (const name of chosen.length ? chosen : Object.keys(views)) {
  const [address, selector] = views[name];
  const blank = await context.newPage();
  await blank.goto(empty);
  const plain = await drag(browser, blank, "canvas");
  await blank.close();
  const page = await context.newPage();
  const begun = Date.now();
  await page.goto(`${base}ui/${address}`);
  await page.waitForSelector(selector, { timeout: 600000 });
  await page.waitForFunction(() => !document.querySelector("[aria-busy]"), null, { timeout: 600000 });
  const usable = Date.now() - begun;
  const own = await drag(browser, page, selector);
  await page.close();
  console.log(`${name.padEnd(10)} ${String(usable).padStart(9)} ${own.fps.toFixed(1).padStart(9)} ${(own.fps / plain.fps).toFixed(2).padStart(9)} ${own.longest.toFixed(0).padStart(11)} ${own.work.toFixed(1).padStart(16)}`);
}
await browser.close();
