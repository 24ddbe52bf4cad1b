// SPDX-License-Identifier: Apache-2.0
// What all views are made of: figures with their table and CSV, legends, tables, pagers.
import { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Asked, colour, css, forget, go, number, token, useTheme, words } from "./core";

/* Values that a screen reader should hear. */
export function say(text: string): void {
  const line = document.getElementById("said");
  if (line && line.textContent !== text) line.textContent = text;
}

/* A link inside the interface. */
export function A(p: { href: string; children: ComponentChildren; class?: string; title?: string; label?: string; current?: boolean }) {
  return (
    <a href={p.href} class={p.class} title={p.title} aria-label={p.label} aria-current={p.current ? "page" : undefined}
       onClick={(e) => {
         if (e.ctrlKey || e.metaKey || e.shiftKey || e.button) return;
         e.preventDefault();
         go(p.href);
         window.scrollTo(0, 0);
       }}>{p.children}</a>
  );
}

export type Cell = string | number | null;
export interface Table { head: string[]; rows: Cell[][] }

const quote = (c: Cell): string => {
  let text = c === null ? "" : String(c);
  if (typeof c === "string" && /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(text)) text = "'" + text; /* no formula of a stranger's in a spreadsheet */
  return /[",\n\r]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
};
export const csv = (t: Table): string => [t.head, ...t.rows].map((r) => r.map(quote).join(",")).join("\r\n") + "\r\n";

export function save(name: string, text: string, type = "text/csv"): void {
  const a = document.createElement("a");
  a.href = URL.createObjectURL(new Blob([text], { type }));
  a.download = name;
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 10000);
}

const SHOWN = 500;
export function Rows({ table, label }: { table: Table; label: string }) {
  const numeric = table.head.map((_, i) => table.rows.length > 0 && table.rows.slice(0, 50).every((r) => r[i] === null || typeof r[i] === "number"));
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={label}>
      <table>
        <thead><tr>{table.head.map((h, i) => <th scope="col" class={numeric[i] ? "n" : ""}>{h}</th>)}</tr></thead>
        <tbody>
          {table.rows.slice(0, SHOWN).map((r) => (
            <tr>{r.map((c, i) => <td class={numeric[i] ? "n" : ""}>{c === null ? "–" : typeof c === "number" ? number(c) : c}</td>)}</tr>
          ))}
        </tbody>
      </table>
      {table.rows.length > SHOWN && <p class="soft">The first {SHOWN} of {number(table.rows.length)} rows; the CSV has all.</p>}
    </div>
  );
}

/* A picture with its table and CSV: buttons, and the keys t and c while the focus is inside. whole: the picture has not every row, this reads them. */
export function Figure(p: { title: string; about?: ComponentChildren; name: string; table: () => Table; whole?: () => Promise<Table>; legend?: ComponentChildren;
                            tools?: ComponentChildren; children: ComponentChildren; onKey?: (e: KeyboardEvent) => void; id?: string }) {
  const [asTable, change] = useState(false);
  const [read, keep] = useState<{ of: string; table: Table } | null>(null);
  const [error, fail] = useState("");
  const rows = async (): Promise<Table> => {
    if (!p.whole) return p.table();
    if (read?.of === p.name) return read.table;
    say(`${p.title}: reading all rows`);
    const table = await p.whole();
    keep({ of: p.name, table });
    return table;
  };
  const download = () => void rows().then((t) => { save(`${p.name}.csv`, csv(t)); say(`${p.title}: CSV saved`); }, (e: Error) => fail(e.message));
  useEffect(() => { if (asTable && p.whole) rows().catch((e: Error) => fail(e.message)); }, [asTable, p.name]);
  const shown = p.whole ? (read?.of === p.name ? read.table : null) : asTable ? p.table() : null;
  const onKey = (e: KeyboardEvent) => {
    const tag = (e.target as HTMLElement).tagName;
    if (e.ctrlKey || e.metaKey || e.altKey || tag === "INPUT" || tag === "SELECT" || tag === "TEXTAREA") return;
    if (e.key === "t") { change(!asTable); e.preventDefault(); }
    else if (e.key === "c") { download(); e.preventDefault(); }
    else p.onKey?.(e);
  };
  return (
    <section class="figure" aria-label={p.title} onKeyDown={onKey} id={p.id}>
      <div class="figure-head">
        <h2>{p.title}</h2>
        <div class="tools">
          {p.tools}
          <button type="button" aria-pressed={asTable} aria-keyshortcuts="t" onClick={() => change(!asTable)}>Table <kbd>t</kbd></button>
          <button type="button" aria-keyshortcuts="c" onClick={download}>CSV <kbd>c</kbd></button>
        </div>
      </div>
      {p.about && <p class="soft about">{p.about}</p>}
      {error && <p class="error" role="alert">{error}</p>}
      {!asTable ? p.children : shown ? <Rows table={shown} label={p.title} /> : !error && <p class="wait" aria-busy="true">Reading all rows …</p>}
      {!asTable && p.legend}
    </section>
  );
}

/* Class = colour and letter. */
export function Mark({ word }: { word: string }) {
  useTheme();
  if (word === "none") return <span class="mark" style={{ background: css("--none") }} aria-hidden="true">–</span>; /* looked at once: no class */
  const c = words.classes.find((x) => x.word === word);
  if (!c) return null;
  return <span class="mark" style={{ background: colour(c) }} aria-hidden="true">{c.letter}</span>;
}
export function ClassLegend({ counts }: { counts?: Record<string, number> }) {
  return (
    <ul class="legend">
      {words.classes.filter((c) => !counts || counts[c.word]).map((c) => (
        <li><Mark word={c.word} /> {c.text}{counts && <b> {number(counts[c.word])}</b>}</li>
      ))}
    </ul>
  );
}

export function Waiting<T>({ asked, children }: { asked: Asked<T>; children: (data: T) => ComponentChildren }) {
  if (asked.error?.status === 401) return <Token />;
  if (asked.error) return <p class="error" role="alert">{asked.error.message}</p>;
  if (!asked.data) return <p class="wait" aria-busy="true">Reading the catalogue …</p>;
  return <div class={asked.loading ? "stale" : ""}>{children(asked.data)}</div>;
}

export function Token() {
  const field = useRef<HTMLInputElement>(null);
  return (
    <form class="token" onSubmit={(e) => { e.preventDefault(); token.set(field.current!.value.trim()); forget(); location.reload(); }}>
      <label for="token">This archive needs a token. It is kept until this window is closed.</label>
      <input id="token" ref={field} type="password" autocomplete="off" />
      <button>Open</button>
    </form>
  );
}

export function Pager(p: { offset: number; limit: number; matched: number; go: (offset: number) => void; label: string }) {
  const last = Math.max(0, Math.floor((p.matched - 1) / p.limit) * p.limit);
  const button = (text: string, label: string, offset: number, off: boolean) => (
    <button type="button" disabled={off} aria-label={label} onClick={() => p.go(offset)}>{text}</button>
  );
  return (
    <nav class="pager" aria-label={p.label}>
      {button("«", "first", 0, p.offset === 0)}
      {button("‹", "previous", Math.max(0, p.offset - p.limit), p.offset === 0)}
      <span>{p.matched ? `${number(p.offset + 1)}–${number(Math.min(p.matched, p.offset + p.limit))} of ${number(p.matched)}` : "none"}</span>
      {button("›", "next", p.offset + p.limit, p.offset + p.limit >= p.matched)}
      {button("»", "last", last, p.offset >= last)}
    </nav>
  );
}

export function Tile({ label, value, note }: { label: string; value: ComponentChildren; note?: ComponentChildren }) {
  return <div class="tile"><dt>{label}</dt><dd>{value}{note && <small>{note}</small>}</dd></div>;
}

type Draw = (g: CanvasRenderingContext2D, w: number, h: number) => void;
/* A canvas as wide as its place, sharp on every screen, drawn again when size, colours or `deps` change. under: what lies below and is
   painted only when its own deps change, so that a cursor over thousands of marks costs no more than the cursor. */
export function Canvas(p: { height: number; draw: Draw; deps: unknown[]; under?: { draw: Draw; deps: unknown[] }; label: string;
                            onPointer?: (x: number, y: number, e: PointerEvent) => void; onLeave?: () => void;
                            onClick?: (x: number, y: number) => void; onWheel?: (e: WheelEvent, x: number, y: number) => void;
                            onKeyDown?: (e: KeyboardEvent) => void; class?: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const theme = useTheme();
  const [width, change] = useState(0);
  useEffect(() => {
    const look = new ResizeObserver((e) => change(Math.floor(e[0].contentRect.width)));
    look.observe(canvas.current!.parentElement!);
    return () => look.disconnect();
  }, []);
  const painted = useRef<HTMLCanvasElement | null>(null);
  const prepare = (c: HTMLCanvasElement): CanvasRenderingContext2D => {
    const scale = window.devicePixelRatio || 1, w = Math.round(width * scale), h = Math.round(p.height * scale);
    if (c.width !== w || c.height !== h) { c.width = w; c.height = h; }
    const g = c.getContext("2d")!;
    g.setTransform(scale, 0, 0, scale, 0, 0);
    g.clearRect(0, 0, width, p.height);
    return g;
  };
  useEffect(() => {
    if (!width || !p.under) return;
    painted.current ??= document.createElement("canvas");
    p.under.draw(prepare(painted.current), width, p.height);
  }, [width, p.height, theme, ...(p.under?.deps ?? [])]);
  useEffect(() => {
    if (!width) return;
    const g = prepare(canvas.current!);
    if (p.under && painted.current) g.drawImage(painted.current, 0, 0, width, p.height);
    p.draw(g, width, p.height);
  }, [width, p.height, theme, ...(p.under?.deps ?? []), ...p.deps]);
  useEffect(() => {
    const c = canvas.current!;
    if (!p.onWheel) return;
    const f = (e: WheelEvent) => p.onWheel!(e, e.offsetX, e.offsetY);
    c.addEventListener("wheel", f, { passive: false });
    return () => c.removeEventListener("wheel", f);
  });
  const at = (e: PointerEvent | MouseEvent): [number, number] => {
    const r = canvas.current!.getBoundingClientRect();
    return [e.clientX - r.left, e.clientY - r.top];
  };
  const pointer = (e: PointerEvent) => p.onPointer?.(...at(e), e);
  return (
    <div class="canvas">
      <canvas ref={canvas} class={p.class} style={{ width: "100%", height: `${p.height}px` }} role="img" aria-label={p.label}
              tabIndex={0} onPointerMove={pointer} onPointerDown={pointer} onPointerUp={pointer} onPointerLeave={p.onLeave}
              onClick={(e) => p.onClick?.(...at(e))} onKeyDown={p.onKeyDown as unknown as JSX.KeyboardEventHandler<HTMLCanvasElement>} />
    </div>
  );
}
