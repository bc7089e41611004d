/**
 * Makes texts from tools, models and files safe to show: nothing in them moves the cursor, controls the terminal, or
 * hides. `visible` shows every character, for texts on which a person decides. `programOutput` drops terminal controls,
 * and keeps colours on request.
 */
import { visible } from "./visible.ts";

export { visible };

/** Output of a program. Keeps colours if `color`; drops cursor movements, titles, links and other terminal commands. */
export function programOutput(text: string, color: boolean): string {
  // A program that returns to the start of its line writes a new one.
  const source = text.replaceAll(/\r+\n?/g, "\n");
  let shown = "";
  let from = 0;
  let colored = false;
  for (const match of source.matchAll(controlSequence)) {
    shown += visible(source.slice(from, match.index));
    from = match.index + match[0].length;
    const colour = color ? colourOf(match[0]) : undefined;
    if (colour === undefined) continue;
    shown += `\u001b[${colour}m`;
    colored = true;
  }
  shown += visible(source.slice(from));
  // A colour without an end would affect everything after it.
  return colored ? `${shown}\u001b[0m` : shown;
}

/** The last state of a line that a program has written again and again, such as a progress bar. */
export function lastState(line: string): string {
  const state = line.replace(/\r+$/, "");
  return state.slice(state.lastIndexOf("\r") + 1);
}

/** One line: makes line breaks and tabs visible too. For titles, paths and other short texts. */
export const oneLine = (text: string): string => visible(text).replaceAll("\n", "␊").replaceAll("\t", " ");

/**
 * Commands to a terminal (ECMA-48): CSI; OSC, DCS, SOS, PM and APC with their strings; two-byte escapes. Includes the
 * C1 forms. For a string without an end, only its start is removed, so that it swallows nothing.
 */
const controlSequence = new RegExp(
  [
    "(?:\\u001b\\[|\\u009b)[0-?]*[ -/]*[@-~]",
    "(?:\\u001b[\\]PX^_]|[\\u009d\\u0090\\u0098\\u009e\\u009f])[^\\u0007\\u001b\\u009c]*(?:\\u0007|\\u001b\\\\|\\u009c)",
    "\\u001b[ -/]*[0-~]",
    "\\u001b",
  ].join("|"),
  "g",
);

/** The parameters of a Select Graphic Rendition, unless it conceals. */
function colourOf(sequence: string): string | undefined {
  const isControl = sequence.startsWith("\u009b") || sequence.startsWith("\u001b[");
  const body = sequence.startsWith("\u009b") ? sequence.slice(1) : sequence.slice(2);
  const parameters = isControl ? /^([0-9;:]*)m$/.exec(body)?.[1] : undefined;
  // In 38;5;8 and 48;2;8;8;8 the eight is a colour, not "conceal".
  const plain = parameters?.replaceAll(/[34]8[;:](?:5[;:]\d*|2(?:[;:]\d*){3,4})/g, "");
  return plain?.split(/[;:]/).some((parameter) => Number(parameter) === 8) ? undefined : parameters;
}
