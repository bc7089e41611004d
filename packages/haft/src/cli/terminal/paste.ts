import { StringDecoder } from "node:string_decoder";

/** Sequences that turn a terminal's bracketed paste mode on and off. */
export const PASTE_MARKS = { on: "\u001b[?2004h", off: "\u001b[?2004l" } as const;

const BEGIN = "\u001b[200~";
const END = "\u001b[201~";

/** Milliseconds in which the rest of a mark arrives. A pressed Escape key has none. */
const MARK_MS = 30;

/** Separates keys from pasted texts, in their order. */
export interface PasteReader {
  push(chunk: Uint8Array): void;
}

/** `onKeys` gets typed keys unchanged, `onPaste` a pasted text as a whole, with plain line breaks. */
export function pasteReader(onKeys: (keys: string) => void, onPaste: (text: string) => void): PasteReader {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  let isPasting = false;
  let timer: NodeJS.Timeout | undefined;

  function take(text: string): void {
    const mark = isPasting ? END : BEGIN;
    const at = text.indexOf(mark);
    if (at < 0) {
      rest = isPasting ? text : text.slice(text.length - begunMark(text));
      const keys = isPasting ? "" : text.slice(0, text.length - rest.length);
      if (keys !== "") onKeys(keys);
      if (!isPasting && rest !== "") timer = setTimeout(release, MARK_MS);
      return;
    }
    const before = text.slice(0, at);
    if (isPasting) onPaste(before.replaceAll(/\r\n?/g, "\n"));
    else if (before !== "") onKeys(before);
    isPasting = !isPasting;
    take(text.slice(at + mark.length));
  }

  function release(): void {
    const keys = rest;
    rest = "";
    onKeys(keys);
  }

  return {
    push(chunk) {
      clearTimeout(timer);
      const text = rest + decoder.write(chunk);
      rest = "";
      take(text);
    },
  };
}

/** The number of characters at the end of a text that may start a mark. */
function begunMark(text: string): number {
  for (let length = Math.min(BEGIN.length - 1, text.length); length > 0; length--)
    if (text.endsWith(BEGIN.slice(0, length))) return length;
  return 0;
}
