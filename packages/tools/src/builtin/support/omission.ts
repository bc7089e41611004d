import { fail } from "@haft/core/tool";

/**
 * The line with which a new text omits part of the old one: `// ... rest of the code ...`. Only if the new text is
 * shorter, because otherwise nothing can be missing, and only a line that the old text does not have.
 */
function omissionIn(old: string, next: string): string | undefined {
  if (!MAY_OMIT.test(next) || lineCount(next) >= lineCount(old)) return undefined;
  const known = new Set(old.split("\n").map((line) => line.trim()));
  return next
    .split("\n")
    .map((line) => line.trim())
    .find((line) => isOmission(line) && !known.has(line));
}

/** Refuses a text with a remark instead of the missing part. */
export function refuseOmission(old: string, next: string, cure: string): void {
  const line = omissionIn(old, next);
  if (line === undefined) return;
  fail(
    "validation_failed",
    `The new text contains a placeholder for omitted content: "${line}". That content would be lost.`,
    cure,
  );
}

const lineCount = (text: string): number => text.split("\n").filter((line) => line.trim() !== "").length;

const ELLIPSIS = String.raw`(?:\.{3}|…)`;
const MAY_OMIT = /\.{3}|…/;
/** Comment marks, and brackets around such a remark. Without one, a remark must begin with dots. */
const MARKED = /^(?:\/\/+|#+|\/\*+|\*|<!--|--|;+|%+|"""|\(|\[|\{\s*\/\*)\s*(.*?)\s*(?:\*+\/\s*\}?|-->|"""|\)|\])?$/s;
const DOTTED = new RegExp(`^${ELLIPSIS}.*$`, "s");
const WHAT = `(?:code|methods?|functions?|files?|contents?|implementations?|imports?|tests?|class(?:es)?|lines?|logic|sections?|text|body|config(?:uration)?|properties|fields|cases|handlers?|components?|styles?|rules)`;
const LEFT_OUT = new RegExp(
  [
    String.raw`\b(?:the\s+)?rest\s+of\b`,
    String.raw`\b(?:remaining|existing|unchanged|previous|original|other|omitted|same)\s+(?:\w+\s+){0,2}${WHAT}\b`,
    String.raw`\b${WHAT}\s+(?:\w+\s+){0,2}(?:unchanged|omitted|(?:stays?|remains?)\s+the\s+same|as\s+before)\b`,
    String.raw`^(?:unchanged|omitted|same\s+as\s+before|as\s+before)$`,
  ].join("|"),
  "i",
);
const AT_AN_EDGE = new RegExp(`^${ELLIPSIS}|${ELLIPSIS}$`);

/** Maximum characters of a remark; a longer line is text. */
const MAX_REMARK = 200;

function isOmission(line: string): boolean {
  if (line.length > MAX_REMARK) return false;
  const remark = MARKED.exec(line)?.[1]?.trim() ?? (DOTTED.test(line) ? line : "");
  if (!AT_AN_EDGE.test(remark)) return false;
  return LEFT_OUT.test(remark.replace(/\.{3}|…/g, " ").trim());
}
