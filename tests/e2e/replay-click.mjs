// SPDX-License-Identifier: Apache-2.0
// Click through a WACZ in ReplayWeb.page, as a reader does: open a page at a time,
// follow links from page to page, and compare what each shows with what it should.
//
//   node replay-click.mjs MODULES WACZ CHROMIUM [SCREENSHOT] < PLAN
//
// WACZ may be an http address: then the engine reads it from there, from pages of 127.0.0.1:$CLICK_PORT.
// PLAN is lines of JSON: {"open": URL, "ts": 14 digits} begins at a page, {"click": URL} follows
// the link to it on the page at hand; both with "texts", which must all be there. Prints one line of
// TAP for each. Exit code 2: it could not run.
import fs from "node:fs";
import http from "node:http";
import os from "node:os";
import path from "node:path";
import { createRequire } from "node:module";

const [modules, wacz, browserPath, screenshot] = process.argv.slice(2);
const steps = fs.readFileSync(0, "utf8").trim().split("\n").map((l) => JSON.parse(l));
const require = createRequire(path.join(path.resolve(modules), "x.cjs"));
const engine = path.join(path.resolve(modules), "node_modules", "replaywebpage");
const PATIENCE = 90_000; // a busy machine; a page that is right is there at once

function send(res, req, file, type) {
  const size = fs.statSync(file).size;
  const m = /^bytes=(\d*)-(\d*)$/.exec(req.headers.range ?? "");
  let from = 0, to = size - 1;
  if (m?.[1]) [from, to] = [Number(m[1]), m[2] ? Math.min(to, Number(m[2])) : to];
  else if (m?.[2]) from = Math.max(0, size - Number(m[2]));
  res.writeHead(m ? 206 : 200, { "Content-Type": type, "Accept-Ranges": "bytes", "Content-Length": to - from + 1,
    ...(m ? { "Content-Range": `bytes ${from}-${to}/${size}` } : {}) });
  if (req.method === "HEAD" || size === 0) return res.end();
  fs.createReadStream(file, { start: from, end: to }).pipe(res);
}

const shell = (url, ts) => `<!doctype html><meta charset="utf-8"><script src="/ui.js"></script>
<style>html, body { margin: 0; height: 100% } replay-web-page { display: block; height: 100% }</style><body><script>
navigator.serviceWorker.register("/replay/sw.js?serveIndex=1", { scope: "/replay/" }).then(async (reg) => {
  const worker = reg.installing ?? reg.waiting ?? reg.active;
  while (worker.state !== "activated") await new Promise((ok) => worker.addEventListener("statechange", ok, { once: true }));
  const e = document.createElement("replay-web-page");
  for (const [name, value] of Object.entries(${JSON.stringify({ source: wacz.startsWith("http:") ? wacz : "/x.wacz", url, ts, replayBase: "/replay/", embed: "replayonly" })}))
    e.setAttribute(name, value);
  document.body.append(e);
});</script>`;

// The only proxy of the browser, too: whatever is not ours is refused.
const server = http.createServer((req, res) => {
  const url = new URL(req.url, "http://127.0.0.1");
  const js = "text/javascript";
  if (url.pathname === "/" && url.searchParams.has("url"))
    return res.writeHead(200, { "Content-Type": "text/html" }).end(shell(url.searchParams.get("url"), url.searchParams.get("ts")));
  if (url.pathname === "/ui.js") return send(res, req, path.join(engine, "ui.js"), js);
  if (url.pathname === "/replay/sw.js") return send(res, req, path.join(engine, "sw.js"), js);
  if (url.pathname === "/x.wacz") return send(res, req, wacz, "application/octet-stream");
  res.writeHead(404).end();
});
server.on("connect", (_, socket) => socket.end("HTTP/1.1 403 Forbidden\r\n\r\n"));
await new Promise((ok) => server.listen(Number(process.env.CLICK_PORT ?? 0), "127.0.0.1", ok));
const origin = `http://127.0.0.1:${server.address().port}`;

const profile = fs.mkdtempSync(path.join(os.tmpdir(), "replay-click-"));
let context, bad = 0, n = 0;
async function leave(code) {
  await context?.close().catch(() => {});
  server.closeAllConnections();
  server.close();
  fs.rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  process.exit(code);
}

const sleep = (ms) => new Promise((ok) => setTimeout(ok, ms));
const replayed = (frame) => /\/replay\/w\/[^/]+\/(?::[^/]+\/)?\d*(?:[a-z]+_)?\/(.*)$/s.exec(frame.url())?.[1];
const squash = (s) => s.replace(/\s+/g, " ");

// The frame that shows the page, when all texts are there; else what it showed last.
async function shown(page, url, texts) {
  let last = "nothing";
  for (const end = Date.now() + PATIENCE; Date.now() < end; await sleep(150)) {
    const frame = page.frames().find((f) => replayed(f) === url);
    if (!frame) continue;
    try {
      last = squash(await frame.evaluate(() => document.body?.innerText ?? ""));
      if (texts.every((t) => last.includes(t))) return { frame };
    } catch { /* it is on its way */ }
  }
  return { last };
}

try {
  const { chromium } = require("playwright-core");
  context = await chromium.launchPersistentContext(profile, { executablePath: browserPath, headless: true,
    viewport: { width: 1000, height: 700 }, args: ["--no-sandbox", "--disable-gpu"], serviceWorkers: "allow" });
  const page = context.pages()[0] ?? (await context.newPage());
  let here = null;
  for (const step of steps) {
    const url = step.open ?? step.click;
    if (step.open) await page.goto(`${origin}/?url=${encodeURIComponent(url)}&ts=${step.ts}`);
    else if (here) await here.evaluate((u) => [...document.links].find((a) => a.href === u || a.href.endsWith("/" + u))?.click(), url).catch(() => {});
    const { frame, last } = here || step.open ? await shown(page, url, step.texts) : { last: "no page to click on" };
    here = frame ?? here;
    bad |= !frame;
    n++;
    console.log(`${frame ? "ok" : "not ok"} - ${step.what}${frame ? "" : `\n# shows: ${last.slice(0, 200)}`}`);
    if (screenshot && n === 1) await page.screenshot({ path: screenshot });
  }
} catch (e) {
  console.error(e.message);
  await leave(2);
}
await leave(bad ? 1 : 0);
