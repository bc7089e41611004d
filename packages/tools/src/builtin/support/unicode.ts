/** Code points that people and models type as plain ASCII, as ranges from the Unicode charts. */
const twins: readonly (readonly [from: number, to: number, plain: string])[] = [
  [0x00a0, 0x00a0, " "],
  [0x00b4, 0x00b4, "'"],
  [0x2000, 0x200a, " "],
  [0x2010, 0x2015, "-"],
  [0x2018, 0x201b, "'"],
  [0x201c, 0x201f, '"'],
  [0x2026, 0x2026, "..."],
  [0x202f, 0x202f, " "],
  [0x2032, 0x2032, "'"],
  [0x2033, 0x2033, '"'],
  [0x205f, 0x205f, " "],
  [0x2212, 0x2212, "-"],
  [0x3000, 0x3000, " "],
];

/** Full-width forms of `!` to `~`, in the same order. */
const WIDE = { from: 0xff01, to: 0xff5e, shift: 0xff01 - 0x21 };

/**
 * The equivalent of a character: its ASCII twin, or its letter followed by its accents, so that one character and two
 * that look the same are equal. Never another letter.
 */
export function folded(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code >= WIDE.from && code <= WIDE.to) return String.fromCharCode(code - WIDE.shift);
  const twin = twins.find(([from, to]) => code >= from && code <= to);
  return twin ? twin[2] : character.normalize("NFD");
}
