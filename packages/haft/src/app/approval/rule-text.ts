import { isDeepStrictEqual } from "node:util";
import { fail } from "@haft/core/tool";
import JSON5 from "json5";

interface Document {
  readonly permissions?: { readonly allow?: readonly string[] };
}

/** A string in either quote, a comment, a bare word or number, or one mark. */
const token = /"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*'|\/\/[^\n]*|\/\*[\s\S]*?\*\/|[^\s{}[\],:"'/]+|[{}[\],:]/g;

/** The start and end of a container in a JSON5 text, and the end of its last element. */
interface Container {
  readonly open: number;
  close: number;
  /** After the last token inside, commas included. */
  last: number;
  endsWithComma: boolean;
  isEmpty: boolean;
}

/**
 * Adds allow rules to a settings text and keeps everything else: comments, order, quotes and layout. The result is parsed
 * again and compared, so a text with an unexpected layout is refused and never damaged.
 *
 * @throws HaftError `conflict` when the rules cannot be added without rewriting what a person wrote.
 */
export function withAllowRules(text: string, rules: readonly string[]): string {
  const source = text.trim() === "" ? "{}\n" : text;
  const before = JSON5.parse(source) as Document;
  const has = before.permissions?.allow ?? [];
  if (!isObject(before) || !isObject(before.permissions ?? {}) || !Array.isArray(has)) refuse(rules);
  const added = rules.filter((rule) => !has.includes(rule));
  if (added.length === 0) return text;
  const after = inserted(source, added);
  const wanted = { ...before, permissions: { ...before.permissions, allow: [...has, ...added] } };
  if (after === undefined || !isSame(after, wanted)) return refuse(added);
  return after;
}

const refuse = (rules: readonly string[]): never =>
  fail(
    "conflict",
    "The rules could not be added without rewriting the file.",
    `Add them by hand to permissions.allow: ${rules.map((rule) => JSON.stringify(rule)).join(", ")}`,
  );

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null && !Array.isArray(value);

function isSame(text: string, wanted: Document): boolean {
  try {
    return isDeepStrictEqual(JSON5.parse(text), wanted);
  } catch {
    return false;
  }
}

function inserted(text: string, rules: readonly string[]): string | undefined {
  const found = containersOf(text);
  const words = rules.map((rule) => JSON.stringify(rule));
  const list = found.get("permissions.allow");
  if (list) return put(text, list, words);
  const value = `[${words.join(", ")}]`;
  const permissions = found.get("permissions");
  if (permissions) return put(text, permissions, [`"allow": ${value}`]);
  const root = found.get("");
  return root && put(text, root, [`"permissions": { "allow": ${value} }`]);
}

/** Adds elements after the last one, in the layout of the container: on lines of their own, or on its only line. */
function put(text: string, { open, close, last, endsWithComma, isEmpty }: Container, words: string[]): string {
  const closingLine = text.slice(text.lastIndexOf("\n", close - 1) + 1, close);
  const isSpread = text.slice(open, close).includes("\n") && /^\s*$/.test(closingLine);
  const unit = closingLine.includes("\t") ? "\t" : "  ";
  const space = isSpread || (isEmpty && text.trim() === "{}") ? `\n${isSpread ? closingLine : ""}${unit}` : " ";
  const lead = isEmpty || endsWithComma ? "" : ",";
  const isLone = isEmpty && !isSpread;
  const body = words.map((word) => `${isLone && space === " " ? "" : space}${word}`).join(isLone ? ", " : ",");
  const tail = isLone && space !== " " ? "\n" : "";
  return `${text.slice(0, last)}${lead}${body}${tail}${text.slice(last)}`;
}

/** The containers on the way to `permissions.allow`, by their path. */
function containersOf(text: string): Map<string, Container> {
  const found = new Map<string, Container>();
  const stack: { path: string; key: string; container: Container }[] = [];
  let previous = "";
  for (const match of text.matchAll(token)) {
    const [word] = match;
    if (word.startsWith("//") || word.startsWith("/*")) continue;
    const top = stack.at(-1);
    if (word === "}" || word === "]") {
      if (stack.pop() && top) top.container.close = match.index;
      touch(stack.at(-1)?.container, match.index + 1, false);
    } else {
      if (word === ":" && top) top.key = unquoted(previous);
      touch(top?.container, match.index + word.length, word === ",");
      if (word === "{" || word === "[") {
        const path = top ? [top.path, top.key].filter(Boolean).join(".") : "";
        const start = match.index + 1;
        const container = { open: start, close: start, last: start, endsWithComma: false, isEmpty: true };
        stack.push({ path, key: "", container });
        found.set(path, container);
      }
    }
    previous = word;
  }
  return found;
}

function touch(container: Container | undefined, end: number, isComma: boolean): void {
  if (!container) return;
  container.last = end;
  container.endsWithComma = isComma;
  container.isEmpty = false;
}

const unquoted = (word: string): string => (/^["']/.test(word) ? word.slice(1, -1) : word);
