import { type Content, contentText, errorText, type Result } from "../tool/index.ts";

/**
 * Characters that a person cannot see but a model reads: format and tag characters, direction overrides, selectors,
 * blank letters, and controls other than tab and line ends.
 */
const HIDDEN =
  /[[\p{Cf}\p{Cc}\p{Cs}\p{Variation_Selector}\u{34f}\u{115f}\u{1160}\u{17b4}\u{17b5}\u{3164}\u{ffa0}]--[\t\n\r\u{200c}\u{200d}\u{fe0f}\u{600}-\u{605}\u{6dd}]]/gv;

/** Joiners and the emoji selector have a use within emoji and some scripts; anywhere else they can hide a text. */
const LOOSE_JOINERS =
  /(?<!\p{M}|[\p{L}--[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]]|\p{Extended_Pictographic}|\p{Emoji_Modifier}|\u{fe0f})(?:\u{200c}|\u{200d})+|\u{fe0f}{2,}/gv;

/** Text that looks like one of our marks, or like a turn of a conversation. */
const MARKS =
  /<(?=\s*\/?\s*untrusted\b|\s*\|?\s*\/?\s*(?:system|assistant|user|im_start|im_end|tool_result|function_results)\b[^>\n]{0,200}>)/gi;

/** Untrusted text without hidden characters, and without marks that could be mistaken for ours. */
export const neutralised = (text: string): string =>
  text.replaceAll(HIDDEN, "").replaceAll(LOOSE_JOINERS, "").replaceAll(MARKS, "‹");

/**
 * The content of a result for the model. Untrusted content is enclosed in marks that name its source, so that the model
 * can tell it from ours. The marks carry a random name, so that nobody can forge the closing one. Lookalike marks and
 * invisible characters are removed. The same content always gives the same text, so that a provider's cache of the
 * conversation stays valid.
 */
export function modelContent(result: Pick<Result, "content" | "error" | "labels">): readonly Content[] {
  const { content, labels } = result;
  if (labels?.integrity !== "stranger") return content;
  const source = (labels.sources ?? [])
    .join(", ")
    .replaceAll(/["<>\s]+/g, " ")
    .slice(0, 300);
  return content.map((item) => (isOwn(item, result) ? item : marked(item, source)));
}

/** The content of a result, with our own text in it marked as such: for callers that keep the content without its error. */
export const withOwnWords = (result: Pick<Result, "content" | "error">): readonly Content[] =>
  result.content.map((item) => (item.type === "text" && isOwn(item, result) ? { ...item, own: true as const } : item));

/** The text of an error is ours, unless a server wrote it. */
function isOwn(item: Content, { error }: Pick<Result, "error">): boolean {
  if (item.type !== "text") return false;
  return item.own === true || (error !== undefined && error.code !== "mcp_error" && item.text === errorText(error));
}

function marked(item: Content, source: string): Content {
  if (item.type === "resource") return item.text === undefined ? item : { ...item, text: inMarks(item.text, source) };
  return item.type === "text" || item.type === "json"
    ? { type: "text", text: inMarks(contentText(item), source) }
    : item;
}

function inMarks(text: string, source: string): string {
  const name = `untrusted-${nameFor(text)}`;
  return `<${name} source="${source}">\n${neutralised(text)}\n</${name}>`;
}

/** Created with the first mark: without it nobody can guess the name of a mark. */
let secret: string | undefined;

/** A name derived from the text and a secret of this process. */
function nameFor(text: string): string {
  secret ??= crypto.randomUUID();
  let [high, low] = [0xdeadbeef, 0x41c6ce57];
  for (const part of [secret, text])
    for (let index = 0; index < part.length; index += 1) {
      const unit = part.charCodeAt(index);
      high = Math.imul(high ^ unit, 2654435761);
      low = Math.imul(low ^ unit, 1597334677);
    }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return [high, low].map((half) => (half >>> 0).toString(16).padStart(8, "0")).join("");
}
