/**
 * Makes every character visible: controls as their symbols (also a return that does not end a line), invisible
 * characters by their number.
 */
export function visible(text: string): string {
  const lines = text.replaceAll("\r\n", "\n");
  return lines.replaceAll(suspect, (character, at: number) => {
    const code = character.codePointAt(0) ?? 0;
    if (!isHidden(code)) return character;
    if (code < 0x20) return String.fromCodePoint(0x2400 + code);
    if (code === 0x7f) return "␡";
    if (code === 0x200d && joinsEmoji(lines, at)) return character;
    return `‹U+${code.toString(16).toUpperCase().padStart(4, "0")}›`;
  });
}

/** Ranges of characters, first and last, that have an effect or none instead of being visible. */
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
  [0x2800, 0x2800],
  [0xfe00, 0xfe0e],
  [0xfeff, 0xfeff],
  [0xfff9, 0xfffb],
  // fillers that look empty
  [0x115f, 0x1160],
  [0x3164, 0x3164],
  [0xffa0, 0xffa0],
  // halves of a character, tags and further selectors
  [0xd800, 0xdfff],
  [0x1d173, 0x1d17a],
  [0xe0000, 0xe0fff],
];

const isHidden = (code: number): boolean => hidden.some(([first, last]) => code >= first && code <= last);

/** Only characters outside plain ASCII are checked. */
const suspect = /[^\t\n -~]/gu;

/** A joiner between two emoji makes one emoji; anywhere else it only hides. */
const joinsEmoji = (text: string, at: number): boolean =>
  /\p{Extended_Pictographic}\ufe0f?[\u{1f3fb}-\u{1f3ff}]?$/u.test(text.slice(Math.max(0, at - 5), at)) &&
  /^\p{Extended_Pictographic}/u.test(text.slice(at + 1, at + 3));
