// SPDX-License-Identifier: Apache-2.0
// serve-escape.mjs MODULES CHROMIUM TIMEOUT PAGES REPLAY SITE [OPTION]: opens the pages of view-site.py that want out, with
// the bar and without, and waits until they have tried everything; popups are not blocked. OPTION goes to the browser.
// The trap at SITE tells what arrived. Exit 0: all pages were opened, 1: one was not, 2: no browser.
import path from "node:path";
import { createRequire } from "node:module";

const [modules, executablePath, seconds, pages, replay, site, option] = process.argv.slice(2);
const require = createRequire(path.join(path.resolve(modules), "x.cjs"));
const timeout = Number(seconds) * 1000;
let browser;
try {
  const { chromium } = require("playwright-core");
  browser = await chromium.launch({ executablePath, timeout, args: ["--no-sandbox", ...(option ? [option] : [])] });
} catch (e) {
  console.error(String(e));
  process.exit(2);
}
const problems = [];
// What a page without an end of its own gets: location, refresh, rtc.
const long = 6000;
const wait = (ms) => new Promise((r) => setTimeout(r, ms));

// The page says "tried" in its title, has gone somewhere else, or its renderer has ended.
async function open(address, name) {
  const context = await browser.newContext();
  const page = await context.newPage();
  let over = false;
  page.on("crash", () => (over = true));
  const ends = name === "/leaks.html" || name === "/leaks-static.html";
  const until = Date.now() + (ends ? timeout : long);
  await page.goto(address, { timeout, waitUntil: "commit" }).catch((e) => over || problems.push(`${address}: ${e}`));
  const frame = () => page.frames().find((f) => f.url().startsWith(replay) && f.url().includes(name));
  if (!over && !frame()) await wait(1000); // below the bar it comes later
  while (!over && Date.now() < until && frame()) {
    const tried = frame().evaluate(() => /^tried/.test(document.title)).catch(() => false);
    if (await Promise.race([tried, wait(2000)])) break; // a renderer that has ended does not answer
    await wait(100);
  }
  if (ends && Date.now() >= until) problems.push(`${address}: it is still trying`);
  await wait(1500); // for what has been begun
  const cookies = (await context.cookies()).length;
  if (cookies) problems.push(`${address}: ${cookies} cookies`);
  await context.close().catch(() => {});
}

for (const before of [`${replay}web/20261101120000/`, `${pages}view/web/20261101120000/`])
  for (const name of ["/leaks.html", "/leaks-static.html", "/leaks-location.html", "/leaks-refresh.html", "/leaks-rtc.html"])
    await open(before + site + name, name);
await browser.close();
for (const p of problems) console.error(p);
process.exit(problems.length ? 1 : 0);
