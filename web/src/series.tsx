// SPDX-License-Identifier: Apache-2.0
// All captures of a site: each against the one before it, as areas over time.
import uPlot from "uplot";
import { useEffect, useRef } from "preact/hooks";
import { api, Class, classOf, colour, css, go, isClose, ms, number, percent, plural, span, to, useApi, useTheme, when } from "./core";
import { A, Figure, Mark, say, Table, Tile, Waiting } from "./ui";
import { inside } from "./brush";
import { Parts } from "./parts";
import type { ViewProps } from "./main";

interface Step {
  capture: number; before: number; key: string; start: string | null; end: string | null; first: string | null; last: string | null; pages: number;
  all: Record<string, number>; kinds: Record<string, Record<string, number>>; links: number; links_same: number; links_new: number; links_gone: number;
  similarity: number | null; similar_of: number;
}
interface Band { word: string; text: string; values: (number | null)[]; line?: boolean; axis?: string }

const order = ["unchanged", "insignificant", "text", "links", "new", "missing", "failed"];

/* Stacked areas (columns where there are few captures), the first band at the bottom; lines stand for themselves. Arrow keys move, Enter opens the capture. */
function Areas({ steps, bands, unit, label }: { steps: Step[]; bands: Band[]; unit?: (v: number) => string; label: string }) {
  const place = useRef<HTMLDivElement>(null), read = useRef<HTMLParagraphElement>(null), plot = useRef<uPlot>();
  const at = useRef<number | null>(null); /* a plot that is made anew, for another width, has no cursor */
  const theme = useTheme();
  const shown = bands.filter((b) => b.line || b.values.some((v) => v));
  const tell = (i: number | null | undefined) => {
    if (i === null || i === undefined || !steps[i]) return;
    const text = `${steps[i].key}, ${when(steps[i].start)}: ` + shown.map((b) => `${b.text} ${b.values[i] === null ? "unknown" : unit ? unit(b.values[i]!) : number(b.values[i])}`).join("; ");
    if (read.current) read.current.textContent = text;
    return text;
  };
  useEffect(() => {
    const xs = steps.map((_, i) => i);
    const sums = xs.map(() => 0);
    const stacked = shown.map((b) => b.values.map((v, i) => (b.line || v === null ? v : (sums[i] += v))));
    const paint = (b: Band) => colour(classOf(b.word) as Class);
    const close = ms(steps[steps.length - 1]?.start) - ms(steps[0]?.start) < 86400000;
    const label1 = (iso: string) => (close ? iso.slice(11, 19) : iso.slice(0, 10));
    const make = (w: number) => {
      plot.current?.destroy();
      /* From the top of the stack down, so that each area covers the one above it. */
      const back = [...shown.keys()].reverse();
      const few = steps.length < 5; /* as sharc report draws them: an area needs neighbours */
      plot.current = new uPlot({
        width: w, height: 220, cursor: { y: false, points: { size: 7 } }, legend: { show: false }, padding: [8, 42, 0, 0],
        scales: { x: { time: false, range: few ? [-0.5, steps.length - 0.5] : undefined }, y: { range: (_u, _min, max) => [0, Math.max(unit && max <= 1 ? 1 : 1e-9, max * 1.04)] } },
        axes: [
          { stroke: css("--soft"), grid: { show: false }, ticks: { stroke: css("--line") }, space: 90, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500],
            values: (_u, v) => v.map((i) => (Number.isInteger(i) && steps[i] ? label1(steps[i].start ?? "") : "")) },
          { stroke: css("--soft"), grid: { stroke: css("--line"), width: 1 }, ticks: { show: false }, size: 62, values: (_u, v) => v.map((x) => (unit ? unit(x) : number(x))) },
        ],
        series: [{}, ...back.map((k) => ({ stroke: paint(shown[k]), fill: shown[k].line ? undefined : paint(shown[k]), width: shown[k].line ? 2.5 : 1,
                                          paths: few && !shown[k].line ? uPlot.paths.bars!({ size: [0.6, 120] }) : undefined,
                                          points: { show: !!shown[k].line, size: 7 } }))],
        hooks: { setCursor: [(u) => { at.current = u.cursor.idx ?? at.current; const t = tell(u.cursor.idx); if (t && document.activeElement === place.current) say(t); }] },
      }, [xs, ...back.map((k) => stacked[k])] as uPlot.AlignedData, place.current!);
    };
    const look = new ResizeObserver((e) => make(Math.floor(e[0].contentRect.width)));
    look.observe(place.current!);
    return () => { look.disconnect(); plot.current?.destroy(); plot.current = undefined; };
  }, [steps, bands, theme]);
  const open = (i: number | null | undefined) => i !== null && i !== undefined && steps[i] && go(to("capture", { capture: String(steps[i].capture) }));
  return (
    <>
      <div ref={place} class="plot" tabIndex={0} role="img" aria-label={label} onClick={() => open(plot.current?.cursor.idx)}
           onKeyDown={(e) => {
             const u = plot.current;
             if (!u) return;
             const i = Math.min(at.current ?? -1, steps.length - 1);
             const next = e.key === "ArrowRight" ? Math.min(steps.length - 1, i + 1) : e.key === "ArrowLeft" ? Math.max(0, i - 1) : null;
             if (next !== null) {
               at.current = next;
               u.setCursor({ left: u.valToPos(next, "x"), top: 10 });
               say(tell(next) ?? "");
             } else if (e.key === "Enter") open(at.current);
             else return;
             e.preventDefault();
           }} />
      <p class="reading" ref={read} aria-hidden="true">Point at a capture, or move with the arrow keys; Enter opens it.</p>
      <ul class="legend">{shown.filter((b) => !b.line).map((b) => <li><Mark word={b.word} /> {b.text}</li>)}</ul>
    </>
  );
}

const classBands = (steps: Step[], of: (s: Step) => Record<string, number>): Band[] =>
  order.map((w) => ({ word: w, text: classOf(w).text, values: steps.map((s) => (s.before ? of(s)[w] : null)) }));
const bandTable = (steps: Step[], bands: Band[]): Table => ({
  head: ["capture", "key", "start", ...bands.map((b) => b.text)],
  rows: steps.map((s, i) => [s.capture, s.key, s.start, ...bands.map((b) => b.values[i])]),
});

export function Series({ q, site, captures }: ViewProps) {
  const asked = useApi<{ site: string; steps: Step[] }>(api("steps", { site }));
  const whole = useApi<{ captures: number; pages: number; versions: number; completeness: number | null; coherence: number | null }>(
    captures.length > 1 ? api("series", { capture: String(captures[0].id) }) : "");
  return (
    <Waiting asked={asked}>{(a) => {
      const steps = a.steps.filter((s) => inside(q, s.start));
      const kind = (k: string) => classBands(steps, (s) => s.kinds[k]);
      const links: Band[] = [
        { word: "unchanged", text: "as before", values: steps.map((s) => (s.before ? s.links_same : null)) },
        { word: "new", text: "new", values: steps.map((s) => (s.before ? s.links_new : null)) },
        { word: "missing", text: "gone", values: steps.map((s) => (s.before ? s.links_gone : null)) },
      ];
      const similar: Band[] = [{ word: "unchanged", text: "mean similarity", line: true, values: steps.map((s) => s.similarity) }];
      const took: Band[] = [{ word: "new", text: "duration", line: true, values: steps.map((s) => (s.first && s.last ? ms(s.last) - ms(s.first) : null)) }];
      const plot = (title: string, name: string, bands: Band[], about: string, unit?: (v: number) => string) => (
        <Figure title={title} name={`${name}-${site}`} about={about} table={() => bandTable(steps, bands)}>
          <Areas steps={steps} bands={bands} unit={unit} label={`${title}: ${plural(steps.length, "capture")}. Arrow keys move, Enter opens a capture.`} />
        </Figure>
      );
      return (
        <>
          <h1>{a.site} over time</h1>
          {whole.data && (
            <dl class="tiles">
              <Tile label="Captures" value={number(whole.data.captures)} />
              <Tile label="Pages" value={number(whole.data.pages)} note={plural(whole.data.versions, "different content")} />
              <Tile label="Completeness" value={whole.data.completeness === null ? "–" : percent(whole.data.completeness, 1)} note="of the versions that existed are archived, by the pages’ rates" />
              <Tile label="Coherence" value={whole.data.coherence === null ? "–" : percent(whole.data.coherence, 1)} note="of the pages shown for a moment existed together, on average" />
            </dl>
          )}
          {plot("Pages", "pages", classBands(steps, (s) => s.all), "Each capture against the one before it. Missing pages stand on top: they are in the capture before only.")}
          <div class="plots">
            {plot("HTML", "html", kind("html"), "HTML pages alone.")}
            {plot("Images", "images", kind("image"), "Images alone.")}
            {plot("Links", "links", links, "Links of all pages; a target counts once for each page that links to it.")}
            {plot("Similarity", "similarity", similar, "Of the texts of pages in both captures; 1 is the same.", (v) => (v > 0.999 && v < 1 ? ">0.999" : v.toFixed(3)))}
            {plot("Duration", "duration", took, "From the first download to the last.", span)}
          </div>
          <Parts site={a.site} />
          <section aria-label="Captures of the series">
            <h2>Captures</h2>
            <div class="scroll" tabIndex={0} role="region" aria-label="Captures"><table class="wrapped">
              <thead><tr><th scope="col">Capture</th><th scope="col">Begun</th><th scope="col" class="n">Pages</th>{order.map((w) => <th scope="col" class="n">{classOf(w).text}</th>)}<th scope="col">Compare</th></tr></thead>
              <tbody>{[...steps].reverse().map((s) => (
                <tr><td class="nw"><A href={to("capture", { capture: String(s.capture) })}>{s.key}</A></td><td class="nw" title={s.start ?? ""}>{when(s.start, isClose(steps.map((x) => x.start)))}</td><td class="n">{number(s.pages)}</td>
                  {order.map((w) => <td class="n">{s.before ? number(s.all[w]) : "–"}</td>)}
                  <td class="nw">{s.before ? <A href={to("pair", { a: String(s.before), b: String(s.capture) })} label={`${s.key} with the one before`}>with the one before</A> : ""}</td></tr>
              ))}</tbody>
            </table></div>
          </section>
        </>
      );
    }}</Waiting>
  );
}
