// SPDX-License-Identifier: Apache-2.0
// The archive: its captures over time with what they prove, its sites, its storage.
import { useState } from "preact/hooks";
import { api, bytes, css, go, gradeColour, interval, isClose, number, percent, plural, to, useApi, when, words } from "./core";
import { A, Canvas, Figure, say, Table, Tile, Waiting } from "./ui";
import { Capture } from "./brush";
import type { ViewProps } from "./main";

interface ArchiveAnswer {
  name: string; catalogue: string | null; error: string | null; sites: number; captures: number; running: number; unfinished: number;
  pages: number; failed: number; storage: Record<"complete" | "open" | "elsewhere", { files: number; bytes: number }>; index: string; index_behind: number;
  held: boolean; series: { site: string; captures: number; first: string | null; last: string | null }[];
}

const sum = (c: Capture): number => (c.grades ?? []).reduce((a, b) => a + b, 0);
export const proved = (c: Capture): number => (c.grades?.[1] ?? 0) + (c.grades?.[2] ?? 0);

export function GradeLegend() {
  return (
    <ul class="legend">
      {[1, 2, 3, 4, 5, 0].map((i) => (
        <li><span class="mark" style={{ background: gradeColour(i) }} aria-hidden="true">{i || "–"}</span> {words.grades[i].text}</li>
      ))}
    </ul>
  );
}

/* A bar for each capture: its pages by grade, the proved ones at the bottom. */
function Timeline({ captures }: { captures: Capture[] }) {
  const [cursor, change] = useState(-1);
  const list = [...captures].reverse();
  const pages = Math.max(4, ...list.map(sum)), power = 10 ** Math.floor(Math.log10(pages / 4));
  const most = 4 * [1, 2, 2.5, 5, 10].map((x) => x * power).find((x) => 4 * x >= pages && Number.isInteger(x))!; /* lines at round numbers */
  const left = 54, bottom = 26, top = 8;
  const step = (w: number) => (w - left - 8) / Math.max(1, list.length);
  const draw = (g: CanvasRenderingContext2D, w: number, h: number) => {
    const s = step(w), bar = Math.max(1, Math.min(46, s * 0.72)), high = h - bottom - top;
    g.font = "12px system-ui, sans-serif";
    g.textBaseline = "middle";
    for (let i = 0; i <= 4; i++) {
      const y = top + high - (high * i) / 4;
      g.fillStyle = css("--line");
      g.fillRect(left, Math.round(y), w - left, 1);
      g.fillStyle = css("--soft");
      g.textAlign = "right";
      g.fillText(number(Math.round((most * i) / 4)), left - 8, y);
    }
    list.forEach((c, k) => {
      const x = left + k * s + (s - bar) / 2;
      let y = top + high;
      for (const i of [1, 2, 3, 4, 5, 0]) {
        const n = c.grades?.[i] ?? 0, d = (n / most) * high;
        if (!n) continue;
        g.fillStyle = gradeColour(i);
        g.fillRect(x, y - d, bar, Math.max(1, d - 1));
        if (d > 14 && bar > 12) {
          g.fillStyle = css("--back");
          g.textAlign = "center";
          g.fillText(i ? String(i) : "–", x + bar / 2, y - d / 2);
        }
        y -= d;
      }
      if (k === cursor) {
        g.strokeStyle = css("--ink");
        g.lineWidth = 2;
        g.strokeRect(x - 3, top, bar + 6, high + 1);
      }
      const every = Math.ceil(list.length / Math.max(1, Math.floor((w - left) / 84)));
      if (k % every === 0) {
        g.fillStyle = css("--soft");
        g.textAlign = "center";
        const d = new Date(c.start ?? 0).toISOString();
        const days = new Set(list.map((z) => z.start?.slice(0, 10))).size;
        g.fillText(days > 1 ? d.slice(0, 10) : d.slice(11, 19), Math.min(w - 34, left + k * s + s / 2), h - 10);
      }
    });
  };
  const tell = (i: number) => {
    const c = list[i];
    change(i);
    if (c) say(`${c.key}, ${when(c.start)}: ${number(proved(c))} of ${number(sum(c))} pages proved`);
  };
  const at = (x: number, w: number) => Math.max(0, Math.min(list.length - 1, Math.floor((x - left) / step(w))));
  const width = () => document.querySelector(".figure canvas")?.clientWidth ?? 600;
  return (
    <>
      <Canvas height={240} draw={draw} deps={[captures, cursor]} label="Pages of each capture by grade. Arrow keys move, Enter opens the capture."
              onPointer={(x) => tell(at(x, width()))} onLeave={() => change(-1)}
              onClick={(x) => go(to("capture", { capture: String(list[at(x, width())].id) }))}
              onKeyDown={(e) => {
                if (e.key === "ArrowRight") tell(Math.min(list.length - 1, cursor + 1));
                else if (e.key === "ArrowLeft") tell(Math.max(0, cursor - 1));
                else if (e.key === "Enter" && cursor >= 0) go(to("capture", { capture: String(list[cursor].id) }));
                else return;
                e.preventDefault();
              }} />
      <p class="reading" aria-hidden="true">{cursor >= 0 && list[cursor]
        ? <><b>{list[cursor].key}</b> · {when(list[cursor].start)} · {number(proved(list[cursor]))} of {number(sum(list[cursor]))} pages proved</>
        : "Point at a capture, or choose one with the arrow keys."}</p>
    </>
  );
}

const table = (captures: Capture[]): Table => ({
  head: ["capture", "key", "site", "state", "purpose", "start", "end", ...words.grades.map((g) => g.word), "proved from", "proved to"],
  rows: captures.map((c) => [c.id, c.key, c.site, c.state, c.purpose, c.start, c.end, ...(c.grades ?? []), c.reference_from, c.reference_to]),
});

export function Archive({ chosen, site, captures }: ViewProps) {
  const asked = useApi<ArchiveAnswer>(api("archive"));
  const close = isClose(captures.map((c) => c.start));
  return (
    <>
      <Waiting asked={asked}>{(a) => (
        <>
          <h1>{a.name}</h1>
          {a.error && <p class="error" role="alert">{a.error}</p>}
          <dl class="tiles">
            <Tile label="Captures" value={number(a.captures)} note={a.running ? `${number(a.running)} running` : a.unfinished ? `${number(a.unfinished)} unfinished` : "all complete"} />
            <Tile label="Sites" value={number(a.sites)} />
            <Tile label="Pages captured" value={number(a.pages)} note={`${number(a.failed)} without an answer or with an error`} />
            <Tile label="Storage" value={bytes(a.storage.complete.bytes + a.storage.open.bytes)} note={plural(a.storage.complete.files + a.storage.open.files, "WARC file")} />
            <Tile label="Index" value={a.index === "current" ? "up to date" : a.index} note={a.index_behind ? `${number(a.index_behind)} files behind` : undefined} />
          </dl>
        </>
      )}</Waiting>
      <Figure title={`Captures of ${site}`} name="captures" table={() => table(chosen)} legend={<GradeLegend />}
              about="Each bar is a capture; its pages by what visit and revisit prove. Grades 1 and 2 are proved: the same before and after.">
        <Timeline captures={chosen} />
      </Figure>
      <section aria-label="List of captures">
        <h2>{plural(chosen.length, "capture")}{chosen.length < captures.length && ` of ${number(captures.length)}`}</h2>
        <div class="scroll" tabIndex={0} role="region" aria-label="Captures">
          <table>
            <thead><tr><th scope="col">Capture</th><th scope="col">Begun</th><th scope="col">For</th><th scope="col">State</th><th scope="col" class="n">Pages</th>
              <th scope="col" class="n">Proved</th><th scope="col">Existed together</th></tr></thead>
            <tbody>{chosen.map((c) => (
              <tr>
                <td><A href={to("capture", { capture: String(c.id) })}>{c.key}</A></td>
                <td title={c.start ?? ""}>{when(c.start, close)}</td>
                <td>{c.purpose || "–"}</td>
                <td>{c.state}</td>
                <td class="n">{number(sum(c))}</td>
                <td class="n">{proved(c) ? `${number(proved(c))} (${percent(proved(c), sum(c) - (c.grades?.[0] ?? 0))})` : "–"}</td>
                <td title={c.reference_from ?? ""}>{c.reference_from ? interval(c.reference_from, c.reference_to) : "nothing is proved"}</td>
              </tr>
            ))}</tbody>
          </table>
        </div>
      </section>
      <Waiting asked={asked}>{(a) => (
        <section aria-label="List of sites">
          <h2>Sites</h2>
          <div class="scroll" tabIndex={0} role="region" aria-label="Sites">
            <table>
              <thead><tr><th scope="col">Site</th><th scope="col" class="n">Captures</th><th scope="col">First</th><th scope="col">Latest</th></tr></thead>
              <tbody>{a.series.map((s) => (
                <tr><td><A href={to("archive", { site: s.site, from: "", to: "" })}>{s.site}</A></td><td class="n">{number(s.captures)}</td>
                  <td title={s.first ?? ""}>{when(s.first)}</td><td title={s.last ?? ""}>{when(s.last)}</td></tr>
              ))}</tbody>
            </table>
          </div>
        </section>
      )}</Waiting>
    </>
  );
}
