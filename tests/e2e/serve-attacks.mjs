// SPDX-License-Identifier: Apache-2.0
// serve-attacks.mjs MODULES CHROMIUM TIMEOUT PAGES REPLAY PORT CLICKS TOKEN [PICTURES]: opens the pages of serve-attacks.py and looks
// whether what they try works. A line for each kind of attack on standard output, "held …" or "not …", and why on standard
// error. Exit 0: all were made, 1: something went wrong on the way, 2: no browser.
import path from "node:path";
import { createRequire } from "node:module";

const [modules, executablePath, seconds, pages, replay, port, clicks, token, pictures] = process.argv.slice(2);
const require = createRequire(path.join(path.resolve(modules), "x.cjs"));
const timeout = Number(seconds) * 1000;
const site = `http://127.0.0.1:${port}`, other = `http://localhost:${port}`;
let browser;
try {
  const { chromium } = require("playwright-core");
  browser = await chromium.launch({ executablePath, timeout, args: ["--no-sandbox"] });
} catch (e) {
  console.error(String(e));
  process.exit(2);
}
let failed = 0;
const wait = (ms) => new Promise((r) => setTimeout(r, ms));
const view = (url) => `${pages}view/web/20261101120000/${url}`;

// attack WHAT FUNCTION: the function gets a fresh page, and expect().
async function attack(what, f, options = {}) {
  const problems = [];
  const expect = (condition, text) => condition || problems.push(text);
  const context = await browser.newContext(options);
  context.setDefaultTimeout(timeout);
  const page = await context.newPage();
  const dialogs = [];
  page.on("dialog", (d) => { dialogs.push(d.message()); d.dismiss().catch(() => {}); });
  try {
    await f(page, expect, dialogs, context);
  } catch (e) {
    problems.push(String(e).split("\n")[0]);
    failed++;
  }
  await Promise.race([context.close().catch(() => {}), wait(5000)]);
  console.log(`${problems.length ? "not" : "held"} ${what}`);
  for (const p of problems) console.error(`${what}: ${p}`);
}

async function inside(page) {
  await page.waitForFunction(() => document.querySelector("iframe:not([hidden])"));
  const frame = await (await page.$("iframe:not([hidden])")).contentFrame();
  await Promise.race([frame.waitForLoadState("load").catch(() => {}), wait(2000)]); // of a frame that goes on it may never be told
  return frame;
}
const out = async (frame) => JSON.parse(await frame.waitForFunction(() => document.getElementById("out")?.textContent).then((h) => h.jsonValue()));
const bar = (page) => page.$eval(".bar", (b) => b.innerText.replace(/\s+/g, " "));

await attack("a page cannot read, change, leave or cover the bar", async (page, expect, dialogs) => {
  await page.goto(view(`${site}/bar.html`));
  const before = await bar(page), address = page.url();
  const got = await out(await inside(page));
  await wait(500);
  for (const name of ["read", "domain", "write", "hash"]) expect(got[name] === "refused", `${name}: ${got[name]}`);
  expect(got.covered !== true, "the page covers the screen");
  expect(await bar(page) === before, `the bar says ${await bar(page)} instead of ${before}`);
  expect(page.url() === address, `the window shows ${page.url()}`);
  expect((await page.title()).startsWith(`${site}/bar.html`), `title: ${(await page.title()).slice(0, 80)}`);
  expect(!dialogs.length, `a dialog said ${dialogs}`);
  expect((await page.$$("iframe:not([sandbox])")).length === 0, "a frame is not confined");
});

await attack("a bar that a page draws stands below the bar, on screen and on paper", async (page, expect) => {
  await page.goto(view(`${site}/forged.html`));
  await inside(page);
  for (const media of ["screen", "print"]) {
    await page.emulateMedia({ media });
    const seen = await page.evaluate(() => {
      const box = document.querySelector(".bar .verdict").getBoundingClientRect(), frame = document.querySelector("iframe:not([hidden])").getBoundingClientRect();
      const hit = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
      const style = getComputedStyle(document.querySelector(".bar .verdict"));
      return { ours: !!hit?.closest(".bar"), above: box.bottom <= frame.top + 1, shown: box.width > 0 && box.top >= 0, ink: style.color, back: style.backgroundColor };
    });
    expect(seen.ours && seen.above && seen.shown, `${media}: ${JSON.stringify(seen)}`);
    // printers leave backgrounds out
    if (media === "print") expect(seen.ink === "rgb(0, 0, 0)", `${media}: the verdict is printed in ${seen.ink}`);
  }
  if (pictures) await page.screenshot({ path: `${pictures}/attack-forged.png` });
});

for (const [name, moves] of [["moves-at-once", true], ["moves-to-picture", true], ["moves-raw", true], ["moves-by-link", true], ["moves-by-refresh", true], ["moves-slowly", true], ["stays", false]])
  await attack(`the bar ${moves ? "takes its verdict back when a page goes on" : "keeps its verdict when a page stays"}: ${name}`, async (page, expect) => {
    await page.goto(view(`${site}/${name}.html`));
    const frame = await inside(page);
    for (let i = 0; moves && i < 400 && !/next\.html|red\.svg/.test(frame.url()); i++) await wait(25);
    for (let i = 0; moves && i < 80 && !await page.isVisible(".note"); i++) await wait(25);
    if (!moves) await wait(500);
    expect(await page.isVisible(".note") === moves, `the page is at ${frame.url()}, and the bar says ${await bar(page)}`);
    if (moves) expect(/line-through/.test(await page.$eval(".bar .verdict", (v) => getComputedStyle(v).textDecorationLine)), "the verdict still stands");
    if (pictures && name === "moves-at-once") await page.screenshot({ path: `${pictures}/attack-moved.png` });
  });

await attack("a click that a page catches leads nowhere but into the archive", async (page, expect, dialogs, context) => {
  const ours = (url) => url.startsWith(pages) || url.startsWith(replay) || url === "about:blank" || url === "" || url.startsWith("chrome-error:");
  for (let i = 0; i < Number(clicks); i++) {
    await page.goto(view(`${site}/click-${i}.html`), { waitUntil: "commit" });
    await inside(page);
    await page.mouse.click(300, 400); // into the frame; what is opened may never answer, so nothing waits for it
    await wait(1000);
    for (const p of context.pages()) {
      expect(ours(p.url()), `click ${i} leads to ${p.url()}`);
      expect(!/forged/.test(await Promise.race([p.title().catch(() => ""), wait(1000)])), `click ${i} changes a title`);
      if (p !== page) await Promise.race([p.close().catch(() => {}), wait(1000)]);
    }
    expect(await Promise.race([page.evaluate(() => !document.fullscreenElement).catch(() => true), wait(1000).then(() => true)]), `click ${i} covers the screen`);
  }
});

for (const way of ["below the bar", "without it"])
  await attack(`sites find nothing of each other, ${way}`, async (page, expect, dialogs, context) => {
    const shown = async (url) => {
      await page.goto(way === "without it" ? `${replay}web/20261101120000/${url}` : view(url));
      return way === "without it" ? page.mainFrame() : inside(page);
    };
    const own = await out(await shown(`${site}/poison.html`));
    expect(own.own === "kept" && own.session === "kept" && own.length >= 1 && /own=1/.test(own.cookie), `a page has its own storage: ${JSON.stringify(own)}`);
    expect(own.worker === "refused", `a service worker was registered: ${own.worker}`);
    const seen = await out(await shown(`${other}/victim.html`));
    for (const [name, value] of Object.entries({ local: null, member: null, session: null, cookie: "", own: null, length: 0, cached: null, databases: 0, fetched: "the true news" }))
      expect(seen[name] === value, `${name}: ${JSON.stringify(seen[name])}`);
    const stored = await out(await shown(`${site}/storage.html`));
    expect(JSON.stringify(stored) === JSON.stringify({ a: "1", b: "two", c: null, none: true, length: 2, keys: "a,b", has: true, kind: true, json: '{"a":"1","b":"two"}', cleared: 0 }), `storage: ${JSON.stringify(stored)}`);
  });

await attack("pages that are open at the same time do not hear each other", async (page, expect, dialogs, context) => {
  const at = (url) => `${replay}web/20261101120000/${url}`;
  await page.goto(at(`${other}/listens.html`));
  await out(page.mainFrame());
  const bad = await context.newPage();
  await bad.goto(at(`${site}/speaks.html`));
  expect((await out(bad.mainFrame())).sent, "nothing was sent");
  let seen;
  for (let i = 0; i < 400 && !(seen?.worker !== null && seen?.own.length); i++) { await wait(25); seen = await page.evaluate(() => tell()); }
  await wait(300);
  seen = await page.evaluate(() => tell());
  expect(JSON.stringify(seen) === JSON.stringify({ heard: [], own: ["mine"], name: "news", worker: 0 }), JSON.stringify(seen));
});

await attack("frames without an address share the storage of their page, and no other page's", async (page, expect) => {
  const at = (url) => `${replay}web/20261101120000/${url}`;
  const nothing = { left: null, cookie: "", databases: "undefined", files: "undefined" };
  await page.goto(at(`${site}/frames.html`));
  const own = await out(page.mainFrame());
  expect(JSON.stringify(own) === JSON.stringify({ ...nothing, left: "forged", cookie: "left=1", empty: "shared", made: "1", doc: 38 }), JSON.stringify(own));
  for (const host of [site, other]) {
    await page.goto(at(`${host}/srcdoc.html`));
    const seen = await out(page.mainFrame());
    expect(JSON.stringify(seen) === JSON.stringify(nothing), `srcdoc: ${JSON.stringify(seen)}`);
  }
});

await attack("pages in XML find nothing of each other", async (page, expect) => {
  for (const name of ["page.xhtml", "picture.svg"]) for (const host of [site, other]) {
    await page.goto(`${replay}web/20261101120000/${host}/${name}`);
    const seen = await page.waitForFunction(() => document.documentElement.getAttribute("data-out")).then((h) => h.jsonValue());
    expect(seen === JSON.stringify({ left: null, cookie: "", databases: "undefined", files: "undefined" }), `${host}/${name}: ${seen}`);
  }
});

await attack("hostile names and notes stay text in the web interface", async (page, expect, dialogs) => {
  await page.addInitScript((t) => sessionStorage.setItem("token", t), token);
  const headers = { Authorization: `Bearer ${token}` };
  const ask = async (p, options = {}) => (await page.request.fetch(`${pages}api/${p}`, { headers, ...options })).json();
  const { captures } = await ask("captures");
  const mine = captures.find((c) => c.site === "names.example");
  expect(mine, `captures of ${captures.map((c) => c.site)}`);
  const list = (await ask(`pages?capture=${mine.id}&limit=100`)).pages;
  expect(list.length === 5, `${list.length} pages`);
  const notes = ["<img src=x onerror=pwned=1>", "=HYPERLINK(\"http://evil.example\",\"x\")", "w".repeat(900), "\u202eevil\u2066", "\uff1d1+1"];
  for (let i = 0; i < list.length; i++)
    await ask(`review?capture=${mine.id}&state=rejected&url=${encodeURIComponent(list[i].url)}&note=${encodeURIComponent(notes[i])}&who=${encodeURIComponent(notes[0])}`, { method: "POST" });
  for (const width of [360, 1100]) {
    await page.setViewportSize({ width, height: 800 });
    const at = { archive: "", capture: `capture?capture=${mine.id}&site=names.example`, series: "series?site=names.example", changes: "calendar?site=names.example", page: `page?url=${encodeURIComponent(list[0].url)}`, long: `page?url=${encodeURIComponent(list.find((p) => p.url.length > 1000)?.url ?? "")}`,
      live: "live", site: `graph?capture=${mine.id}` };
    for (const [name, where] of Object.entries(at)) {
      await page.goto(`${pages}ui/${where}`);
      await page.waitForFunction(() => document.querySelector("h1") && !document.querySelector("[aria-busy]"));
      await wait(150);
      expect(await page.evaluate(() => typeof pwned === "undefined"), `${name}: a script ran`);
      expect(!(await page.$("img[onerror], main script")), `${name}: markup of a stranger`);
      const box = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
      expect(box[0] <= box[1], `${name} at ${width} px is ${box[0]} px wide`);
      if (pictures) await page.screenshot({ path: `${pictures}/attack-ui-${name}-${width}.png`, fullPage: true });
    }
  }
  await page.goto(`${pages}ui/capture?capture=${mine.id}&site=names.example`);
  await page.waitForSelector("text=CSV");
  const [download] = await Promise.all([page.waitForEvent("download"), page.click('section[aria-label="Pages"] button:has-text("CSV")')]);
  const text = await (await import("node:fs/promises")).readFile(await download.path(), "utf8");
  for (const line of text.split("\r\n")) for (const cell of line.split(",")) expect(!/^"?[=+\-@\t\r\uff1d\uff0b\uff0d\uff20](?![\d.]+$)/.test(cell), `a formula in the CSV: ${cell.slice(0, 60)}`);
  expect(!dialogs.length, `a dialog said ${dialogs}`);
});

await Promise.race([browser.close(), wait(5000)]);
process.exit(failed ? 1 : 0);
