// SPDX-License-Identifier: Apache-2.0
// Parts of a site: hosts, folders with a sitemap of their own, folders that change in a way of their own.
import { useState } from "preact/hooks";
import { api, css, number, percent, plural, short, useApi } from "./core";
import { Canvas, Figure, say, Table, Waiting } from "./ui";

export interface Part {
  prefix: string; part_of: string | null; basis: string[]; manner: string; text: string; pages: number; compared: number; changed: number;
  share: number | null; low: number | null; high: number | null; rest: number | null;
}
interface Answer { pages: number; steps: number; parts: Part[] }

const share = (x: number | null): string => (x === null ? "–" : x > 0 && x < 0.001 ? "<0.1 %" : `${(100 * x).toFixed(x < 0.1 ? 1 : 0)} %`);
const table = (parts: Part[]): Table => ({
  head: ["part", "taken from", "because of", "changes", "pages", "compared", "changed", "share", "low", "high", "rest of what it was taken from"],
  rows: parts.map((p) => [p.prefix, p.part_of, p.basis.join(" "), p.manner, p.pages, p.compared, p.changed, p.share, p.low, p.high, p.rest]),
});

/* What a reader may do about it; nothing where nothing can be said. */
export function advice(p: Part): string {
  if (p.manner === "faster") return `Capture it on its own and more often.${p.low !== null && p.low > 0.5 ? " Leave it out of captures that are to prove something: its pages hardly ever stand still." : ""}`;
  if (p.manner === "slower") return "It may be captured less often.";
  if (p.manner === "other-times") return "Give it a schedule of its own.";
  return "";
}

const ROW = 26, LEFT = 6;
function Bars({ parts, site }: { parts: Part[]; site: string }) {
  const [cursor, change] = useState(-1);
  const names = (w: number) => Math.min(340, w * 0.45);
  const most = Math.max(0.05, ...parts.map((p) => p.high ?? 0));
  const draw = (g: CanvasRenderingContext2D, w: number) => {
    const at = names(w), wide = w - at - 60;
    g.font = "12px system-ui, sans-serif";
    g.textBaseline = "middle";
    parts.forEach((p, i) => {
      const y = i * ROW, mid = y + ROW / 2;
      if (i === cursor) { g.fillStyle = css("--panel"); g.fillRect(0, y, w, ROW); }
      let text = short(p.prefix, site) || "/";
      const fit = Math.floor((at - LEFT - 10) / 6.6);
      if (text.length > fit) text = "…" + text.slice(-fit + 1);
      g.fillStyle = css("--ink");
      g.textAlign = "left";
      g.fillText(text, LEFT + (p.part_of ? 12 : 0), mid);
      if (p.share === null) { g.fillStyle = css("--soft"); g.fillText("nothing could be compared", at, mid); return; }
      g.fillStyle = p.manner === "alike" ? css("--none") : css("--accent");
      g.fillRect(at, mid - 6, Math.max(1, (p.share / most) * wide), 12);
      g.fillStyle = css("--ink");
      g.fillRect(at + ((p.low ?? 0) / most) * wide, mid - 1, Math.max(1, (((p.high ?? 0) - (p.low ?? 0)) / most) * wide), 2);
      g.fillText(share(p.share), at + ((p.high ?? p.share) / most) * wide + 6, mid);
    });
  };
  const tell = (i: number) => {
    const p = parts[i];
    change(i);
    if (p) say(`${p.prefix}: ${p.text}, ${share(p.share)} of comparisons. ${advice(p)}`);
  };
  const p = parts[cursor];
  return (
    <>
      <Canvas height={parts.length * ROW + 4} draw={draw} deps={[parts, cursor]} label={`${plural(parts.length, "part")} of the site by how often pages changed. Arrow keys move.`}
              onPointer={(_, y) => tell(Math.max(0, Math.min(parts.length - 1, Math.floor(y / ROW))))} onLeave={() => change(-1)}
              onKeyDown={(e) => {
                if (e.key === "ArrowDown") tell(Math.min(parts.length - 1, cursor + 1));
                else if (e.key === "ArrowUp") tell(Math.max(0, cursor - 1));
                else return;
                e.preventDefault();
              }} />
      <p class="reading" aria-hidden="true">{p
        ? <><b>{short(p.prefix, site)}</b> · {plural(p.pages, "page")} · {p.text} · {number(p.changed)} of {number(p.compared)} comparisons ({percent(p.changed, p.compared)}, 95 %: {share(p.low)} to {share(p.high)}). {advice(p)}</>
        : "Point at a part, or choose one with the arrow keys."}</p>
    </>
  );
}

export function Parts({ site }: { site: string }) {
  const asked = useApi<Answer>(api("subsites", { site }));
  return (
    <Waiting asked={asked}>{(a) => {
      const own = a.parts.filter((p) => advice(p));
      return (
        <Figure title="Parts of the site" name={`parts-${site}`} table={() => table(a.parts)}
                about={a.steps === 0
                  ? "Hosts, and folders with a sitemap of their own. How often they change can be told after the next capture, or with revisits."
                  : `How often a page had changed when it was looked at again, in each part, with its 95 % interval. ${own.length ? "" : "No part changes in a way of its own, as far as can be told."}`}>
          <Bars parts={a.parts} site={site} />
          {own.length > 0 && <ul>{own.map((p) => <li><b>{short(p.prefix, site)}</b> {p.text}. {advice(p)}</li>)}</ul>}
        </Figure>
      );
    }}</Waiting>
  );
}
