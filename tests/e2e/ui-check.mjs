// SPDX-License-Identifier: Apache-2.0
// ui-check.mjs MODULES CHROMIUM PAGES QUALITY.json [DIR]: every view of the web interface in headless Chromium. Lines "ok WHAT" and "not ok WHAT";
// why is written to stderr. With DIR screenshots go there. Exit 0: all is well, 1: something is wrong, 2: no browser.
import fs from "node:fs";
import path from "node:path";
import { createRequire } from "node:module";

const [modules, executablePath, base, qualityFile, pictures] = process.argv.slice(2);
const require = createRequire(path.join(path.resolve(modules), "x.cjs"));
const quality = JSON.parse(fs.readFileSync(qualityFile, "utf8"));
const axe = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
let browser;
try {
  const { chromium } = require("playwright-core");
  browser = await chromium.launch({ executablePath, timeout: 90000, args: ["--no-sandbox"] });
} catch (e) {
  console.error(String(e));
  process.exit(2);
}
/* bypassCSP lets the judge's own script (axe) in; that the policy holds is asked in a context of its own, below. */
const context = await browser.newContext({ viewport: { width: 1200, height: 900 }, bypassCSP: true, acceptDownloads: true, colorScheme: "light" });
context.setDefaultTimeout(60000);
const page = await context.newPage();
const complaints = [], strangers = [];
const watch = (p) => {
  p.on("console", (m) => m.type() === "error" && complaints.push(m.text()));
  p.on("pageerror", (e) => complaints.push(e.message));
  p.on("request", (r) => r.url().startsWith(base) || /^(data|blob):/.test(r.url()) || strangers.push(r.url()));
};
watch(page);
let failed = 0, step = "";
const problems = [];
const expect = (condition, text) => condition || problems.push(`${step}: ${text}`);
const same = (got, want, text) => expect(JSON.stringify(got) === JSON.stringify(want), `${text}: ${JSON.stringify(got)}, not ${JSON.stringify(want)}`);
async function test(name, fn) {
  step = name;
  problems.length = 0;
  try {
    await fn();
    await settled(); /* what is still asked for would keep the server from answering the next view at once */
  } catch (e) {
    problems.push(`${name}: ${e.message}`);
  }
  for (const c of complaints.splice(0)) problems.push(`${name}: console: ${c}`);
  for (const s of strangers.splice(0)) problems.push(`${name}: asked elsewhere: ${s}`);
  if (problems.length) { failed = 1; console.error(problems.join("\n")); }
  console.log(`${problems.length ? "not ok" : "ok"} ${name}`);
}
const api = async (p) => (await fetch(base + "api/" + p)).json();
const settled = () => page.waitForFunction(() => !document.querySelector("[aria-busy]") && !document.querySelector(".stale"));
async function open(p) {
  await page.goto(base + "ui/" + p);
  await page.waitForSelector("main h1, main h2");
  await settled();
}
const text = (selector) => page.$eval(selector, (e) => e.textContent.replace(/\s+/g, " ").trim());
const digits = (t) => t.replace(/,/g, "");
async function csv(act) {
  const [d] = await Promise.all([page.waitForEvent("download"), act()]);
  return fs.readFileSync(await d.path(), "utf8").trim().split("\r\n");
}
/* Accessible, at phone width without scrolling sideways, and the same in the dark. */
async function looks(name) {
  for (const [mode, width, colorScheme] of [["light", 1200, "light"], ["dark", 1200, "dark"], ["phone", 360, "light"]]) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    await settled();
    if (pictures) await page.screenshot({ path: path.join(pictures, `${name}-${mode}.png`), fullPage: true });
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${mode}: wider than the window`);
    if (mode === "phone") continue;
    await page.evaluate(axe);
    const r = await page.evaluate(() => axe.run());
    for (const v of r.violations) expect(false, `${mode}: axe: ${v.id}: ${v.nodes[0].html.slice(0, 200)}`);
  }
  await page.setViewportSize({ width: 1200, height: 900 });
  await page.emulateMedia({ colorScheme: "light" });
}
/* The picture's table has the rows of its CSV, and the keys work. */
async function tableAndCsv(figure, rows) {
  await page.focus(`${figure} canvas, ${figure} [tabindex="0"]`);
  const lines = await csv(() => page.keyboard.press("c"));
  if (rows !== undefined) same(lines.length - 1, rows, "rows of the CSV");
  await page.keyboard.press("t");
  await page.waitForSelector(`${figure} table`);
  expect((await page.$$(`${figure} tbody tr`)).length === Math.min(500, lines.length - 1), "rows of the table");
  await page.click(`${figure} button[aria-keyshortcuts=t]`);
  await page.waitForSelector(`${figure} table`, { state: "detached" });
  return lines;
}
/* What was said last; a key that was just pressed may still be on its way to it. */
async function saidIs(fits) {
  const deadline = Date.now() + 10000;
  while (!fits(await text("#said")) && Date.now() < deadline) await page.waitForTimeout(50);
  const last = await text("#said");
  expect(fits(last), `what is said: ${last}`);
}
const words = await api("words");
const graded = quality.captures.find((c) => c.graded_by);

await test("the archive view shows every capture as the catalogue has it", async () => {
  await open("");
  same(await page.title(), "Archive · Test library", "title");
  const archive = await api("archive"), captures = (await api("captures?grades=1")).captures;
  expect(digits(await text(".tiles")).includes(`Pages captured${archive.pages}`), "pages captured");
  same((await page.$$("main section[aria-label='List of captures'] tbody tr")).length, captures.length, "rows");
  const lines = await tableAndCsv(".figure", captures.length);
  expect(lines[1].includes(captures[0].key), "the newest capture comes first in the CSV");
  await page.focus(".figure canvas");
  await page.keyboard.press("ArrowRight");
  const oldest = captures[captures.length - 1];
  await saidIs((t) => t.includes(`${oldest.grades[1] + oldest.grades[2]} of`));
  same(quality.captures.find((c) => c.id === oldest.id).coherence.inducible.pages, oldest.grades[1] + oldest.grades[2], "proved pages of sharc quality");
  await looks("archive");
  await page.focus(".figure canvas");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await page.waitForURL(/capture\?/);
});

await test("the time brush narrows all views, and is part of the address", async () => {
  await open("");
  const all = (await page.$$("main section[aria-label='List of captures'] tbody tr")).length;
  await page.focus(".brush input");
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction((n) => document.querySelectorAll("main section[aria-label='List of captures'] tbody tr").length === n - 1, all);
  expect(page.url().includes("from="), `address: ${page.url()}`);
  await page.reload();
  await page.waitForSelector("main section[aria-label='List of captures'] tbody tr");
  same((await page.$$("main section[aria-label='List of captures'] tbody tr")).length, all - 1, "rows after loading again");
});

await test("of a capture without revisits, too; and what changed is the same in all views", async () => {
  const once = quality.captures.find((c) => !c.coherence.inducible && c.with_capture_before);
  const { steps } = await api("steps"), step = steps.find((s) => s.capture === once.id), before = once.with_capture_before;
  await open(`capture?capture=${once.id}`);
  await page.waitForFunction(() => /unchanged/.test(document.querySelector(".tiles").textContent));
  const verdict = digits(await text(".verdict"));
  if (before.same > 1 && before.from) expect(verdict.includes(`${before.same} of ${once.pages} pages had the same bytes`), verdict);
  else expect(verdict.startsWith("Nothing is proved"), verdict);
  const tile = digits(await text(".tiles"));
  expect(tile.includes(`Changed since the capture before${step.all.text + step.all.links}${step.all.unchanged} unchanged ${step.all.insignificant} with`), tile);
  const points = await api(`points?a=${step.before}&b=${once.id}`);
  for (const [word, n] of Object.entries(step.all)) same(points.all[word], n, `${word} in the pair`);
});

await test("the capture view says what sharc quality says", async () => {
  await open(`capture?capture=${graded.id}`);
  const proved = graded.coherence.inducible.pages;
  expect(digits(await text(".verdict")).startsWith(`${proved} of ${graded.judged} page`), await text(".verdict"));
  expect(digits(await text(".tiles")).includes(`Pages${graded.pages}`), "pages");
  for (const [word, n] of Object.entries(graded.grades))
    if (n) expect(digits(await text("section[aria-label=Reasons]")).includes(String(n)), `${n} pages ${word}`);
  const schedule = await api(`schedule?capture=${graded.id}`);
  same(schedule.url.length, schedule.count, "pages of the schedule");
  await tableAndCsv("#schedule", schedule.count);
  await page.focus("#schedule canvas");
  await page.keyboard.press("Home");
  await saidIs((t) => t.startsWith(schedule.url[0]));
  await page.hover("#schedule canvas");
  expect((await text("#schedule .reading")).includes("visited"), "hovering names a page");
  await page.click("#schedule button:has-text('Organ pipes')");
  await page.waitForURL(/picture=pipes/);
  await looks("capture");
});

await test("pages of a capture are filtered, sorted and saved", async () => {
  await open(`capture?capture=${graded.id}`);
  const all = await api(`pages?capture=${graded.id}&sort=-risk&limit=100`);
  same((await page.$$("section[aria-label=Pages] tbody tr")).length, all.pages.length, "rows");
  await page.selectOption("section[aria-label=Pages] label:has-text('Grade') select", "identical");
  await page.waitForURL(/grade=identical/);
  await settled();
  same(Number(digits((await text("section[aria-label=Pages] p[role=status]")).split(" ")[0])), all.facets.grade.identical, "pages of a grade");
  await page.keyboard.press("Escape");
  await page.focus("section[aria-label=Pages] .scroll");
  const lines = await csv(() => page.keyboard.press("c"));
  same(lines.length - 1, all.facets.grade.identical, "rows of the CSV");
  await page.click("section[aria-label=Pages] th button:has-text('Size')");
  await page.waitForURL(/sort=size/);
  await settled();
  await page.focus(".views a");
  await page.keyboard.press("/");
  await page.keyboard.type(".html");
  await page.keyboard.press("Enter");
  await page.waitForURL(/q=.html/);
  await settled();
  const want = await api(`pages?capture=${graded.id}&grade=identical&q=.html&sort=size`);
  same((await page.$$("section[aria-label=Pages] tbody tr")).length, want.pages.length, "rows that match");
});

await test("the series shows each capture against the one before it", async () => {
  const { site, steps } = await api("steps");
  await open("series");
  same(await text("h1"), `${site} over time`, "heading");
  const lines = await tableAndCsv("section[aria-label=Pages]", steps.length);
  const last = steps[steps.length - 1];
  same(lines[steps.length].split(",").slice(3).map(Number), ["unchanged", "insignificant", "text", "links", "new", "missing", "failed"].map((w) => last.all[w]), "last row of the CSV");
  await page.focus("section[aria-label=Pages] .plot");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await saidIs((t) => t.startsWith(steps[1].key) && t.includes(`unchanged ${steps[1].all.unchanged}`));
  const { parts } = await api("subsites");
  const rows = await tableAndCsv("section[aria-label='Parts of the site']", parts.length);
  expect(rows[1].startsWith(parts[0].prefix), `first part: ${rows[1]}`);
  await looks("series");
  await page.focus("section[aria-label=Pages] .plot");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await page.waitForURL(/capture\?/);
});

await test("strategies are tried on the server, and can be stopped", async () => {
  const { strategies } = await api("trial");
  await open("trial?delay=0.5");
  await page.click("text=Try all strategies");
  await page.waitForFunction((n) => document.querySelectorAll(".progress").length === 0 && document.querySelector("section[aria-label^='127']"), strategies.length);
  const lines = await tableAndCsv("section[aria-label^='127']", strategies.length);
  same(lines.slice(1).map((l) => l.split(",")[0]), strategies, "strategies of the CSV");
  same(lines.slice(1).filter((l) => !l.split(",")[1]), [], "strategies without requests");
  await looks("trial");
  await page.focus(".sliders input >> nth=0");
  await page.keyboard.press("ArrowRight");
  await page.waitForURL(/delay=0\.63/);
  await page.click("text=Try all strategies");
  await page.click("main button:has-text('Stop')");
  await page.waitForFunction(() => document.querySelector("main [role=status]")?.textContent === "Stopped.");
});

await test("the change calendar has a cell for each page and capture", async () => {
  const c = await api("calendar");
  await open("calendar");
  const lines = await tableAndCsv(".figure", c.rows);
  expect(c.rows > 0 && lines[1].startsWith(c.url[0]), "first row");
  await page.focus(".figure canvas");
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
  await saidIs((t) => t.startsWith(c.url[0]));
  await page.keyboard.press("+");
  await page.waitForURL(/zoom=/);
  await looks("calendar");
});

await test("two captures are compared in the plane, in space and by their texts", async () => {
  const p = await api(`points?a=${graded.id}&b=latest`), counts = (await api(`pair?a=${graded.id}&b=latest`)).counts;
  same(p.all.new, counts.new, "new pages");
  same(p.all.missing, counts.deleted, "missing pages");
  await open(`pair?a=${p.a}&b=${p.b}`);
  await tableAndCsv("#plane", p.count);
  const changed = p.class.filter((c) => c > 1).length;
  same(Number(digits((await text("section[aria-label='Chosen pages'] h2")).split(" ")[0])), changed, "pages that changed");
  const at = await (await page.$("#plane canvas")).boundingBox();
  await page.mouse.move(at.x + 2, at.y + 2);
  await page.mouse.down();
  await page.mouse.move(at.x + at.width - 2, at.y + at.height - 2);
  await page.mouse.up();
  await page.waitForURL(/box=/);
  await settled();
  same(Number(digits((await text("section[aria-label='Chosen pages'] h2")).split(" ")[0])), p.count, "pages in the brush");
  await page.waitForFunction(() => document.querySelector("#space .labels span").textContent.includes("type"));
  await looks("pair");
  const url = p.url[p.class.findIndex((c) => words.classes[c].word === "text" )];
  await page.goto(`${base}ui/pair?a=${p.a}&b=${p.b}&url=${encodeURIComponent(url)}`);
  await page.waitForSelector(".diff");
  const d = await api(`difference?a=${p.a}&b=${p.b}&url=${encodeURIComponent(url)}`);
  expect(d.added + d.removed > 0, "the page has another text");
  const said = d.rows.flatMap((r) => (r.new_marks ?? []).map(([at, n]) => r.new.slice(at, at + n)));
  const shown = await page.$$eval(".diff ins", (e) => e.map((x) => x.textContent));
  expect(shown.length > 0 && said.every((s) => s.length > 0 && shown.includes(s)), `marked words: ${JSON.stringify(shown).slice(0, 200)}`);
  await looks("pair-text");
});

await test("one page has its versions, grades, rates and replay", async () => {
  const url = (await api(`pages?capture=${graded.id}&limit=1&sort=-size&mime=text/html`)).pages[0].url;
  const p = await api(`page?url=${encodeURIComponent(url)}`);
  await open(`page?url=${encodeURIComponent(url)}`);
  same((await page.$$("section[aria-label=Versions] tbody tr")).length, p.versions.length, "versions");
  const coherent = p.versions.filter((v) => ["identical", "volatile"].includes(v.grade)).length;
  expect((await text(".tiles")).includes(`Coherent in${coherent} of ${p.versions.length}`), await text(".tiles"));
  const week = await api(`week?url=${encodeURIComponent(url)}`);
  expect((await text("section[aria-label='By weekday and hour'] .about")).startsWith(`${week.seen} change`), "changes seen");
  await looks("page");
  await page.click("section[aria-label=Versions] a:has-text('visit')");
  await page.waitForURL(/\/view\/web\//);
  await page.goto("about:blank");
  strangers.length = complaints.length = 0; /* the archived page is on the other port, and its parts may be missing */
});

await test("the tree of a site is folded, opened, searched and played", async () => {
  const g = await api(`graph?capture=2&against=1`);
  await open("graph?capture=2&against=1");
  expect((await text("#graph h2")).includes(`in ${g.url.length} node`), await text("#graph h2"));
  await tableAndCsv("#graph", g.url.length);
  await page.focus("#graph canvas");
  await page.keyboard.press("ArrowDown");
  await page.waitForURL(/node=/);
  await saidIs((t) => t.includes("in its branch"));
  await looks("graph");
  await page.click("button:has-text('Open all branches')");
  await page.waitForURL(/fold=0/);
  await settled();
  const all = await api(`graph?capture=2&against=1&fold=0`);
  await page.waitForFunction((n) => document.querySelector("#graph h2").textContent.includes(`in ${n} node`), all.url.length);
  same(all.pages.reduce((x, y) => x + y, 0), all.pages_in_all, "pages of all nodes");
  await page.fill("input[type=search]", "html");
  await page.waitForSelector("#graph p[role=status]");
  await page.click("button:has-text('Step on')");
  await page.waitForURL(/capture=3/);
  await settled();
});

await test("keys reach every view and every answer stands in the help", async () => {
  await open("");
  const n = (await page.$$("nav.views a")).length;
  await page.keyboard.press("?");
  await page.waitForSelector("[role=dialog]");
  await page.keyboard.press("Escape");
  await page.waitForSelector("[role=dialog]", { state: "detached" });
  for (let i = 1; i <= n; i++) {
    await page.keyboard.press(String(i));
    await page.waitForFunction((k) => document.querySelector(`nav.views a:nth-child(${k})`).getAttribute("aria-current"), i);
    await settled();
    same(await page.$$eval(".error", (e) => e.map((x) => x.textContent)), [], `errors of view ${i}`);
  }
});

await test("nothing breaks the policy", async () => {
  const strict = await browser.newContext();
  const p = await strict.newPage();
  watch(p);
  for (const v of ["", `capture?capture=${graded.id}`, "series", "calendar", "pair", "graph"]) {
    await p.goto(base + "ui/" + v);
    await p.waitForSelector("main canvas");
  }
  await strict.close();
});

await browser.close();
process.exit(failed);
