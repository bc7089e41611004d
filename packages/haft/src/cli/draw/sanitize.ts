/**
 * Texts from tools, models and files as they may be shown: nothing in them moves the cursor, talks to the terminal, or
 * hides. `visible` shows everything that is there, for what a person decides on; `programOutput` leaves out what only
 * steers a terminal, and keeps colours where they are wanted.
 */

/** Everything that is there, one way or the other: controls as their pictures, invisible characters by their number. */
export const visible = (text: string): string => showHidden(text.replaceAll("\r\n", "\n"));

/** Output of a program. Colours stay if `color`; cursor movements, titles, links and other commands to the terminal go. */
export function programOutput(text: string, color: boolean): string {
  const source = text.replaceAll(/\r+\n/g, "\n");
  let shown = "";
  let from = 0;
  let colored = false;
  for (const match of source.matchAll(controlSequence)) {
    shown += showHidden(source.slice(from, match.index));
    from = match.index + match[0].length;
    const colour = color ? colourOf(match[0]) : undefined;
    if (colour === undefined) continue;
    shown += `\u001b[${colour}m`;
    colored = true;
  }
  shown += showHidden(source.slice(from));
  // A colour that is never switched off would colour everything after it.
  return colored ? `${shown}\u001b[0m` : shown;
}

/** One line: line breaks and tabs become visible too. For titles, paths and other short texts. */
export const oneLine = (text: string): string => visible(text).replaceAll("\n", "␊").replaceAll("\t", " ");

/**
 * Commands to a terminal (ECMA-48): CSI; OSC, DCS, SOS, PM and APC with their strings; two-byte escapes. The C1 forms
 * count too. A string without an end is none: only its start goes, so that it swallows nothing.
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

/** The parameters of a Select Graphic Rendition; not of one that conceals. */
function colourOf(sequence: string): string | undefined {
  const isControl = sequence.startsWith("\u009b") || sequence.startsWith("\u001b[");
  const body = sequence.startsWith("\u009b") ? sequence.slice(1) : sequence.slice(2);
  const parameters = isControl ? /^([0-9;:]*)m$/.exec(body)?.[1] : undefined;
  // In 38;5;8 and 48;2;8;8;8 the eight is a colour, not "conceal".
  const plain = parameters?.replaceAll(/[34]8[;:](?:5[;:]\d*|2(?:[;:]\d*){3,4})/g, "");
  return plain?.split(/[;:]/).some((parameter) => Number(parameter) === 8) ? undefined : parameters;
}

/** Ranges of characters, first and last, that do something or nothing instead of being seen. */
const hidden: readonly (readonly [first: number, last: number])[] = [
  // C0 and C1 controls, but not tab and line feed
  [0x0000, 0x0008],
  [0x000b, 0x001f],
  [0x007f, 0x009f],
  // marks that join, reorder or vanish
  [0x00ad, 0x00ad],
  [0x034f, 0x034f],
  [0x061c, 0x061c],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0xfeff, 0xfeff],
  [0xfff9, 0xfffb],
  // fillers that look like nothing
  [0x115f, 0x1160],
  [0x3164, 0x3164],
  [0xffa0, 0xffa0],
  // halves of a character, tags and further selectors
  [0xd800, 0xdfff],
  [0xe0000, 0xe0fff],
];

const isHidden = (code: number): boolean => hidden.some(([first, last]) => code >= first && code <= last);

/** Everything but plain ASCII is looked at. */
const suspect = /[^\t\n -~]/gu;

function showHidden(text: string): string {
  return text.replaceAll(suspect, (character, at: number) => {
    const code = character.codePointAt(0) ?? 0;
    if (!isHidden(code)) return character;
    if (code === 0x0d) return "\n";
    if (code < 0x20) return String.fromCodePoint(0x2400 + code);
    if (code === 0x7f) return "␡";
    if (code === 0x200d && joinsEmoji(text, at)) return character;
    return `‹U+${code.toString(16).toUpperCase().padStart(4, "0")}›`;
  });
}

/** A joiner between two pictures makes one picture; anywhere else it only hides. */
const joinsEmoji = (text: string, at: number): boolean =>
  /\p{Extended_Pictographic}\ufe0f?[\u{1f3fb}-\u{1f3ff}]?$/u.test(text.slice(Math.max(0, at - 5), at)) &&
  /^\p{Extended_Pictographic}/u.test(text.slice(at + 1, at + 3));
