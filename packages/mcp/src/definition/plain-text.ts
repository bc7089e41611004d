/** Ranges of invisible characters, first and last: they hide words from people and show them to models. */
const UNSEEN: readonly (readonly [first: number, last: number])[] = [
  // controls, but not tab and line feed
  [0x00, 0x08],
  [0x0b, 0x1f],
  [0x7f, 0x9f],
  // soft hyphen, combining grapheme joiner, Arabic letter mark, fillers
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x61c, 0x61c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  // zero width, bidirectional control, invisible operators
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0x3164, 0x3164],
  [0xfe00, 0xfe0e],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff9, 0xfffb],
  // musical formatting, tags, variation selectors: plane 14 contains only invisible characters
  [0x1d173, 0x1d17a],
  [0xe0000, 0xe0fff],
];

/** An untrusted text made safe for a model and a person: well formed, and without invisible characters. */
export function plainText(text: string): string {
  const wellFormed = text.replaceAll("\r\n", "\n").toWellFormed();
  // Nearly all texts are plain; checking is cheaper than rebuilding.
  for (const character of wellFormed) if (isUnseen(character)) return withoutUnseen(wellFormed);
  return wellFormed;
}

/** Plain text of at most this many characters, with a note where it was cut. */
export function cappedText(text: string, most: number): string {
  const plain = plainText(text).trim();
  return plain.length <= most ? plain : `${plain.slice(0, most).toWellFormed()} [cut]`;
}

const withoutUnseen = (text: string): string => [...text].filter((character) => !isUnseen(character)).join("");

function isUnseen(character: string): boolean {
  const point = character.codePointAt(0) ?? 0;
  if (point >= 0x20 && point < 0x7f) return false;
  return UNSEEN.some(([first, last]) => point >= first && point <= last);
}
