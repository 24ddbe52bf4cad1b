// SPDX-License-Identifier: Apache-2.0
// view-judge.mjs MODULES CHROMIUM TIMEOUT REPLAY TIME@URL...: each page as sharc serve shows it, in headless Chromium, as a line of
// JSON: url, time, texts of its frames, and what it asked for with the status it got, by original addresses. Exit 2: no browser.
import path from "node:path";
import { createRequire } from "node:module";

const [modules, executablePath, seconds, replay, ...pages] = process.argv.slice(2);
const require = createRequire(path.join(path.resolve(modules), "x.cjs"));
const timeout = Number(seconds) * 1000;
let browser;
try {
  const { chromium } = require("playwright-core");
  browser = await chromium.launch({ executablePath, timeout, args: ["--no-sandbox", "--autoplay-policy=no-user-gesture-required"] });
} catch (e) {
  console.error(String(e));
  process.exit(2);
}
for (const wanted of pages) {
  const time = wanted.slice(0, 14), url = wanted.slice(15);
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  context.setDefaultTimeout(timeout);
  const page = await context.newPage();
  const resources = {}, open = new Set();
  page.on("request", (r) => open.add(r));
  page.on("requestfinished", (r) => open.delete(r));
  page.on("requestfailed", (r) => open.delete(r));
  page.on("response", (r) => {
    const m = r.url().slice(replay.length).match(/^(?:web|asof|near)\/\d+(?:[a-z]{2}_)?\/(.*)$/s);
    if (m) resources[m[1]] = r.status();
  });
  await page.goto(`${replay}web/${time}/${url}`, { waitUntil: "load" });
  await page.waitForLoadState("networkidle").catch((e) => {
    for (const r of open) console.error("without an answer: " + r.method() + " " + r.url());
    throw e;
  });
  await page.evaluate(async () => {
    for (let i = 1; i <= 40 && i * innerHeight < document.scrollingElement.scrollHeight; i++) {
      scrollTo({ top: i * innerHeight, behavior: "instant" });
      await new Promise((r) => setTimeout(r, 30));
    }
    scrollTo(0, 0);
  });
  await page.waitForTimeout(700);
  await page.waitForLoadState("networkidle");
  const texts = [];
  for (const f of page.frames()) texts.push(await f.evaluate(() => (document.body ? document.body.innerText : document.documentElement.textContent).trim()));
  console.log(JSON.stringify({ url, time, texts, resources }));
  await context.close();
}
await browser.close();
