// SPDX-License-Identifier: Apache-2.0
// The frame of all views: title, navigation, the time brush, light or dark.
import "uplot/dist/uPlot.min.css";
import "./style.css";
import { ComponentType, render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { api, expect, Failed, forget, number, Place, place, readWords, set, to, useApi, usePlace, useTheme, words } from "./core";
import { A, Token, Waiting } from "./ui";
import { Brush, Capture, inside } from "./brush";
import { Archive } from "./archive";
import { CaptureView } from "./capture";
import { Series } from "./series";
import { CalendarView } from "./calendar";
import { Pair } from "./pair";
import { PageView } from "./page";
import { GraphView } from "./graph";
import { LiveView } from "./live";
import { TrialView } from "./trial";
import { FleetView } from "./fleet";

/* q: the address; captures: of the chosen site, newest first; chosen: those inside the brush. */
export interface ViewProps { q: Record<string, string>; captures: Capture[]; chosen: Capture[]; site: string }

const views: { name: string; title: string; view: ComponentType<ViewProps>; timed?: boolean /* the brush means something there */ }[] = [
  { name: "archive", title: "Archive", view: Archive, timed: true },
  { name: "capture", title: "Capture", view: CaptureView, timed: true },
  { name: "series", title: "Series", view: Series, timed: true },
  { name: "calendar", title: "Changes", view: CalendarView, timed: true },
  { name: "pair", title: "Compare", view: Pair, timed: true },
  { name: "page", title: "Page", view: PageView, timed: true },
  { name: "graph", title: "Site", view: GraphView, timed: true },
  { name: "trial", title: "Strategies", view: TrialView },
  { name: "live", title: "Live", view: LiveView },
];
/* Views that are not of one archive's captures have no place among the tabs. */
const beside: typeof views = [{ name: "fleet", title: "Fleet", view: FleetView }];

function Theme() {
  useTheme();
  const now = document.documentElement.dataset.theme ?? "";
  const next: Record<string, string> = { "": "light", light: "dark", dark: "" };
  return (
    <button type="button" class="plain" title="Colours: as the system, light, dark" onClick={() => setTheme(next[now])}>
      {now === "" ? "◐ Auto" : now === "light" ? "○ Light" : "● Dark"}
    </button>
  );
}
function setTheme(t: string) {
  if (t) document.documentElement.dataset.theme = t;
  else delete document.documentElement.dataset.theme;
  try { localStorage.setItem("theme", t); } catch { /* private windows may have none */ }
  window.dispatchEvent(new Event("theme"));
}

function Help({ close }: { close: () => void }) {
  return (
    <div class="help" role="dialog" aria-modal="true" aria-label="Keys" tabIndex={-1} ref={(e) => e?.focus()}>
      <h2>Keys</h2>
      <dl>
        <dt><kbd>1</kbd> … <kbd>{views.length}</kbd></dt><dd>the views, from the left</dd>
        <dt><kbd>t</kbd></dt><dd>in a picture: its table, and back</dd>
        <dt><kbd>c</kbd></dt><dd>in a picture: save it as CSV</dd>
        <dt><kbd>←</kbd> <kbd>→</kbd> <kbd>↑</kbd> <kbd>↓</kbd></dt><dd>in a picture: move the cursor; <kbd>Enter</kbd> opens what it is on</dd>
        <dt><kbd>/</kbd></dt><dd>search the pages of a view that lists some</dd>
        <dt><kbd>d</kbd></dt><dd>light, dark, or as the system</dd>
      </dl>
      <button type="button" onClick={close}>Close</button>
    </div>
  );
}

function useKeys(help: boolean, setHelp: (on: boolean) => void) {
  useEffect(() => {
    const f = (e: KeyboardEvent) => {
      const at = e.target as HTMLElement;
      if (e.key === "Escape" && help) { setHelp(false); return; }
      if (e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(at.tagName)) return;
      const n = Number(e.key);
      if (n >= 1 && n <= views.length) document.querySelector<HTMLAnchorElement>(`nav.views a:nth-child(${n})`)?.click();
      else if (e.key === "?") setHelp(!help);
      else if (e.key === "d") document.querySelector<HTMLButtonElement>("header button.plain")?.click();
      else if (e.key === "/") { document.querySelector<HTMLInputElement>("main input[type=search]")?.focus(); e.preventDefault(); }
    };
    window.addEventListener("keydown", f);
    return () => window.removeEventListener("keydown", f);
  }, [help]);
}

function Frame({ place }: { place: Place }) {
  const [help, setHelp] = useState(false);
  useTheme();
  useKeys(help, setHelp);
  const archives = useApi<{ archives: { archive: number; name: string }[] }>("/api/archives");
  const all = useApi<{ captures: Capture[]; total: number }>(api("captures", { limit: "1000", grades: "1" }));
  const captures = all.data?.captures ?? [];
  const sites = [...new Set(captures.map((c) => c.site))].sort();
  const q = place.q;
  const named = captures.find((c) => String(c.id) === (q.capture ?? q.b));
  const site = q.site ?? named?.site ?? captures[0]?.site ?? "";
  const mine = captures.filter((c) => c.site === site);
  const shown = [...views, ...beside].find((v) => v.name === place.view);
  const View = shown?.view;
  useEffect(() => { document.title = `${shown?.title ?? "Nothing here"} · ${words.title}`; }, [place.view]);
  return (
    <>
      <a class="skip" href="#main">To the content</a>
      <header>
        <A href={to("archive")} class="brand"><img src="/ui/icon.svg" alt="" width="26" height="26" /> {words.title}</A>
        <nav class="views" aria-label="Views">
          {views.map((v) => <A href={to(v.name)} current={place.view === v.name}>{v.title}</A>)}
        </nav>
        <div class="tools">
          {(archives.data?.archives.length ?? 0) > 1 && (
            <select aria-label="Archive" value={q.archive ?? "0"} onChange={(e) => { forget(); set({ archive: e.currentTarget.value, site: "", capture: "", from: "", to: "" }); }}>
              {archives.data!.archives.map((a) => <option value={String(a.archive)}>{a.name}</option>)}
            </select>
          )}
          {sites.length > 1 && (
            <select aria-label="Site" value={site} onChange={(e) => set({ site: e.currentTarget.value, capture: "", a: "", b: "", from: "", to: "" })}>
              {sites.map((s) => <option value={s}>{s}</option>)}
            </select>
          )}
          <Theme />
          <button type="button" class="plain" aria-label="Keys" title="Keys" onClick={() => setHelp(!help)}>?</button>
        </div>
      </header>
      {all.data && shown?.timed && <Brush captures={mine} q={q} />}
      <main id="main" tabIndex={-1}>
        <Waiting asked={all}>
          {() => View
            ? captures.length || place.view === "live" || beside.includes(shown!)
              ? <View q={q} captures={mine} chosen={mine.filter((c) => inside(q, c.start))} site={site} />
              : <><h1>Nothing captured yet</h1><p>There is no capture in this archive. <code>sharc crawl --archive …</code> makes one. <A href={to("live")}>Is one being made?</A></p></>
            : <><h1>Nothing here</h1><p>The interface has no view of this name. <A href={to("archive")}>Archive</A></p></>}
        </Waiting>
      </main>
      <div id="said" class="said" role="status" aria-live="polite" />
      <footer>
        <a href="/">Look up a URL</a> · <a href="/web/*/*">All URLs</a> · <a href="/files/">Files</a> · <A href={to("fleet")}>Fleet</A> · <a href="/api/openapi.json">API</a>
        {all.data && all.data.total > captures.length && <span> · the newest {number(captures.length)} of {number(all.data.total)} captures</span>}
      </footer>
      {help && <Help close={() => setHelp(false)} />}
    </>
  );
}

function App() {
  const place = usePlace();
  const [state, change] = useState<"" | "ready" | Failed>("");
  useEffect(() => { readWords().then(() => change("ready"), (e) => change(e)); }, []);
  if (state === "ready") return <Frame place={place} />;
  if (!state) return <p class="wait" aria-busy="true">Opening the archive …</p>;
  return <main>{state.status === 401 ? <Token /> : <p class="error" role="alert">{state.message}</p>}</main>;
}

/* Questions that the address alone tells, in the order in which they are needed: the server answers one after the other while this window is made. */
function ahead({ view, q }: Place): void {
  expect("/api/words");
  expect("/api/archives");
  expect(api("captures", { limit: "1000", grades: "1" }));
  if (view === "capture" && q.capture) for (const what of ["capture", "schedule"]) expect(api(what, { capture: q.capture }));
  if (view === "calendar" && q.site) expect(api("calendar", { site: q.site }));
  if (view === "series" && q.site) expect(api("steps", { site: q.site }));
  if (view === "pair" && q.a && q.b) expect(api("points", { a: q.a, b: q.b }));
  if (view === "graph" && q.capture && q.against) expect(api("graph", { capture: q.capture, against: q.against === "none" ? "" : q.against, fold: q.fold === "0" ? "0" : "1" }));
}

try { const t = localStorage.getItem("theme"); if (t) document.documentElement.dataset.theme = t; } catch { /* as the system */ }
ahead(place());
render(<App />, document.getElementById("app")!);
