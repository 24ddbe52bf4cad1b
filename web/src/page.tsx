// SPDX-License-Identifier: Apache-2.0
// One page: its versions, what changed between them, how often and when it changes.
import { useRef } from "preact/hooks";
import { api, bytes, css, number, plural, rate, replay, set, to, useApi, when, words } from "./core";
import { A, Figure, Mark, Table, Tile, Waiting } from "./ui";
import { DifferenceView } from "./difference";
import { inside } from "./brush";
import type { ViewProps } from "./main";

interface Look { when: string; status: number | null; size: number | null; digest: string | null; last_modified: string | null }
interface Version { capture: number; visit: Look; second: Look | null; revisit: Look | null; mime: string; grade: string; reason: string | null }
interface PageAnswer { url: string; versions: Version[]; rates: { source: string; per_second: number; low: number | null; high: number | null; observations: number | null; when: string | null }[] }
interface Week { changes: number[][]; hours: number[][]; looks: number; seen: number; stated: number; from: string | null; to: string | null }

const days = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const proved = (v: Version) => v.grade === "identical" || v.grade === "volatile";

function WeekFigure({ url }: { url: string }) {
  const asked = useApi<Week>(api("week", { url }));
  return (
    <Waiting asked={asked}>{(w) => {
      const per = (d: number, h: number) => (w.hours[d][h] > 0 ? w.changes[d][h] / w.hours[d][h] : 0);
      const most = Math.max(1e-12, ...days.flatMap((_, d) => w.changes[d].map((_x, h) => per(d, h))));
      const table = (): Table => ({ head: ["weekday", "hour (UTC)", "changes", "hours watched"], rows: days.flatMap((day, d) => w.changes[d].map((c, h) => [day, h, c, w.hours[d][h]])) });
      return (
        <Figure title="By weekday and hour" name="week" table={table}
                about={`${plural(w.seen, "change")} seen in ${plural(w.looks, "download")}${w.stated ? `, ${number(w.stated)} of them dated by the server` : ""}. UTC; darker: more changes for each hour watched; a dot: never watched.`}>
          <div class="scroll" tabIndex={0} role="region" aria-label="Changes by weekday and hour">
            <table class="week">
              <thead><tr><th scope="col">UTC</th>{[...Array(24).keys()].map((h) => <th scope="col">{h}</th>)}</tr></thead>
              <tbody>{days.map((day, d) => (
                <tr><th scope="row">{day.slice(0, 3)}</th>{[...Array(24).keys()].map((h) => (
                  <td title={`${day} ${h}:00: ${w.changes[d][h].toFixed(2)} changes in ${w.hours[d][h].toFixed(1)} hours`}
                      style={{ background: w.hours[d][h] > 0 ? `color-mix(in srgb, ${css("--accent")} ${Math.round(8 + 92 * (per(d, h) / most))}%, transparent)` : "none" }}>{w.hours[d][h] > 0 ? "" : "·"}</td>
                ))}</tr>
              ))}</tbody>
            </table>
          </div>
        </Figure>
      );
    }}</Waiting>
  );
}

export function PageView({ q, captures }: ViewProps) {
  const field = useRef<HTMLInputElement>(null);
  const asked = useApi<PageAnswer>(q.url ? api("page", { url: q.url }) : "");
  const search = (
    <form class="facets" role="search" onSubmit={(e) => { e.preventDefault(); set({ url: field.current!.value.trim(), a: "", b: "" }); }}>
      <label class="long">URL as it was captured<input type="search" ref={field} defaultValue={q.url ?? ""} key={q.url} /></label>
      <button>Show</button>
    </form>
  );
  if (!q.url) return <><h1>One page</h1>{search}<p>Choose a page in <A href={to("capture")}>a capture</A>, or write its URL above.</p></>;
  return (
    <>
      <h1>{q.url}</h1>
      {search}
      <Waiting asked={asked}>{(p) => {
        const list = p.versions.filter((v) => inside(q, v.visit.when));
        const name = (id: number) => captures.find((c) => c.id === id)?.key ?? String(id);
        const best = p.rates.find((r) => r.low !== null) ?? p.rates[0];
        const different = new Set(list.map((v) => v.visit.digest).filter(Boolean)).size;
        const b = q.b ?? (list.length > 1 ? String(list[list.length - 1].capture) : ""), a = q.a ?? (list.length > 1 ? String(list[list.length - 2].capture) : "");
        const table = (): Table => ({
          head: ["capture", "visited", "status", "bytes", "digest", "revisited", "digest then", "grade", "reason", "last modified"],
          rows: list.map((v) => [name(v.capture), v.visit.when, v.visit.status, v.visit.size, v.visit.digest, v.revisit?.when ?? null, v.revisit?.digest ?? null, v.grade, v.reason, v.visit.last_modified]),
        });
        return (
          <>
            <dl class="tiles">
              <Tile label="Versions" value={number(list.length)} note={plural(different, "different content")} />
              <Tile label="Coherent in" value={`${number(list.filter(proved).length)} of ${number(list.length)}`} note="captures: the same before and after" />
              <Tile label="Changes" value={best ? rate(best.per_second) : "–"} note={best ? (best.low !== null && best.high !== null ? `${rate(best.high)} … ${rate(best.low)}` : `estimated by: ${best.source}`) : "no rate is known"} />
            </dl>
            <Figure title="Versions" name="versions" table={table}>
              <div class="scroll" tabIndex={0} role="region" aria-label="Versions of the page"><table>
                <thead><tr><th scope="col">Capture</th><th scope="col">Visited</th><th scope="col" class="n">Status</th><th scope="col" class="n">Size</th><th scope="col">Content</th><th scope="col">Coherent</th><th scope="col">Look at</th></tr></thead>
                <tbody>{list.map((v, i) => {
                  const before = list[i - 1];
                  const reason = words.reasons.find((r) => r.word === v.reason);
                  return (
                    <tr><td class="nw"><A href={to("capture", { capture: String(v.capture) })}>{name(v.capture)}</A></td><td class="nw" title={v.visit.when}>{when(v.visit.when, true)}</td>
                      <td class="n">{v.visit.status ?? "none"}</td><td class="n">{bytes(v.visit.size)}</td>
                      <td class="nw">{!before ? "first" : before.visit.digest && before.visit.digest === v.visit.digest ? "same bytes" : <A href={to("page", { url: p.url, a: String(before.capture), b: String(v.capture) })}>other bytes</A>}</td>
                      <td><Mark word={!reason || reason.grade === "none" ? "none" : reason.class} /> {proved(v) ? "yes" : v.reason ? "no" : "unknown"}{reason && <small class="soft"> {reason.text}</small>}</td>
                      <td class="nw"><a href={replay(p.url, v.visit.when)}>visit</a>{v.revisit && <> · <a href={replay(p.url, v.revisit.when)}>revisit</a> · <A href={to("page", { url: p.url, a: String(v.capture), b: String(v.capture) })}>both</A></>}</td></tr>
                  );
                })}</tbody>
              </table></div>
            </Figure>
            {a && b && <section aria-label="Difference"><h2>{a === b ? `Visit and revisit of ${name(Number(a))}` : `${name(Number(a))} and ${name(Number(b))}`}</h2><DifferenceView url={p.url} a={a} b={b} /></section>}
            <WeekFigure url={p.url} />
            {p.rates.length > 0 && (
              <section aria-label="Rates"><h2>How often it changes</h2>
                <div class="scroll" tabIndex={0} role="region" aria-label="How often it changes"><table><thead><tr><th scope="col">Source</th><th scope="col">Changes</th><th scope="col">Between</th><th scope="col" class="n">Observations</th><th scope="col">As of</th></tr></thead>
                  <tbody>{p.rates.map((r) => <tr><td>{r.source}</td><td>{rate(r.per_second)}</td><td>{r.low !== null && r.high !== null ? `${rate(r.high)} … ${rate(r.low)}` : "–"}</td>
                    <td class="n">{number(r.observations)}</td><td title={r.when ?? ""}>{when(r.when)}</td></tr>)}</tbody></table></div>
              </section>
            )}
          </>
        );
      }}</Waiting>
    </>
  );
}
