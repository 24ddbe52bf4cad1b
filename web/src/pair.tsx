// SPDX-License-Identifier: Apache-2.0
// Two captures: every page as a point, in the plane and in space; choose some, and see what changed in one.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { api, bytes, colour, css, get, nth, number, plural, set, short, to, useApi, useTheme, words } from "./core";
import { A, Canvas, ClassLegend, Figure, Mark, Pager, say, Table, Waiting } from "./ui";
import { DifferenceView } from "./difference";
import type { Scene } from "./scatter3d";
import type { ViewProps } from "./main";

interface Points {
  a: number; b: number; site: string; key_a: string; key_b: string; all: Record<string, number>; mimes: { name: string; pages: number }[]; folders: { name: string; pages: number }[];
  count: number; every: number; every_changed: number; place: number[]; url: string[]; kind: number[]; class: number[]; mime: number[]; folder: number[]; size_a: number[]; size_b: number[]; similarity: (number | null)[];
}
type Box = [number, number, number, number]; /* parts of the picture, 0 … 1 */

/* What is said where not all pages are there. */
const thinned = (p: Points, done: string): string =>
  p.every_changed > 1 ? ` Of pages that changed every ${nth(p.every_changed)}, of others every ${nth(p.every)} is ${done}.` : p.every > 1 ? ` Of pages that did not change every ${nth(p.every)} is ${done}.` : "";
const table = (p: Points, which: number[]): Table => ({
  head: ["url", "class", "type", "folder", "bytes before", "bytes after", "similarity"],
  rows: which.map((i) => [p.url[i], words.classes[p.class[i]].word, p.mimes[p.mime[i]].name, p.folders[p.folder[i]].name, p.size_a[i] < 0 ? null : p.size_a[i], p.size_b[i] < 0 ? null : p.size_b[i], p.similarity[i]]),
});
/* Where points stand: type, folder or size, order of URLs; each 0 … 1. Points of one type or folder are spread a little. */
interface Where { mime: Float32Array; folder: Float32Array; size: Float32Array; order: Float32Array }
function lay(p: Points): Where {
  const n = p.url.length;
  const w: Where = { mime: new Float32Array(n), folder: new Float32Array(n), size: new Float32Array(n), order: new Float32Array(n) };
  const most = Math.log10(1 + p.size_b.reduce((m, s, i) => Math.max(m, s, p.size_a[i]), 10));
  for (let i = 0; i < n; i++) {
    const jitter = ((i * 0.61803398875) % 1) * 0.7 + 0.15;
    w.mime[i] = (p.mime[i] + jitter) / Math.max(1, p.mimes.length);
    w.folder[i] = (p.folder[i] + jitter) / Math.max(1, p.folders.length);
    w.size[i] = Math.log10(1 + Math.max(0, p.size_b[i], p.size_a[i])) / most;
    w.order[i] = (p.place[i] + 0.5) / p.count;
  }
  return w;
}

function shape(g: CanvasRenderingContext2D, kind: number, x: number, y: number, r: number) {
  g.beginPath();
  if (kind === 0) g.arc(x, y, r, 0, 7);
  else if (kind <= 2) for (let k = 0; k < 6; k++) g.lineTo(x + r * Math.cos(k * 1.0472), y + r * Math.sin(k * 1.0472));
  else if (kind === 3) g.rect(x - r * 0.8, y - r * 0.8, r * 1.6, r * 1.6);
  else for (let k = 0; k < 4; k++) g.lineTo(x + r * Math.cos(k * 1.5708), y + r * Math.sin(k * 1.5708));
  g.fill();
}

const LEFT = 12, BOTTOM = 28, TOP = 8, HEIGHT = 380;
function Flat({ p, w, y, box, choose }: { p: Points; w: Where; y: "folder" | "size"; box: Box | null; choose: (b: Box | null) => void }) {
  const [cursor, change] = useState(-1);
  const [drag, pull] = useState<Box | null>(null);
  const wide = useRef(800);
  const px = (i: number) => LEFT + w.order[i] * (wide.current - 2 * LEFT), py = (i: number) => TOP + (1 - w[y][i]) * (HEIGHT - TOP - BOTTOM);
  const size = p.url.length > 5000 ? 2 : p.url.length > 500 ? 3.2 : 5;
  const paint = (g: CanvasRenderingContext2D, width: number, h: number) => {
    wide.current = width;
    const n = p.url.length, r = size, names: [string, number][] = [];
    g.font = "11px system-ui, sans-serif";
    g.fillStyle = css("--line");
    g.fillRect(LEFT, h - BOTTOM, width - 2 * LEFT, 1);
    if (y === "folder" && p.folders.length <= 24)
      p.folders.forEach((f, k) => {
        const at = TOP + (1 - (k + 1) / p.folders.length) * (h - TOP - BOTTOM);
        g.fillStyle = css("--line"); g.fillRect(LEFT, at, width - 2 * LEFT, 1);
        names.push([short(f.name, p.site), at + 12]);
      });
    /* What did not change lies below what did. */
    const ranks = [...words.classes.keys()];
    for (const c of ranks) {
      g.fillStyle = colour(words.classes[c]);
      g.globalAlpha = c < 2 ? 0.55 : 0.95;
      for (let i = 0; i < n; i++) if (p.class[i] === c) shape(g, p.kind[i], px(i), py(i), r);
    }
    g.globalAlpha = 1;
    g.strokeStyle = css("--back");
    g.lineWidth = 3;
    g.fillStyle = css("--soft");
    for (const [text, at] of names) { g.strokeText(text, LEFT + 2, at); g.fillText(text, LEFT + 2, at); } /* over the points, with a rim */
    g.fillText("first URL", LEFT, h - 9);
    g.textAlign = "right"; g.fillText("last URL", width - LEFT, h - 9); g.textAlign = "left";
  };
  const draw = (g: CanvasRenderingContext2D, width: number, h: number) => {
    const b = drag ?? box;
    if (b) {
      g.fillStyle = css("--ink"); g.globalAlpha = 0.08; g.fillRect(b[0] * width, b[1] * h, (b[2] - b[0]) * width, (b[3] - b[1]) * h);
      g.globalAlpha = 1; g.strokeStyle = css("--ink"); g.strokeRect(b[0] * width, b[1] * h, (b[2] - b[0]) * width, (b[3] - b[1]) * h);
    }
    if (cursor >= 0) { g.strokeStyle = css("--ink"); g.lineWidth = 2; g.beginPath(); g.arc(px(cursor), py(cursor), size + 4, 0, 7); g.stroke(); }
  };
  const describe = (i: number) => `${p.url[i]}: ${words.classes[p.class[i]].text}, ${p.mimes[p.mime[i]].name || "no type"}, ${bytes(p.size_a[i])} then ${bytes(p.size_b[i])}`;
  const nearest = (x: number, at: number) => {
    let best = -1, near = 200;
    for (let i = 0; i < p.url.length; i++) { const d = (px(i) - x) ** 2 + (py(i) - at) ** 2; if (d < near) { near = d; best = i; } }
    return best;
  };
  const move = (i: number) => { const k = Math.max(0, Math.min(p.url.length - 1, i)); change(k); say(describe(k)); };
  const next = (from: number, d: number) => { /* to the next page that changed, with Shift to the next of all */
    for (let i = from + d; i >= 0 && i < p.url.length; i += d) if (p.class[i] > 1) return i;
    return from;
  };
  return (
    <>
      <Canvas height={HEIGHT} draw={draw} deps={[box, drag, cursor]} under={{ draw: paint, deps: [p, y] }} class="drag"
              label={`${plural(p.url.length, "page")} by URL and ${y}. Left and right move to the next page that changed, with Shift to the next of all; Enter shows it; Escape forgets what was chosen.`}
              onPointer={(x, at, e) => {
                const fx = x / wide.current, fy = at / HEIGHT;
                if (e.type === "pointerdown") { pull([fx, fy, fx, fy]); (e.target as HTMLElement).setPointerCapture(e.pointerId); }
                else if (e.type === "pointerup" && drag) {
                  const b: Box = [Math.min(drag[0], fx), Math.min(drag[1], fy), Math.max(drag[0], fx), Math.max(drag[1], fy)];
                  pull(null);
                  if (b[2] - b[0] > 0.01 && b[3] - b[1] > 0.01) choose(b);
                  else { const i = nearest(x, at); if (i >= 0) set({ url: p.url[i] }); else choose(null); }
                } else if (drag) pull([drag[0], drag[1], fx, fy]);
                else change(nearest(x, at));
              }}
              onKeyDown={(e) => {
                if (e.key === "ArrowRight") move(e.shiftKey ? cursor + 1 : next(cursor, 1));
                else if (e.key === "ArrowLeft") move(e.shiftKey ? cursor - 1 : next(cursor < 0 ? p.url.length : cursor, -1));
                else if (e.key === "Enter" && cursor >= 0) set({ url: p.url[cursor] });
                else if (e.key === "Escape") choose(null);
                else return;
                e.preventDefault();
              }} />
      <p class="reading" aria-hidden="true">{cursor >= 0 ? <><Mark word={words.classes[p.class[cursor]].word} /> {describe(cursor)}</> : "Drag over points to list their pages; click one to see what changed."}</p>
    </>
  );
}

const rgb = (hex: string): [number, number, number] => {
  const m = hex.match(/[0-9a-f]{2}/gi);
  return m && m.length >= 3 ? [parseInt(m[0], 16) / 255, parseInt(m[1], 16) / 255, parseInt(m[2], 16) / 255] : [0, 0, 0];
};
const full = (c: string) => (/^#[0-9a-f]{3}$/i.test(c) ? "#" + [...c.slice(1)].map((x) => x + x).join("") : c);
const shapes = [0, 1, 1, 2, 3, 3];

function Space({ p, w, y }: { p: Points; w: Where; y: "folder" | "size" }) {
  const canvas = useRef<HTMLCanvasElement>(null), made = useRef<Scene>(), labels = useRef<HTMLDivElement>(null);
  const [cursor, change] = useState(-1);
  const [failed, fail] = useState("");
  const theme = useTheme();
  const drag = useRef<[number, number] | null>(null);
  useEffect(() => {
    let over = false;
    import("./scatter3d").then(({ scene }) => {
      if (over || !canvas.current) return;
      const n = p.url.length, tint = new Float32Array(3 * n), kind = new Float32Array(n);
      const tints = words.classes.map((c) => rgb(colour(c)));
      const x = new Float32Array(n), ys = new Float32Array(n), z = new Float32Array(n);
      for (let i = 0; i < n; i++) { tint.set(tints[p.class[i]], 3 * i); kind[i] = shapes[p.kind[i]]; x[i] = w.mime[i] - 0.5; ys[i] = w[y][i] - 0.5; z[i] = 0.5 - w.order[i]; }
      const axes: [string, [number, number, number]][] = [["type →", [0.62, -0.5, 0.5]], [`${y} ↑`, [-0.5, 0.58, 0.5]], ["URL ↗", [-0.5, -0.5, -0.62]]];
      try {
        made.current = scene(canvas.current, { x, y: ys, z, colour: tint, shape: kind }, rgb(full(css("--back"))), rgb(full(css("--soft"))), () => {
          const drawn = made.current; /* none: the view was left before this frame */
          if (drawn) axes.forEach(([, at], i) => {
            const [lx, ly] = drawn.project(at);
            const e = labels.current?.children[i] as HTMLElement | undefined;
            if (e) { e.style.left = `${lx}px`; e.style.top = `${ly}px`; e.textContent = axes[i][0]; }
          });
        });
      } catch (e) { fail(`This browser has no WebGL: ${(e as Error).message}`); }
    });
    return () => { over = true; made.current = undefined; };
  }, [p, y, theme]);
  if (failed) return <p class="error">{failed} The plane beside it shows the same points.</p>;
  return (
    <>
      <div class="canvas space">
        <canvas ref={canvas} key={`${theme}${y}${p.a}-${p.b}`} class="drag" tabIndex={0} role="img" style={{ width: "100%", height: `${HEIGHT}px` }}
                aria-label="Pages in space: type, folder or size, order of URLs. Arrow keys turn, plus and minus come nearer or go away."
                onPointerDown={(e) => { drag.current = [e.clientX, e.clientY]; e.currentTarget.setPointerCapture(e.pointerId); }}
                onPointerUp={(e) => { drag.current = null; e.currentTarget.releasePointerCapture(e.pointerId); }}
                onPointerMove={(e) => {
                  if (drag.current) { made.current?.turn((e.clientX - drag.current[0]) / 150, (e.clientY - drag.current[1]) / 150); drag.current = [e.clientX, e.clientY]; }
                  else change(made.current?.pick(e.offsetX, e.offsetY) ?? -1);
                }}
                onKeyDown={(e) => {
                  const d: Record<string, [number, number]> = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, 0.1], ArrowDown: [0, -0.1] };
                  if (d[e.key]) made.current?.turn(...d[e.key]);
                  else if (e.key === "+") made.current?.zoom(0.85);
                  else if (e.key === "-") made.current?.zoom(1.18);
                  else return;
                  e.preventDefault();
                }} />
        <div ref={labels} class="labels" aria-hidden="true"><span /><span /><span /></div>
      </div>
      <p class="reading" aria-hidden="true">{cursor >= 0 ? <><Mark word={words.classes[p.class[cursor]].word} /> {p.url[cursor]}</> : "Drag to turn."}</p>
    </>
  );
}

function List({ p, which, q, site }: { p: Points; which: number[]; q: Record<string, string>; site: string }) {
  const offset = Math.min(Number(q.offset) || 0, Math.max(0, which.length - 1));
  return (
    <section aria-label="Chosen pages">
      <div class="figure-head"><h2>{plural(which.length, "page")}{q.box ? " chosen" : q.class ? "" : which.some((i) => words.classes[p.class[i]].word === "failed") ? " that changed or are undecided" : " that changed"}</h2>
        <label>Class <select value={q.class ?? ""} onChange={(e) => set({ class: e.currentTarget.value, offset: "" })}>
          <option value="">{q.box ? "all" : "changed"}</option>{words.classes.map((c) => <option value={c.word}>{c.text} ({number(p.all[c.word])})</option>)}</select></label></div>
      {(p.every_changed > 1 || (p.every > 1 && which.some((i) => p.class[i] < 2))) && <p class="soft">{thinned(p, "listed here; the table of the picture has all")}</p>}
      <div class="scroll" tabIndex={0} role="region" aria-label="Pages of the pair"><table>
        <thead><tr><th scope="col">Page</th><th scope="col">Class</th><th scope="col">Type</th><th scope="col" class="n">Before</th><th scope="col" class="n">After</th><th scope="col" class="n">Similarity</th></tr></thead>
        <tbody>{which.slice(offset, offset + 50).map((i) => (
          <tr><td class="url"><A href={to("pair", { ...q, url: p.url[i] })}>{short(p.url[i], site)}</A></td><td class="nw"><Mark word={words.classes[p.class[i]].word} /> {words.classes[p.class[i]].text}</td>
            <td>{p.mimes[p.mime[i]].name || "–"}</td><td class="n">{bytes(p.size_a[i])}</td><td class="n">{bytes(p.size_b[i])}</td><td class="n">{p.similarity[i] === null ? "–" : p.similarity[i]!.toFixed(2)}</td></tr>
        ))}</tbody></table></div>
      <Pager label="Chosen pages" offset={offset} limit={50} matched={which.length} go={(o) => set({ offset: o ? String(o) : "" }, true)} />
    </section>
  );
}

export function Pair({ q, captures, chosen, site }: ViewProps) {
  const list = chosen.length > 1 ? chosen : captures;
  const b = q.b ?? String(list[0]?.id ?? ""), a = q.a ?? String(list[1]?.id ?? "");
  const asked = useApi<Points>(a && b ? api("points", { a, b }) : "");
  const w = useMemo(() => (asked.data ? lay(asked.data) : null), [asked.data]);
  if (captures.length < 2) return <><h1>Compare captures</h1><p>There is only one capture of {site}: nothing to compare with.</p></>;
  const pick = (name: "a" | "b", value: string, label: string) => (
    <label>{label} <select value={value} onChange={(e) => set({ a, b, [name]: e.currentTarget.value, url: "", box: "", offset: "" })}>
      {captures.map((c) => <option value={String(c.id)}>{c.key} · {(c.start ?? "").slice(0, 19).replace("T", " ")}</option>)}</select></label>
  );
  const y = q.y === "size" ? "size" : "folder";
  return (
    <>
      <h1>Compare captures of {site}</h1>
      <div class="facets">{pick("a", a, "Before")}{pick("b", b, "After")}
        <label>Upwards <select value={y} onChange={(e) => set({ y: e.currentTarget.value }, true)}><option value="folder">folder</option><option value="size">size (logarithmic)</option></select></label></div>
      {q.url && (
        <section class="detail" aria-label="What changed in the page">
          <h2>{q.url}</h2>
          <DifferenceView url={q.url} a={a} b={b} />
          <p><A href={to("page", { url: q.url })}>All versions of this page</A> · <A href={to("pair", { ...q, url: "" })}>Close</A></p>
        </section>
      )}
      <Waiting asked={asked}>{(p) => {
        if (!w) return null;
        const box = q.box ? (q.box.split(",").map(Number) as Box) : null;
        const inBox = (i: number) => {
          if (!box) return true;
          const x = (LEFT + w.order[i] * (q.w ? Number(q.w) - 2 * LEFT : 776)) / (Number(q.w) || 800), yy = (TOP + (1 - w[y][i]) * (HEIGHT - TOP - BOTTOM)) / HEIGHT;
          return x >= box[0] && x <= box[2] && yy >= box[1] && yy <= box[3];
        };
        const cls = q.class ? words.classes.findIndex((c) => c.word === q.class) : -1;
        const which = [...p.url.keys()].filter((i) => inBox(i) && (cls >= 0 ? p.class[i] === cls : box ? true : p.class[i] > 1));
        const whole = p.every > 1 || p.every_changed > 1 ? () => get<Points>(api("points", { a, b, most: "0" })).then((all) => table(all, [...all.url.keys()])) : undefined;
        const choose = (next: Box | null) => {
          const c = document.querySelector("#plane canvas");
          set({ box: next ? next.map((v) => v.toFixed(4)).join(",") : "", w: next ? String(c?.clientWidth ?? 800) : "", offset: "" });
        };
        return (
          <>
            <div class="plots">
              <Figure id="plane" title="In the plane" name={`pair-${p.key_a}-${p.key_b}`} table={() => table(p, [...p.url.keys()])} whole={whole} legend={<ClassLegend counts={p.all} />}
                      about={`${plural(p.count, "page")} of both captures in the order of their URLs. Disc: HTML; hexagon: image or film; square: script, style or data; diamond: other.${thinned(p, "drawn; the table and the CSV have all")}`}
                      tools={q.box ? <button type="button" onClick={() => choose(null)}>All</button> : undefined}>
                <Flat p={p} w={w} y={y} box={box} choose={choose} />
              </Figure>
              <Figure id="space" title="In space" name={`pair-${p.key_a}-${p.key_b}`} table={() => table(p, [...p.url.keys()])} whole={whole} about="The same points by type, folder or size, and URL.">
                <Space p={p} w={w} y={y} />
              </Figure>
            </div>
            <List p={p} which={which} q={q} site={site} />
          </>
        );
      }}</Waiting>
    </>
  );
}
