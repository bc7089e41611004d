/**
 * The strategies to find old_string, strictest first. The first that finds anything decides; a looser one never chooses
 * among the places of a stricter one.
 */
export type StrategyName =
  | "exact"
  | "hidden"
  | "trailing-space"
  | "indentation"
  | "line-trim"
  | "whitespace"
  | "unicode"
  | "escapes"
  | "anchors";

/** The differences that each tolerance ignored, in words for the model. */
export const strategyWords: Readonly<Record<Exclude<StrategyName, "exact">, string>> = {
  hidden: "hidden characters in the file were written as code numbers",
  "trailing-space": "whitespace at line ends differed",
  indentation: "the block is indented differently; the new text was indented to fit",
  "line-trim": "lines are indented differently; the new text was indented to fit",
  whitespace: "the amount of whitespace between words differed",
  unicode: "the file has different quote, dash, space or accent characters",
  escapes: "old_string was escaped once too often; new_string was unescaped like it",
  anchors: "blank lines between or around its lines differed",
};
