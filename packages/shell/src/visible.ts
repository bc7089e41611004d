/** Marks, format and control characters, odd blanks, private use and lone surrogates: none of them may hide in a prompt. */
const HIDDEN =
  /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}\p{Zl}\p{Zp}\u115F\u1160\u17B4\u17B5\u3164\uFFA0\u2800]|\u034F|[\u180B-\u180F\uFE00-\uFE0F]|(?! )\p{Zs}/gu;

/**
 * Text as a person must see it: control, bidirectional, invisible and look-alike blank characters are written as `\u{202E}`. A line
 * break stays one and a tab is written as `\t`; a run of more than 40 blanks, which could push text out of sight, is counted.
 */
export function visible(text: string): string {
  return text
    .replace(HIDDEN, (char) => {
      if (char === "\n") return char;
      if (char === "\t") return "\\t";
      return `\\u{${char.codePointAt(0)!.toString(16).toUpperCase()}}`;
    })
    .replace(/ {41,}/g, (blanks) => `[${blanks.length} spaces]`);
}
