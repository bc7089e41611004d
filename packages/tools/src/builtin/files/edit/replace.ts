import { fail, type TextFile } from "@haft/core/tool";
import { type Replaced, replaceExactly, spliced } from "./exact.ts";
import { lineNumbers, type PlainText, plainText, withLineFeeds } from "./plain-text.ts";
import { type Refusing, refuseAmbiguous, refuseMissing } from "./refusal.ts";
import { type Found, findPlaces } from "./strategy.ts";
import { rebuild } from "./tolerant/rebuild.ts";
import { checkReplacement, type Replacement } from "./wish.ts";

/**
 * Replaces the requested text and nothing else. The search ignores line ends, and the new text gets those of the file,
 * so a model that sees LF can edit a file with CRLF. Everything outside the passages keeps its bytes. So do lines
 * inside them that old_string and new_string share. Nothing in the new text has a special meaning.
 */
export function replaceText(refusing: Refusing, file: Pick<TextFile, "text" | "eol">, wish: Replacement): Replaced {
  checkReplacement(wish);
  const exact = replaceExactly(file, wish);
  if (exact) return exact;
  const view = plainText(file);
  const old = withLineFeeds(wish.old_string);
  const next = withLineFeeds(wish.new_string);
  const found = findPlaces(view.plain, old, next, wish.replace_all ?? false);
  if (!found) return refuseMissing(refusing, view.plain, old, next);
  if (found.spans.length > 1 && !wish.replace_all) return refuseAmbiguous(refusing, view.plain, found);
  const text = splice(view, found);
  if (text === file.text)
    fail("no_change", `${refusing.path} already holds the new text.`, "There is nothing left to do here.");
  const starts = found.spans.map((span) => span.start);
  return { text, lines: lineNumbers(view.plain, starts), strategy: found.strategy };
}

function splice(view: PlainText, found: Found): string {
  const { raw, eol } = view;
  const isExact = found.strategy === "exact" || found.strategy === "hidden" || found.strategy === "escapes";
  // Compute this once: the text may be long and the places many.
  const isPlain = isExact && eol === "\n" && !raw.includes("\r");
  const offsets = view.toRaw(found.spans.flatMap(({ start, end }) => [start, end]));
  const spans = found.spans.map((_, index) => ({ start: offsets[index * 2] ?? 0, end: offsets[index * 2 + 1] ?? 0 }));
  return spliced(raw, spans, (passage) => (isPlain ? found.next : rebuilt(passage, found, eol, isExact)));
}

const rebuilt = (passage: string, { old, next }: Found, eol: TextFile["eol"], isExact: boolean): string =>
  rebuild(passage, old, next, eol, isExact)?.text ?? next.replaceAll("\n", eol);
