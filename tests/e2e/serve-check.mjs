// SPDX-License-Identifier: Apache-2.0
// serve-check.mjs MODULES CHROMIUM TIMEOUT PAGES REPLAY ORIGIN hard|bar|blocked|plain|walk|pages [DIR]: archived pages in headless
// Chromium, as sharc serve shows them. hard: the site of serve-site.py; bar: the same below the bar; blocked: both in a browser that has no service
// workers; plain: in one that runs no scripts; walk: follow links of whatever site there is; pages: our own pages, with screenshots to DIR. Exit 0: all is well, 1: something is wrong, 2: no browser.
import path from "node:path";
import { createRequire } from "node:module";

const [modules, executablePath, seconds, pages, replay, origin, what, dir] = process.argv.slice(2);
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
const problems = [];
const expect = (condition, text) => condition || problems.push(text);
const same = (got, want, text) => expect(got === want, `${text}: ${JSON.stringify(got)}, not ${JSON.stringify(want)}`);
const blocked = what === "blocked";
const context = await browser.newContext({ serviceWorkers: blocked ? "block" : "allow", javaScriptEnabled: what !== "plain" });
context.setDefaultTimeout(timeout);
const page = await context.newPage();
const answered = new Map();
page.on("response", (r) => answered.set(r.url(), r.status()));

const loaded = (selector) => page.$eval(selector, async (i) => {
  if (!i.complete) await new Promise((r) => (i.onload = i.onerror = r));
  return i.naturalWidth;
});

async function hard() {
  await page.goto(`${replay}web/20261101120000/${origin}/`);
  same(await page.title(), "Version one", "title");
  const out = JSON.parse(await page.waitForFunction(() => document.getElementById("out").textContent).then((h) => h.jsonValue()));
  same(out.relative, "near by", "fetch of a relative address");
  same(out.rooted, "from the root", "fetch of an address from the root");
  same(out.posted, "red roses", "what a POST brought");
  same(out.other, 404, "status of a POST that was not captured");
  same(out.xhr, "from the root", "XMLHttpRequest of an address from the root");
  same(out.image, 8, "width of an image that a script made");
  same(out.imported, "near", "a module that a script imported");
  same(out.thread, "from the root", "what a worker fetched");
  same(out.range, "RIFF", "the range of a file");
  if (!blocked) same(out.worker, "refused", "the archived service worker"); // where there are none, Playwright does as if
  same(await page.evaluate(() => window.inline), "ran", "inline script");
  same(await page.evaluate(() => window.modules), "tool near", "modules by import map and by path");
  same(await page.$eval("h1", (h) => getComputedStyle(h).color), "rgb(0, 102, 51)", "style");
  same(await page.$eval("h1", (h) => getComputedStyle(h).fontStyle), "italic", "imported style");
  for (const id of ["#img", "#set"]) same(await loaded(id), 8, `width of ${id}`);
  same(await loaded("#lost"), 0, "width of an image that was not captured");
  const frame = page.frames().find((f) => f.url().includes("frame.html"));
  same(await frame.textContent("#inner"), "inside", "frame");
  same(await frame.title(), "framed", "title of the frame");
  const doc = page.frames().find((f) => f.url() === "about:srcdoc");
  same(await doc.$eval("img", (i) => i.naturalWidth), 8, "image of the frame in an attribute");
  const length = await page.$eval("#audio", async (a) => {
    if (a.readyState < 1) await new Promise((r) => (a.onloadedmetadata = a.onerror = r));
    return a.duration;
  });
  same(length, 60, "seconds of sound");
  const seek = await page.$eval("#audio", (a) => new Promise((r) => { a.onseeked = () => r(a.currentTime); a.onerror = () => r(-1); a.currentTime = 55; }));
  same(seek, 55, "sound can be sought");
  same((await context.cookies()).length, 0, "cookies");
  // links
  await page.click("#next");
  same(await page.textContent("h1"), "N\u00e4chste", "the next page, in its charset");
  expect(page.url().endsWith("/web/20261101120000/" + origin + "/next.html?a=1&b=2"), `address of the next page: ${page.url()}`);
  await page.click("#home");
  await page.click("#moved");
  same(await page.title(), "Next", "where a redirect leads");
  await page.click("#home");
  await page.click("#far");
  same(await page.title(), "Far", "another site");
  await page.goBack();
  await page.click("#gone");
  same(await page.title(), "Gone", "an archived error");
  same(answered.get(page.url()), 410, "its status");
  await page.goto(`${replay}web/20261101120000/${origin}/refresh.html`);
  await page.waitForURL(/next\.html/);
  same(await page.title(), "Next", "where a page led by itself");
  await page.goto(`${replay}web/20261101120000/${origin}/form.html`);
  await page.click("#send");
  await page.waitForURL(/api\/form/);
  same(await page.textContent("body"), "red roses", "what a form brought");
  await page.goto(`${replay}web/20261101120000/${origin}/strays.html`);
  const strays = JSON.parse(await page.waitForFunction(() => document.getElementById("out").textContent).then((h) => h.jsonValue()));
  same(strays.controlled, false, "without the bar, whether our worker has been registered");
  same(strays.quiet, 404, "a stray without a referrer and without our worker");
  // times
  await page.goto(`${replay}web/2027/${origin}/`);
  same(await page.title(), "Version two", "the newest");
  expect(page.url().includes("/web/20261111120000/"), `redirected to ${page.url()}`);
  await page.goto(`${replay}asof/20261110/${origin}/`);
  same(await page.title(), "Version one", "as of a time between two captures");
  await page.click("#next");
  expect(page.url().includes("/asof/20261110/"), `the time does not stay: ${page.url()}`);
  const early = await page.goto(`${replay}asof/20261031/${origin}/`);
  same(early.status(), 404, "as of a time before the first capture");
  for (const [url] of answered) expect(url.startsWith(replay) || url.startsWith(pages), `asked for ${url}`);
}

// Under the bar: pages of the archive in a frame of another origin.
async function bar() {
  const inside = async () => {
    await page.waitForFunction(() => document.querySelector("iframe"));
    const frame = await (await page.$("iframe")).contentFrame();
    await frame.waitForLoadState("load");
    return frame;
  };
  const said = () => page.textContent(".bar summary time");
  await page.goto(`${pages}view/web/2026/${origin}/`);
  expect(page.url().endsWith(`/view/web/20261101120000/${origin}/`), `the address has not the time of the capture: ${page.url()}`);
  let frame = await inside();
  same(await frame.title(), "Version one", "title in the frame");
  same(await said(), "2026-11-01 12:00:00", "time in the bar");
  same(await frame.evaluate(() => { try { return parent.document.title; } catch { return "refused"; } }), "refused", "what a script reads of the bar");
  await frame.click("#here");
  same(await page.evaluate(() => location.pathname.startsWith("/view/")), true, "after a link to a part of the page the bar is there");
  same(await page.isVisible(".note"), false, "a remark that the page has moved");
  for (const link of ["#self", "#next"]) {
    await frame.click(link);
    await page.waitForURL(/next\.html/);
    expect(page.url() === `${pages}view/web/20261101120000/${origin}/next.html?a=1&b=2`, `${link} leads to ${page.url()}`);
    frame = await inside();
    same(await frame.textContent("h1"), "N\u00e4chste", "the next page in the frame");
    await page.goBack();
    frame = await inside();
  }
  await frame.click("#moved");
  await page.waitForURL(/next\.html/);
  await page.goto(`${pages}view/web/20261101120000/${origin}/`);
  await page.click("text=later: 2026-11-11");
  frame = await inside();
  same(await frame.title(), "Version two", "the later capture");
  expect((await page.textContent(".bar")).includes("no later capture"), "the bar does not say that there is no later capture");
  await page.goto(`${pages}view/asof/20261110/${origin}/`);
  expect((await page.textContent(".bar summary")).includes("the latest not after 2026-11-10 00:00:00"), "the bar does not name mapping and instant");
  frame = await inside();
  await frame.click("#next");
  await page.waitForURL((u) => u.href === `${pages}view/asof/20261110/${origin}/next.html?a=1&b=2`);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  same(await page.$eval(".bar details", (d) => d.open), true, "whether the bar is open after a key");
  await page.goto(`${pages}view/web/20261101120000/${origin}/gone.html`);
  expect((await page.textContent(".bar summary")).includes("status 410"), "the bar does not name the status");
  // our worker catches what has no referrer
  await page.goto(`${pages}view/web/20261101120000/${origin}/strays.html`);
  frame = await inside();
  if (!blocked) {
    await frame.waitForFunction(() => navigator.serviceWorker.ready.then(() => true));
    await page.goto(`${pages}view/web/20261101120000/${origin}/strays.html`);
    frame = await inside();
  }
  const strays = JSON.parse(await frame.waitForFunction(() => document.getElementById("out").textContent).then((h) => h.jsonValue()));
  same(strays.controlled, !blocked, "whether our worker has the page");
  same(strays.quiet, blocked ? 404 : 200, "a stray without a referrer");
  if (!blocked) same(strays.posted, "red roses", "what a stray POST without a referrer brought");
  same(strays.image, blocked ? -1 : 8, "width of an image without a referrer");
  same(strays.away, "refused", "what would leave the archive");
  same((await context.cookies()).length, 0, "cookies");
  // a page that wants to get away
  await page.goto(`${pages}view/web/20261101120000/${origin}/escape.html`);
  await page.waitForSelector(".note", { state: "visible" });
  expect(page.url().startsWith(`${pages}view/`), `the page got away to ${page.url()}`);
  if (dir) {
    for (const [scheme, width] of [["light", 1100], ["dark", 360]]) {
      await page.emulateMedia({ colorScheme: scheme });
      await page.setViewportSize({ width, height: 800 });
      await page.screenshot({ path: `${dir}/bar-moved-${scheme}-${width}.png` });
      await page.goto(`${pages}view/asof/20261110/${origin}/`);
      await inside();
      await page.waitForTimeout(500);
      await page.screenshot({ path: `${dir}/bar-${scheme}-${width}.png` });
    }
  }
}

// Nothing that a page needs may depend on a worker of ours.
async function withoutWorkers() {
  await hard();
  await bar();
  same(context.serviceWorkers().length, 0, "service workers");
}

// Where no script runs, ours included: HTML, styles, images and frames are all there, and links stay in the archive.
async function plain() {
  for (const before of [replay, `${pages}view/`]) {
    const shown = async (path, time = "20261101120000") => {
      await page.goto(`${before}web/${time}/${origin}${path}`);
      if (before === replay) return page.mainFrame();
      const frame = await (await page.waitForSelector("iframe:not([hidden])")).contentFrame();
      await frame.waitForLoadState("load");
      return frame;
    };
    let frame = await shown("/");
    same(await frame.title(), "Version one", "title");
    await frame.waitForFunction(() => [...document.images].every((i) => i.complete));
    same(await frame.$eval("#img", (i) => i.naturalWidth), 8, "width of an image");
    same(await frame.$eval("#set", (i) => i.naturalWidth), 8, "width of an image that was chosen of several");
    same(await frame.$eval("#lost", (i) => i.naturalWidth), 0, "width of an image that was not captured");
    same(await frame.$eval("h1", (h) => getComputedStyle(h).color), "rgb(0, 102, 51)", "style");
    same(await frame.$eval("h1", (h) => getComputedStyle(h).fontStyle), "italic", "imported style");
    same(frame.childFrames().length, 2, "frames");
    same(await (await (await frame.$("#frame")).contentFrame()).textContent("#inner"), "inside", "text of a frame");
    await frame.click("#next");
    await page.waitForURL(/next\.html/);
    expect(page.url() === `${before}web/20261101120000/${origin}/next.html?a=1&b=2`, `a link leads to ${page.url()}`);
    frame = await shown("/refresh.html");
    for (let i = 0; i < 600 && !/next\.html/.test(frame.url()); i++) await page.waitForTimeout(50);
    same(await frame.title(), "Next", "where a page led by itself");
    frame = await shown("/gone.html");
    same(await frame.title(), "Gone", "an archived error");
  }
  // The bar opens and leads on without scripts.
  await page.goto(`${pages}view/web/20261101120000/${origin}/`);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  expect((await page.innerText(".bar table")).includes("/red.png"), "the table of the bar does not name the parts");
  await page.fill("#from", "-1s");
  await page.fill("#to", "+1s");
  await page.keyboard.press("Enter");
  await page.waitForURL(/~-1s\.\.\+1s~/);
  await page.click("text=later: 2026-11-11");
  expect(page.url().includes("/view/web/20261111120000/"), `the later capture is at ${page.url()}`);
  for (const [url] of answered) expect(url.startsWith(replay) || url.startsWith(pages), `asked for ${url}`);
}

async function walk() {
  const seen = new Set();
  const next = [`${replay}web/2030/${origin}/`];
  while (next.length && seen.size < 25) {
    const answer = await page.goto(next.shift());
    if (seen.has(page.url())) continue;
    seen.add(page.url());
    expect(answer.status() === 200 || answer.status() === 404, `${page.url()}: status ${answer.status()}`);
    const found = await page.evaluate(async () => {
      for (const i of document.images) if (!i.complete) await new Promise((r) => (i.onload = i.onerror = r));
      return {
        links: [...document.links].map((a) => a.href.split("#")[0]),
        broken: [...document.images].filter((i) => !i.naturalWidth).map((i) => i.src),
        styles: document.styleSheets.length,
        text: document.body.innerText.length,
      };
    });
    if (answer.status() === 200) expect(found.styles > 0, `${page.url()}: no style sheet`);
    if (answer.status() === 200) expect(found.text > 50, `${page.url()}: no text`);
    for (const b of found.broken) problems.push(`${page.url()}: broken image ${b}`);
    for (const l of found.links) if (!seen.has(l)) next.push(l);
  }
  expect(seen.size >= 20, `only ${seen.size} pages were reached`);
  for (const [url] of answered) expect(url.startsWith(replay), `asked for ${url}`);
}

async function ours() {
  const list = [["start", pages], ["calendar", `${pages}web/*/${origin}/`], ["revisits", `${pages}web/*/${origin}/green.png`], ["list", `${pages}web/*/*`], ["files", `${pages}files/`],
    ["absent", `${replay}web/2026/http://absent.example/`], ["bad-time", `${replay}web/20269999/${origin}/`], ["nothing", `${pages}nothing`]];
  for (const scheme of ["light", "dark"])
    for (const width of [360, 1100]) {
      await page.emulateMedia({ colorScheme: scheme });
      await page.setViewportSize({ width, height: 800 });
      for (const [name, url] of list) {
        await page.goto(url);
        const box = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth, document.querySelectorAll("h1").length, getComputedStyle(document.body).backgroundColor]);
        expect(box[0] <= box[1], `${name} at ${width} px is ${box[0]} px wide`);
        same(box[2], 1, `headings of ${name}`);
        same(box[3], scheme === "dark" ? "rgb(13, 17, 23)" : "rgb(255, 255, 255)", `background of ${name}, ${scheme}`);
        if (dir) await page.screenshot({ path: `${dir}/${name}-${scheme}-${width}.png`, fullPage: name !== "list" });
      }
    }
  // by keyboard: the field, then the button, then what was found
  await page.goto(pages);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  same(await page.evaluate(() => document.activeElement.name), "url", "what has the focus after two tabs");
  await page.keyboard.type(`${origin}/`);
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/web\/\*\//);
  same(await page.textContent("h1"), `${origin}/`, "heading of the calendar");
  await page.click("main table a");
  await page.waitForURL((u) => u.href.startsWith(`${pages}view/`));
}

try {
  await { hard, bar, blocked: withoutWorkers, plain, walk, pages: ours }[what]();
} catch (e) {
  problems.push(String(e));
}
await browser.close();
for (const p of problems) console.error(p);
process.exit(problems.length ? 1 : 0);
