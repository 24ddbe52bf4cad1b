// SPDX-License-Identifier: Apache-2.0
// The time brush: one interval for all views. A strip with a tick for each capture; drag over it, or use the two sliders.
import { useRef, useState } from "preact/hooks";
import { interval, Query, set, when } from "./core";
import { say } from "./ui";

export interface Capture {
  id: number; key: string; site: string; state: string; purpose: string; strategy: string; source: string; start: string | null; end: string | null;
  reference_from: string | null; reference_to: string | null; grades?: number[]; reasons?: Record<string, number>;
}

/* Limits may have fewer digits than times: a shorter one includes all that begin like it. */
const bare = (t: string): string => t.replace(/Z$/, "");
export const inside = (q: Query, iso: string | null): boolean =>
  !iso || ((!q.from || bare(iso) >= bare(q.from)) && (!q.to || bare(iso).slice(0, bare(q.to).length) <= bare(q.to)));

/* Captures from the oldest to the newest: the sliders count them. */
export function Brush({ captures, q }: { captures: Capture[]; q: Query }) {
  const strip = useRef<HTMLDivElement>(null);
  const [drag, change] = useState<[number, number] | null>(null);
  const list = captures.filter((c) => c.start).sort((a, b) => (a.start! < b.start! ? -1 : 1));
  if (list.length < 2) return null;
  const t = list.map((c) => Date.parse(c.start!));
  const first = t[0], last = t[t.length - 1];
  const x = (ms: number) => (last > first ? (ms - first) / (last - first) : 0.5) * 96 + 2;
  let low = list.findIndex((c) => inside({ from: q.from ?? "" }, c.start));
  if (low < 0) low = list.length - 1;
  let high = list.length - 1;
  while (high > low && !inside({ to: q.to ?? "" }, list[high].start)) high--;
  const choose = (a: number, b: number) => {
    const [i, k] = a <= b ? [a, b] : [b, a];
    set({ from: i > 0 ? list[i].start! : "", to: k < list.length - 1 ? list[k].start! : "" }, true);
    say(`Captures from ${when(list[i].start)} to ${when(list[k].start)}: ${k - i + 1} of ${list.length}`);
  };
  const nearest = (e: PointerEvent): number => {
    const r = strip.current!.getBoundingClientRect();
    const at = ((e.clientX - r.left) / r.width) * 100;
    return t.reduce((best, ms, i) => (Math.abs(x(ms) - at) < Math.abs(x(t[best]) - at) ? i : best), 0);
  };
  const [a, b] = drag ? [Math.min(...drag), Math.max(...drag)] : [low, high];
  return (
    <section class="brush" aria-label="Time">
      <div class="strip" ref={strip}
           onPointerDown={(e) => { const i = nearest(e); strip.current!.setPointerCapture(e.pointerId); change([i, i]); }}
           onPointerMove={(e) => drag && change([drag[0], nearest(e)])}
           onPointerUp={() => { if (drag && drag[0] !== drag[1]) choose(drag[0], drag[1]); change(null); }}>
        <span class="range" style={{ left: `${x(t[a]) - 0.6}%`, width: `${x(t[b]) - x(t[a]) + 1.2}%` }} />
        {t.map((ms, i) => <span class={i >= a && i <= b ? "tick in" : "tick"} style={{ left: `${x(ms)}%` }} />)}
      </div>
      <label>from <input type="range" min={0} max={list.length - 1} value={low} aria-valuetext={when(list[low].start)}
                         onInput={(e) => choose(Math.min(+e.currentTarget.value, high), high)} /></label>
      <label>to <input type="range" min={0} max={list.length - 1} value={high} aria-valuetext={when(list[high].start)}
                       onInput={(e) => choose(low, Math.max(+e.currentTarget.value, low))} /></label>
      <output>{interval(list[a].start, list[b].start)}</output>
      {(q.from || q.to) && <button type="button" onClick={() => set({ from: "", to: "" }, true)}>All</button>}
    </section>
  );
}
