// SPDX-License-Identifier: Apache-2.0
// The crawl that runs now: how far it is, what it says, and, with a token, a hand on its reins.
import { useEffect, useRef, useState } from "preact/hooks";
import { api, bytes, Failed, forget, headers, ms, number, percent, plural, span, to, when } from "./core";
import { A, Canvas, Figure, say, Table, Tile, Token } from "./ui";
import { css } from "./core";
import type { ViewProps } from "./main";

interface Status {
  when: string; started: string; phase: string; paused: boolean; sites: number; sites_done: number; known: number; visited: number; to_visit: number;
  revisited: number; to_revisit: number; coherent: number; controls: number; downloads: number; failed: number; skipped: number; bytes: number;
  under_way: number; retries: number; expected_end: string | null; delay_ms: number; trouble: string | null; remark: string | null; remarked: string | null;
}
interface Line { when: string; code: number; size: string; url: string; note: string }
interface Live {
  running: boolean; work: string | null; since: string | null; writable: boolean; status: Status | null;
  captures: { id: number; key: string; site: string; state: string; start: string | null }[]; log: Line[];
}

/* Events by fetch, because EventSource cannot show a token. Comes back after a while when the connection is lost. */
async function listen(url: string, stop: AbortSignal, tell: (l: Live) => void): Promise<void> {
  const r = await fetch(url, { headers: { ...headers(), Accept: "text/event-stream" }, signal: stop });
  if (!r.ok || !r.body) {
    const body = await r.json().catch(() => ({}));
    throw new Failed(r.status, body.error ?? `The server answered ${r.status}.`);
  }
  const reader = r.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    text += value;
    const events = text.split("\n\n");
    text = events.pop()!;
    for (const e of events) if (e.startsWith("data: ")) tell(JSON.parse(e.slice(6)));
  }
}

function useLive(url: string): { live?: Live; error?: Failed } {
  const [state, change] = useState<{ live?: Live; error?: Failed }>({});
  useEffect(() => {
    const stop = new AbortController();
    let timer = 0;
    const begin = () => {
      listen(url, stop.signal, (live) => change({ live })).then(
        () => { timer = window.setTimeout(begin, 1000); },
        (e) => {
          if (stop.signal.aborted) return;
          if (e instanceof Failed) change({ error: e });
          if (!(e instanceof Failed) || e.status === 503) timer = window.setTimeout(begin, 2000);
        });
    };
    begin();
    return () => { stop.abort(); clearTimeout(timer); };
  }, [url]);
  return state;
}

/* Downloads by time, as far as this window has seen them. */
type Sample = [number, number];
const MOST = 600;
function useSamples(s: Status | null | undefined): Sample[] {
  const kept = useRef<{ started: string; list: Sample[] }>({ started: "", list: [] });
  const k = kept.current;
  if (s && k.started !== s.started) { k.started = s.started; k.list = []; }
  if (s) {
    const last = k.list[k.list.length - 1];
    if (!last || last[0] < ms(s.when)) k.list.push([ms(s.when), s.downloads]);
    if (k.list.length > MOST) k.list.shift();
  }
  return k.list;
}
/* Downloads a second over the last ten seconds. */
function rateOf(list: Sample[], at = list.length - 1): number | null {
  if (at < 1) return null;
  let from = at;
  while (from > 0 && list[at][0] - list[from][0] < 10000) from--;
  const seconds = (list[at][0] - list[from][0]) / 1000;
  return seconds > 0 ? (list[at][1] - list[from][1]) / seconds : null;
}

function Rate({ list }: { list: Sample[] }) {
  const rates = list.map((_, i) => rateOf(list, i) ?? 0);
  const most = Math.max(1, ...rates);
  const table = (): Table => ({ head: ["time", "downloads", "per second"], rows: list.map((s, i) => [new Date(s[0]).toISOString(), s[1], Number(rates[i].toFixed(2))]) });
  const draw = (g: CanvasRenderingContext2D, w: number, h: number) => {
    g.font = "12px system-ui, sans-serif";
    g.fillStyle = css("--line");
    g.fillRect(0, h - 1, w, 1);
    g.fillRect(0, 16, w, 1);
    g.fillStyle = css("--accent");
    const step = w / Math.max(60, rates.length);
    rates.forEach((r, i) => g.fillRect(i * step, h - (r / most) * (h - 18), Math.max(1, step - 1), (r / most) * (h - 18)));
    g.fillStyle = css("--soft");
    g.fillText(`${most.toFixed(1)} a second`, 2, 12);
  };
  return (
    <Figure title="Downloads a second" name="rate" table={table} about="Since this page was opened; each bar is the mean of ten seconds.">
      <Canvas height={110} draw={draw} deps={[list.length, list[list.length - 1]?.[0]]} label="Downloads a second over time" />
    </Figure>
  );
}

function Bar({ label, done, left, note }: { label: string; done: number; left: number; note?: string }) {
  return (
    <p class="progress"><label>{label} <progress max={Math.max(1, done + left)} value={done} /></label>
      <span class="soft">{number(done)} of {number(done + left)} ({percent(done, done + left)}){note && ` · ${note}`}</span></p>
  );
}

function Reins({ s }: { s: Status }) {
  const [answer, tell] = useState("");
  const delay = useRef<HTMLInputElement>(null), rule = useRef<HTMLInputElement>(null), kind = useRef<HTMLSelectElement>(null);
  const ask = async (wish: string) => {
    const r = await fetch(api("steer", { set: wish }), { method: "POST", headers: headers() });
    const body = await r.json().catch(() => ({}));
    const text = r.ok ? `Asked for: ${wish}` : body.error ?? `The server answered ${r.status}.`;
    tell(text);
    say(text);
  };
  return (
    <section aria-label="Steering">
      <h2>Steering</h2>
      <div class="facets">
        <button type="button" aria-pressed={s.paused} onClick={() => ask(s.paused ? "continue" : "pause")}>{s.paused ? "▶ Continue" : "⏸ Pause"}</button>
        <form class="facets" onSubmit={(e) => { e.preventDefault(); ask(`delay=${delay.current!.value.trim()}`); }}>
          <label>Delay between requests<input ref={delay} type="text" size={8} defaultValue={`${s.delay_ms}ms`} /></label>
          <button>Change</button>
        </form>
        <form class="facets" onSubmit={(e) => { e.preventDefault(); if (rule.current!.value.trim()) ask(`${kind.current!.value}=${rule.current!.value.trim()}`); }}>
          <label>Scope<select ref={kind}><option value="exclude">leave out</option><option value="include">let in</option></select></label>
          <label>URLs such as<input ref={rule} type="text" size={24} placeholder="*/archive/*" /></label>
          <button>Add</button>
        </form>
      </div>
      <p class="reading" aria-hidden="true">{answer}</p>
    </section>
  );
}

const codes: Record<string, string> = { "0": "–" };
function Log({ log }: { log: Line[] }) {
  const table = (): Table => ({ head: ["time", "status", "size", "url", "note"], rows: log.map((l) => [l.when, l.code, l.size, l.url, l.note]) });
  return (
    <Figure title="Log" name="log" table={table} about="The last downloads in crawl.log, the newest first; revisits and control downloads have lines of their own. Negative codes are those of Heritrix: −9998 is robots.txt, −5003 a limit.">
      <div class="scroll" tabIndex={0} role="region" aria-label="Log lines">
        <table><thead><tr><th scope="col">Time</th><th scope="col" class="n">Status</th><th scope="col" class="n">Size</th><th scope="col">URL</th><th scope="col">Note</th></tr></thead>
          <tbody>{log.filter((l) => !l.url.startsWith("sharc:")).slice(0, 25).map((l) => (
            <tr><td class="nw" title={l.when}>{l.when.slice(11, 19)}</td><td class="n">{codes[l.code] ?? l.code}</td><td class="n">{l.size === "-" ? "–" : l.size}</td>
              <td class="url">{l.url.startsWith("http") ? <A href={to("page", { url: l.url })}>{l.url}</A> : l.url}</td><td>{l.note === "-" ? "" : l.note}</td></tr>
          ))}</tbody></table>
      </div>
    </Figure>
  );
}

function Nothing({ live }: { live: Live }) {
  const last = live.captures[0];
  return (
    <>
      <h1>No crawl is running</h1>
      {live.work && !live.running && <p class="verdict">The archive is in use: {live.work}{live.since && `, since ${when(live.since, true)}`}.</p>}
      {last && <p class="verdict">The newest capture, <A href={to("capture", { capture: String(last.id), site: last.site })}>{last.key}</A> of {last.site}, is {last.state}: <A href={to("capture", { capture: String(last.id), site: last.site })}>see its verdict</A>.</p>}
      <p class="soft">A crawl that begins on this archive, <code>sharc crawl --archive …</code>, appears here by itself.</p>
    </>
  );
}

function Running({ live, s }: { live: Live; s: Status }) {
  const list = useSamples(s);
  const rate = rateOf(list);
  const now = live.captures.find((c) => c.state === "running");
  const left = ms(s.expected_end) - ms(s.when);
  useEffect(() => { say(s.paused ? "The crawl is paused." : `The crawl makes ${s.phase}.`); }, [s.phase, s.paused]);
  return (
    <>
      <h1>{s.paused ? "Paused" : now ? `Capturing ${now.site}` : "A crawl is running"}</h1>
      <p class="verdict">
        {s.paused ? "No download begins until somebody goes on with it. " : ""}
        Phase: <b>{s.phase}</b>, {plural(s.downloads, "download")} in {span(ms(s.when) - ms(s.started))}
        {!s.paused && left > 0 && <>, about {span(left)} to go</>}.
        {s.revisited > 0 && <> Of {plural(s.revisited, "page")} visited again <b>{number(s.coherent)}</b> ({percent(s.coherent, s.revisited)}) stood still so far.</>}
      </p>
      {s.trouble && <p class="error" role="alert">{s.trouble}</p>}
      <Bar label="Visits" done={s.visited} left={s.to_visit} note={`${number(s.known)} URLs known`} />
      {(s.revisited > 0 || s.to_revisit > 0) && <Bar label="Revisits" done={s.revisited} left={s.to_revisit} />}
      <dl class="tiles">
        <Tile label="Downloads a second" value={rate === null ? "–" : rate.toFixed(1)} note={`${number(s.under_way)} under way`} />
        <Tile label="Coherent so far" value={s.revisited ? number(s.coherent) : "–"} note={s.revisited ? `of ${number(s.revisited)} visited again` : "nothing was visited again yet"} />
        <Tile label="Received" value={bytes(s.bytes)} />
        <Tile label="Failed" value={number(s.failed)} note={s.retries ? `${number(s.retries)} to be tried again` : undefined} />
        <Tile label="Left out" value={number(s.skipped)} />
        {s.sites > 1 && <Tile label="Sites" value={`${number(s.sites_done)} of ${number(s.sites)}`} note="done" />}
      </dl>
      {s.remark && <p class="soft">{when(s.remarked, true)}: {s.remark}</p>}
      {live.writable ? <Reins s={s} /> : <p class="soft">To pause or steer it from here, start the server with <code>--token-file</code>.</p>}
      <Rate list={list} />
    </>
  );
}

export function LiveView(_: ViewProps) {
  const { live, error } = useLive(api("live"));
  const was = useRef(false);
  useEffect(() => {
    if (was.current && live && !live.running) { forget(); say("The crawl has ended."); }
    if (live) was.current = live.running;
  }, [live?.running]);
  if (error?.status === 401) return <Token />;
  if (error) return <p class="error" role="alert">{error.message}</p>;
  if (!live) return <p class="wait" aria-busy="true">Looking at the archive …</p>;
  return (
    <>
      {live.running && live.status ? <Running live={live} s={live.status} /> : live.running ? <h1>A crawl begins</h1> : <Nothing live={live} />}
      {live.log.length > 0 && <Log log={live.log} />}
    </>
  );
}
