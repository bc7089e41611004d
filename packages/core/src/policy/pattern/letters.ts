/** Letters of scripts that contain Latin look-alikes, and the wide forms of Latin letters. */
const OTHER =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}\uff21-\uff5a]/u;
const LATIN = /(?![\uff21-\uff5a])\p{Script=Latin}/u;

/** The hint for such a letter. */
export const RETYPE = "Retype the word.";

/** Names a letter of another script among Latin ones, or in the name of a tool or program. Readers would not notice it. */
export function otherLetterIn(rule: string): string | undefined {
  for (const { 0: word, index } of rule.matchAll(/[\p{L}\p{M}]+/gu)) {
    const letter = OTHER.exec(word)?.[0];
    const isName = index === 0 || /^(?:Bash|PowerShell|run)\($/.test(rule.slice(0, index));
    if (letter === undefined || !(isName || LATIN.test(word))) continue;
    const code = letter.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0");
    return `In "${word}" the letter "${letter}" (U+${code}) is of another script`;
  }
  return undefined;
}
