// SPDX-License-Identifier: Apache-2.0
// Addresses, questions to the server, and how numbers are written. No view knows another one: what they share is in the
// address (archive, site, time), so that every state can be bookmarked and sent to somebody.
import { useEffect, useState } from "preact/hooks";

export type Query = Record<string, string>;
export interface Place { view: string; q: Query }

/* Parameters that stay when the view changes. */
const shared = ["archive", "site", "from", "to"];

/* Where we are, of which the address bar learns a moment later: browsers refuse to change it with every frame of a drag. */
let ahead = "", timer = 0, settled = -Infinity;
function settle(): void {
  if (ahead) { history.replaceState(null, "", ahead); settled = performance.now(); }
  ahead = "";
  clearTimeout(timer);
  timer = 0;
}
window.addEventListener("pagehide", settle);

export function place(): Place {
  const at = ahead ? new URL(ahead, location.href) : location;
  const view = decodeURIComponent(at.pathname.replace(/^\/ui\/?/, "").split("/")[0]) || "archive";
  return { view, q: Object.fromEntries(new URLSearchParams(at.search)) };
}

/* The address of a view with these parameters; those that are shared are kept. */
export function to(view: string, q: Query = {}): string {
  const now = place().q;
  const all: Query = {};
  for (const k of shared) if (now[k]) all[k] = now[k];
  Object.assign(all, q);
  return address(view, all);
}

function address(view: string, q: Query): string {
  const p = new URLSearchParams();
  for (const [k, v] of Object.entries(q)) if (v !== "" && v !== undefined) p.set(k, v);
  const text = p.toString();
  return "/ui/" + (view === "archive" ? "" : view) + (text ? "?" + text : "");
}

const listeners = new Set<() => void>();
const tell = () => listeners.forEach((f) => f());
window.addEventListener("popstate", () => { ahead = ""; tell(); });

export function go(href: string, replace = false): void {
  if (replace) {
    ahead = href;
    if (performance.now() - settled > 150) settle();
    else if (!timer) timer = window.setTimeout(settle, 150);
  } else {
    settle();
    history.pushState(null, "", href);
  }
  tell();
}
/* Change parameters of this view; "" takes one away. */
export function set(q: Query, replace = false): void {
  const now = place();
  go(address(now.view, { ...now.q, ...q }), replace);
}

export function usePlace(): Place {
  const [p, change] = useState(place());
  useEffect(() => {
    const f = () => change(place());
    listeners.add(f);
    return () => { listeners.delete(f); };
  }, []);
  return p;
}

/* --- questions ----------------------------------------------------------------------------------- */

export class Failed extends Error {
  constructor(public status: number, text: string) { super(text); }
}

/* One question at a time: the server keeps its other threads for readers of pages. */
let turn: Promise<unknown> = Promise.resolve();
const known = new Map<string, unknown>();
export const token = { get: () => sessionStorage.getItem("token") ?? "", set: (t: string) => sessionStorage.setItem("token", t) };
export const headers = (): Record<string, string> => (token.get() ? { Authorization: `Bearer ${token.get()}` } : {});

async function ask(url: string, signal?: AbortSignal): Promise<unknown> {
  for (let tries = 0; ; tries++) {
    if (signal?.aborted) throw new DOMException("", "AbortError");
    const r = await fetch(url, { headers: headers() }); /* not aborted: the server would work on, and let the next one wait */
    if (r.status === 401) throw new Failed(401, "This archive needs a token.");
    const body = await r.json().catch(() => ({ error: `The server answered ${r.status}.` }));
    if (r.status === 503 && tries < 20 && String(body.error).startsWith("other questions")) { /* very many ask; our turn comes */
      await new Promise((f) => setTimeout(f, 100 + 50 * tries));
      continue;
    }
    if (!r.ok) throw new Failed(r.status, body.error ?? `The server answered ${r.status}.`);
    return body;
  }
}

export function api(path: string, q: Query = {}): string {
  const p = new URLSearchParams();
  const archive = place().q.archive;
  if (archive) p.set("archive", archive);
  for (const [k, v] of Object.entries(q)) if (v !== "" && v !== undefined) p.set(k, v);
  const text = p.toString();
  return `/api/${path}${text ? "?" + text : ""}`;
}

const early = new Map<string, Promise<unknown>>();
/* What a view is going to ask for: it is under way while the view is made. */
export function expect(url: string): void {
  const asked = get(url);
  asked.catch(() => {}); /* the view tells */
  early.set(url, asked);
}

export function get<T>(url: string, signal?: AbortSignal): Promise<T> {
  if (known.has(url)) return Promise.resolve(known.get(url) as T);
  const begun = early.get(url);
  early.delete(url);
  if (begun) return begun as Promise<T>;
  const mine = turn.then(() => ask(url, signal));
  turn = mine.catch(() => {});
  return mine.then((v) => {
    known.set(url, v);
    if (known.size > 40) known.delete(known.keys().next().value as string);
    return v as T;
  });
}
export const forget = (): void => known.clear();

export interface Asked<T> { data?: T; error?: Failed; loading: boolean }
/* The answer of a question; while the next one is under way the one before stays. url "": nothing is asked. */
export function useApi<T>(url: string): Asked<T> {
  const [state, change] = useState<Asked<T>>({ loading: !!url, data: known.get(url) as T | undefined });
  useEffect(() => {
    if (!url) { change({ loading: false }); return; }
    const stop = new AbortController();
    let over = false;
    change((s) => ({ ...s, loading: true }));
    get<T>(url, stop.signal).then(
      (data) => over || change({ data, loading: false }),
      (e) => over || e.name === "AbortError" || change({ error: e, loading: false }));
    return () => { over = true; stop.abort(); };
  }, [url]);
  return state;
}

/* --- words, letters and colours: the server's ------------------------------------------------------- */

export interface Class { word: string; letter: string; text: string; light: string; dark: string }
export interface Kind { word: string; text: string; shape: string }
export interface Words {
  title: string; replay: string; classes: Class[]; kinds: Kind[]; grades: { word: string; text: string }[];
  reasons: { word: string; text: string; grade: string; class: string }[]; defects: Record<string, string>;
}
export let words: Words;
export async function readWords(): Promise<void> { words = await get<Words>("/api/words"); }
export const classOf = (word: string): Class => words.classes.find((c) => c.word === word) ?? words.classes[6];
/* Grades borrow the colours of classes; their own sign is their number. */
const gradeClass = ["failed", "unchanged", "insignificant", "new", "text", "links"];
export const gradeColour = (i: number): string => (i ? colour(classOf(gradeClass[i])) : css("--none"));

export const isDark = (): boolean => {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
};
export const colour = (c: Class): string => (isDark() ? c.dark : c.light);
export const css = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
/* Changes when the colours do. */
export function useTheme(): number {
  const [n, change] = useState(0);
  useEffect(() => {
    const f = () => change((x) => x + 1);
    const m = matchMedia("(prefers-color-scheme: dark)");
    m.addEventListener("change", f);
    window.addEventListener("theme", f);
    return () => { m.removeEventListener("change", f); window.removeEventListener("theme", f); };
  }, []);
  return n;
}

/* --- numbers and times ------------------------------------------------------------------------------ */

const group = new Intl.NumberFormat("en");
export const number = (n: number | null | undefined): string => (n === null || n === undefined ? "–" : group.format(n));
export const plural = (n: number, one: string, many = one + "s"): string => `${number(n)} ${n === 1 ? one : many}`;
export const nth = (n: number): string => `${number(n)}${n % 100 > 10 && n % 100 < 14 ? "th" : ["th", "st", "nd", "rd"][n % 10] ?? "th"}`;
export function percent(n: number, of: number): string {
  if (!of) return "–";
  const p = (100 * n) / of;
  if (p >= 99 && p < 100) return p > 99.9 ? ">99.9 %" : `${(Math.floor(10 * p) / 10).toFixed(1)} %`; /* all is said of all only */
  return p > 0 && p < 0.1 ? "<0.1 %" : `${p.toFixed(p >= 10 || p === 0 ? 0 : 1)} %`;
}
export function bytes(n: number | null): string {
  if (n === null || n < 0) return "–";
  for (const [unit, size] of [["GB", 1e9], ["MB", 1e6], ["kB", 1e3]] as [string, number][])
    if (n >= size) return `${(n / size).toFixed(n >= 10 * size ? 0 : 1)} ${unit}`;
  return `${n} B`;
}
export function span(ms: number): string {
  const s = Math.abs(ms) / 1000;
  if (s < 1) return `${Math.round(s * 1000)} ms`;
  if (s < 90) return `${s.toFixed(s < 10 ? 1 : 0)} s`;
  if (s < 5400) return `${(s / 60).toFixed(s < 600 ? 1 : 0)} min`;
  if (s < 172800) return `${(s / 3600).toFixed(1)} h`;
  return `${(s / 86400).toFixed(1)} d`;
}
/* How long something took, by the times of its first and its last byte: "3.2 s"; of files that tell whole seconds only "at most 4 s". */
export function took(first: string | null, last: string | null): string {
  const a = ms(first), b = ms(last);
  if (Number.isNaN(b - a)) return "–";
  return a % 1000 === 0 && b % 1000 === 999 ? `at most ${b - a < 1000 ? "a second" : span(b - a + 1)}` : span(b - a);
}
export const ms = (iso: string | null | undefined): number => (iso ? Date.parse(iso) : NaN);
/* "17 Nov 2026, 22:08:45" in UTC; the ISO form belongs into a title. */
export function when(iso: string | null | undefined, seconds: boolean | "ms" = false): string {
  if (!iso) return "–";
  const d = new Date(iso);
  const day = d.toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });
  return `${day}, ${d.toISOString().slice(11, seconds === "ms" ? 23 : seconds ? 19 : 16)} UTC`;
}
/** Two digits that count, never as a power of ten. */
function twoDigits(x: number): string {
  return x < 99.5 ? x.toPrecision(2) : String(Number(x.toPrecision(2)));
}

export function rate(perSecond: number | null): string {
  if (!perSecond || perSecond <= 0) return "–";
  const every = 1 / perSecond;
  if (every < 90) return `every ${twoDigits(every)} s`;
  if (every < 5400) return `every ${twoDigits(every / 60)} min`;
  if (every < 172800) return `every ${twoDigits(every / 3600)} h`;
  if (every < 63072000) return `every ${twoDigits(every / 86400)} d`;
  return `every ${twoDigits(every / 31557600)} y`;
}
/* From … to …, with as many digits as tell the two apart; the day once where it is the same. */
export function interval(from: string | null, to: string | null): string {
  const close = Math.abs(ms(to) - ms(from));
  const digits = close < 10000 ? "ms" : close < 7200000;
  const a = when(from, digits), b = when(to, digits);
  return from && to && from.slice(0, 10) === to.slice(0, 10) ? `${a.replace(" UTC", "")} – ${b.slice(b.indexOf(", ") + 2)}` : `${a} – ${b}`;
}
/* Whether times of these need their seconds to be told apart. */
export const isClose = (times: (string | null)[]): boolean => new Set(times.map((t) => t?.slice(0, 16))).size < new Set(times).size;
export const short = (url: string, site = ""): string => {
  const bare = url.replace(/^https?:\/\//, "");
  return site && bare.startsWith(site) ? bare.slice(site.length) || "/" : bare;
};
/* Where the archived page is shown, below the bar with its verdict. */
export const replay = (url: string, iso: string): string => `/view/web/${iso.replace(/[^0-9]/g, "").slice(0, 17)}/${url}`;
