// SPDX-License-Identifier: Apache-2.0
// Two versions of a page side by side: what was added is blue, what was deleted yellow, as everybody is used to.
import { ComponentChildren } from "preact";
import { api, number, plural, useApi, when } from "./core";
import { Waiting } from "./ui";

interface Row { kind: "kept" | "updated" | "removed" | "added" | "gap"; lines?: number; old?: string; new?: string; old_marks?: number[][]; new_marks?: number[][] }
interface Difference {
  url: string; before: string | null; after: string | null; class: string; text: string; similarity: number | null; added: number; removed: number; cut: boolean; readable: boolean;
  rows: Row[]; links_added: string[]; links_removed: string[];
}

/* Marks are [first, count] in UTF-16 units of the line. */
function marked(text: string, marks: number[][] | undefined, Tag: "ins" | "del"): ComponentChildren {
  if (!marks?.length) return text;
  const out: ComponentChildren[] = [];
  let at = 0;
  for (const [from, n] of marks) {
    out.push(text.slice(at, from), <Tag>{text.slice(from, from + n)}</Tag>);
    at = from + n;
  }
  return [...out, text.slice(at)];
}

export function DifferenceView({ url, a, b }: { url: string; a: string; b: string }) {
  const asked = useApi<Difference>(api("difference", { url, a, b }));
  return (
    <Waiting asked={asked}>{(d) => (
      <>
        <p class="soft">{d.text}{d.similarity !== null && `, similarity ${d.similarity.toFixed(2)}`}; {plural(d.added, "line")} added, {number(d.removed)} deleted
          {d.links_added.length + d.links_removed.length > 0 && `; ${plural(d.links_added.length, "link")} came, ${number(d.links_removed.length)} went`}{d.cut && "; more than is shown"}.</p>
        {!d.readable ? <p>The text of this page cannot be shown: there is none, or its records are not here.</p> : d.rows.length === 0 ? <p>The texts are the same.</p> : (
          <div class="diff" tabIndex={0} role="region" aria-label="Difference of the texts">
            <div class="head">{when(d.before, true)} <span class="soft">deleted: yellow</span></div>
            <div class="head">{when(d.after, true)} <span class="soft">added: blue</span></div>
            {d.rows.map((r) => r.kind === "gap"
              ? <><div class="soft">… {plural(r.lines!, "line")} the same …</div><div class="soft">…</div></>
              : <>
                  <div class={r.kind === "removed" ? "del" : ""}>{r.kind === "removed" ? <del>{r.old}</del> : r.old !== undefined ? marked(r.old, r.old_marks, "del") : ""}</div>
                  <div class={r.kind === "added" ? "add" : ""}>{r.kind === "added" ? <ins>{r.new}</ins> : r.new !== undefined ? marked(r.new, r.new_marks, "ins") : r.kind === "kept" ? r.old : ""}</div>
                </>)}
          </div>
        )}
      </>
    )}</Waiting>
  );
}
