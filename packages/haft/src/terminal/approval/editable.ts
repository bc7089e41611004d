import { extname } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { ApprovalRequest } from "@haft/core/approval";
import type { Display } from "@haft/core/tool";

/** The part of a call that a person may change in an editor before it runs. */
export interface EditablePart {
  readonly text: string;
  /** File extension, so that the editor recognizes the content. */
  readonly suffix: string;
  /** The whole input of the call, with the changed text in place. */
  apply(text: string): unknown;
}

/**
 * The command, the proposed content or the plan of a call: the input field whose text equals the shown text. Works from the shown
 * text, so that it supports unknown tools; `undefined` if no field matches.
 */
export function editablePart({ input, show }: ApprovalRequest): EditablePart | undefined {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return undefined;
  const texts = Object.entries(input).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  const part = ([name, text]: [string, string], suffix: string): EditablePart => ({
    text,
    suffix,
    apply: (changed) => ({ ...input, [name]: asWritten(changed, text) }),
  });
  const shown = show.kind === "group" ? show.items : [show];
  for (const display of shown) {
    if (display.kind === "terminal") {
      const command = texts.find(([, text]) => text === display.command);
      if (command) return part(command, ".sh");
    }
    if (display.kind === "markdown") {
      const words = texts.find(([, text]) => text === display.text);
      if (words) return withList(part(words, ".md"), input, shown);
    }
    if (display.kind === "diff") {
      const content = proposedContent(texts, display.before, display.after);
      if (content) return part(content, extname(display.path));
    }
  }
  const script = texts.filter(([, text]) => text.includes("\n"));
  const isChange = shown.some(({ kind }) => kind === "diff" || kind === "terminal");
  return isChange && script.length === 1 ? part(script[0]!, ".txt") : undefined;
}

/** A text and the list that is shown as a table with it, below a line with the title of the table. */
function withList(part: EditablePart, input: object, shown: readonly Display[]): EditablePart {
  for (const table of shown) {
    if (table.kind !== "table" || table.columns.length !== 1) continue;
    const lines = table.rows.map(([cell]) => cell);
    const [name] = Object.entries(input).find(([, value]) => isDeepStrictEqual(value, lines)) ?? [];
    if (name === undefined) continue;
    const text = part.text.endsWith("\n") ? part.text : `${part.text}\n`;
    const heading = `\n--- ${table.columns[0]}, one a line ---\n`;
    return {
      ...part,
      text: `${text}${heading}${lines.join("\n")}\n`,
      apply(changed) {
        const at = changed.lastIndexOf(heading);
        if (at < 0) return part.apply(changed);
        const items = changed.slice(at + heading.length).split("\n");
        const list = items.map((line) => line.trim()).filter((line) => line !== "");
        return { ...(part.apply(changed.slice(0, at)) as object), [name]: list };
      },
    };
  }
  return part;
}

/** The whole new content, or else the longest new piece of it. */
function proposedContent(texts: readonly [string, string][], before: string, after: string) {
  const whole = texts.find(([, text]) => text === after);
  if (whole) return whole;
  return texts
    .filter(([, text]) => text !== "" && after.includes(text) && !before.includes(text))
    .sort(([, a], [, b]) => b.length - a.length)[0];
}

/** Editors end a file with a line break; without one before, it is not part of the change. */
const asWritten = (changed: string, before: string): string =>
  before.endsWith("\n") ? changed : changed.replace(/\n$/, "");
