/** A terminal sequence (with its numbers and letter, if it moves the cursor), or one character. */
const TOKEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /(?:\u001b\[|\u009b)([0-?]*)[ -/]*([@-~])|(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c\n]*(?:\u0007|\u001b\\|\u009c)?|\u001b[ -/]*[0-~]?|./gsu;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;
/** Maximum cursor column: a program that asks for more wants the edge. */
const MAX_COLUMN = 2000;

/**
 * The final appearance of a text in a terminal, line by line: without colours, overwritten text replaced by the newer.
 * A line to which the cursor returned stays as often as it was written.
 */
export const plainText = (text: string): string => text.split("\n").map(shownLine).join("\n");

function shownLine(line: string): string {
  if (!CONTROL.test(line)) return line;
  const cells: string[] = [];
  let at = 0;
  for (const [token, numbers = "", letter] of line.matchAll(TOKEN)) {
    const count = Math.min(Number.parseInt(numbers, 10) || 0, MAX_COLUMN);
    if (token === "\r") at = 0;
    else if (token === "\b" || letter === "D") at = Math.max(0, at - (count || 1));
    else if (letter === "C") at = Math.min(at + (count || 1), Math.max(cells.length, MAX_COLUMN));
    else if (letter === "G") at = Math.max(0, count - 1);
    else if (letter === "K") erase(cells, at, count);
    else if (letter === undefined && !CONTROL.test(token)) cells[at++] = token;
  }
  return Array.from(cells, (cell = " ") => cell).join("");
}

/** 0: from the cursor on, 1: up to it, 2: all. */
function erase(cells: string[], at: number, what: number): void {
  if (what !== 1) cells.length = Math.min(cells.length, what === 2 ? 0 : at);
  else cells.fill(" ", 0, Math.min(at + 1, cells.length));
}
