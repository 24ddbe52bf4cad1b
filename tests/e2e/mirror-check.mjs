// SPDX-License-Identifier: Apache-2.0
// mirror-check.mjs MODULES CHROMIUM TIMEOUT garden|hard FILE: open a page of a
// mirror through file:// in headless Chromium with no network, look at its style and
// images, click its links. Exit 0: all is well, 1: something is wrong, 2: no browser.
import path from "node:path";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [modules, executablePath, seconds, site, file] = process.argv.slice(2);
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
const asked = [];
function expect(condition, what) {
  if (!condition) problems.push(what);
}

const context = await browser.newContext({ offline: true });
context.setDefaultTimeout(timeout);
const page = await context.newPage();
page.on("request", (r) => asked.push(r.url()));
page.on("requestfailed", (r) => problems.push(`not loaded: ${r.url()} (${r.failure()?.errorText})`));

async function look() {
  return page.evaluate(() => ({
    title: document.title,
    text: document.body.innerText,
    color: document.querySelector("h1") && getComputedStyle(document.querySelector("h1")).color,
    background: getComputedStyle(document.body).backgroundImage,
    images: [...document.images].map((i) => ({ src: i.src, width: i.naturalWidth })),
  }));
}

async function garden() {
  const first = await look();
  expect(first.text.includes("A small garden"), "the page does not show its text");
  expect(first.color === "rgb(0, 102, 51)", `the style is not applied: h1 is ${first.color}`);
  expect(/^url\("file:.*leaf\.png"\)$/.test(first.background), `the style's image is ${first.background}`);
  expect(first.images.length === 2, `${first.images.length} images, not 2`);
  for (const i of first.images) expect(i.width > 0, `broken image ${i.src}`);

  await page.click("text=About");
  await page.waitForURL(/about\.html#top$/);
  const about = await look();
  expect(about.text.includes("Two roses and a leaf"), "the link does not lead to the other page");
  expect(about.color === "rgb(0, 102, 51)", "the other page has no style");
  await page.click("text=Home");
  await page.waitForURL(/index\.html$/);
  expect((await look()).text.includes("A small garden"), "the way back is wrong");
  await page.click("text=Beds");
  await page.waitForURL(/north/);
  expect((await look()).title === "Beds in the north", "a page with a query is not found");
}

async function hard() {
  const first = await look();
  expect(first.title === "\u0421\u0430\u0434", `the charset is lost: ${first.title}`);
  expect(first.color === "rgb(1, 2, 3)", `the style is not applied: h1 is ${first.color}`);
  expect(/^url\("file:/.test(first.background), `the style's image is ${first.background}`);
  for (const i of first.images) expect(i.width === 8, `broken image ${i.src}`);
  const more = await page.evaluate(() => ({
    paragraph: getComputedStyle(document.querySelector("p")).color,
    inline: getComputedStyle(document.querySelector("#inline")).backgroundImage,
    attribute: getComputedStyle(document.querySelector("#attribute")).backgroundImage,
    ran: document.body.dataset.ran,
    frame: document.querySelector("#frame").contentDocument.images[0].naturalWidth,
    outside: document.querySelector("#outside").href,
    picture: document.querySelector("#picture").currentSrc,
  }));
  expect(more.paragraph === "rgb(4, 5, 6)", "the imported style is not applied");
  expect(/^url\("file:/.test(more.inline), `style element: ${more.inline}`);
  expect(/^url\("file:/.test(more.attribute), `style attribute: ${more.attribute}`);
  expect(more.ran === "yes", "the script did not run");
  expect(more.frame === 8, "the page in the srcdoc has no image");
  expect(more.outside === "https://hard.example/not/captured", `what was not captured: ${more.outside}`);
  expect(/ONE~/.test(more.picture) || /ONE\.png$/.test(more.picture), `picture: ${more.picture}`);
  await page.click("#other");
  await page.waitForURL(/#part$/);
  expect((await look()).title === "other", "a query in the page's charset does not lead there");
  await page.goBack();
  await page.click("#moved");
  await page.waitForURL(/landing/);
  expect((await look()).text.includes("Landed"), "a link to a redirect does not lead to its end");
}

try {
  await page.goto(pathToFileURL(path.resolve(file)).href, { waitUntil: "load" });
  await (site === "hard" ? hard() : garden());
  for (const u of asked) expect(/^(file|about|data):/.test(u), `asked the network for ${u}`);
} catch (e) {
  problems.push(String(e));
}
await browser.close();
console.log(JSON.stringify({ problems, asked: asked.length }));
process.exit(problems.length ? 1 : 0);
