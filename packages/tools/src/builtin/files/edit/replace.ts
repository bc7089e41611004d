import { fail, type TextFile } from "@haft/core/tool";
import { refuseOmission } from "../../support/omission.ts";
import { lineNumbers, type PlainText, plainText, withLineFeeds } from "./plain-text.ts";
import { rebuild } from "./rebuild.ts";
import { type Refusing, refuseAmbiguous, refuseMissing } from "./refusal.ts";
import { type Found, findPlaces, type StrategyName } from "./strategy.ts";

/** A request to replace one text with another. */
export interface Replacement {
  readonly old_string: string;
  readonly new_string: string;
  readonly replace_all?: boolean;
}

/** A text after its replacements. */
interface Replaced {
  readonly text: string;
  /** Line numbers where the replaced passages began. */
  readonly lines: readonly number[];
  readonly strategy: StrategyName;
}

/** Refuses a request that could do nothing or anything, regardless of the file's content. */
export function checkReplacement({ old_string, new_string }: Replacement): void {
  if (old_string === "" && new_string === "")
    fail("invalid_input", "old_string and new_string are empty.", "Give the text to replace and its replacement.");
  if (old_string === "")
    fail("invalid_input", "old_string is empty.", "Give the text to replace. To create a file, use Write.");
  if (old_string === new_string)
    fail("no_change", "old_string and new_string are the same.", "Put the changed text into new_string.");
  refuseOmission(
    old_string,
    new_string,
    "Nothing was changed. Give the whole new text, or put only the lines that change into old_string.",
  );
}

/**
 * Replaces the requested text and nothing else. The search ignores line ends, and the new text gets those of the file,
 * so a model that sees LF can edit a file with CRLF. Everything outside the passages keeps its bytes. So do lines
 * inside them that old_string and new_string share. Nothing in the new text has a special meaning.
 */
export function replaceText(refusing: Refusing, file: Pick<TextFile, "text" | "eol">, wish: Replacement): Replaced {
  checkReplacement(wish);
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
  let text = "";
  let from = 0;
  for (let index = 0; index < offsets.length; index += 2) {
    const [start, end] = [offsets[index] ?? 0, offsets[index + 1] ?? 0];
    const passage = raw.slice(start, end);
    text += raw.slice(from, start) + (isPlain ? found.next : rebuilt(passage, found, eol, isExact));
    from = end;
  }
  return text + raw.slice(from);
}

const rebuilt = (passage: string, { old, next }: Found, eol: TextFile["eol"], isExact: boolean): string =>
  rebuild(passage, old, next, eol, isExact)?.text ?? next.replaceAll("\n", eol);
