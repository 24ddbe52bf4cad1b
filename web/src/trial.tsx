// SPDX-License-Identifier: Apache-2.0
// What each strategy would give on this site: the simulator runs on the server, this view turns the knobs.
import { useEffect, useRef, useState } from "preact/hooks";
import { api, css, Failed, headers, number, percent, plural, Query, set, span, useApi } from "./core";
import { Canvas, Figure, say, Table, Waiting } from "./ui";
import type { ViewProps } from "./main";

interface Promised { median: number; low: number; high: number }
interface Result { strategy: string; requests: number; seconds: number; expected_blur: number; expected_coherence: number | null; bound: number | null; lost?: Promised; blur?: Promised }
interface Plan { site: string; pages: number; delay: number; rates: string; results: Result[] }
interface Event_ { done: number; of: number; strategy: string; error: string | null; plan: Plan | null }
interface Row { result: Result; pages: number }

const about: Record<string, string> = {
  "bfs": "breadth-first, once", "sharc-online": "least blur, URLs found on the way", "sharc-offline": "least blur, all URLs known", "bfs-fifo": "breadth-first, then again in the same order",
  "bfs-lifo": "breadth-first, then again backwards", "sharc-revisits": "organ pipes, then again", "sharc-selective-online": "pyramid without hopeless pages, URLs found on the way",
  "sharc-selective-offline": "pyramid without hopeless pages, all URLs known", "sharc-focus": "pyramid, extra looks at pages that change", "sharc-optimal": "the best order for one revisit, all URLs known",
};

async function* events(url: string, stop: AbortSignal): AsyncGenerator<Event_> {
  const r = await fetch(url, { headers: { ...headers(), Accept: "text/event-stream" }, signal: stop });
  if (!r.ok || !r.body) throw new Failed(r.status, (await r.json().catch(() => ({}))).error ?? `The server answered ${r.status}.`);
  const reader = r.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = ""; ; ) {
    const { value, done } = await reader.read();
    if (done) return;
    const parts = (text + value).split("\n\n");
    text = parts.pop()!;
    for (const p of parts) if (p.startsWith("data: ")) yield JSON.parse(p.slice(6));
  }
}

/* Delays on a scale of tenths of a power of ten: 10 ms … 100 s. */
const delayOf = (step: number): number => Number((0.01 * 10 ** (step / 10)).toPrecision(2));
const stepOf = (delay: number): number => Math.max(0, Math.min(40, Math.round(10 * Math.log10(delay / 0.01))));

const table = (rows: Row[]): Table => ({
  head: ["strategy", "requests", "seconds", "expected blur", "expected coherent pages", "no schedule can expect more than", "lost (median)", "lost (low)", "lost (high)", "pages"],
  rows: rows.map(({ result: r, pages }) => [r.strategy, r.requests, r.seconds, r.expected_blur, r.expected_coherence, r.bound, r.lost?.median ?? null, r.lost?.low ?? null, r.lost?.high ?? null, pages]),
});

const ROW = 30, HEAD = 22;
function Bars({ rows }: { rows: Row[] }) {
  const [cursor, change] = useState(-1);
  const most = Math.max(1e-9, ...rows.map((r) => r.result.expected_blur));
  const best = Math.max(0, ...rows.map((r) => r.result.expected_coherence ?? 0)), least = Math.min(...rows.map((r) => r.result.expected_blur));
  const text = ({ result: r, pages }: Row) =>
    `${r.strategy}, ${about[r.strategy] ?? ""}: ${plural(r.requests, "request")} in ${span(r.seconds * 1000)}; blur ${r.expected_blur.toPrecision(3)}` +
    (r.expected_coherence === null ? ", proves nothing" : `; about ${number(Math.round(r.expected_coherence))} of ${number(pages)} pages proved${r.lost ? `, ${number(Math.round(r.lost.low))} to ${number(Math.round(r.lost.high))} lost in 8 of 10 cases` : ""}`);
  const draw = (g: CanvasRenderingContext2D, w: number) => {
    const names = Math.min(190, w * 0.36), half = (w - names - 20) / 2;
    g.font = "12px system-ui, sans-serif";
    g.textBaseline = "middle";
    if (rows.length) {
      g.fillStyle = css("--soft");
      g.fillText("blur: shorter is better", names, HEAD / 2);
      g.fillText("proved: longer is better", names + half + 10, HEAD / 2);
    }
    rows.forEach((row, i) => {
      const r = row.result, y = HEAD + i * ROW + ROW / 2;
      if (i === cursor) { g.fillStyle = css("--panel"); g.fillRect(0, HEAD + i * ROW, w, ROW); }
      g.fillStyle = css("--ink");
      g.fillText(r.strategy, 4, y);
      g.fillStyle = css("--none");
      g.fillRect(names, y - 7, Math.max(1, (r.expected_blur / most) * (half - 60)), 14);
      g.fillStyle = css("--ink");
      g.fillText(`${r.expected_blur.toPrecision(2)}${r.expected_blur === least ? " ★" : ""}`, names + (r.expected_blur / most) * (half - 60) + 5, y);
      const x = names + half + 10;
      if (r.expected_coherence === null) { g.fillStyle = css("--soft"); g.fillText("–", x, y); return; }
      g.fillStyle = css("--line");
      g.fillRect(x, y - 7, half - 60, 14);
      g.fillStyle = css("--accent");
      g.fillRect(x, y - 7, (r.expected_coherence / row.pages) * (half - 60), 14);
      g.fillStyle = css("--ink");
      g.fillText(`${percent(r.expected_coherence, row.pages)}${r.expected_coherence === best ? " ★" : ""}`, x + half - 55, y);
    });
  };
  const tell = (i: number) => { change(i); if (rows[i]) say(text(rows[i])); };
  return (
    <>
      <Canvas height={HEAD + Math.max(1, rows.length) * ROW} draw={draw} deps={[rows, cursor]} label="Strategies: expected blur on the left, expected share of proved pages on the right. Arrow keys move."
              onPointer={(_, y) => tell(Math.max(0, Math.min(rows.length - 1, Math.floor((y - HEAD) / ROW))))} onLeave={() => change(-1)}
              onKeyDown={(e) => {
                if (e.key === "ArrowDown") tell(Math.min(rows.length - 1, cursor + 1));
                else if (e.key === "ArrowUp") tell(Math.max(0, cursor - 1));
                else return;
                e.preventDefault();
              }} />
      <p class="reading" aria-hidden="true">{rows[cursor] ? text(rows[cursor]) : "Left: blur expected. Right: share of pages expected to be proved. ★ is the best."}</p>
    </>
  );
}

function Bench({ q }: { q: Query }) {
  const delay = Number(q.delay ?? 3), known = q.known ?? "", focus = Number(q.focus ?? 0.1);
  const [rows, show] = useState<Row[]>([]);
  const [state, change] = useState<{ done: number; of: number; text: string; site: string; rates: string }>({ done: 0, of: 0, text: "", site: "", rates: "" });
  const stop = useRef<AbortController | null>(null);
  useEffect(() => () => stop.current?.abort(), []);
  const run = async () => {
    stop.current?.abort();
    const mine = (stop.current = new AbortController());
    const got: Row[] = [];
    show([]);
    change({ done: 0, of: 10, text: "Waiting for the simulator …", site: "", rates: "" });
    try {
      for await (const e of events(api("trial", { delay: String(delay), known, focus: String(focus) }), mine.signal)) {
        if (e.plan?.results[0]) got.push({ result: e.plan.results[0], pages: e.plan.pages });
        show([...got]);
        change((s) => ({ done: e.done, of: e.of, text: e.error ? `${e.strategy}: ${e.error}` : s.text.startsWith("Waiting") ? "" : s.text, site: e.plan?.site ?? s.site, rates: e.plan?.rates ?? s.rates }));
      }
      say(`${plural(got.length, "strategy", "strategies")} tried`);
    } catch (e) {
      change((s) => ({ ...s, of: 0, text: mine.signal.aborted ? "Stopped." : (e as Error).message }));
    }
    if (stop.current === mine) stop.current = null;
    change((s) => ({ ...s, of: 0 }));
  };
  const running = state.of > 0;
  return (
    <>
      <h1>What would each strategy give?</h1>
      <p class="soft about">The simulator captures the site of the newest capture once with every strategy, by the change rates that the captures so far have shown, and says what can be expected. Nothing is downloaded.</p>
      <div class="sliders">
        <label>Delay between two downloads <output>{span(delay * 1000)}</output>
          <input type="range" min="0" max="40" value={stepOf(delay)} onInput={(e) => set({ delay: String(delayOf(Number(e.currentTarget.value))) }, true)} /></label>
        <label>URLs known beforehand <output>{known === "" ? "as the archive knows" : `${Math.round(100 * Number(known))} %`}</output>
          <input type="range" min="-5" max="100" step="5" value={known === "" ? -5 : Math.round(100 * Number(known))} onInput={(e) => { const v = Number(e.currentTarget.value); set({ known: v < 0 ? "" : String(v / 100) }, true); }} /></label>
        <label>Budget: extra requests for looks at pages that change <output>{Math.round(100 * focus)} %</output>
          <input type="range" min="0" max="100" step="5" value={Math.round(100 * focus)} onInput={(e) => set({ focus: String(Number(e.currentTarget.value) / 100) }, true)} /></label>
      </div>
      <p class="tools"><button type="button" onClick={run} disabled={running}>▶ Try all strategies</button>
        <button type="button" disabled={!running} onClick={() => stop.current?.abort()}>Stop</button></p>
      {running && <p class="progress"><label>Trying <progress max={state.of} value={state.done} /></label><span class="soft">{number(state.done)} of {number(state.of)} strategies</span></p>}
      {state.text && <p class="soft" role="status">{state.text}</p>}
      {rows.length > 0 && (
        <Figure title={`${state.site}: ${plural(rows[0].pages, "page")} at ${span(delay * 1000)}`} name="strategies" table={() => table(rows)} about={`Rates: ${state.rates}. What is expected follows from the rates; it is no promise.`}>
          <Bars rows={rows} />
        </Figure>
      )}
    </>
  );
}

export function TrialView({ q }: ViewProps) {
  const asked = useApi<{ available: boolean; strategies: string[] }>(api("trial"));
  return (
    <Waiting asked={asked}>{(a) => a.available ? <Bench q={q} /> : <><h1>No trials here</h1><p>This server cannot run the simulator; <code>sharc plan ARCHIVE</code> can.</p></>}</Waiting>
  );
}
