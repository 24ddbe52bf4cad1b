// SPDX-License-Identifier: Apache-2.0
// ui-live.mjs MODULES CHROMIUM PAGES TOKEN DIR -- CRAWL...: runs CRAWL and watches it in the web interface. Lines "ok WHAT" and
// "not ok WHAT"; why is written to stderr. With DIR ("": none) screenshots go there. Exit 0: all is well, 1: something is wrong.
import fs from "node:fs";
import path from "node:path";
import { spawn } from "node:child_process";
import { createRequire } from "node:module";

const [modules, executablePath, base, token, pictures, , ...crawl] = process.argv.slice(2);
const require = createRequire(path.join(path.resolve(modules), "x.cjs"));
const axe = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const { chromium } = require("playwright-core");
const browser = await chromium.launch({ executablePath, timeout: 90000, args: ["--no-sandbox"] });
const context = await browser.newContext({ viewport: { width: 1200, height: 900 }, bypassCSP: true });
const page = await context.newPage();
page.setDefaultTimeout(120000);
const complaints = [];
page.on("console", (m) => m.type() === "error" && !/401/.test(m.text()) && complaints.push(m.text()));
page.on("pageerror", (e) => complaints.push(e.message));
let failed = 0;
async function test(name, fn) {
  const problems = [];
  try { await fn((condition, text) => condition || problems.push(text)); } catch (e) { problems.push(e.message); }
  problems.push(...complaints.splice(0));
  if (problems.length) { failed = 1; console.error(`${name}: ${problems.join("\n")}`); }
  console.log(`${problems.length ? "not ok" : "ok"} ${name}`);
}
const live = async () => (await fetch(base + "api/live", { headers: { Authorization: `Bearer ${token}` } })).json();
/* Until what the server tells fulfils a condition, or the crawl has ended. */
async function until(condition) {
  for (;;) {
    const l = await live();
    if (condition(l)) return l;
    if (over !== null) throw new Error(`the crawl has ended with ${over} before that`);
    await new Promise((f) => setTimeout(f, 100));
  }
}
const title = (t) => page.waitForFunction((x) => document.querySelector("main h1")?.textContent.includes(x), t);
async function looks(name) {
  for (const [mode, width, colorScheme] of [["light", 1200, "light"], ["dark", 1200, "dark"], ["phone", 360, "light"]]) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    if (pictures) await page.screenshot({ path: path.join(pictures, `${name}-${mode}.png`), fullPage: true });
    if (!(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth))) throw new Error(`${mode}: wider than the window`);
    await page.evaluate(axe);
    const r = await page.evaluate(() => axe.run());
    if (r.violations.length) throw new Error(`${mode}: axe: ${r.violations.map((v) => v.id + " " + v.nodes[0].html.slice(0, 150)).join("; ")}`);
  }
  await page.setViewportSize({ width: 1200, height: 900 });
  await page.emulateMedia({ colorScheme: "light" });
}

let over = null, child = null;
await test("before it begins there is nothing to see", async () => {
  await page.goto(base + "ui/live");
  await page.fill("#token", token);
  await page.click(".token button");
  await title("No crawl is running");
  await looks("live-none");
});
await test("the browser sees a crawl begin and move", async (expect) => {
  child = spawn(crawl[0], crawl.slice(1), { stdio: ["ignore", "ignore", "inherit"] });
  child.on("exit", (code) => { over = code; });
  await title("Capturing");
  const first = await page.$eval(".verdict", (e) => Number(e.textContent.match(/([0-9,]+) download/)[1].replace(",", "")));
  await page.waitForFunction((n) => Number(document.querySelector(".verdict")?.textContent.match(/([0-9,]+) download/)?.[1].replace(",", "")) > n + 2, first);
  expect((await page.$$("section[aria-label=Log] tbody tr")).length > 0, "no line of the log");
  await page.waitForFunction(() => document.querySelector(".progress progress")?.value > 0);
});
await test("it is paused, and stands still", async (expect) => {
  await page.click("section[aria-label=Steering] button:has-text('Pause')");
  await title("Paused");
  const still = await until((l) => l.status?.paused && l.status.under_way === 0);
  const later = await until((l) => Date.parse(l.status?.when) > Date.parse(still.status.when) + 2500);
  expect(later.status.downloads === still.status.downloads, `${still.status.downloads} downloads became ${later.status.downloads}`);
  await looks("live-paused");
});
await test("it takes another delay and another scope", async (expect) => {
  await page.fill("section[aria-label=Steering] input >> nth=0", "10ms");
  await page.click("section[aria-label=Steering] form >> nth=0 >> button");
  const l = await until((x) => x.status?.delay_ms === 10);
  expect(l.status.paused, "no longer paused");
  await page.fill("section[aria-label=Steering] input >> nth=1", "glob:*/nowhere/*");
  await page.click("section[aria-label=Steering] form >> nth=1 >> button");
  await page.waitForFunction(() => document.body.textContent.includes("setting taken: exclude=glob:*/nowhere/*"));
  await page.fill("section[aria-label=Steering] input >> nth=0", "soon");
  await page.click("section[aria-label=Steering] form >> nth=0 >> button");
  await page.waitForFunction(() => document.body.textContent.includes("setting not taken"));
});
await test("it goes on, ends, and has its verdict", async (expect) => {
  await page.click("section[aria-label=Steering] button:has-text('Continue')");
  await title("No crawl is running");
  if (over === null) await new Promise((f) => child.on("exit", f));
  expect(over === 0, `exit code ${over}`);
  await page.waitForFunction(() => document.querySelector("main .verdict")?.textContent.includes("complete"));
  await page.click("main .verdict a >> nth=1");
  await page.waitForFunction(() => document.querySelector("main .verdict")?.textContent.includes("pages"));
  const l = await live();
  expect(l.status === null && l.captures[0].state === "complete", JSON.stringify(l.captures[0]));
});
if (over === null) child?.kill();
await browser.close();
process.exit(failed);
