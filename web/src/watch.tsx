// SPDX-License-Identifier: Apache-2.0
// What watching a site has brought, period by period, and what is due next and why.
import { useState } from "preact/hooks";
import { api, css, ms, number, plural, rate, short, to, useApi, when } from "./core";
import { A, Canvas, Figure, say, Table, Tile, Waiting } from "./ui";

interface Period {
  from: string; to: string; looks: number; failed: number; changes: number; fresh_seen: number | null; fresh_expected: number | null; complete: number | null;
  exact_seen: number | null; exact_expected: number | null; together_seen: number | null; together_possible: number | null; questions: number;
}
interface Due { url: string; due: string | null; why: string; last: string | null; last_change: string | null; per_second: number; changed: number; signals: number }
interface WatchAnswer { pages: number; looked_at: number; all: Period | null; periods: Period[]; strategy: string | null; requests_per_hour: number | null; paused: boolean; watched: number; due: Due[] }

const reasons: Record<string, string> = {
  worth: "no other look brings as much", late: "its longest interval ends", told: "a sitemap or feed tells of a change",
  first: "nothing of it is archived", wanted: "somebody wants it", turn: "it is its turn",
};
const percent = (v: number | null): string => (v === null ? "unknown" : `${(100 * v).toFixed(1)} %`);

interface Band { title: string; low: (p: Period) => number | null; high: (p: Period) => number | null; tell: (p: Period) => string }
const bands: Band[] = [
  { title: "Up to date", low: (p) => p.fresh_seen, high: (p) => p.fresh_expected, tell: (p) => `${percent(p.fresh_seen)} of the time as looks show, ${percent(p.fresh_expected)} expected` },
  { title: "Versions archived", low: (p) => p.complete, high: (p) => p.complete, tell: (p) => `${percent(p.complete)} expected` },
  { title: "Exact at a given moment", low: (p) => p.exact_seen, high: (p) => p.exact_expected, tell: (p) => `${percent(p.exact_seen)} as looks show, ${percent(p.exact_expected)} expected` },
  { title: "Existed together", low: (p) => p.together_seen, high: (p) => p.together_possible, tell: (p) => `${percent(p.together_seen)} surely, ${percent(p.together_possible)} at most` },
];

/* A line for what looks show, and a lighter band up to what is expected or possible. Periods without a number are left out. */
function Over({ periods, band }: { periods: Period[]; band: Band }) {
  const [cursor, change] = useState(-1);
  const first = ms(periods[0].from), last = ms(periods[periods.length - 1].to), left = 44, bottom = 20, top = 8;
  const x = (i: number, w: number) => left + ((w - left - 10) * ((ms(periods[i].from) + ms(periods[i].to)) / 2 - first)) / Math.max(1, last - first);
  const draw = (g: CanvasRenderingContext2D, w: number, h: number) => {
    const high = h - bottom - top, y = (v: number) => top + high * (1 - v);
    g.font = "12px system-ui, sans-serif";
    g.textBaseline = "middle";
    for (let i = 0; i <= 4; i++) {
      g.fillStyle = css("--line");
      g.fillRect(left, Math.round(y(i / 4)), w - left, 1);
      g.fillStyle = css("--soft");
      g.textAlign = "right";
      g.fillText(`${25 * i} %`, left - 6, y(i / 4));
    }
    const known = periods.map((p, i) => ({ i, low: band.low(p), up: band.high(p) })).filter((p) => p.low !== null && p.up !== null);
    g.fillStyle = g.strokeStyle = css("--accent");
    g.globalAlpha = 0.25;
    g.beginPath();
    known.forEach((p) => g.lineTo(x(p.i, w), y(p.up!)));
    [...known].reverse().forEach((p) => g.lineTo(x(p.i, w), y(p.low!)));
    g.fill();
    g.globalAlpha = 1;
    g.lineWidth = 2;
    g.beginPath();
    known.forEach((p) => g.lineTo(x(p.i, w), y(p.low!)));
    g.stroke();
    known.forEach((p) => { g.beginPath(); g.arc(x(p.i, w), y(p.low!), p.i === cursor ? 5 : 2.5, 0, 7); g.fill(); });
    g.fillStyle = css("--soft");
    g.textAlign = "left";
    g.fillText(when(periods[0].from), left, h - 8);
    g.textAlign = "right";
    g.fillText(when(periods[periods.length - 1].to), w - 4, h - 8);
  };
  const tell = (i: number) => { change(i); say(`${band.title}, ${when(periods[i].from)}: ${band.tell(periods[i])}`); };
  const nearest = (at: number, w: number) => periods.reduce((best, _p, i) => (Math.abs(x(i, w) - at) < Math.abs(x(best, w) - at) ? i : best), 0);
  return (
    <div>
      <h3>{band.title}</h3>
      <Canvas height={150} draw={draw} deps={[periods, cursor]} label={`${band.title}, period by period. Arrow keys move.`}
              onPointer={(px, _y, e) => tell(nearest(px, (e.currentTarget as HTMLElement).clientWidth))} onLeave={() => change(-1)}
              onKeyDown={(e) => {
                const next = e.key === "ArrowRight" ? Math.min(periods.length - 1, cursor + 1) : e.key === "ArrowLeft" ? Math.max(0, cursor - 1) : -1;
                if (next < 0) return;
                tell(next);
                e.preventDefault();
              }} />
      <p class="reading" aria-hidden="true">{cursor >= 0 ? `${when(periods[cursor].from)}: ${band.tell(periods[cursor])}` : "\u00a0"}</p>
    </div>
  );
}

const overTable = (periods: Period[]): Table => ({
  head: ["from", "to", "looks", "failed", "changes", "fresh, seen", "fresh, expected", "complete", "exact, seen", "exact, expected", "together, seen", "together, possible"],
  rows: periods.map((p) => [p.from, p.to, p.looks, p.failed, p.changes, p.fresh_seen, p.fresh_expected, p.complete, p.exact_seen, p.exact_expected, p.together_seen, p.together_possible]),
});
const dueTable = (due: Due[]): Table => ({
  head: ["page", "due", "why", "last look", "last change", "changes per day", "has changed (chance)", "signals"],
  rows: due.map((d) => [d.url, d.due, d.why, d.last, d.last_change, d.per_second * 86400, d.changed, d.signals]),
});

export function Watched({ capture, site }: { capture: string; site: string }) {
  const asked = useApi<WatchAnswer>(api("watch", { capture }));
  return (
    <Waiting asked={asked}>{(w) => (
      <>
        <dl class="tiles">
          <Tile label="Watched" value={plural(w.watched, "page")} note={w.paused ? "paused" : w.requests_per_hour !== null ? `${number(Math.round(24 * w.requests_per_hour))} requests a day; strategy: ${w.strategy ?? "unknown"}` : undefined} />
          {w.all && <Tile label="Looks" value={number(w.all.looks + w.all.failed)} note={`${plural(w.all.changes, "change")} found`} />}
          {w.all && <Tile label="Up to date" value={percent(w.all.fresh_seen)} note={`of the time as looks show; ${percent(w.all.fresh_expected)} expected`} />}
          {w.all && <Tile label="Versions archived" value={percent(w.all.complete)} note="of those that existed, expected, by importance" />}
        </dl>
        {w.periods.length > 0 && (
          <Figure title="Over time" name="watch" table={() => overTable(w.periods)}
                  about="The line is what looks show: between two equal looks a page stood as it is archived, unless somebody changed it and changed it back. The band reaches up to what is expected by the pages' rates, or at most possible.">
            <div class="plots">{bands.map((b) => <Over periods={w.periods} band={b} />)}</div>
          </Figure>
        )}
        {w.due.length > 0 && (
          <Figure title="Due next" name="due" table={() => dueTable(w.due)} about="About when a page's turn comes at the present price of a look, and why. A page's hours of the week are on its own view.">
            <div class="scroll" tabIndex={0} role="region" aria-label="Due next">
              <table>
                <thead><tr><th scope="col">Due</th><th scope="col">Page</th><th scope="col">Why</th><th scope="col">Last look</th><th scope="col">Changes</th><th scope="col" class="n">Has changed</th></tr></thead>
                <tbody>{w.due.map((d) => (
                  <tr><td class="nw" title={d.due ?? ""}>{d.due ? when(d.due) : "not foreseen"}</td><td class="url"><A href={to("page", { url: d.url })}>{short(d.url, site)}</A></td>
                    <td>{reasons[d.why] ?? d.why}</td><td class="nw" title={d.last ?? ""}>{d.last ? when(d.last) : "never"}</td><td>{rate(d.per_second)}</td><td class="n">{(100 * d.changed).toFixed(0)} %</td></tr>
                ))}</tbody>
              </table>
            </div>
          </Figure>
        )}
      </>
    )}</Waiting>
  );
}
