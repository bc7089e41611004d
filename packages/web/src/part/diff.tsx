import type { CodeSpan } from "../../../haft/src/draw/rich/highlight.ts";
import { clean, place } from "./bits.tsx";
import { languageOf, Spans, useCodeColours } from "./code.tsx";

const MOST_LINES = 600;

/** A unified diff with line numbers. Words that differ within a pair of lines are marked. */
export function Diff({ path, unified }: { readonly path?: string; readonly unified: string }) {
  const lines = linesOf(unified);
  const colour = useCodeColours();
  const language = languageOf(path);
  const shown = lines.slice(0, MOST_LINES);
  return (
    <figure class="diff">
      {path !== undefined && <figcaption>{place(path)}</figcaption>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by keyboard */}
      <section class="diff-scroll" tabIndex={0} aria-label={`Changes of ${path ?? "a file"}`}>
        <table>
          <tbody>
            {shown.map((line, at) => (
              <tr key={at} class={`diff-${line.kind}`}>
                <td class="num">{line.before}</td>
                <td class="num">{line.after}</td>
                <td class="sign">{SIGNS[line.kind]}</td>
                <td class="code">
                  <LineText line={line} spans={line.kind === "hunk" ? undefined : colour?.(line.text, language)?.[0]} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {lines.length > MOST_LINES && <p class="dim">{lines.length - MOST_LINES} more lines</p>}
    </figure>
  );
}

/** Positions count only as long as every character is shown as itself. */
function LineText({ line: { text, marks }, spans }: { readonly line: Line; readonly spans?: readonly CodeSpan[] }) {
  const shown = clean(text);
  if (shown !== text && marks)
    return (
      <>
        {clean(text.slice(0, marks[0]))}
        <mark>{clean(text.slice(...marks))}</mark>
        {clean(text.slice(marks[1]))}
      </>
    );
  return <Spans spans={shown === text && spans ? spans : [{ text: shown }]} {...(marks ? { marks } : {})} />;
}

const SIGNS = { added: "+", removed: "−", same: "", hunk: "" } as const;

interface Line {
  readonly kind: keyof typeof SIGNS;
  readonly text: string;
  readonly before?: number;
  readonly after?: number;
  readonly marks?: readonly [number, number];
}

/** The lines of a unified diff, without the head that names the files. */
export function linesOf(unified: string): readonly Line[] {
  const lines: Line[] = [];
  let [before, after] = [0, 0];
  let isInHunk = false;
  for (const text of unified.split("\n")) {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@(.*)/.exec(text);
    if (hunk) {
      [before, after] = [Number(hunk[1]), Number(hunk[2])];
      isInHunk = true;
      if (before > 1 || lines.length > 0)
        lines.push({ kind: "hunk", text: hunk[3]!.trim() === "" ? "⋯" : `⋯ ${hunk[3]!.trim()}` });
    } else if (!isInHunk || text.startsWith("\\")) continue;
    else if (text.startsWith("+")) lines.push({ kind: "added", text: text.slice(1), after: after++ });
    else if (text.startsWith("-")) lines.push({ kind: "removed", text: text.slice(1), before: before++ });
    else if (text.startsWith(" ")) lines.push({ kind: "same", text: text.slice(1), before: before++, after: after++ });
  }
  return marked(lines);
}

/** Marks the changed middle of lines where as many were removed as added. */
function marked(lines: readonly Line[]): readonly Line[] {
  const result = [...lines];
  for (let at = 0; at < result.length; at++) {
    if (result[at]!.kind !== "removed") continue;
    let end = at;
    while (result[end]?.kind === "removed") end++;
    let last = end;
    while (result[last]?.kind === "added") last++;
    if (last - end === end - at)
      for (let step = 0; step < end - at; step++) {
        const [old, next] = [result[at + step]!, result[end + step]!];
        const [start, oldEnd, nextEnd] = middle(old.text, next.text);
        if (start === 0 && oldEnd === old.text.length) continue;
        result[at + step] = { ...old, marks: [start, oldEnd] };
        result[end + step] = { ...next, marks: [start, nextEnd] };
      }
    at = last - 1;
  }
  return result;
}

function middle(a: string, b: string): readonly [start: number, endOfA: number, endOfB: number] {
  const most = Math.min(a.length, b.length);
  let start = 0;
  while (start < most && a[start] === b[start]) start++;
  let tail = 0;
  while (tail < most - start && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  return [start, a.length - tail, b.length - tail];
}
