// SPDX-License-Identifier: Apache-2.0
// The change calendar: pages by captures. The server has put pages that change together side by side.
import { useMemo, useRef, useState } from "preact/hooks";
import { api, colour, css, go, isClose, number, plural, set, short, to, useApi, useTheme, when, words } from "./core";
import { Canvas, ClassLegend, Figure, say, Table, Waiting } from "./ui";
import { inside } from "./brush";
import type { ViewProps } from "./main";

interface Calendar {
  site: string; captures: { id: number; start: string | null }[]; rows: number; quiet: number; unknown: number; left_out: number; groups: number;
  url: string[]; changes: number[]; group: number[]; cells: string[];
}

const table = (c: Calendar, columns: number[]): Table => ({
  head: ["url", "group", "changes", ...columns.map((i) => c.captures[i].start ?? String(c.captures[i].id))],
  rows: c.url.map((u, i) => [u, c.group[i], c.changes[i], ...columns.map((k) => (c.cells[i][k] === "." ? null : words.classes.find((x) => x.letter === c.cells[i][k])!.word))]),
});

const MOST = 640, LEFT = 4, TOP = 46;

/* All cells, a pixel each, painted once: what is in sight is a part of them made larger. Browsers refuse very tall canvases, hence pieces. */
const PIECE = 8192;
function paintCells(c: Calendar, columns: number[]): HTMLCanvasElement[] {
  const paints = new Uint32Array(128);
  for (const x of words.classes) {
    const rgb = parseInt(colour(x).slice(1), 16), pale = x.letter === "U" || x.letter === "I";
    new DataView(paints.buffer).setUint32(4 * x.letter.charCodeAt(0), rgb * 256 + (pale ? 72 : 255)); /* red, green, blue, alpha in this order of bytes */
  }
  const pieces: HTMLCanvasElement[] = [];
  for (let from = 0; from < c.rows; from += PIECE) {
    const canvas = document.createElement("canvas"), rows = Math.min(PIECE, c.rows - from), n = columns.length;
    canvas.width = n;
    canvas.height = rows;
    const g = canvas.getContext("2d")!, image = g.createImageData(n, rows), pixels = new Uint32Array(image.data.buffer);
    for (let y = 0, at = 0; y < rows; y++) {
      const cells = c.cells[from + y];
      for (let i = 0; i < n; i++) pixels[at++] = paints[cells.charCodeAt(columns[i])];
    }
    g.putImageData(image, 0, 0);
    pieces.push(canvas);
  }
  return pieces;
}

function Grid({ c, columns, first, zoom, site }: { c: Calendar; columns: number[]; first: number; zoom: number; site: string }) {
  const [cursor, change] = useState<[number, number] | null>(null);
  const drag = useRef<{ y: number; first: number } | null>(null);
  const width = useRef(800);
  const size = zoom; /* pixels of a row */
  const height = Math.min(MOST, TOP + c.rows * size + 2);
  const tall = height - TOP;
  const rows = Math.max(1, Math.floor(tall / size));
  const top = Math.max(0, Math.min(first, c.rows - rows));
  const names = (w: number) => (size >= 13 ? Math.min(380, w * 0.4) : 0);
  const colours = useMemo(() => new Map(words.classes.map((x) => [x.letter, x])), []);
  const theme = useTheme(), shown = columns.join();
  const pieces = useMemo(() => paintCells(c, columns), [c, shown, theme]);
  const draw = (g: CanvasRenderingContext2D, w: number, h: number) => {
    width.current = w;
    const wide = (w - LEFT - names(w)) / Math.max(1, columns.length);
    g.font = "11px system-ui, sans-serif";
    g.fillStyle = css("--soft");
    const every = Math.max(1, Math.ceil(64 / wide)), close = isClose(c.captures.map((x) => x.start));
    columns.forEach((k, i) => {
      if (i % every) return;
      const iso = c.captures[k].start ?? "";
      g.fillText(iso.slice(0, 10), LEFT + i * wide + 1, 16);
      g.fillText(iso.slice(11, close ? 19 : 16), LEFT + i * wide + 1, 31);
    });
    const last = Math.min(c.rows, top + rows), across = columns.length * wide;
    g.imageSmoothingEnabled = false;
    for (let from = top; from < last; ) {
      const piece = Math.floor(from / PIECE), n = Math.min(last, (piece + 1) * PIECE) - from;
      g.drawImage(pieces[piece], 0, from - piece * PIECE, columns.length, n, LEFT, TOP + (from - top) * size, across, n * size);
      from += n;
    }
    const back = css("--back"), ink = css("--soft"), line = css("--line");
    g.fillStyle = back;
    if (wide > 4) for (let i = 1; i <= columns.length; i++) g.fillRect(LEFT + i * wide - 1, TOP, 1, (last - top) * size);
    if (size > 4) for (let y = 1; y <= last - top; y++) g.fillRect(LEFT, TOP + y * size - 1, across, 1);
    if (size >= 11 && wide >= 12) {
      g.textAlign = "center";
      for (let y = top; y < last; y++)
        columns.forEach((k, i) => { const l = c.cells[y][k]; if (l !== "U" && l !== "I" && l !== ".") g.fillText(l, LEFT + (i + 0.5) * wide, TOP + (y - top + 0.5) * size + 4); });
      g.textAlign = "left";
    }
    for (let y = top; y < last; y++) {
      if (names(w)) {
        g.fillStyle = ink;
        let text = short(c.url[y], site);
        const most = Math.floor(names(w) / 6.2);
        if (text.length > most) text = "…" + text.slice(-most + 1);
        g.fillText(text, w - names(w) + 6, TOP + (y - top + 0.5) * size + 3);
      }
      if (size > 2 && y > top && c.group[y] !== c.group[y - 1]) { g.fillStyle = line; g.fillRect(LEFT, TOP + (y - top) * size - 1, w, 1); }
    }
    if (cursor) {
      g.strokeStyle = css("--ink");
      g.lineWidth = 2;
      g.strokeRect(LEFT + cursor[1] * wide - 1, TOP + (cursor[0] - top) * size - 1, wide + 1, size + 1);
    }
  };
  const describe = ([r, k]: [number, number]) => {
    const l = c.cells[r][columns[k]];
    return `${c.url[r]}: ${l === "." ? "not there" : colours.get(l)!.text}, ${when(c.captures[columns[k]].start)}; ${plural(c.changes[r], "change")} in all`;
  };
  const at = (x: number, y: number): [number, number] | null => {
    const wide = (width.current - LEFT - names(width.current)) / Math.max(1, columns.length);
    const r = top + Math.floor((y - TOP) / size), k = Math.floor((x - LEFT) / wide);
    return y >= TOP && r < c.rows && r >= top ? [r, Math.max(0, Math.min(columns.length - 1, k))] : null;
  };
  const move = (dr: number, dk: number) => {
    const [r, k] = cursor ?? [top, 0];
    const next: [number, number] = [Math.max(0, Math.min(c.rows - 1, r + dr)), Math.max(0, Math.min(columns.length - 1, k + dk))];
    change(next);
    say(describe(next));
    if (next[0] < top) set({ row: String(next[0]) }, true);
    else if (next[0] >= top + rows) set({ row: String(next[0] - rows + 1) }, true);
  };
  const scroll = (to: number) => set({ row: String(Math.max(0, Math.min(c.rows - rows, Math.round(to)))) }, true);
  const open = () => cursor && go(to("page", { url: c.url[cursor[0]] }));
  return (
    <>
      <Canvas height={height} draw={draw} deps={[pieces, top, size, cursor]} class="drag"
              label={`${plural(c.rows, "page")} by ${plural(columns.length, "capture")}. Arrow keys move, Enter opens the page, plus and minus zoom.`}
              onPointer={(x, y, e) => {
                if (e.type === "pointerdown") { drag.current = { y, first: top }; (e.target as HTMLElement).setPointerCapture(e.pointerId); }
                if (e.type === "pointerup") drag.current = null;
                if (drag.current && Math.abs(y - drag.current.y) > 3) scroll(drag.current.first - (y - drag.current.y) / size);
                else { const p = at(x, y); if (p) change(p); }
              }}
              onLeave={() => change(null)}
              onWheel={(e) => { if (c.rows <= rows) return; e.preventDefault(); scroll(top + e.deltaY / size); }}
              onKeyDown={(e) => {
                const d: Record<string, [number, number]> = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1], PageDown: [rows, 0], PageUp: [-rows, 0], Home: [-c.rows, 0], End: [c.rows, 0] };
                if (e.key in d) move(...d[e.key]);
                else if (e.key === "+") set({ zoom: String(Math.min(20, zoom * 2)) }, true);
                else if (e.key === "-") set({ zoom: String(Math.max(1, Math.floor(zoom / 2))) }, true);
                else if (e.key === "Enter") open();
                else return;
                e.preventDefault();
              }} />
      <p class="reading" aria-hidden="true">{cursor && c.cells[cursor[0]] ? <><b>{short(c.url[cursor[0]], site)}</b> · {describe(cursor).slice(c.url[cursor[0]].length + 2)}</> : c.rows > rows ? "Point at a cell; drag or turn the wheel to scroll." : "Point at a cell, or move with the arrow keys."}</p>
      <p class="soft">Pages {number(top + 1)}–{number(Math.min(c.rows, top + rows))} of {number(c.rows)}</p>
    </>
  );
}

export function CalendarView({ q, site }: ViewProps) {
  const asked = useApi<Calendar>(api("calendar", { site }));
  return (
    <Waiting asked={asked}>{(c) => {
      const columns = c.captures.map((_, i) => i).filter((i) => inside(q, c.captures[i].start));
      const zoom = Number(q.zoom) || Math.max(2, Math.min(18, Math.floor((MOST - TOP) / Math.max(1, c.rows))));
      return (
        <>
          <h1>When pages of {c.site} changed</h1>
          <p class="soft">{plural(c.rows, "page")} changed, came or went in {plural(columns.length, "step")} from capture to capture, in {plural(c.groups, "group")} that changed alike.{" "}
            {number(c.quiet)} stood still{c.unknown > 0 && <>, {number(c.unknown)} could not be compared at least once</>}{c.left_out > 0 && <>, {number(c.left_out)} more are not shown</>}.</p>
          {c.rows === 0 || columns.length === 0 ? <p>{c.captures.length === 0 ? "One capture alone shows no change." : "No page changed between these captures."}</p> : (
            <Figure title="Change calendar" name={`calendar-${c.site}`} table={() => table(c, columns)} legend={<ClassLegend />}
                    about="A row for each page, a column for each capture, against the one before it. Pages that change together lie together; unchanged cells are pale."
                    tools={<><button type="button" aria-label="larger" onClick={() => set({ zoom: String(Math.min(20, zoom * 2)) }, true)}>+</button>
                      <button type="button" aria-label="smaller" onClick={() => set({ zoom: String(Math.max(1, Math.floor(zoom / 2))) }, true)}>−</button></>}>
              <Grid c={c} columns={columns} first={Number(q.row) || 0} zoom={zoom} site={site} />
            </Figure>
          )}
        </>
      );
    }}</Waiting>
  );
}
