// SPDX-License-Identifier: Apache-2.0
// ui-review.mjs MODULES CHROMIUM PAGES TOKEN: shows the token to the web interface, and reviews a page. Exit 0: all is well.
import path from "node:path";
import { createRequire } from "node:module";

const [modules, executablePath, base, token] = process.argv.slice(2);
const { chromium } = createRequire(path.join(path.resolve(modules), "x.cjs"))("playwright-core");
const browser = await chromium.launch({ executablePath, timeout: 90000, args: ["--no-sandbox"] });
const page = await browser.newPage();
page.setDefaultTimeout(60000);
await page.goto(base + "ui/capture?capture=1");
await page.fill("#token", token);
await page.click(".token button");
const cell = "section[aria-label=Pages] tbody tr:first-child select";
await page.selectOption(cell, "rejected");
await page.waitForFunction(() => /1 rejected/.test(document.querySelector("section[aria-label=Pages] p[role=status]").textContent));
await page.click("section[aria-label=Pages] tbody tr:first-child td:last-child button");
await page.keyboard.type("looks broken");
await page.keyboard.press("Enter");
await page.waitForFunction(() => document.querySelector("section[aria-label=Pages] tbody tr:first-child td:last-child").textContent.includes("looks broken"));
const r = await (await fetch(base + "api/reviews?capture=1", { headers: { Authorization: `Bearer ${token}` } })).json();
await browser.close();
const ok = r.writable && r.counts.rejected === 1 && r.reviews.length === 1 && r.reviews[0].note === "looks broken" && r.reviews[0].state === "rejected";
if (!ok) console.error(JSON.stringify(r));
process.exit(ok ? 0 : 1);
