// SPDX-License-Identifier: Apache-2.0
// The site as a tree: each page below the page on which it was found first. Branches in which nothing changed are one node until they are opened.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { api, colour, css, isDark, number, plural, set, short, to, useApi, words } from "./core";
import { A, Canvas, ClassLegend, Figure, Mark, say, Table, Waiting } from "./ui";
import type { ViewProps } from "./main";

interface Graph {
  capture: number; against: number; site: string; key: string; pages_in_all: number; all: Record<string, number>; url: string[]; parent: number[]; kind: number[]; class: number[];
  folded: number[]; pages: number[]; below: number[]; x: number[]; y: number[];
}
const HEIGHT = Math.min(620, Math.max(340, innerWidth - 20));
const table = (g: Graph): Table => ({
  head: ["url", "parent", "kind", "class", "pages it stands for", "pages in its branch"],
  rows: g.url.map((u, i) => [u, i ? g.url[g.parent[i]] : null, words.kinds[g.kind[i]].word, words.classes[g.class[i]].word, g.pages[i], g.below[i]]),
});

function shape(c: CanvasRenderingContext2D, kind: string, x: number, y: number, r: number) {
  c.beginPath();
  if (kind === "ellipse") c.arc(x, y, r, 0, 7);
  else if (kind === "hexagon") for (let k = 0; k < 6; k++) c.lineTo(x + r * Math.cos(k * 1.0472), y + r * Math.sin(k * 1.0472));
  else if (kind === "triangle") for (let k = 0; k < 3; k++) c.lineTo(x + r * Math.sin(k * 2.0944), y - r * Math.cos(k * 2.0944));
  else if (kind === "roundrectangle") c.roundRect(x - r * 0.9, y - r * 0.7, r * 1.8, r * 1.4, r * 0.4);
  else c.rect(x - r * 0.8, y - r * 0.8, r * 1.6, r * 1.6);
  c.closePath();
  c.fill();
}

interface View { x: number; y: number; k: number }
function Tree({ g, hidden, chosen, choose, toggle, hits, site }: { g: Graph; hidden: Uint8Array; chosen: number; choose: (i: number) => void; toggle: (i: number) => void; hits: Set<number>; site: string }) {
  const [view, move] = useState<View>({ x: 0, y: 0, k: 1 });
  const [cursor, change] = useState(-1);
  const wide = useRef(900), drag = useRef<{ x: number; y: number; v: View; far: boolean } | null>(null);
  const unit = () => (Math.min(wide.current, HEIGHT) / 2 - 24) * view.k;
  const px = (i: number) => wide.current / 2 + view.x + (g.x[i] / 100000) * unit(), py = (i: number) => HEIGHT / 2 + view.y + (g.y[i] / 100000) * unit();
  const radius = (i: number) => {
    const base = g.url.length > 5000 ? 2 : g.url.length > 600 ? 3.5 : g.url.length > 150 ? 6 : 9; /* from 7 on there is room for the letter */
    return Math.min(34, base * Math.sqrt(Math.max(0.6, view.k)) * (g.folded[i] ? 1 + Math.log2(1 + g.pages[i]) / 2.5 : 1));
  };
  /* Nodes and edges on a sheet that is half a window larger on each side: while it is dragged, and while a cursor moves over it, only the sheet moves. */
  const sheet = useRef<{ canvas: HTMLCanvasElement; view: View; of: unknown[] } | null>(null);
  const paint = (c: CanvasRenderingContext2D, w: number, h: number) => {
    const seen = (i: number) => { const x = px(i), y = py(i); return x > -w / 2 - 40 && y > -h / 2 - 40 && x < 1.5 * w + 40 && y < 1.5 * h + 40; };
    c.strokeStyle = css("--line");
    c.lineWidth = 1;
    c.beginPath();
    for (let i = 1; i < g.url.length; i++) if (!hidden[i] && (seen(i) || seen(g.parent[i]))) { c.moveTo(px(g.parent[i]), py(g.parent[i])); c.lineTo(px(i), py(i)); }
    c.stroke();
    const back = css("--back"), ink = css("--ink");
    const paints = words.classes.map(colour), kinds = words.kinds.map((k) => k.shape);
    c.font = "11px system-ui, sans-serif";
    c.textBaseline = "middle";
    /* What changed lies above what did not. */
    for (const loud of [false, true]) {
      const dots = paints.map(() => new Path2D()); /* of shapes too small to be told apart, all of a colour at once */
      for (let i = 0; i < g.url.length; i++) {
        if (hidden[i] || g.class[i] > 1 !== loud || !seen(i)) continue;
        const x = px(i), y = py(i), r = radius(i);
        if (r < 3) { dots[g.class[i]].rect(x - r, y - r, 2 * r, 2 * r); }
        else {
          c.fillStyle = paints[g.class[i]];
          shape(c, kinds[g.kind[i]], x, y, r);
        }
        if (g.folded[i] && r > 8) { c.fillStyle = back; c.textAlign = "center"; c.fillText(String(g.pages[i]), x, y); }
        else if (r > 7) { c.fillStyle = back; c.textAlign = "center"; c.fillText(words.classes[g.class[i]].letter, x, y + 0.5); }
        if (hits.has(i)) { c.strokeStyle = ink; c.lineWidth = 2; c.beginPath(); c.arc(x, y, r + 5, 0, 7); c.stroke(); }
      }
      dots.forEach((d, k) => { c.fillStyle = paints[k]; c.fill(d); });
    }
  };
  const draw = (c: CanvasRenderingContext2D, w: number, h: number) => {
    wide.current = w;
    const of = [g, hidden, hits, view.k, w, h, isDark(), devicePixelRatio];
    const s = sheet.current;
    if (!s || of.some((x, k) => x !== s.of[k]) || Math.abs(view.x - s.view.x) > w / 2 || Math.abs(view.y - s.view.y) > h / 2) {
      const canvas = s?.canvas ?? document.createElement("canvas"), scale = devicePixelRatio || 1;
      canvas.width = 2 * w * scale;
      canvas.height = 2 * h * scale;
      const on = canvas.getContext("2d")!;
      on.setTransform(scale, 0, 0, scale, (w / 2) * scale, (h / 2) * scale);
      paint(on, w, h);
      sheet.current = { canvas, view, of };
    }
    const now = sheet.current!;
    c.drawImage(now.canvas, view.x - now.view.x - w / 2, view.y - now.view.y - h / 2, 2 * w, 2 * h);
    c.font = "11px system-ui, sans-serif";
    c.textBaseline = "middle";
    const i = cursor >= 0 ? cursor : chosen;
    if (i >= 0 && !hidden[i]) {
      c.strokeStyle = css("--ink"); c.lineWidth = 2; c.beginPath(); c.arc(px(i), py(i), radius(i) + 4, 0, 7); c.stroke();
      const text = g.folded[i] ? `${plural(g.pages[i], "page")} unchanged` : short(g.url[i], site);
      const n = c.measureText(text).width, left = Math.max(4, Math.min(w - n - 14, px(i) - n / 2)), top = Math.max(4, py(i) - radius(i) - 28);
      c.fillStyle = css("--back"); c.fillRect(left - 5, top, n + 10, 18);
      c.strokeStyle = css("--line"); c.strokeRect(left - 5, top, n + 10, 18);
      c.fillStyle = css("--ink"); c.textAlign = "left"; c.fillText(text, left, top + 10);
    }
  };
  const nearest = (x: number, y: number) => {
    let best = -1, near = 300;
    for (let i = 0; i < g.url.length; i++) {
      if (hidden[i]) continue;
      const d = (px(i) - x) ** 2 + (py(i) - y) ** 2;
      if (d < near) { near = d; best = i; }
    }
    return best;
  };
  const children = (i: number) => [...g.parent.keys()].filter((k) => k && g.parent[k] === i && !hidden[k]);
  const go = (i: number) => { choose(i); change(-1); say(`${g.folded[i] ? plural(g.pages[i], "page") + " below " : ""}${g.url[i]}: ${words.classes[g.class[i]].text}; ${plural(g.below[i], "page")} in its branch`); };
  const step = (key: string) => {
    const i = Math.max(0, chosen);
    if (key === "ArrowUp") go(g.parent[i]);
    else if (key === "ArrowDown") { const k = children(i); if (k.length) go(k[0]); }
    else {
      const k = children(g.parent[i]), at = k.indexOf(i);
      if (k.length) go(k[(at + (key === "ArrowRight" ? 1 : k.length - 1)) % k.length]);
    }
  };
  const zoom = (by: number, x = wide.current / 2, y = HEIGHT / 2) => move((v) => {
    const k = Math.max(0.5, Math.min(60, v.k * by)), f = k / v.k;
    return { k, x: x - wide.current / 2 - (x - wide.current / 2 - v.x) * f, y: y - HEIGHT / 2 - (y - HEIGHT / 2 - v.y) * f };
  });
  return (
    <Canvas height={HEIGHT} draw={draw} deps={[g, hidden, view, cursor, chosen, hits]} class="drag"
            label={`Tree of ${plural(g.url.length, "node")}. Up goes to the page above, down to the first below, left and right to its neighbours; Space opens or closes a branch; plus and minus zoom.`}
            onPointer={(x, y, e) => {
              if (e.type === "pointerdown") { drag.current = { x, y, v: view, far: false }; (e.target as HTMLElement).setPointerCapture(e.pointerId); }
              else if (e.type === "pointerup") {
                if (drag.current && !drag.current.far) { const i = nearest(x, y); if (i >= 0) { if (i === chosen) toggle(i); else go(i); } }
                drag.current = null;
              } else if (drag.current) {
                const d = drag.current;
                if (d.far || Math.hypot(x - d.x, y - d.y) > 4) { d.far = true; move({ ...d.v, x: d.v.x + x - d.x, y: d.v.y + y - d.y }); }
              } else change(nearest(x, y));
            }}
            onLeave={() => change(-1)} onWheel={(e, x, y) => { e.preventDefault(); zoom(e.deltaY < 0 ? 1.2 : 0.83, x, y); }}
            onKeyDown={(e) => {
              if (e.key.startsWith("Arrow")) step(e.key);
              else if (e.key === " ") toggle(Math.max(0, chosen));
              else if (e.key === "+") zoom(1.3);
              else if (e.key === "-") zoom(0.77);
              else return;
              e.preventDefault();
            }} />
  );
}

export function GraphView({ q, captures, chosen: list, site }: ViewProps) {
  const capture = q.capture ?? String((list[0] ?? captures[0]).id);
  const at = captures.findIndex((c) => String(c.id) === capture);
  const before = captures[at + 1];
  const against = q.against ?? (before ? String(before.id) : "");
  const fold = q.fold !== "0";
  const [playing, play] = useState(false);
  const asked = useApi<Graph>(api("graph", { capture, against: against === "none" ? "" : against, fold: fold ? "1" : "0" }));
  const oldest = [...list].reverse();
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const step = (d: number) => {
    const i = oldest.findIndex((c) => String(c.id) === capture), next = oldest[i + d];
    if (!next) { play(false); return; }
    set({ capture: String(next.id), against: "", node: "" }, true);
    say(`${next.key}`);
  };
  useEffect(() => {
    if (!playing || asked.loading) return;
    const t = setTimeout(() => step(1), 1400);
    return () => clearTimeout(t);
  }, [playing, capture, asked.loading]);
  return (
    <>
      <h1>The site as a tree</h1>
      <div class="facets">
        <label>Capture <select value={capture} onChange={(e) => set({ capture: e.currentTarget.value, against: "", node: "" })}>{captures.map((c) => <option value={String(c.id)}>{c.key} · {(c.start ?? "").slice(0, 16).replace("T", " ")}</option>)}</select></label>
        <label>Against <select value={against || "none"} onChange={(e) => set({ capture, against: e.currentTarget.value, node: "" })}>
          <option value="none">its own revisits</option>{captures.filter((c) => String(c.id) !== capture).map((c) => <option value={String(c.id)}>{c.key}</option>)}</select></label>
        <label>Find <input type="search" value={q.find ?? ""} onInput={(e) => set({ find: e.currentTarget.value }, true)} /></label>
        <button type="button" aria-pressed={!fold} onClick={() => set({ capture, fold: fold ? "0" : "", node: "" })}>{fold ? "Open all branches" : "Fold what did not change"}</button>
        {captures.length > 1 && <>
          <button type="button" onClick={() => step(-1)}>‹ Step back</button>
          <button type="button" onClick={() => step(1)}>Step on ›</button>
          {!still && <button type="button" aria-pressed={playing} onClick={() => play(!playing)}>{playing ? "Stop" : "Play the series"}</button>}
        </>}
      </div>
      <Waiting asked={asked}>{(g) => <GraphFigure g={g} q={q} site={site} />}</Waiting>
    </>
  );
}

function GraphFigure({ g, q, site }: { g: Graph; q: Record<string, string>; site: string }) {
  const [closed, change] = useState<Set<number>>(new Set());
  useEffect(() => change(new Set()), [g]);
  const hidden = useMemo(() => {
    const h = new Uint8Array(g.url.length);
    for (let i = 1; i < g.url.length; i++) h[i] = h[g.parent[i]] || (closed.has(g.parent[i]) ? 1 : 0);
    return h;
  }, [g, closed]);
  const hits = useMemo(() => {
    const s = new Set<number>();
    if (q.find) for (let i = 0; i < g.url.length && s.size < 500; i++) if (!g.folded[i] && g.url[i].includes(q.find)) s.add(i);
    return s;
  }, [g, q.find]);
  const node = q.node !== undefined && Number(q.node) < g.url.length ? Number(q.node) : -1;
  const toggle = (i: number) => {
    if (g.folded[i]) { set({ fold: "0", node: "" }); return; }
    const next = new Set(closed);
    if (!next.delete(i)) next.add(i);
    change(next);
    say(`${g.url[i]}: branch ${next.has(i) ? "closed" : "open"}`);
  };
  return (
    <Figure id="graph" title={`${g.key}: ${plural(g.pages_in_all, "page")} in ${plural(g.url.length, "node")}`} name={`graph-${g.key}`} table={() => table(g)} legend={<ClassLegend counts={g.all} />}
            about={`${g.against ? "Against the chosen earlier capture." : "Visit against revisit."} Numbers are pages of branches in which nothing changed. Circle: HTML; hexagon: image, film; rounded: script, style, data; square: other. Click a node for details, again to open or close its branch.`}>
      <Tree g={g} hidden={hidden} chosen={node} choose={(i) => set({ node: String(i) }, true)} toggle={toggle} hits={hits} site={site} />
      {q.find && <p class="soft" role="status">{hits.size ? plural(hits.size, "page") + " found, ringed" : "No page in sight has this in its URL; folded branches are not searched."}</p>}
      {node >= 0 && (
        <div class="detail">
          <h2><Mark word={words.classes[g.class[node]].word} /> {g.folded[node] ? `${plural(g.pages[node], "page")} in which nothing changed, below ${short(g.url[node], site)}` : short(g.url[node], site)}</h2>
          <p class="soft">{words.classes[g.class[node]].text} · {words.kinds[g.kind[node]].text} · {plural(g.below[node], "page")} in its branch ({number(g.below[node] - g.pages[node])} below it)</p>
          <p>{!g.folded[node] && g.url[node] && <><A href={to("page", { url: g.url[node] })}>Versions</A> · </>}{g.against > 0 && !g.folded[node] && <><A href={to("pair", { a: String(g.against), b: String(g.capture), url: g.url[node] })}>What changed</A> · </>}
            <button type="button" onClick={() => toggle(node)}>{g.folded[node] ? "Open all branches" : closed.has(node) ? "Open its branch" : "Close its branch"}</button></p>
        </div>
      )}
    </Figure>
  );
}
