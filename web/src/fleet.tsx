// SPDX-License-Identifier: Apache-2.0
// Who works on the queue of the archive, and what waits in it and why.
import { useEffect, useState } from "preact/hooks";
import { api, Failed, headers, ms, number, plural, span, to, when } from "./core";
import { A, Figure, Table, Tile, Token } from "./ui";

interface Worker { name: string; state: string; begun: string | null; heartbeat: string | null; seconds_ago: number | null; sites: number; running: number; pages_per_minute: number }
interface Group { collection: string; state: string; jobs: number; due: number; abandoned: number; failed_before: number; first_due: string | null }
interface Job { job: number; site: string; kind: string; collection: string; state: string; why: string; due: string | null; schedule: string; worker: string; lease_until: string | null; claims: number; failures: number; capture: number | null }
interface FleetAnswer { now: string | null; workers: Worker[]; queue: Group[]; jobs: Job[]; more: number }

const EVERY = 5000;

/* Not by core.ts, which remembers answers. */
async function askFleet(url: string, signal: AbortSignal): Promise<FleetAnswer> {
  const r = await fetch(url, { headers: headers(), signal });
  const body = await r.json().catch(() => ({}));
  if (!r.ok) throw new Failed(r.status, body.error ?? `The server answered ${r.status}.`);
  return body;
}

/* Asked again and again while the window is looked at; an answer that fails leaves the last one. */
function useFleet(url: string): { fleet?: FleetAnswer; error?: Failed } {
  const [state, change] = useState<{ fleet?: FleetAnswer; error?: Failed }>({});
  useEffect(() => {
    const stop = new AbortController();
    let timer = 0;
    const ask = () => {
      const next = () => { if (!stop.signal.aborted) timer = window.setTimeout(ask, EVERY); };
      if (document.hidden) { next(); return; }
      askFleet(url, stop.signal).then(
        (fleet) => { change({ fleet }); next(); },
        (error) => { if (!stop.signal.aborted) { change((s) => ({ ...s, error })); next(); } });
    };
    ask();
    return () => { stop.abort(); clearTimeout(timer); };
  }, [url]);
  return state;
}

const sum = (list: Group[], f: (g: Group) => number): number => list.reduce((n, g) => n + f(g), 0);
const of = (list: Group[], state: string): Group[] => list.filter((g) => g.state === state);
const called = (collection: string): string => collection || "(none)";
const ago = (w: Worker): string => (w.seconds_ago === null ? "never heard" : `${span(Math.max(0, w.seconds_ago) * 1000)} ago`);

const workersTable = (f: FleetAnswer): Table => ({
  head: ["worker", "state", "last heartbeat", "seconds ago", "runs", "at most", "URLs a minute", "since"],
  rows: f.workers.map((w) => [w.name, w.state, w.heartbeat, w.seconds_ago, w.running, w.sites, w.pages_per_minute, w.begun]),
});
const queueTable = (f: FleetAnswer): Table => ({
  head: ["collection", "state", "jobs", "due", "abandoned", "failed before", "first due"],
  rows: f.queue.map((g) => [called(g.collection), g.state, g.jobs, g.due, g.abandoned, g.failed_before, g.first_due]),
});
const jobsTable = (f: FleetAnswer): Table => ({
  head: ["job", "site", "collection", "state", "why", "due", "schedule", "worker", "claims", "failures", "capture"],
  rows: f.jobs.map((j) => [j.job, j.site, j.collection, j.state, j.why, j.due, j.schedule, j.worker, j.claims, j.failures, j.capture]),
});

function Workers({ fleet }: { fleet: FleetAnswer }) {
  if (!fleet.workers.length) return <p>No worker has given a sign of life for a week. <code>sharc worker</code> starts one.</p>;
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Workers">
      <table>
        <thead><tr><th scope="col">Worker</th><th scope="col">State</th><th scope="col">Last sign of life</th><th scope="col" class="n">Jobs</th>
          <th scope="col" class="n">URLs a minute</th></tr></thead>
        <tbody>{fleet.workers.map((w) => (
          <tr>
            <td class="nw">{w.name}</td>
            <td>{w.state === "silent" ? <b>{w.state}</b> : w.state}</td>
            <td title={w.heartbeat ?? ""}>{ago(w)}</td>
            <td class="n">{number(w.running)}{w.sites ? ` of ${number(w.sites)}` : ""}</td>
            <td class="n">{w.pages_per_minute.toFixed(1)}</td>
          </tr>
        ))}</tbody>
      </table>
    </div>
  );
}

function Queue({ fleet }: { fleet: FleetAnswer }) {
  const names = [...new Set(fleet.queue.map((g) => g.collection))];
  const states = ["queued", "running", "paused", "failed", "done", "cancelled"];
  const at = (name: string, state: string) => fleet.queue.find((g) => g.collection === name && g.state === state);
  if (!names.length) return <p>Nothing has been queued here yet; <code>sharc crawl --queue</code> does it.</p>;
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Queue by collection">
      <table>
        <thead><tr><th scope="col">Collection</th>{states.map((s) => <th scope="col" class="n">{s[0].toUpperCase() + s.slice(1)}</th>)}<th scope="col">First due</th></tr></thead>
        <tbody>{names.map((n) => (
          <tr>
            <th scope="row">{called(n)}</th>
            {states.map((s) => <td class="n">{at(n, s) ? number(at(n, s)!.jobs) : "–"}</td>)}
            <td class="nw">{when(at(n, "queued")?.first_due)}</td>
          </tr>
        ))}</tbody>
      </table>
    </div>
  );
}

function Jobs({ fleet }: { fleet: FleetAnswer }) {
  if (!fleet.jobs.length) return <p>Nothing runs, waits or has failed.</p>;
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Jobs">
      <table>
        <thead><tr><th scope="col" class="n">Job</th><th scope="col">Site</th><th scope="col">State</th><th scope="col">Why</th></tr></thead>
        <tbody>{fleet.jobs.map((j) => (
          <tr>
            <td class="n">{j.job}</td>
            <td>{j.capture ? <A href={to("capture", { capture: String(j.capture) })}>{j.site}</A> : j.site}</td>
            <td>{j.state}{j.kind !== "crawl" && ` (${j.kind})`}</td>
            <td class="wrap">{j.why}</td>
          </tr>
        ))}</tbody>
      </table>
      {fleet.more > 0 && <p class="soft">And {plural(fleet.more, "further job")}: <code>sharc jobs</code> lists all.</p>}
    </div>
  );
}

export function FleetView() {
  const { fleet, error } = useFleet(api("fleet"));
  if (error?.status === 401) return <Token />;
  if (!fleet) return error ? <p class="error" role="alert">{error.message}</p> : <p class="wait" aria-busy="true">Asking for the fleet …</p>;
  const working = fleet.workers.filter((w) => w.state !== "silent");
  const queued = of(fleet.queue, "queued"), running = of(fleet.queue, "running"), failed = of(fleet.queue, "failed");
  const late = Math.max(0, ...queued.filter((g) => g.due).map((g) => ms(fleet.now) - ms(g.first_due)));
  return (
    <>
      <h1>Fleet</h1>
      {error && <p class="error" role="alert">{error.message} What is shown was true at {when(fleet.now, true)}.</p>}
      <dl class="tiles">
        <Tile label="Workers" value={number(working.length)} note={fleet.workers.length > working.length ? `${number(fleet.workers.length - working.length)} silent` : working.length ? "all of them alive" : "none alive for a week"} />
        <Tile label="Running" value={number(sum(running, (g) => g.jobs))} note={sum(running, (g) => g.abandoned) ? `${number(sum(running, (g) => g.abandoned))} without a worker` : undefined} />
        <Tile label="Due" value={number(sum(queued, (g) => g.due))} note={late ? `the first for ${span(late)}` : `${number(sum(queued, (g) => g.jobs))} queued`} />
        <Tile label="Failed" value={number(sum(failed, (g) => g.jobs))} note={sum(queued, (g) => g.failed_before) ? `${number(sum(queued, (g) => g.failed_before))} are tried again` : undefined} />
        <Tile label="URLs a minute" value={working.reduce((n, w) => n + w.pages_per_minute, 0).toFixed(1)} note="over the last ten minutes" />
      </dl>
      <Figure title="Workers" name="workers" table={() => workersTable(fleet)} about="By the clock of the database. A worker that is silent for longer than its lease loses its jobs to others.">
        <Workers fleet={fleet} />
      </Figure>
      <Figure title="Queue" name="queue" table={() => queueTable(fleet)} about="Jobs by collection and state. Collections take turns.">
        <Queue fleet={fleet} />
      </Figure>
      <Figure title="What runs and what waits" name="jobs" table={() => jobsTable(fleet)} about={`As of ${when(fleet.now, true)}.`}>
        <Jobs fleet={fleet} />
      </Figure>
    </>
  );
}
