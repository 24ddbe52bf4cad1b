// SPDX-License-Identifier: Apache-2.0
// One capture: what it proves in words, its schedule, what is wrong with it, its pages, what was left out.
import { useState } from "preact/hooks";
import { api, bytes, classOf, headers, interval, colour, css, go, gradeColour, ms, nth, number, percent, plural, Query, rate, replay, set, short, span, to, took, useApi, when, words } from "./core";
import { A, Canvas, Cell, csv, Figure, Mark, Pager, save, say, Table, Tile, Waiting } from "./ui";
import { get } from "./core";
import { GradeLegend } from "./archive";
import { Watched } from "./watch";
import type { ViewProps } from "./main";

interface Together { pages: number; from: string | null; to: string | null }
interface CaptureAnswer {
  id: number; key: string; site: string; state: string; purpose: string; strategy: string; start: string | null; end: string | null;
  reference_from: string | null; reference_to: string | null; pages: number; answered: number; redirects: number; revisited: number;
  first: string | null; last: string | null;
  verdict: { graded: boolean; weakened: string | null; graded_by: string | null; judged: number; grades: { grade: number; word: string; pages: number }[];
             reasons: Record<string, number>; observable: Together | null; measurable: Together | null; inducible: Together | null };
  defects: Record<string, number>; left_out: { reason: string; urls: number }[];
  blur: { average: number | null; least: number | null; most: number | null; pages: number; estimated: number };
  pair: { before: number; same: number; changed: number; attested: number; unknown: number; only_before: number; only_after: number; from: string | null; to: string | null } | null;
}

/* --- the verdict --------------------------------------------------------------------------------- */

function Verdict({ c }: { c: CaptureAnswer }) {
  const grade = (i: number) => c.verdict.grades[i]?.pages ?? 0;
  const proved = grade(1) + grade(2), judged = c.verdict.judged, own = c.verdict.reasons["own-control"] ?? 0, together = c.verdict.inducible;
  if (!c.verdict.graded && c.pair && c.pair.same > 1 && c.pair.from) /* as the report has it */
    return (
      <p class="verdict">Every page was visited once, which took {took(c.first, c.last)}. <b>{number(c.pair.same)} of {plural(c.pages, "page")}</b> had the same bytes in <A href={to("capture", { capture: String(c.pair.before) })}>the
        capture before</A>, and existed together between the two: <b title={`${c.pair.from} … ${c.pair.to}`}>{interval(c.pair.from, c.pair.to)}</b>. {c.pair.attested > 0 && <>Of {number(c.pair.attested)} more the server says that they did not change. </>}Nothing else is proved.</p>
    );
  if (!c.verdict.graded)
    return (
      <p class="verdict">Nothing is proved: {c.revisited ? "pages were visited again, but none was graded" : "every page was visited once"}. The visits took {took(c.first, c.last)}. {c.pair
        ? <>What changed since <A href={to("capture", { capture: String(c.pair.before) })}>the capture before</A> is told below.</>
        : "There is no earlier capture to compare with."}</p>
    );
  return (
    <>
      <p class="verdict">
        <b>{number(proved)} of {plural(judged, "page")} ({percent(proved, judged)})</b> {judged === 1 ? "was" : "were"} the same before and after
        {together?.from
          ? <>{together.pages === proved ? ": they" : `, and ${number(together.pages)} of them`} existed together <b title={`${together.from} … ${together.to}`}>{interval(together.from, together.to)}</b>.</>
          : <>, and no instant is known at which they existed together.</>}{" "}
        {grade(2) > 0 && <>Of these, {number(grade(2))} differed only in parts that differ on every request, which are not covered: {number(own)} by
          control downloads of their own, {number(grade(2) - own)} by those of other pages. </>}
        {grade(3) > 0 && <>For {number(grade(3))} more there is the server’s word. </>}
        {grade(4) > 0 && <>{plural(grade(4), "page")} differed a little, which proves nothing. </>}
        {grade(5) > 0 && <>{plural(grade(5), "page")} changed or could not be compared. </>}
        {grade(0) > 0 && <>{plural(grade(0), "more page")} {grade(0) === 1 ? "was" : "were"} not graded. </>}
        {c.verdict.weakened && <>What it proves is weakened by the settings it was made with: {c.verdict.weakened}. </>}
        {c.verdict.graded_by !== "crawl" && c.verdict.graded_by && <span class="soft">Graded by: {c.verdict.graded_by}.</span>}
      </p>
      <div class="gradebar" role="img" aria-label={c.verdict.grades.map((g) => `${words.grades[g.grade].text}: ${number(g.pages)}`).join("; ")}>
        {[1, 2, 3, 4, 5, 0].filter((i) => grade(i)).map((i) => (
          <span style={{ background: gradeColour(i), flexGrow: grade(i), flexBasis: 0 }}>{grade(i) / Math.max(1, judged) > 0.03 ? i || "–" : ""}</span>
        ))}
      </div>
      <GradeLegend />
    </>
  );
}

/* --- the schedule ----------------------------------------------------------------------------------- */

interface Schedule {
  key: string; strategy: string; first: string | null; last: string | null; known_from: string | null; known_to: string | null; count: number; every: number;
  revisited: number; hopeless: number; rated: number; url: string[]; visit: number[]; revisit: (number | null)[]; rate: (number | null)[];
  kind: number[]; reason: number[]; flags: number[];
}

const scheduleTable = (s: Schedule): Table => ({
  head: ["url", "visit", "revisit", "changes per second", "kind", "class", "reason", "given up", "embedded"],
  rows: s.url.map((u, i) => [u, new Date(ms(s.first) + s.visit[i]).toISOString(), s.revisit[i] === null ? null : new Date(ms(s.first) + s.revisit[i]!).toISOString(),
    s.rate[i], words.kinds[s.kind[i]].word, words.reasons[s.reason[i]].class, words.reasons[s.reason[i]].word, s.flags[i] & 1, s.flags[i] >> 1]),
});

/* Visits and revisits as lines over time, or rates over the order of visits. */
function SchedulePicture({ s, pyramid }: { s: Schedule; pyramid: boolean }) {
  const [cursor, change] = useState(-1);
  const n = s.url.length, total = Math.max(1, ms(s.last) - ms(s.first));
  const left = 8, height = 320, top = 8, bottom = 24;
  const rates = s.rate.filter((r): r is number => r !== null && r > 0);
  const low = Math.log10(rates.reduce((a, b) => Math.min(a, b), Infinity)), high = Math.log10(rates.reduce((a, b) => Math.max(a, b), 0));
  const x = (t: number, w: number) => left + (t / total) * (w - 2 * left);
  const paint = (g: CanvasRenderingContext2D, w: number, h: number) => {
    const tall = h - top - bottom, paints = words.reasons.map((r) => (r.grade === "none" ? css("--none") : colour(classOf(r.class)))), ink = css("--ink");
    g.font = "12px system-ui, sans-serif";
    g.fillStyle = css("--soft");
    if (pyramid) {
      for (let i = 0; i < n; i++) {
        const y = top + ((i + 0.5) / n) * tall, a = x(s.visit[i], w);
        const hopeless = s.flags[i] & 1;
        g.fillStyle = paints[s.reason[i]];
        if (s.revisit[i] !== null) {
          g.globalAlpha = hopeless ? 0.35 : 0.8;
          g.fillRect(a, y, Math.max(1, x(s.revisit[i]!, w) - a), Math.max(0.6, (tall / n) * 0.7));
          g.globalAlpha = 1;
        }
        g.fillRect(a - 1, y, 2.5, Math.max(1, (tall / n) * 0.7));
        if (hopeless) { g.fillStyle = ink; g.fillRect(x(s.revisit[i] ?? s.visit[i], w), y, 4, Math.max(1, tall / n)); }
      }
      if (s.known_from && s.known_to) { /* over the lines: between them it would not be seen */
        const a = x(ms(s.known_from) - ms(s.first), w), b = x(ms(s.known_to) - ms(s.first), w);
        g.fillStyle = ink;
        g.globalAlpha = b - a > 3 ? 0.18 : 0.8;
        g.fillRect(a, 0, Math.max(1.5, b - a), top + tall);
        g.globalAlpha = 1;
      }
      g.fillStyle = css("--soft");
      g.textAlign = "left"; g.fillText("0", left, h - 8);
      g.textAlign = "right"; g.fillText(`${span(total)} after the first download`, w - left, h - 8);
    } else {
      const bar = (w - 2 * left) / Math.max(1, n);
      for (let i = 0; i < n; i++) {
        const r = s.rate[i];
        g.fillStyle = paints[s.reason[i]];
        const part = r && r > 0 ? (high > low ? 0.06 + 0.94 * ((Math.log10(r) - low) / (high - low)) : 0.5) : 0.02;
        g.fillRect(left + i * bar, top + tall * (1 - part), Math.max(0.7, bar * 0.85), tall * part);
        if (s.flags[i] & 1) { g.fillStyle = ink; g.fillRect(left + i * bar, top + tall * (1 - part) - 5, Math.max(1.5, bar * 0.85), 4); }
      }
      g.fillStyle = css("--soft");
      g.textAlign = "left"; g.fillText("first visited", left, h - 8);
      g.textAlign = "right"; g.fillText("last visited", w - left, h - 8);
    }
  };
  const draw = (g: CanvasRenderingContext2D, w: number, h: number) => {
    const tall = h - top - bottom;
    if (cursor >= 0) {
      g.strokeStyle = css("--ink");
      g.lineWidth = 1.5;
      g.beginPath();
      if (pyramid) { const y = top + ((cursor + 0.5) / n) * tall; g.moveTo(left, y); g.lineTo(w - left, y); }
      else { const at = left + ((cursor + 0.5) / n) * (w - 2 * left); g.moveTo(at, top); g.lineTo(at, top + tall); }
      g.stroke();
    }
  };
  const describe = (i: number) => `${s.url[i]}: visited ${span(s.visit[i])} after the first${s.revisit[i] !== null ? `, again after ${span(s.revisit[i]! - s.visit[i])}` : ", not again"}; ${
    s.rate[i] ? "changes " + rate(s.rate[i]) : "no rate"}; ${words.reasons[s.reason[i]].text}${s.flags[i] & 1 ? "; given up by the strategy" : ""}`;
  const move = (i: number) => { const k = Math.max(0, Math.min(n - 1, i)); change(k); say(describe(k)); };
  return (
    <>
      <Canvas height={height} draw={draw} deps={[cursor]} under={{ draw: paint, deps: [s, pyramid] }} label={`${plural(s.count, "page")} in order of their visits. Arrow keys move from page to page, Enter opens one.`}
              onPointer={(px, py) => {
                const w = (document.getElementById("schedule")?.querySelector("canvas")?.clientWidth ?? 600) - 2 * left;
                move(Math.floor(pyramid ? ((py - top) / (height - top - bottom)) * n : ((px - left) / w) * n));
              }}
              onClick={() => cursor >= 0 && go(to("page", { url: s.url[cursor] }))}
              onKeyDown={(e) => {
                const d: Record<string, number> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, PageDown: Math.ceil(n / 20), PageUp: -Math.ceil(n / 20) };
                if (e.key in d) move(cursor + d[e.key]);
                else if (e.key === "Home") move(0);
                else if (e.key === "End") move(n - 1);
                else if (e.key === "Enter" && cursor >= 0) go(to("page", { url: s.url[cursor] }));
                else return;
                e.preventDefault();
              }} />
      <p class="reading" aria-hidden="true">{cursor >= 0 ? <><Mark word={words.reasons[s.reason[cursor]].grade === "none" ? "none" : words.reasons[s.reason[cursor]].class} /> {describe(cursor)}</> : "Point at a page, or move with the arrow keys."}</p>
    </>
  );
}

/* What the highest and the lowest pipe stand for. */
function pipes(s: Schedule): string {
  const rates = s.rate.filter((r): r is number => r !== null && r > 0);
  if (!rates.length) return "";
  return `: from ${rate(rates.reduce((a, b) => Math.min(a, b)))} to ${rate(rates.reduce((a, b) => Math.max(a, b)))}; a stub has no rate`;
}

function ScheduleFigure({ capture, q }: { capture: string; q: Query }) {
  const asked = useApi<Schedule>(api("schedule", { capture }));
  return (
    <Waiting asked={asked}>{(s) => {
      const pyramid = q.picture ? q.picture === "pyramid" : s.revisited > 0;
      return (
        <Figure id="schedule" title="Schedule" name={`schedule-${s.key}`} table={() => scheduleTable(s)} whole={s.every > 1 ? () => get<Schedule>(api("schedule", { capture, most: "0" })).then(scheduleTable) : undefined}
                about={`${pyramid ? "A line for each page, from its visit to its revisit; the upright line or band is the time at which the proved pages existed together." : "A pipe for each page in the order of visits; its height is how often the page changes (logarithmic" + pipes(s) + ")."} Strategy: ${s.strategy || "unknown"}. ${
                  s.hopeless ? `${plural(s.hopeless, "page")} marked with a tick in the colour of the text: the strategy had given up on them.` : "No page was given up by the strategy."}${s.every > 1 ? ` Of ${number(s.count)} pages every ${nth(s.every)} is drawn; the table and the CSV have all.` : ""}`}
                tools={<button type="button" aria-pressed={!pyramid} onClick={() => set({ picture: pyramid ? "pipes" : "pyramid" }, true)}>Organ pipes</button>}
                legend={s.rated || s.revisited ? <ul class="legend">{words.classes.map((c) => c.word).filter((w) => s.reason.some((r) => words.reasons[r].grade !== "none" && words.reasons[r].class === w)).map((w) => <li><Mark word={w} /> {classOf(w).text}</li>)}
                  {s.reason.some((r) => words.reasons[r].grade === "none") && <li><Mark word="none" /> not graded</li>}</ul> : undefined}>
          {s.rated || s.revisited ? <SchedulePicture s={s} pyramid={pyramid} /> : <p>Every page was visited once, and how often pages change was not known: there is nothing to draw. The table has the times.</p>}
        </Figure>
      );
    }}</Waiting>
  );
}

/* --- pages --------------------------------------------------------------------------------------------- */

interface Page { url: string; when: string | null; status: number | null; mime: string; size: number | null; slot: number | null; rate: number | null; grade: string; reason: string | null; class: string; folder: string }
interface Pages { total: number; matched: number; offset: number; facets: Record<string, Record<string, number>>; pages: Page[] }
const LIMIT = 100;

interface Review { url: string; state: string; note: string; who: string; when: string }
interface Reviews { writable: boolean; counts: Record<string, number>; reviews: Review[] }
const signs: Record<string, string> = { approved: "✔ approved", rejected: "✖ rejected", open: "… note" };

/* What somebody decided about a page; with a token it can be decided here. */
function ReviewCell(p: { capture: string; url: string; review?: Review; writable: boolean; done: () => void }) {
  const [note, change] = useState<string | null>(null);
  const state = p.review?.state ?? "";
  const send = async (next: string, text: string) => {
    const r = await fetch(api("review", { capture: p.capture, url: p.url, state: next || "open", note: text }), { method: "POST", headers: headers() });
    const body = await r.json().catch(() => ({}));
    say(r.ok ? `${p.url}: ${next || "open"}` : body.error ?? `The server answered ${r.status}.`);
    p.done();
  };
  if (!p.writable) return <td>{p.review ? <span title={p.review.note}>{signs[state]}{p.review.note && <small class="soft note"> {p.review.note}</small>}</span> : "–"}</td>;
  return (
    <td class="nw">
      <select aria-label={`Review of ${p.url}`} value={state === "open" ? "" : state} onChange={(e) => send(e.currentTarget.value, p.review?.note ?? "")}>
        <option value="">open</option><option value="approved">✔ approved</option><option value="rejected">✖ rejected</option>
      </select>{" "}
      {note === null
        ? <button type="button" title={p.review?.note} aria-label={`Note on ${p.url}`} onClick={() => change(p.review?.note ?? "")}>{p.review?.note ? "✎ " + p.review.note.slice(0, 24) : "✎"}</button>
        : <input type="text" aria-label={`Text of the note on ${p.url}`} value={note} ref={(e) => e?.focus()} maxLength={1000} onKeyDown={(e) => {
            if (e.key === "Enter") { send(state, e.currentTarget.value); change(null); } else if (e.key === "Escape") change(null);
          }} />}
    </td>
  );
}
const columns: [string, string, string][] = [["url", "Page", ""], ["grade", "Grade", "risk"], ["status", "Status", "n"], ["mime", "Type", ""], ["size", "Size", "n"], ["rate", "Changes", ""], ["time", "Visited", ""]];
const pageTable = (p: Page[]): Table => ({
  head: ["url", "class", "grade", "reason", "status", "mime", "size", "changes per second", "visited", "slot", "folder"],
  rows: p.map((r) => [r.url, r.class, r.grade, r.reason, r.status, r.mime, r.size, r.rate, r.when, r.slot, r.folder] as Cell[]),
});

async function allPages(q: Query): Promise<void> {
  const rows: Page[] = [];
  for (let offset = 0; ; offset += 1000) {
    const a = await get<Pages>(api("pages", { ...q, limit: "1000", offset: String(offset) }));
    rows.push(...a.pages);
    say(`${number(rows.length)} of ${number(a.matched)} rows`);
    if (rows.length >= a.matched || !a.pages.length) break;
  }
  save("pages.csv", csv(pageTable(rows)));
}

function Facet(p: { name: string; label: string; values: Record<string, number>; chosen: string; text?: (v: string) => string }) {
  const list = Object.entries(p.values).filter(([v]) => v !== "others").sort((a, b) => b[1] - a[1]).slice(0, 200);
  if (p.chosen && !(p.chosen in p.values)) list.unshift([p.chosen, 0]);
  return (
    <label>{p.label}
      <select value={p.chosen} onChange={(e) => set({ [p.name]: e.currentTarget.value, offset: "" })}>
        <option value="">all</option>
        {list.map(([v, n]) => <option value={v}>{p.text ? p.text(v) : v} ({number(n)})</option>)}
      </select>
    </label>
  );
}

function PagesList({ capture, q, site }: { capture: string; q: Query; site: string }) {
  const filter: Query = { capture, q: q.q ?? "", class: q.class ?? "", grade: q.grade ?? "", mime: q.mime ?? "", status: q.status ?? "", folder: q.folder ?? "", sort: q.sort ?? "-risk" };
  const asked = useApi<Pages>(api("pages", { ...filter, limit: String(LIMIT), offset: q.offset ?? "" }));
  const [turn, again] = useState(0);
  const reviews = useApi<Reviews>(api("reviews", { capture }) + (turn ? `&turn=${turn}` : ""));
  const reviewed = new Map((reviews.data?.reviews ?? []).map((r) => [r.url, r]));
  const sorted = (key: string) => (filter.sort === key ? "ascending" : filter.sort === "-" + key ? "descending" : undefined);
  const keyOf = (c: string) => (c === "grade" ? "risk" : c);
  return (
    <section aria-label="Pages" onKeyDown={(e) => {
      if (/^(INPUT|SELECT)$/.test((e.target as HTMLElement).tagName) || e.ctrlKey || e.metaKey) return;
      if (e.key === "c") allPages(filter);
    }}>
      <div class="figure-head">
        <h2>Pages</h2>
        <div class="tools">
          <button type="button" aria-pressed={filter.sort === "-risk"} onClick={() => set({ sort: "-risk", offset: "" })}>Worst first</button>
          <button type="button" aria-keyshortcuts="c" onClick={() => allPages(filter)}>CSV <kbd>c</kbd></button>
        </div>
      </div>
      <div class="facets" role="search">
        <label>URL contains<input type="search" value={q.q ?? ""} onChange={(e) => set({ q: e.currentTarget.value, offset: "" })} /></label>
        <Facet name="class" label="Visit against revisit" values={asked.data?.facets.class ?? {}} chosen={q.class ?? ""} text={(v) => classOf(v).text} />
        <Facet name="grade" label="Grade" values={asked.data?.facets.grade ?? {}} chosen={q.grade ?? ""} />
        <Facet name="mime" label="Type" values={asked.data?.facets.mime ?? {}} chosen={q.mime ?? ""} />
        <Facet name="status" label="Status" values={asked.data?.facets.status ?? {}} chosen={q.status ?? ""} />
        <Facet name="folder" label="Folder" values={asked.data?.facets.folder ?? {}} chosen={q.folder ?? ""} text={(v) => short(v, site)} />
      </div>
      <Waiting asked={asked}>{(a) => (
        <>
          <p class="soft" role="status">{number(a.matched)} of {plural(a.total, "page")}{a.matched < a.total && <> · <button type="button" onClick={() => set({ q: "", class: "", grade: "", mime: "", status: "", folder: "", offset: "" })}>all</button></>}
            {reviews.data && (reviews.data.counts.approved > 0 || reviews.data.counts.rejected > 0) && <> · reviewed: {number(reviews.data.counts.approved)} approved, {number(reviews.data.counts.rejected)} rejected</>}</p>
          <div class="scroll" tabIndex={0} role="region" aria-label="Pages of the capture">
            <table>
              <thead><tr>{columns.map(([key, title, kind]) => (
                <th scope="col" class={kind === "n" ? "n" : ""} aria-sort={sorted(keyOf(key))} title={key === "rate" ? "as was known when the page was visited" : undefined}>
                  {key === "mime" ? title : <button type="button" onClick={() => set({ sort: filter.sort === keyOf(key) ? "-" + keyOf(key) : keyOf(key), offset: "" })}>
                    {title}{sorted(keyOf(key)) === "ascending" ? " ↑" : sorted(keyOf(key)) ? " ↓" : ""}</button>}
                </th>
              ))}<th scope="col">Review</th></tr></thead>
              <tbody>{a.pages.map((p) => (
                <tr>
                  <td class="url"><A href={to("page", { url: p.url })}>{short(p.url, site)}</A>{p.when && <> <a class="soft" href={replay(p.url, p.when)} aria-label={`replay ${short(p.url, site)}`} title="as it was archived">↗</a></>}</td>
                  <td title={words.reasons.find((r) => r.word === p.reason)?.text ?? ""}><Mark word={p.grade === "none" ? "none" : p.class} /> {p.grade === "none" ? "not graded" : p.grade}{p.reason && p.class !== "unchanged" && <small class="soft"> {words.reasons.find((r) => r.word === p.reason)?.text ?? p.reason}</small>}</td>
                  <td class="n">{p.status ?? "none"}</td><td>{p.mime || "–"}</td><td class="n">{bytes(p.size)}</td><td class="nw">{rate(p.rate)}</td>
                  <td class="nw" title={p.when ?? ""}>{p.when ? p.when.slice(0, 19).replace("T", " ") : "–"}</td>
                  <ReviewCell capture={capture} url={p.url} review={reviewed.get(p.url)} writable={reviews.data?.writable ?? false} done={() => again(turn + 1)} />
                </tr>
              ))}</tbody>
            </table>
          </div>
          <Pager label="Pages of the list" offset={a.offset} limit={LIMIT} matched={a.matched} go={(o) => set({ offset: o ? String(o) : "" })} />
        </>
      )}</Waiting>
    </section>
  );
}

/* --- left out -------------------------------------------------------------------------------------------- */

interface Skipped { reasons: Record<string, number>; texts: Record<string, string>; matched: number; offset: number; urls: { url: string; reason: string; detail: string }[] }

function SkippedList({ capture, q, site }: { capture: string; q: Query; site: string }) {
  const asked = useApi<Skipped>(api("skipped", { capture, reason: q.reason ?? "", limit: "50", offset: q.skip ?? "" }));
  return (
    <section aria-label="Left out">
      <h2>Left out</h2>
      <Waiting asked={asked}>{(a) => Object.keys(a.reasons).length === 0 ? <p class="soft">No URL was left out.</p> : (
        <>
          <div class="facets"><label>Reason
            <select value={q.reason ?? ""} onChange={(e) => set({ reason: e.currentTarget.value, skip: "" }, true)}>
              <option value="">all ({number(Object.values(a.reasons).reduce((x, y) => x + y, 0))})</option>
              {Object.entries(a.reasons).map(([r, n]) => <option value={r}>{a.texts[r] ?? r} ({number(n)})</option>)}
            </select></label></div>
          <div class="scroll" tabIndex={0} role="region" aria-label="URLs that were left out">
            <table><thead><tr><th scope="col">URL</th><th scope="col">Reason</th><th scope="col">Detail</th></tr></thead>
              <tbody>{a.urls.map((u) => <tr><td class="url">{short(u.url, site)}</td><td title={u.reason}>{a.texts[u.reason] ?? u.reason}</td><td class="url">{u.detail || "–"}</td></tr>)}</tbody></table>
          </div>
          <Pager label="URLs left out" offset={a.offset} limit={50} matched={a.matched} go={(o) => set({ skip: o ? String(o) : "" }, true)} />
        </>
      )}</Waiting>
    </section>
  );
}

/* What changed since the capture before: by texts, as the series has it. */
function Since(p: { capture: number; site: string; before: number }) {
  const asked = useApi<{ steps: { capture: number; all: Record<string, number> }[] }>(api("steps", { site: p.site }));
  const all = asked.data?.steps.find((s) => s.capture === p.capture)?.all;
  const rest = all && [`${number(all.unchanged)} unchanged`, `${number(all.insignificant)} with other bytes and the same text`, `${number(all.new)} new`, `${number(all.missing)} missing`,
    ...(all.failed ? [`${number(all.failed)} undecided`] : [])].join(", ");
  return <Tile label="Changed since the capture before" value={all ? number(all.text + all.links) : "–"}
               note={<>{rest ?? "not known yet"} · <A href={to("pair", { a: String(p.before), b: String(p.capture) })}>compare</A></>} />;
}

export function CaptureView({ q, captures, chosen, site }: ViewProps) {
  const capture = q.capture ?? String((chosen[0] ?? captures[0])?.id ?? "latest");
  const asked = useApi<CaptureAnswer>(api("capture", { capture }));
  const at = captures.findIndex((c) => String(c.id) === capture);
  const next = captures[at - 1], before = captures[at + 1];
  return (
    <>
      <Waiting asked={asked}>{(c) => {
        const wrong = Object.entries(c.defects).filter(([, n]) => n);
        return (
          <>
            <h1>{c.site}, <span title={c.start ?? ""}>{when(c.start)}</span></h1>
            <p class="soft">
              {c.key} · {took(c.first, c.last)} · {c.state}{c.purpose && ` · for ${c.purpose}`}
              {before && <> · <A href={to("capture", { capture: String(before.id) })}>‹ earlier</A></>}
              {next && <> · <A href={to("capture", { capture: String(next.id) })}>later ›</A></>}
            </p>
            {c.purpose === "watch" ? <Watched capture={capture} site={site} /> : <Verdict c={c} />}
            <dl class="tiles">
              <Tile label="Pages" value={number(c.pages)} note={`${number(c.answered)} answered, ${plural(c.redirects, "redirect")}, ${plural(c.pages - c.answered - c.redirects, "error")}`} />
              {c.purpose !== "watch" && <Tile label="Visited again" value={number(c.revisited)} />}
              {c.purpose !== "watch" && <Tile label="Blur" value={c.blur.average === null ? "–" : c.blur.average > 0 && c.blur.average < 0.0001 ? "<0.0001" : c.blur.average.toPrecision(3)} note={c.blur.average === null ? "no rates are known" : "changes of a page expected between its download and a random moment of the capture"} />}
              {c.pair && <Since capture={c.id} site={c.site} before={c.pair.before} />}
            </dl>
            <div class="columns">
              <section aria-label="Defects">
                <h2>What is wrong</h2>
                {wrong.length === 0 ? <p class="soft">Nothing was found.</p> : (
                  <table><tbody>{wrong.map(([w, n]) => <tr><th scope="row" class="n">{number(n)}</th><td>{words.defects[w] ?? w}</td></tr>)}</tbody></table>
                )}
              </section>
              {c.verdict.graded && (
                <section aria-label="Reasons">
                  <h2>Why pages have their grades</h2>
                  <table><tbody>{Object.entries(c.verdict.reasons).sort((a, b) => b[1] - a[1]).map(([w, n]) => {
                    const r = words.reasons.find((x) => x.word === w);
                    return <tr><th scope="row" class="n">{number(n)}</th><td><Mark word={!r || r.grade === "none" ? "none" : r.class} /> {r?.text ?? w}</td></tr>;
                  })}</tbody></table>
                </section>
              )}
            </div>
          </>
        );
      }}</Waiting>
      {asked.data?.purpose !== "watch" && <ScheduleFigure capture={capture} q={q} />}
      <PagesList capture={capture} q={q} site={site} />
      <SkippedList capture={capture} q={q} site={site} />
    </>
  );
}
