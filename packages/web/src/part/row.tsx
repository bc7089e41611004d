import type { Display } from "@haft/core/tool";
import { useMemo } from "preact/hooks";
import { programOutput } from "../../../haft/src/draw/sanitize.ts";
import { type CallRow, groupRows, type Row, type ShownRow } from "../../../haft/src/view/index.ts";
import { clean, Effects, place, StatusIcon, timeOf } from "./bits.tsx";
import { Shown } from "./display.tsx";
import { Markdown } from "./markdown.tsx";

/** The rows of a session. Looking around is folded; everything else has a row of its own. */
export function Rows({ rows }: { readonly rows: readonly Row[] }) {
  return (
    <ol class="rows">
      {groupRows(rows).map((row) => (
        <li key={row.id} class={`row row-${row.kind}`}>
          <UnchangedRow row={row} />
        </li>
      ))}
    </ol>
  );
}

/** An event changes one row of many: the others keep their elements, so nothing is compared. */
const UnchangedRow = ({ row }: { readonly row: ShownRow }) => useMemo(() => <RowBody row={row} />, [row]);

function RowBody({ row }: { readonly row: ShownRow }) {
  switch (row.kind) {
    case "prompt":
      return (
        <div class="prompt">
          {row.by !== undefined && <span class="by">{clean(row.by)}</span>}
          <p class="prompt-text">{clean(row.text)}</p>
        </div>
      );
    case "text":
      return <Markdown text={row.text} />;
    case "reasoning":
      return (
        <details class="reasoning" open={row.isOpen}>
          <summary>Thinking</summary>
          <p>{clean(row.text)}</p>
        </details>
      );
    case "notice":
      return (
        <p class={`notice notice-${row.severity}`} role={row.severity === "error" ? "alert" : undefined}>
          {clean(row.text)} {row.cure !== undefined && <span class="dim">{clean(row.cure)}</span>}
        </p>
      );
    case "compacted":
      return (
        <details class="compacted">
          <summary>The conversation before this was summarized</summary>
          <p>{place(row.summary)}</p>
        </details>
      );
    case "group":
      return (
        <details class="call">
          <summary>
            <StatusIcon status={row.isClosed ? "ok" : "running"} />
            <span class="title">{groupTitle(row.searches, row.reads)}</span>
          </summary>
          {row.calls.map((call) => (
            <Call key={call.id} row={call} />
          ))}
        </details>
      );
    case "call":
      return <Call row={row} />;
  }
}

const groupTitle = (searches: number, reads: number): string =>
  [searches > 0 ? `searched ${searches}` : "", reads > 0 ? `read ${reads}` : ""].filter(Boolean).join(", ");

const hasPicture = (display: Display | undefined): boolean =>
  display?.kind === "diff" ||
  display?.kind === "image" ||
  (display?.kind === "group" && display.items.some((item) => hasPicture(item)));

/** A call. Running, asking and failed calls are open, and those with a change or an image; the others unfold on request. */
export function Call({ row }: { readonly row: CallRow }) {
  const isOpen =
    row.status === "error" || row.status === "running" || hasPicture(row.display) || row.children.length > 0;
  return (
    <details class="call" open={isOpen}>
      <summary>
        <StatusIcon status={row.status} />
        <span class="title">{clean(row.status === "running" ? (row.activity ?? row.title) : row.title)}</span>
        {row.summary !== undefined && row.status === "ok" && (
          <span class="dim summary">{place(firstLine(row.summary))}</span>
        )}
        <span class="dim time">{timeOf(row.durationMs)}</span>
      </summary>
      <div class="call-body">
        {row.status === "writing" && row.written !== undefined && (
          <pre class="plain">{clean(row.written.slice(-2_000))}</pre>
        )}
        {row.output && row.status === "running" && (
          <>
            <pre class="plain live">{programOutput(row.output.tail.slice(-4_000), false)}</pre>
            <p class="dim">{row.output.bytes.toLocaleString("en")} bytes so far</p>
          </>
        )}
        {row.display && <Shown display={row.display} isOpen />}
        <CallError row={row} />
        {row.reason !== undefined && <p class="dim">{place(row.reason)}</p>}
        {row.answers.map(({ requestId, behavior, by, message, kept }) => (
          <p key={requestId} class="dim">
            {behavior === "allow" ? "Allowed" : "Denied"} by {clean(by)}
            {message !== undefined && `: ${clean(message)}`}
            {kept !== undefined && " and remembered"}
          </p>
        ))}
        <Effects effects={row.effects} />
        {row.children.length > 0 && (
          <div class="children">
            {row.children.map((child) => (
              <Call key={child.id} row={child} />
            ))}
          </div>
        )}
      </div>
    </details>
  );
}

const squeezed = (text: string): string => text.replace(/\s+/g, " ").trim();

/** The error of a failed call, unless its display says it already. */
export function CallError({ row: { error, display } }: { readonly row: CallRow }) {
  if (error === undefined) return null;
  const isShown = display?.kind === "text" && squeezed(display.text).includes(squeezed(error));
  return isShown ? null : <p class="bad">{clean(error)}</p>;
}

const firstLine = (text: string): string => text.split("\n", 1)[0]!.replace(/^\[/, "").slice(0, 160);
