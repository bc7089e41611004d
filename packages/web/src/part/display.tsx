import type { Display } from "@haft/core/tool";
import { useEffect, useState } from "preact/hooks";
import { programOutput } from "../../../haft/src/draw/sanitize.ts";
import { pixelsOf } from "../lib/picture-size.ts";
import { clean, place } from "./bits.tsx";
import { Diff } from "./diff.tsx";
import { Markdown } from "./markdown.tsx";

const MOST_ITEMS = 200;

export interface ShownProps {
  readonly display: Display;
  /** Groups are unfolded. */
  readonly isOpen?: boolean;
}

/** The display of a call. The kinds are a closed list, and no tool is known by its name. */
export function Shown({ display, isOpen = false }: ShownProps) {
  switch (display.kind) {
    case "text":
      return <Text text={display.text} />;
    case "markdown":
      return <Markdown text={display.text} />;
    case "message":
      return (
        <div class="message">
          <Markdown text={display.text} />
          {display.files?.map(({ path }) => (
            <code key={path}>{place(path)}</code>
          ))}
        </div>
      );
    case "terminal":
      return (
        <div class="terminal">
          {display.command !== undefined && <div class="command">$ {clean(display.command)}</div>}
          {display.text !== "" && <Text text={programOutput(display.text, false)} />}
          {display.exitCode !== undefined && display.exitCode !== 0 && (
            <div class="bad">exit code {display.exitCode}</div>
          )}
        </div>
      );
    case "diff":
      return (
        <>
          <Diff path={display.path} unified={display.unified} />
          {display.notes?.map((note) => (
            <Text key={note} text={note} />
          ))}
        </>
      );
    case "matches":
      return (
        <ul class="matches">
          {display.matches.slice(0, MOST_ITEMS).map(({ path, line, text, ranges }, at) => (
            <li key={at}>
              <span class="place">
                {place(path)}:{line}
              </span>
              <code>{highlighted(text, ranges)}</code>
            </li>
          ))}
          <More count={(display.more ?? 0) + Math.max(0, display.matches.length - MOST_ITEMS)} />
        </ul>
      );
    case "files":
      return (
        <ul class="files">
          {display.files.slice(0, MOST_ITEMS).map(({ path, kind }) => (
            <li key={path}>
              <code>{clean(kind === "directory" ? `${path}/` : path)}</code>
            </li>
          ))}
          <More count={(display.more ?? 0) + Math.max(0, display.files.length - MOST_ITEMS)} />
        </ul>
      );
    case "todos":
      return (
        <ul class="todos">
          {display.todos.map(({ content, status }, at) => (
            <li key={at} class={`todo-${status}`}>
              <span aria-hidden="true">{{ completed: "☑", in_progress: "◐", pending: "☐" }[status]}</span>{" "}
              {clean(content)}
              <span class="sr"> ({status.replace("_", " ")})</span>
            </li>
          ))}
        </ul>
      );
    case "table":
      return <Table {...display} />;
    case "image":
      return <Picture {...display} />;
    case "progress":
      return (
        <p>
          {clean(display.text)}
          {display.total !== undefined && (
            <progress value={display.done ?? 0} max={display.total} aria-label={display.text} />
          )}
        </p>
      );
    case "group":
      return (
        <details class="group" open={isOpen}>
          <summary>{clean(display.title)}</summary>
          {display.items.map((item, at) => (
            <Shown key={at} display={item} isOpen={isOpen} />
          ))}
        </details>
      );
  }
}

const More = ({ count }: { readonly count: number }) => (count > 0 ? <li class="dim">and {count} more</li> : null);

const FIRST_CHARS = 4_000;
const MOST_CHARS = 400_000;

/** Long text is folded; its beginning stays in sight. */
export function Text({ text }: { readonly text: string }) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? text.slice(0, MOST_CHARS) : text.slice(0, FIRST_CHARS);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by keyboard */}
      <pre class="plain" tabIndex={0}>
        {clean(shown)}
      </pre>
      {shown.length < text.length && !isWhole && (
        <button type="button" class="link" onClick={() => setWhole(true)}>
          Show all {text.length.toLocaleString("en")} characters
        </button>
      )}
    </>
  );
}

function highlighted(text: string, ranges: readonly (readonly [number, number])[] = []) {
  let from = 0;
  const parts = ranges.flatMap(([start, end], at) => {
    const before = clean(text.slice(from, start));
    from = end;
    return [before, <mark key={at}>{clean(text.slice(start, end))}</mark>];
  });
  return [...parts, clean(text.slice(from))];
}

function Table({
  columns,
  rows,
}: {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}) {
  return (
    <div class="table-scroll">
      <table class="plain-table">
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column}>{clean(column)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, MOST_ITEMS).map((row, at) => (
            <tr key={at}>
              {row.map((cell, column) => (
                <td key={column}>{clean(cell)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const MOST_PIXELS = 40_000_000;
const SAFE = /^image\/(?:png|jpeg|gif|webp)$/;

/** Formats without scripts only. The size is read before the picture is unpacked into the page. */
function Picture({
  data,
  mediaType,
  alt,
}: {
  readonly data: string;
  readonly mediaType: string;
  readonly alt: string;
}) {
  const [address, setAddress] = useState<string>();
  const [why, setWhy] = useState<string>();
  useEffect(() => {
    if (!SAFE.test(mediaType)) return setWhy(`A picture of the type ${mediaType} is not shown.`);
    const bytes = Uint8Array.from(atob(data), (char) => char.charCodeAt(0));
    const blob = new Blob([bytes], { type: mediaType });
    const own = URL.createObjectURL(blob);
    const size = pixelsOf(bytes);
    if (size === undefined) setWhy("The picture cannot be read.");
    else if (size > MOST_PIXELS) setWhy("The picture has too many pixels to be shown.");
    else setAddress(own);
    return () => URL.revokeObjectURL(own);
  }, [data, mediaType]);
  if (why !== undefined) return <p class="dim">{clean(why)}</p>;
  return address === undefined ? null : <img class="picture" src={address} alt={clean(alt)} loading="lazy" />;
}
