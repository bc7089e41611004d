import { extname } from "node:path";
import type { ApprovalRequest } from "@haft/core/approval";

/** The part of a call that a person may change in an editor before it runs. */
export interface EditablePart {
  readonly text: string;
  /** File extension, so that the editor recognizes the content. */
  readonly suffix: string;
  /** The whole input of the call, with the changed text in place. */
  apply(text: string): unknown;
}

/**
 * The command or the proposed content of a call: the input field whose text equals the shown text. Works from the shown
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
      if (words) return part(words, ".md");
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
